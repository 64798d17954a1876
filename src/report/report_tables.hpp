// SPDX-License-Identifier: Apache-2.0
//
// src/report/report_tables.hpp - the tables of a report's page.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/report.hpp"

namespace mercer::report {

/// What a reader calls a measure.
[[nodiscard]] std::string measure_words(const std::string& name);

/// "0.1 to 0.2"; empty when there is no interval.
[[nodiscard]] std::string interval_text(double low, double high);

/// Sentences as a list.
[[nodiscard]] std::string list_html(const std::vector<std::string>& sentences);

/// A table in a box that scrolls on its own, by the keyboard too.
[[nodiscard]] std::string scrolled(const std::string& label, const std::string& table);

[[nodiscard]] std::string certificate_table(const Report& report);
[[nodiscard]] std::string conditions_table(const VerifyReport& verified);
[[nodiscard]] std::string measures_table(const ReportRows& rows);
[[nodiscard]] std::string areas_table(const ReportRows& rows);  ///< empty for two classes
[[nodiscard]] std::string hardest_table(const Report& report);

/// Names and values without a head.
[[nodiscard]] std::string facts_table(
    const std::string& label, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace mercer::report

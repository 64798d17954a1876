// SPDX-License-Identifier: Apache-2.0
//
// src/report/report_tables.hpp - the tables of a report's page.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/report.hpp"

namespace mercer::report {

/// The name of a measure for readers.
[[nodiscard]] std::string measure_words(const std::string& name);

/// "0.1 to 0.2"; empty if there is no interval.
[[nodiscard]] std::string interval_text(double low, double high);

/// Sentences as an HTML list.
[[nodiscard]] std::string list_html(const std::vector<std::string>& sentences);

/// A table in a box that scrolls separately, also with the keyboard.
[[nodiscard]] std::string scrolled(const std::string& label, const std::string& table);

[[nodiscard]] std::string certificate_table(const Report& report);
[[nodiscard]] std::string conditions_table(const VerifyReport& verified);
[[nodiscard]] std::string measures_table(const ReportRows& rows);
[[nodiscard]] std::string areas_table(const ReportRows& rows);  ///< empty for two classes
[[nodiscard]] std::string hardest_table(const Report& report);

/// Names and values without a header.
[[nodiscard]] std::string facts_table(
    const std::string& label, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace mercer::report

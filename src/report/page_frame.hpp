// SPDX-License-Identifier: Apache-2.0
//
// src/report/page_frame.hpp - one HTML file with charts and text, including style, script and data.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/chart.hpp"

namespace mercer::report {

/// A chart with its caption (HTML); arrow keys move from point to point.
[[nodiscard]] std::string figure_html(const chart::Figure& figure, const std::string& caption);

/// The whole page. `body` is HTML; `figures` are those it shows. Self-contained.
[[nodiscard]] std::string page_html(const std::string& title, const std::string& body,
                                    const std::vector<chart::Figure>& figures);

/// The style of the page in addition to that of the charts, and its script.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace mercer::report

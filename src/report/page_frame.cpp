// SPDX-License-Identifier: Apache-2.0
//
// src/report/page_frame.cpp - the frame of every HTML page.
#include "report/page_frame.hpp"

#include <fmt/format.h>

namespace mercer::report {

std::string figure_html(const chart::Figure& figure, const std::string& caption) {
    return fmt::format(
        "<figure id=\"chart-{0}\">\n<figcaption><strong>{1}</strong>{2}{3}</figcaption>\n<div "
        "class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"{1}. Arrow keys read its "
        "points.\" data-chart=\"{0}\">{4}</div>\n<details class=\"numbers\" data-chart=\"{0}\">"
        "<summary>Numbers of “{1}”</summary></details>\n</figure>\n",
        figure.id, chart::escaped(figure.title), caption.empty() ? "" : ". ", caption,
        chart::to_svg(figure, chart::Setting::in_page));
}

std::string page_html(const std::string& title, const std::string& body,
                      const std::vector<chart::Figure>& figures) {
    std::vector<std::string> data;
    for (const chart::Figure& figure : figures) {
        data.push_back(chart::hover_data(figure));
    }
    // The policy makes the browser enforce that nothing is fetched.
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
        "name=\"color-scheme\" content=\"light dark\">\n<meta "
        "http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        "img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n"
        "<style>\n{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n<div id=\"tip\" "
        "role=\"status\" hidden></div>\n<script type=\"application/json\" id=\"figures\">[{}]"
        "</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        chart::escaped(title), chart::style(), kPageStyle, body, fmt::join(data, ",\n"),
        kPageScript);
}

}  // namespace mercer::report

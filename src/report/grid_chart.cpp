// SPDX-License-Identifier: Apache-2.0
//
// src/report/grid_chart.cpp - the table of a selection, drawn as in the report.
#include "mercer/report/grid_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "report/figures.hpp"
#include "report/page_frame.hpp"

namespace mercer {

namespace {

double score_of(const SelectResult& result, const SelectRow& row) {
    const auto found =
        std::find_if(row.measures.begin(), row.measures.end(),
                     [&](const auto& measure) { return measure.first == result.measure; });
    return found == row.measures.end() ? kNaN : found->second;
}

}  // namespace

chart::Figure select_figure(const SelectResult& result) {
    if (result.names.empty() || result.names.size() > 2) {
        throw InvalidArgument(
            fmt::format("plot: draws one or two names, the table has {}", result.names.size()));
    }
    ReportGrid grid{.names = result.names,
                    .values = {},
                    .scores = {},
                    .measure = result.measure,
                    .best = result.table[result.best].values};
    for (const SelectRow& row : result.table) {
        grid.values.push_back(row.values);
        grid.scores.push_back(score_of(result, row));
    }
    return report::grid_figure(grid);
}

std::string select_page_html(const SelectResult& result) {
    const chart::Figure figure = select_figure(result);
    std::string body = fmt::format(
        "<h1>What was tried</h1>\n{}<div class=\"scroll\"><table class=\"sortable\">\n<thead><tr>",
        report::figure_html(figure, ""));
    for (const std::string& name : result.names) {
        body += "<th>" + chart::escaped(name);
    }
    body += fmt::format("<th>{}<th>standard error<th>converged</thead>\n<tbody>\n",
                        chart::escaped(result.measure));
    for (const SelectRow& row : result.table) {
        body += "<tr>";
        for (const double value : row.values) {
            body += fmt::format("<td>{:.6g}", value);
        }
        body +=
            fmt::format("<td>{:.6g}<td>{}<td>{}\n", score_of(result, row),
                        std::isnan(row.standard_error) ? std::string("-")
                                                       : fmt::format("{:.3g}", row.standard_error),
                        row.converged ? "yes" : "no");
    }
    return report::page_html("What was tried", body + "</tbody></table></div>\n", {figure});
}

}  // namespace mercer

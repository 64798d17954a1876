// SPDX-License-Identifier: Apache-2.0
//
// src/report/report_tables.cpp - sortable tables of numbers, and lists.
#include "report/report_tables.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer::report {

namespace {

using chart::escaped;
using chart::number_text;

/// A cell with a number, sorted numerically.
std::string number_cell(double value) {
    return fmt::format("<td class=\"n\" data-value=\"{}\">{}</td>", value, number_text(value));
}

}  // namespace

std::string measure_words(const std::string& name) {
    static constexpr std::pair<const char*, const char*> kWords[] = {
        {"balanced_accuracy", "balanced accuracy"},
        {"auc", "area under the ROC curve"},
        {"log_loss", "log loss"},
        {"brier", "Brier score"},
        {"rmse", "root mean square error"},
        {"mae", "mean absolute error"},
        {"r2", "R²"},
        {"max_error", "maximum error"},
        {"share_inside", "fraction inside"},
        {"pair_accuracy", "pairs in order"},
        {"kendall_tau", "Kendall’s τ"}};
    for (const auto& [word, words] : kWords) {
        if (name == word) {
            return words;
        }
    }
    return name;
}

std::string interval_text(double low, double high) {
    return std::isnan(low) ? "" : fmt::format("{} to {}", number_text(low), number_text(high));
}

std::string list_html(const std::vector<std::string>& sentences) {
    std::string out = "<ul>\n";
    for (const std::string& sentence : sentences) {
        out += fmt::format("<li>{}</li>\n", escaped(sentence));
    }
    return out + "</ul>\n";
}

std::string scrolled(const std::string& label, const std::string& table) {
    return fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>\n",
        escaped(label), table);
}

std::string certificate_table(const Report& report) {
    std::string table =
        "<table>\n<thead><tr><th scope=\"col\">value</th><th scope=\"col\">primal</th><th "
        "scope=\"col\">dual</th><th scope=\"col\">gap</th><th scope=\"col\">relative</th>"
        "</tr></thead>\n<tbody>\n";
    const auto row = [&](const char* name, const Certificate& one) {
        table += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{:.10g}</td><td "
            "class=\"n\">{:.10g}</td><td class=\"n\">{:.3g}</td><td class=\"n\">{:.3g}</td>"
            "</tr>\n",
            name, one.primal, one.dual, one.gap, relative_gap(one));
    };
    row("stated by the model", total_certificate(report.stated));
    if (report.verified && !report.verified->recomputed.empty()) {
        row("recomputed from the rows", total_certificate(report.verified->recomputed));
    }
    return scrolled("The certificate", table + "</tbody></table>");
}

std::string conditions_table(const VerifyReport& verified) {
    std::string table =
        "<table>\n<thead><tr><th scope=\"col\">condition</th><th scope=\"col\">holds</th><th "
        "scope=\"col\">in words</th></tr></thead>\n<tbody>\n";
    for (const VerifyCondition& condition : verified.conditions) {
        table +=
            fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td class=\"w\">{}</td></tr>\n",
                        escaped(condition.name), condition.holds ? "good" : "bad",
                        condition.holds ? "yes" : "NO", escaped(condition.explanation));
    }
    return fmt::format(
        "<details{}><summary>Every condition that was checked</summary>\n{}</details>\n",
        verified.holds ? "" : " open", scrolled("Conditions", table + "</tbody></table>"));
}

std::string measures_table(const ReportRows& rows) {
    std::string table = fmt::format(
        "<table class=\"sortable\">\n<caption>{} rows. 95 % confidence intervals: exact "
        "(Clopper-Pearson) for fractions of rows, bootstrap percentiles "
        "otherwise.</caption>\n<thead><tr>"
        "<th>measure</th><th class=\"n\">value</th><th>interval</th><th>by</th></tr></thead>\n"
        "<tbody>\n",
        rows.rows);
    for (const MeasuredValue& one : rows.measures) {
        table +=
            fmt::format("<tr data-measure=\"{}\"><td>{}</td>{}<td>{}</td><td>{}</td></tr>\n",
                        escaped(one.name), escaped(measure_words(one.name)), number_cell(one.value),
                        interval_text(one.low, one.high), escaped(one.method));
    }
    return scrolled("Measures", table + "</tbody></table>");
}

std::string areas_table(const ReportRows& rows) {
    if (rows.curves.size() < 2) {
        return "";
    }
    std::string table =
        "<table class=\"sortable\">\n<thead><tr><th>class</th><th class=\"n\">rows</th><th "
        "class=\"n\">area under ROC</th><th class=\"n\">average precision</th></tr></thead>\n"
        "<tbody>\n";
    for (const ClassCurve& curve : rows.curves) {
        table += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td>{}{}</tr>\n",
                             escaped(curve.name), curve.positives, number_cell(curve.auc),
                             number_cell(curve.average_precision));
    }
    return scrolled("Each class against the others", table + "</tbody></table>");
}

std::string hardest_table(const Report& report) {
    const bool trained = !std::isnan(report.hardest.front().coefficient);
    std::string table = fmt::format(
        "<table class=\"sortable\" id=\"hardest\">\n<caption>The {} hardest of the rows given. "
        "Rows count from 1.</caption>\n<thead><tr><th class=\"n\">row</th><th>target</th><th>"
        "predicted</th><th class=\"n\">{}</th>{}",
        report.hardest.size(), escaped(report.score_name),
        trained ? "<th class=\"n\">coefficient</th><th>bound</th>" : "");
    for (const std::string& name : report.shown_columns) {
        table += fmt::format("<th class=\"n\">{}</th>", escaped(name));
    }
    table += "</tr></thead>\n<tbody>\n";
    for (const HardRow& row : report.hardest) {
        table += fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td>{}</td>{}", row.row + 1,
                             escaped(row.target), escaped(row.predicted), number_cell(row.score));
        if (trained) {
            table += number_cell(row.coefficient) + (row.bounded ? "<td>at it</td>" : "<td></td>");
        }
        for (const double cell : row.cells) {
            table += number_cell(cell);
        }
        table += "</tr>\n";
    }
    return scrolled("The hardest rows", table + "</tbody></table>");
}

std::string facts_table(const std::string& label,
                        const std::vector<std::pair<std::string, std::string>>& facts) {
    std::string table = "<table>\n<tbody>\n";
    for (const auto& [name, value] : facts) {
        table += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"w\">{}</td></tr>\n",
                             escaped(name), escaped(value));
    }
    return scrolled(label, table + "</tbody></table>");
}

}  // namespace mercer::report

// SPDX-License-Identifier: Apache-2.0
//
// src/report/report_page.cpp - a report as one HTML file, section by section.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/report/report.hpp"
#include "report/figures.hpp"
#include "report/page_frame.hpp"
#include "report/report_tables.hpp"

namespace mercer {

namespace {

using chart::escaped;
using chart::Figure;
using chart::number_text;

/// The page under construction.
class Page {
public:
    explicit Page(const Report& report) : report_(report) {}

    [[nodiscard]] std::string html() {
        add_problem();
        add_certificate();
        for (std::size_t k = report_.rows.size(); k-- > 0;) {  // validation rows first
            add_rows(report_.rows[k], k == 0 ? "given" : "validation");
        }
        add_support();
        add_columns();
        add_plane();
        add_training();
        add_choice();
        add_end();
        return report::page_html(report_.title, head() + sections_, figures_);
    }

private:
    void section(const std::string& id, const std::string& title) {
        titles_.emplace_back(id, title);
        sections_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, escaped(title));
    }

    void add(const Figure& figure, const std::string& caption) {
        if (!figure.panels.empty()) {
            sections_ += report::figure_html(figure, caption);
            figures_.push_back(figure);
        }
    }

    [[nodiscard]] std::string head() const {
        std::string out = fmt::format("<header>\n<h1>{}</h1>\n", escaped(report_.title));
        if (!report_.problem.empty()) {
            out += fmt::format("<p class=\"lead\">{}</p>\n", escaped(report_.problem.front()));
        }
        out += cards() + "<nav aria-label=\"Sections\"><ul>\n";
        for (const auto& [id, title] : titles_) {
            out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escaped(title));
        }
        return out + "</ul></nav>\n</header>\n";
    }

    [[nodiscard]] std::string cards() const {
        constexpr std::size_t kMeasures = 3;
        std::string out = "<dl class=\"cards\">\n";
        const auto card = [&](const std::string& name, const std::string& value,
                              const std::string& more) {
            out += fmt::format("<div><dt>{}</dt><dd>{}</dd><dd>{}</dd></div>\n", escaped(name),
                               escaped(value), escaped(more));
        };
        if (!report_.rows.empty()) {
            const ReportRows& rows = report_.rows.back();
            for (std::size_t m = 0; m < std::min(kMeasures, rows.measures.size()); ++m) {
                const MeasuredValue& one = rows.measures[m];
                card(report::measure_words(one.name), number_text(one.value),
                     (std::isnan(one.low) ? "" : report::interval_text(one.low, one.high) + ", ") +
                         rows.name);
            }
        }
        const Certificate total = total_certificate(report_.stated);
        if (!report_.stated.empty() && total.exact && std::isfinite(total.gap)) {
            card("from the best objective", number_text(std::max(0.0, relative_gap(total)), 2),
                 report_.verified && report_.verified->holds ? "relative, proved and recomputed"
                                                             : "relative, as the model states");
        }
        card("support vectors", fmt::format("{}", report_.support),
             report_.bounded >= 0 ? fmt::format("{} of them at their bound", report_.bounded)
                                  : "rows in the sum");
        return out + "</dl>\n";
    }

    void add_problem() {
        section("problem", "The problem");
        for (std::size_t k = 1; k < report_.problem.size(); ++k) {  // the first is in the head
            sections_ += fmt::format("<p>{}</p>\n", escaped(report_.problem[k]));
        }
        if (!report_.formula.empty()) {
            sections_ += fmt::format("<pre>{}</pre>\n", escaped(report_.formula));
        }
        sections_ += report::facts_table("The model", report_.facts);
    }

    void add_certificate() {
        section("certificate", "The certificate");
        sections_ += verdict() + "<h3>What is proved</h3>\n" + report::list_html(report_.proved) +
                     "<h3>What is not</h3>\n" + report::list_html(report_.not_proved);
        if (!report_.stated.empty()) {
            sections_ += report::certificate_table(report_);
        }
        if (report_.verified && !report_.verified->conditions.empty()) {
            sections_ += report::conditions_table(*report_.verified);
        }
    }

    [[nodiscard]] std::string verdict() const {
        if (!report_.verified) {
            return "<p>The certificate is shown as the model file states it; it was not "
                   "recomputed.</p>\n";
        }
        return report_.verified->holds
                   ? "<p><span class=\"good\">It holds.</span> It was recomputed for this page "
                     "from "
                     "the model and its training rows, by code that shares nothing with the "
                     "solvers.</p>\n"
                   : "<p><span class=\"bad\">It does not hold.</span> Recomputed from the model "
                     "and "
                     "its training rows, at least one condition fails; see below.</p>\n";
    }

    void add_rows(const ReportRows& rows, const std::string& prefix) {
        section(prefix, fmt::format("On the {}", rows.name));
        if (rows.name == "training rows") {
            sections_ +=
                "<p>The model was trained on these rows; expect worse numbers on new rows.</p>\n";
        }
        if (!rows.measures.empty()) {
            sections_ += report::measures_table(rows);
        }
        const bool folded = prefix == "given" && report_.rows.size() > 1;
        sections_ +=
            folded ? "<details class=\"more\"><summary>Charts of these rows</summary>\n" : "";
        add(report::histogram_figure(rows, report_, prefix),
            rows.histogram.label.starts_with("margin")
                ? "Rows left of 0 are misclassified; rows between 0 and 1 lie inside the margin."
                : "");
        sections_ += "<div class=\"pair\">\n";
        add(report::confusion_figure(rows, report_.classes, prefix),
            "Numbers count rows; colours show fractions of the true class.");
        add(report::calibration_figure(rows, prefix),
            "On the dashed line, predicted and observed probabilities agree. Bars are exact "
            "intervals.");
        add(report::roc_figure(rows, prefix), curves_caption(rows));
        add(report::recall_figure(rows, prefix), "");
        add(report::prediction_figure(rows, report_.tube, prefix), thinned_caption(rows));
        add(report::residual_figure(rows, report_.tube, prefix), "");
        sections_ += "</div>\n" + report::areas_table(rows) + (folded ? "</details>\n" : "");
    }

    [[nodiscard]] static std::string curves_caption(const ReportRows& rows) {
        const auto drawn = std::count_if(rows.curves.begin(), rows.curves.end(),
                                         [](const ClassCurve& one) { return !one.roc.empty(); });
        return drawn < static_cast<std::ptrdiff_t>(rows.curves.size())
                   ? fmt::format("One class against the rest; the {} hardest classes are shown.",
                                 drawn)
               : drawn > 1 ? "One class against the rest."
                           : "";
    }

    [[nodiscard]] static std::string thinned_caption(const ReportRows& rows) {
        return static_cast<index_t>(rows.pairs.size()) < rows.rows
                   ? fmt::format("{} of {} rows are drawn, evenly spaced.", rows.pairs.size(),
                                 rows.rows)
                   : "";
    }

    void add_support() {
        section("support", "Support vectors and hard rows");
        std::string words = fmt::format("f is a sum over {} rows", report_.support);
        if (report_.bounded >= 0) {
            words += fmt::format(
                ", {} of them bounded: they lie inside the margin, outside the tube, or on the "
                "wrong side",
                report_.bounded);
        }
        sections_ += fmt::format("<p>{}.</p>\n", words);
        if (!report_.support_by_class.empty()) {
            std::vector<std::string> parts;
            for (const auto& [name, count] : report_.support_by_class) {
                parts.push_back(fmt::format("{} of class {}", count, escaped(name)));
            }
            sections_ += fmt::format("<p>By class: {}.</p>\n", fmt::join(parts, ", "));
        }
        if (std::isfinite(report_.margin)) {
            sections_ += fmt::format("<p>The margin is {} wide in feature space.</p>\n",
                                     number_text(report_.margin));
        }
        if (!report_.hardest.empty()) {
            sections_ += report::hardest_table(report_);
        }
    }

    void add_columns() {
        if (report_.weights.empty() && report_.importance.empty()) {
            return;
        }
        section("columns", "Columns");
        add(report::effects_figure(report_.weights, "weights", "Weights of the columns",
                                   "change of f(x) for one unit of the column"),
            "In the units of the data, largest first; at most 20 are drawn.");
        add(report::effects_figure(report_.importance, "importance", "Permutation importance",
                                   (report_.importance_of == "rmse" ? "rise of the " : "loss of ") +
                                       report::measure_words(report_.importance_of) +
                                       " when the column is shuffled"),
            fmt::format(
                "Ten shuffles of each column over {} rows, with the interval of their mean. "
                "Correlated columns share their importance, so each may appear less "
                "important than it is.",
                report_.importance_rows));
    }

    void add_plane() {
        if (!report_.plane) {
            return;
        }
        const ReportPlane& plane = *report_.plane;
        section("decision", "The decision");
        std::string caption = fmt::format("{} rows are drawn.", plane.places.size());
        if (plane.kind == "components") {
            caption += " Positions are the first two kernel principal components of these rows.";
            if (std::isfinite(plane.share)) {
                caption += fmt::format(
                    " The background is f projected onto this plane, which explains {:.0f} % of "
                    "its "
                    "variance.",
                    100.0 * plane.share);
            }
        } else if (plane.map.kind == chart::HeatMap::Kind::diverging) {
            caption += " Colour strength shows |f|, saturating at 2.";
        }
        add(report::plane_figure(plane, report_.tube), caption);
    }

    void add_training() {
        if (report_.convergence.empty() && report_.learning.empty() &&
            report_.leave_one_out.empty()) {
            return;
        }
        section("training", "Training");
        add(report::convergence_figure(report_),
            "From a refit with the same options; the time of certificates is not counted.");
        add(report::learning_figure(report_),
            fmt::format("{} refits with the same options on growing training sets. If the held-out "
                        "curve is "
                        "still improving at the end, more rows would help.",
                        report_.learning.size()));
        add(report::leave_one_out_figure(report_),
            "Each row is predicted by a model trained without it, for all alphas at once.");
    }

    void add_choice() {
        if (!report_.grid && !report_.path) {
            return;
        }
        section("choice", "Hyperparameters");
        if (report_.grid) {
            add(report::grid_figure(*report_.grid),
                fmt::format("Judged by {}; the star marks the choice.",
                            escaped(report_.grid->measure)));
        }
        if (report_.path) {
            add(*report_.path, "The exact solution for every value between the two ends.");
        }
    }

    void add_end() {
        section("origin", "How to reproduce it");
        sections_ += fmt::format("<pre>{}</pre>\n",
                                 escaped(fmt::format("{}", fmt::join(report_.commands, "\n"))));
        sections_ += report::facts_table("Versions and hashes", report_.provenance);
        if (!report_.remarks.empty()) {
            section("remarks", "What is not on this page");
            sections_ += report::list_html(report_.remarks);
        }
    }

    const Report& report_;
    std::string sections_;
    std::vector<std::pair<std::string, std::string>> titles_;
    std::vector<Figure> figures_;
};

}  // namespace

std::string report_page(const Report& report) { return Page(report).html(); }

}  // namespace mercer

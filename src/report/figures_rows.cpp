// SPDX-License-Identifier: Apache-2.0
//
// src/report/figures_rows.cpp - charts of one set of rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/figures.hpp"

namespace mercer::report {

namespace {

using chart::Figure;
using chart::Mark;
using chart::Panel;
using chart::Reference;
using chart::Series;

constexpr double kHalfWidth = 460.0;  // two fit side by side on a wide screen
constexpr double kSquare = 330.0;

Figure half_figure(const std::string& id, const std::string& title,
                   const std::string& description) {
    return {.id = id, .title = title, .description = description, .width = kHalfWidth};
}

Series bars_of(const ReportHistogram& histogram, const std::string& name,
               const std::vector<index_t>& counts) {
    Series bars{
        .mark = Mark::bars, .name = name.empty() ? "" : "class " + name, .width = histogram.width};
    for (std::size_t b = 0; b < counts.size(); ++b) {
        const double begin = histogram.low + static_cast<double>(b) * histogram.width;
        append(bars, begin + 0.5 * histogram.width, static_cast<double>(counts[b]));
        bars.notes.push_back(fmt::format("from {} to {}", chart::number_text(begin),
                                         chart::number_text(begin + histogram.width)));
    }
    return bars;
}

}  // namespace

Figure histogram_figure(const ReportRows& rows, const Report& report, const std::string& prefix) {
    const ReportHistogram& histogram = rows.histogram;
    const bool residuals = histogram.label.starts_with("residual");
    const bool margins = histogram.label.starts_with("margin");
    Figure figure{
        .id = prefix + "-histogram",
        .title = fmt::format("{} of the {}",
                             residuals ? "Residuals"
                             : margins ? "Margins"
                                       : "Values",
                             rows.name),
        .description = fmt::format("Histogram of the {} of {} rows.", histogram.label, rows.rows)};
    if (histogram.counts.empty()) {
        return figure;
    }
    Panel panel{.across = {.label = histogram.label},
                .up = {.label = "rows", .from_zero = true},
                .height = 220.0};
    for (const auto& [name, counts] : histogram.counts) {
        panel.series.push_back(bars_of(histogram, name, counts));
    }
    panel.references.push_back({.kind = Reference::Kind::up, .at = 0.0});
    if (margins) {
        panel.references.push_back({.kind = Reference::Kind::up, .at = 1.0, .label = "margin"});
    } else if (residuals && std::isfinite(report.tube)) {
        panel.references.push_back({.kind = Reference::Kind::up, .at = -report.tube});
        panel.references.push_back(
            {.kind = Reference::Kind::up, .at = report.tube, .label = "tube"});
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure confusion_figure(const ReportRows& rows, const std::vector<std::string>& classes,
                        const std::string& prefix) {
    constexpr std::size_t kMostNumbers = 14;  // more would be unreadable in the cells
    Figure figure = half_figure(prefix + "-confusion", "Confusion matrix",
                                fmt::format("True against predicted classes of {} rows. The "
                                            "diagonal is correct.",
                                            rows.rows));
    if (rows.confusion.empty()) {
        return figure;
    }
    const std::size_t k = classes.size();
    Panel panel{.across = {.label = "predicted", .categories = classes},
                .up = {.label = "true", .categories = {classes.rbegin(), classes.rend()}},
                .height = std::clamp(100.0 * static_cast<double>(k), 200.0, kSquare)};
    panel.side = panel.height * 1.15;
    panel.heat = {.kind = chart::HeatMap::Kind::sequential,
                  .columns = static_cast<index_t>(k),
                  .rows = static_cast<index_t>(k),
                  .name = "rows"};
    for (std::size_t r = k; r-- > 0;) {  // the first class is at the top
        const auto all = static_cast<double>(
            std::accumulate(rows.confusion[r].begin(), rows.confusion[r].end(), index_t{0}));
        for (const index_t count : rows.confusion[r]) {
            panel.heat.values.push_back(all > 0.0 ? static_cast<double>(count) / all : 0.0);
            if (k <= kMostNumbers) {
                panel.heat.texts.push_back(fmt::format("{}", count));
            }
        }
    }
    panel.heat.name = "fraction of the true class";
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure roc_figure(const ReportRows& rows, const std::string& prefix) {
    Figure figure = half_figure(prefix + "-roc", "ROC curve",
                                "True positives against false positives, over all thresholds.");
    Panel panel{.across = {.label = "false positive rate", .low = 0.0, .high = 1.0},
                .up = {.label = "true positive rate", .low = 0.0, .high = 1.0},
                .height = kSquare};
    for (const ClassCurve& curve : rows.curves) {
        Series line{.name = fmt::format("{}: area {}", curve.name, chart::number_text(curve.auc))};
        for (const auto& [x, y] : curve.roc) {
            append(line, x, y);
        }
        if (!curve.roc.empty()) {
            panel.series.push_back(std::move(line));
        }
    }
    panel.references.push_back({.kind = Reference::Kind::diagonal, .label = ""});
    if (!panel.series.empty()) {
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

Figure recall_figure(const ReportRows& rows, const std::string& prefix) {
    Figure figure = half_figure(prefix + "-recall", "Precision-recall curve",
                                "Precision against recall, over all thresholds.");
    Panel panel{.across = {.label = "recall", .low = 0.0, .high = 1.0},
                .up = {.label = "precision", .low = 0.0, .high = 1.0},
                .height = kSquare};
    for (const ClassCurve& curve : rows.curves) {
        Series line{.name = fmt::format("{}: average {}", curve.name,
                                        chart::number_text(curve.average_precision))};
        for (const auto& [x, y] : curve.recall) {
            append(line, x, y);
        }
        if (!curve.recall.empty()) {
            panel.series.push_back(std::move(line));
        }
    }
    if (rows.curves.size() == 1 && !panel.series.empty()) {
        panel.references.push_back({.at = static_cast<double>(rows.curves.front().positives) /
                                          static_cast<double>(std::max<index_t>(1, rows.rows)),
                                    .label = "fraction of the class"});
    }
    if (!panel.series.empty()) {
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

Figure calibration_figure(const ReportRows& rows, const std::string& prefix) {
    Figure figure = half_figure(
        prefix + "-calibration", "Calibration",
        fmt::format("Observed frequency against the predicted probability of {}, in ten bins with "
                    "exact intervals.",
                    rows.calibrated));
    if (rows.calibration.empty()) {
        return figure;
    }
    Panel panel{.across = {.label = fmt::format("predicted probability of {}", rows.calibrated),
                           .low = 0.0,
                           .high = 1.0},
                .up = {.label = "observed frequency", .low = 0.0, .high = 1.0},
                .height = kSquare};
    Series points{.mark = Mark::points, .name = "frequency and its interval"};
    for (const CalibrationBin& bin : rows.calibration) {
        append(points, bin.predicted, bin.observed);
        points.low.push_back(bin.low);
        points.high.push_back(bin.high);
        points.notes.push_back(fmt::format("{} rows", bin.rows));
    }
    panel.series.push_back(std::move(points));
    panel.references.push_back({.kind = Reference::Kind::diagonal});
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure prediction_figure(const ReportRows& rows, double tube, const std::string& prefix) {
    Figure figure = half_figure(prefix + "-predictions", "Predictions and targets",
                                "Targets against predictions; on the dashed line they are equal.");
    if (rows.pairs.empty()) {
        return figure;
    }
    Panel panel{
        .across = {.label = "prediction f(x)"}, .up = {.label = "target y"}, .height = kSquare};
    Series points{.mark = Mark::points};
    for (const auto& [value, target] : rows.pairs) {
        append(points, value, target);
    }
    panel.series.push_back(std::move(points));
    panel.references.push_back({.kind = Reference::Kind::diagonal});
    if (std::isfinite(tube) && tube > 0.0) {
        panel.references.push_back({.kind = Reference::Kind::diagonal, .at = tube, .colour = 1});
        panel.references.push_back({.kind = Reference::Kind::diagonal, .at = -tube, .colour = 1});
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure residual_figure(const ReportRows& rows, double tube, const std::string& prefix) {
    Figure figure = half_figure(prefix + "-residuals", "Residuals and predictions",
                                "Residuals y − f(x) against predictions; a pattern here is "
                                "structure the model has missed.");
    if (rows.pairs.empty()) {
        return figure;
    }
    Panel panel{.across = {.label = "prediction f(x)"},
                .up = {.label = "residual y − f(x)"},
                .height = kSquare};
    Series points{.mark = Mark::points};
    for (const auto& [value, target] : rows.pairs) {
        append(points, value, target - value);
    }
    panel.series.push_back(std::move(points));
    panel.references.push_back({.at = 0.0});
    if (std::isfinite(tube) && tube > 0.0) {
        panel.references.push_back({.at = tube, .label = "tube", .colour = 1});
        panel.references.push_back({.at = -tube, .colour = 1});
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

}  // namespace mercer::report

// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_select.cpp - one path for each fold, and the minimum of their summed loss.
#include "search/path_select.hpp"

#include <fmt/core.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/runtime/context.hpp"
#include "search/select_folds.hpp"

namespace mercer::search {

namespace {

/// Rows are weighted as in `evaluate`: each counts once.
Dataset unweighted(Dataset rows) {
    rows.weights.clear();
    return rows;
}

void trace_folds(const Dataset& data, const PathOptions& path, std::span<const Split> folds,
                 std::span<TracedLoss> traced, Context& context) {
    fit::run_folds(
        folds, {.name = "select", .tells_fold = true},
        [&](const fit::FoldRun& fold) {
            traced[static_cast<std::size_t>(fold.number)] =
                trace_loss(fit::rows_at(data, fold.rows.train),
                           unweighted(fit::rows_at(data, fold.rows.test)), path, fold.context);
            fold.context.throw_if_stopped("select");
        },
        context);
}

}  // namespace

SelectRow select_on_path(const Dataset& data, const PathOptions& asked,
                         const SelectOptions& options, std::span<const Split> folds,
                         Context& context) {
    PathOptions path = asked;
    path.machine.outputs.probability = false;  // only for the final machine
    const PathOptions complete = complete_path(data, path);
    // The range is that of all rows; a kernel width that depends on rows is computed per fold.
    path.from = complete.from;
    path.to = complete.to;
    std::vector<TracedLoss> traced(options.validation ? 1 : folds.size());
    if (options.validation) {
        traced.front() = trace_loss(data, unweighted(*options.validation), path, context);
        context.throw_if_stopped("select");
    } else {
        trace_folds(data, path, folds, traced, context);
    }
    SelectRow row;
    std::vector<LossCurve> curves;
    for (TracedLoss& one : traced) {
        row.complete = row.complete && one.status == SolveStatus::converged;
        curves.push_back(std::move(one.curve));
    }
    const PathScore score = score_of(curves, path);
    if (std::isnan(score.best_score)) {
        throw InvalidArgument(
            "path", "",
            fmt::format("the paths of the folds have no value of {} in common", path.over));
    }
    row.values = {score.best_value};
    row.from = score.best_from;
    row.to = score.best_to;
    const std::string prefix = prefix_of(options);
    if (score.measure == "error") {
        row.measures = {{prefix + "accuracy", 1.0 - score.best_score}};
    } else {
        row.measures = {{prefix + "rmse", score.best_score},
                        {prefix + "mse", score.best_score * score.best_score}};
    }
    return row;
}

}  // namespace mercer::search

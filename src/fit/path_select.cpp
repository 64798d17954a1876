// SPDX-License-Identifier: Apache-2.0
//
// src/fit/path_select.cpp - one path for each fold, and the best place of their sum.
#include "fit/path_select.hpp"

#include <fmt/core.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::fit {

namespace {

/// Rows are judged as `evaluate` judges them: each counts once.
Dataset unweighted(Dataset rows) {
    rows.weights.clear();
    return rows;
}

}  // namespace

SelectRow select_on_path(const Dataset& data, const PathOptions& asked,
                         const SelectOptions& options, std::span<const Split> folds,
                         Context& context) {
    PathOptions path = asked;
    path.machine.probability = false;  // of the machine that is trained in the end
    const PathOptions complete = complete_path(data, path);
    // A width that is learnt from the rows is learnt anew in every fold, as when machines are.
    path.from = complete.from;
    path.to = complete.to;
    SelectRow row;
    std::vector<LossCurve> curves;
    const auto take = [&](const Dataset& training, const Dataset& held_out) {
        TracedLoss traced = trace_loss(training, unweighted(held_out), path, context);
        context.throw_if_stopped("select");
        row.complete = row.complete && traced.status == SolveStatus::converged;
        curves.push_back(std::move(traced.curve));
    };
    if (options.validation) {
        take(data, *options.validation);
    }
    for (std::size_t k = 0; k < folds.size() && !options.validation; ++k) {
        try {
            take(data.select(folds[k].train), data.select(folds[k].test));
        } catch (const InvalidArgument& fault) {
            throw InvalidArgument(
                fmt::format("fold {} of {}: {}", k + 1, folds.size(), fault.what()));
        }
    }
    const PathScore score = score_of(curves, path);
    if (std::isnan(score.best_score)) {
        throw InvalidArgument(
            fmt::format("path: the paths of the folds have no value of {} in common", path.over));
    }
    row.values = {score.best_value};
    row.from = score.best_from;
    row.to = score.best_to;
    const std::string prefix =
        options.validation ? "validation_" : (options.leave_one_out ? "loo_" : "cv_");
    if (score.measure == "error") {
        row.measures = {{prefix + "accuracy", 1.0 - score.best_score}};
    } else {
        row.measures = {{prefix + "rmse", score.best_score},
                        {prefix + "mse", score.best_score * score.best_score}};
    }
    return row;
}

}  // namespace mercer::fit

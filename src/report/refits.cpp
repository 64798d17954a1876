// SPDX-License-Identifier: Apache-2.0
//
// src/report/refits.cpp - results that need training: learning curve, gap over time, leave-one-out.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/split.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/report/intervals.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/compare.hpp"
#include "mercer/search/select.hpp"
#include "report/gathering.hpp"
#include "report/recipe_of.hpp"

namespace mercer::report {

namespace {

constexpr std::array<double, 7> kShares{0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0};
constexpr index_t kFreeLeaveOneOut = 1500;  // takes about a second up to this many rows

/// Accuracy with its exact interval, or the error with a short bootstrap.
MeasuredValue quality_of(const Model& model, const Dataset& rows, double level, Context& context) {
    if (!model.labels.empty()) {
        const Dataset aligned = align_classes(rows, model.labels);
        const std::vector<index_t> said =
            predict_classes(model, decision_function(model, aligned, context));
        index_t hits = 0;
        for (std::size_t i = 0; i < said.size(); ++i) {
            hits += static_cast<double>(said[i]) == aligned.targets[i] ? 1 : 0;
        }
        const Interval interval = exact_interval(hits, rows.rows(), level);
        return {"accuracy", static_cast<double>(hits) / static_cast<double>(rows.rows()),
                interval.lower, interval.upper, "exact"};
    }
    const std::vector<double> values = decision_function(model, rows, context);
    const auto measure = [&](std::span<const index_t> counts) -> std::vector<double> {
        double squares = 0.0;
        double all = 0.0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto count = static_cast<double>(counts[i]);
            squares += count * (values[i] - rows.targets[i]) * (values[i] - rows.targets[i]);
            all += count;
        }
        return {std::sqrt(squares / all)};
    };
    const std::vector<index_t> once(static_cast<std::size_t>(rows.rows()), 1);
    const Interval interval =
        bootstrap_intervals(rows.rows(), measure, {200, level, context.seed()}).front();
    return {"rmse", measure(once).front(), interval.lower, interval.upper, "bootstrap"};
}

void gather_learning(const Recipe& recipe, const ReportSources& sources,
                     const ReportOptions& options, Report& report, Context& context) {
    const auto seed = static_cast<index_t>(context.seed());
    Dataset training = *sources.data;
    Dataset held_out = sources.validation == nullptr ? Dataset() : *sources.validation;
    if (sources.validation == nullptr) {
        const Split split = split_rows(training, {.test_fraction = 1.0 / 3.0, .seed = seed});
        held_out = training.select(split.test);
        training = sources.data->select(split.train);
        report.remarks.push_back(
            fmt::format("The learning curve has no validation rows of its own: it trains on {} of "
                        "the rows given and is measured on the other {}.",
                        training.rows(), held_out.rows()));
    }
    for (const double share : kShares) {
        if (context.should_stop()) {
            report.remarks.emplace_back("The learning curve ends where the run was stopped.");
            break;
        }
        const Dataset some =
            share < 1.0 ? training.select(
                              split_rows(training, {.test_fraction = share, .seed = seed + 1}).test)
                        : training;
        try {
            const double start = context.elapsed();
            const TrainResult result = train(some, recipe.options, context);
            report.learning.push_back({some.rows(),
                                       quality_of(result.model, some, options.level, context),
                                       quality_of(result.model, held_out, options.level, context),
                                       context.elapsed() - start, result.model.status});
            report.learning_measure = report.learning.back().validation.name;
        } catch (const InvalidArgument&) {
            continue;  // too few rows for the machine, or for a class
        }
    }
}

void gather_convergence(const Model& model, const Recipe& recipe, const Dataset& data,
                        Report& report, Context& context) {
    const std::vector<std::string> known = solvers_of(model.machine);
    const bool fits = model.labels.size() <= 2 && model.penalty == kRkhs &&
                      std::find(known.begin(), known.end(), model.solver) != known.end();
    if (!fits) {
        report.remarks.push_back(
            fmt::format("The gap over time is left out: {} cannot be run step by step on this "
                        "problem.",
                        model.solver));
        return;
    }
    const std::vector<SolverRun> runs =
        compare_solvers(data, recipe.options, {model.solver}, context);
    for (const TracePoint& point : runs.front().trace) {
        if (std::isfinite(point.relative_gap)) {
            report.convergence.push_back({point.seconds, point.iteration, point.relative_gap});
        }
    }
    if (report.convergence.size() < 2) {
        report.convergence.clear();
        report.remarks.push_back(fmt::format(
            "The gap over time is left out: {} is certified at its end only.", model.solver));
    }
}

}  // namespace

void gather_refits(const Model& model, const ReportSources& sources, const ReportOptions& options,
                   Report& report, Context& context) {
    const std::string task = task_of(model);
    if (!options.refits) {
        report.remarks.emplace_back(
            "A model file holds no trace of its solver, so there is no curve of the gap over time, "
            "and no learning curve: both need trainings. --refits makes them, at the cost of about "
            "five trainings on all rows.");
        return;
    }
    if (sources.data == nullptr || model.machine == kOneClass || task == "ranking" ||
        !has_targets(model, *sources.data) || (task == "regression" && model.outputs() > 1)) {
        report.remarks.emplace_back("There is nothing to refit on: no rows with targets.");
        return;
    }
    const Recipe recipe = recipe_of(model);
    if (!recipe.missing.empty()) {
        report.remarks.push_back(fmt::format("There are no refits: {}.", recipe.missing));
        return;
    }
    gather_convergence(model, recipe, *sources.data, report, context);
    gather_learning(recipe, sources, options, report, context);
}

void gather_leave_one_out(const Model& model, const Dataset& data, bool asked, Report& report,
                          Context& context) {
    const bool ridge = is_machine(model.machine, MachineId::krr) && model.penalty == kRkhs &&
                       std::isfinite(model.cost) && model.outputs() == 1;
    if (!ridge || !has_targets(model, data) || !is_training_data(model, data)) {
        return;
    }
    if (data.rows() > kFreeLeaveOneOut && !asked) {
        report.remarks.push_back(
            fmt::format("The leave-one-out curve is left out: it takes the spectrum of a matrix of "
                        "{0} x {0}. --refits computes it.",
                        data.rows()));
        return;
    }
    report.alpha = 0.5 / model.cost;
    SelectOptions options;
    options.train = recipe_of(model).options;
    options.train.objective.alpha.reset();
    options.leave_one_out = true;
    options.refit = false;
    GridAxis axis{"alpha", {}};
    for (int k = -16; k <= 16; ++k) {
        axis.values.push_back(report.alpha * std::pow(10.0, 0.25 * k));
    }
    options.grid = {axis};
    const SelectResult result = select_model(data, options, context);
    for (const SelectRow& row : result.table) {
        for (const auto& [name, value] : row.measures) {
            if (name == "loo_rmse") {
                report.leave_one_out.emplace_back(row.values.front(), value);
            }
        }
    }
}

}  // namespace mercer::report

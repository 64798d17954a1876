// SPDX-License-Identifier: Apache-2.0
//
// src/search/path.cpp - from the name of a machine to a parametric problem, and back to a machine.
//
// The machine at a value is obtained by training with the path's coefficients as a warm start: the
// active set method finds nothing left to do, and labels, scaling, support and certificate are
// those of ordinary training.
#include "mercer/search/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mercer/base/error.hpp"
#include "mercer/data/split.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/machine_problem.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/inliers.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/path.hpp"
#include "search/path_score.hpp"
#include "search/path_select.hpp"

namespace mercer {

namespace {

constexpr double kDefaultFrom = 0.01;
constexpr double kDefaultTo = 100.0;

/// The machine whose hyperparameter varies: nu of svr is that of nu-svr.
std::string machine_name(const PathOptions& options) {
    const bool free = options.over == "nu" && is_machine(options.machine.model, MachineId::svr);
    return free ? machine_of(MachineId::nu_svr).name : options.machine.model;
}

}  // namespace

TrainOptions search::machine_at(const PathOptions& options, double value) {
    TrainOptions out = options.machine;
    out.model = machine_name(options);
    if (options.over == "C") {
        out.objective.cost = value;
    } else if (options.over == "epsilon") {
        out.objective.epsilon = value;
    } else if (options.over == "nu") {
        out.objective.nu = value;
    } else {
        out.objective.class_weights[options.weight_class] = value;
    }
    return out;
}

namespace {

void require_free(const char* name, bool given, const PathOptions& options) {
    if (given) {
        throw InvalidArgument(std::string(name), "",
                              fmt::format("given, though the path is over {}", options.over));
    }
}

/// A path file stores the text of a kernel, which is incomplete for kernels with matrices.
void require_without_matrices(const Kernel& kernel) {
    const KernelType type = kernel.type();
    if (type == KernelType::custom || type == KernelType::quadratic_form ||
        type == KernelType::mixture) {
        throw InvalidArgument(
            "kernel", "",
            fmt::format("{} is more than its text, which a path file holds", to_string(kernel)));
    }
    for (const Kernel& child : kernel.node().children) {
        require_without_matrices(child);
    }
}

void require_path(const Dataset& data, const PathOptions& options) {
    const std::vector<std::string> known = path_parameters(options.machine.model);
    if (known.empty()) {
        throw InvalidArgument("model", "",
                              fmt::format("{} has no exact path", options.machine.model),
                              "svc, svr, nu-svc, nu-svr and one-class do");
    }
    if (std::find(known.begin(), known.end(), options.over) == known.end()) {
        throw InvalidArgument(
            "over", fmt::format("'{}'", options.over),
            fmt::format("{} has a path over {}", options.machine.model, fmt::join(known, ", ")));
    }
    require_free("cost", options.over == "C" && options.machine.objective.cost.has_value(),
                 options);
    require_free("lambda", options.over == "C" && options.machine.objective.lambda.has_value(),
                 options);
    require_free("epsilon",
                 (options.over == "epsilon" || options.over == "nu") &&
                     options.machine.objective.epsilon.has_value(),
                 options);
    require_free("nu", options.machine.objective.nu.has_value(), options);
    require_taken(options.machine);
    if (data.label_names.size() > 2 && is_classifier(options.machine.model)) {
        throw InvalidArgument(
            "targets", "",
            fmt::format("a path is of two classes, the data has {}", data.label_names.size()));
    }
    if (options.machine.outputs.probability) {
        throw InvalidArgument("probability", "", "read a machine off the path, and calibrate that");
    }
    if (is_precomputed(options.machine.kernel)) {
        throw InvalidArgument("kernel", "", "a path holds rows, and precomputed values are none");
    }
    require_without_matrices(options.machine.kernel);
}

/// The class whose weight varies, by its name in the data.
std::string moving_class(const Dataset& data, const PathOptions& options) {
    if (options.weight_class.empty()) {
        return data.label_names.back();
    }
    TrainOptions probe;
    probe.objective.class_weights = {{options.weight_class, 1.0}};
    return fit::named_class_weights(probe, data.label_names).begin()->first;
}

/// The rows as the machine sees them, and the parametric problem.
struct Moved {
    fit::Prepared prepared;
    PathProblem path;
};

Moved make_problem(const Dataset& data, const PathOptions& options) {
    // Any value will do: it is replaced along the path.
    TrainOptions machine = search::machine_at(options, 1.0);
    const bool one_class = is_machine(machine.model, MachineId::one_class);
    const bool margin = is_classifier(machine.model) || one_class;
    if (!machine_of(machine.model).takes.cost) {
        machine.objective.cost = 1.0;
    }
    Moved out{fit::prepare(one_class ? as_inliers(data) : data, machine), {}};
    const double epsilon = machine.objective.epsilon.value_or(0.1);
    const Loss loss = margin ? Loss(HingeLoss{})
                             : Loss(EpsilonInsensitiveLoss{options.over == "nu" ? 0.0 : epsilon});
    const Model model = fit::describe_smooth(out.prepared.rows, machine, out.prepared, loss,
                                             fit::svc_cost(machine, out.prepared.total_weight));
    out.path.problem = fit::smooth_problem(out.prepared, model, loss);
    if (options.over == "epsilon") {
        out.path.parameter = PathParameter::width;
    } else if (options.over == "nu") {
        out.path.parameter = PathParameter::mass;
        out.path.problem.mass = 1.0;
        out.path.problem.intercept = !one_class;
    } else if (options.over == "weight") {
        for (const double target : out.prepared.rows.targets) {
            const auto label = static_cast<std::size_t>(target);
            out.path.moving.push_back(data.label_names[label] == options.weight_class);
        }
    }
    return out;
}

/// The greatest feasible nu of the problem.
double greatest_nu(const Problem& problem) {
    if (!is_classification(problem.loss) || !problem.intercept) {
        return 1.0;
    }
    double side[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        side[problem.targets[i] > 0.0 ? 1 : 0] += problem.costs[i];
    }
    return 2.0 * std::min(side[0], side[1]) / (side[0] + side[1]);
}

/// Sets the defaults of the range, and checks given values.
void complete_range(const Problem& problem, PathOptions& options) {
    const bool nu = options.over == "nu";
    const double greatest = nu ? greatest_nu(problem) : kInfinity;
    if (options.over == "epsilon") {
        const auto [least, most] =
            std::minmax_element(problem.targets.begin(), problem.targets.end());
        options.from = std::isnan(options.from) ? 0.5 * (*most - *least) : options.from;
        options.to = std::isnan(options.to) ? 0.0 : options.to;
    } else {
        options.from = std::isnan(options.from) ? kDefaultFrom : options.from;
        options.to = std::isnan(options.to) ? std::min(kDefaultTo, greatest) : options.to;
    }
    const Range range = options.over == "epsilon" ? Range::non_negative() : Range::positive();
    require_in_range("from", options.from, range);
    require_in_range("to", options.to, range);
    if (std::max(options.from, options.to) > greatest) {
        throw InvalidArgument(fmt::format("{}: nu goes up to {:.6g} for this data",
                                          options.to > greatest ? "to" : "from", greatest));
    }
    if (options.from == options.to) {
        throw InvalidArgument("to", fmt::format("{}", options.to),
                              "which is where the path starts");
    }
}

}  // namespace

std::vector<std::string> path_parameters(const std::string& model) {
    const std::span<const Machine> rows = machines();
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const Machine& row) { return row.name == model; });
    return found == rows.end() ? std::vector<std::string>() : found->paths;
}

Path::Path(Dataset data, PathOptions options, SolutionPath solution)
    : data_(std::move(data)), options_(std::move(options)), solution_(std::move(solution)) {}

TrainResult Path::at(double value, Context& context) const {
    const Moved moved = make_problem(data_, options_);
    const std::vector<double> beta = coefficients_at(moved.path, solution_, value, context);
    TrainOptions machine = search::machine_at(options_, value);
    Model start;
    start.machine = machine.model;
    start.columns = data_.columns();
    start.labels = data_.label_names;
    start.scaling = moved.prepared.scaling;
    start.kernel = moved.prepared.kernel;
    start.cost = machine.objective.cost.value_or(1.0);
    start.class_weights = machine.objective.class_weights;
    start.row_weights = !data_.weights.empty();
    start.intercepts = {0.0};
    fit::keep_support(moved.prepared, beta, 1, start);
    machine.run.start = start.support_rows.empty() ? nullptr : &start;
    machine.run.solver = name_of(SolverId::active_set);
    machine.dual.polish = true;  // a path is exact, so is its certificate
    return train(data_, machine, context);
}

std::vector<double> Path::coefficients(double value, Context& context) const {
    return coefficients_at(make_problem(data_, options_).path, solution_, value, context);
}

std::vector<double> Path::predict(const Dataset& rows, double value, Context& context) const {
    return decision_function(at(value, context).model, rows, context);
}

namespace {

/// The options with all defaults set, and the problem.
std::pair<PathOptions, Moved> begin(const Dataset& data, const PathOptions& asked) {
    PathOptions options = asked;
    require_path(data, options);
    if (options.over == "weight") {
        options.weight_class = moving_class(data, options);
    }
    Moved moved = make_problem(data, options);
    complete_range(moved.path.problem, options);
    options.machine.kernel = moved.prepared.kernel;
    return {std::move(options), std::move(moved)};
}

}  // namespace

PathOptions search::complete_path(const Dataset& data, const PathOptions& asked) {
    return begin(data, asked).first;
}

search::TracedLoss search::trace_loss(const Dataset& training, const Dataset& held_out,
                                      const PathOptions& options, Context& context) {
    const Moved moved = make_problem(training, options);
    PathScorer scorer(moved.prepared, options, held_out, context);
    const double most = options.over == "nu" ? greatest_nu(moved.path.problem) : kInfinity;
    const SolutionPath path =
        trace_path(moved.path, {}, std::min(options.from, most), std::min(options.to, most),
                   context, [&](const PathStretch& stretch) { scorer.add(stretch); });
    return {scorer.finish(), path.status};
}

Path trace(const Dataset& data, const PathOptions& asked, Context& context) {
    auto [options, moved] = begin(data, asked);
    return {data, options, trace_path(moved.path, {}, options.from, options.to, context)};
}

Path trace(const Dataset& data, const PathOptions& asked, const Dataset& validation,
           Context& context) {
    auto [options, moved] = begin(data, asked);
    search::PathScorer scorer(moved.prepared, options, validation, context);
    SolutionPath solution = trace_path(moved.path, {}, options.from, options.to, context,
                                       [&](const PathStretch& stretch) { scorer.add(stretch); });
    Path path(data, options, std::move(solution));
    path.score = search::score_of({scorer.finish()}, options);
    return path;
}

Path cross_validate(const Dataset& data, const PathOptions& asked, index_t folds,
                    Context& context) {
    Path path = trace(data, asked, context);
    const PathOptions& options = path.options();
    const std::vector<Split> splits = fit::seeded_folds(data, folds, context);
    std::vector<search::LossCurve> curves(splits.size());
    try {
        fit::run_folds(
            splits, {},
            [&](const fit::FoldRun& fold) {
                search::TracedLoss part =
                    search::trace_loss(fit::rows_at(data, fold.rows.train),
                                       fit::rows_at(data, fold.rows.test), options, fold.context);
                if (part.status == SolveStatus::interrupted) {
                    fold.context.throw_if_stopped("path");
                }
                curves[static_cast<std::size_t>(fold.number)] = std::move(part.curve);
            },
            context);
    } catch (const Interrupted&) {  // the path is complete, without a score
        return path;
    }
    path.score = search::score_of(curves, options);
    return path;
}

}  // namespace mercer

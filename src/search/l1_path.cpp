// SPDX-License-Identifier: Apache-2.0
//
// src/search/l1_path.cpp - from the name of a loss to the columns of a path, and back to a machine.
#include "mercer/search/l1_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/split.hpp"
#include "mercer/fit/column_model.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/machine_problem.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/problems/sparse_columns.hpp"
#include "mercer/runtime/context.hpp"
#include "search/path_score.hpp"

namespace mercer {

namespace {

std::size_t at_place(index_t i) { return static_cast<std::size_t>(i); }

void require_options(const Dataset& data, const SparsePathOptions& options) {
    const TrainOptions& machine = options.machine;
    if (machine.objective.penalty != kL1 && machine.objective.penalty != kL1AndRkhs) {
        throw InvalidArgument("penalty", fmt::format("{}", machine.objective.penalty),
                              "a path over lambda is of l1 or l1+rkhs");
    }
    if (machine.objective.l1) {
        throw InvalidArgument("l1", "", "given, though the path is over it");
    }
    if (machine.outputs.probability) {
        throw InvalidArgument("probability", "", "read a machine off the path, and calibrate that");
    }
    if (machine.objective.alpha) {
        throw InvalidArgument("alpha", "", "a path over lambda takes C, the weight of each loss");
    }
    if (!options.features && is_precomputed(machine.kernel)) {
        throw InvalidArgument("kernel", "", "a path holds rows, and precomputed values are none");
    }
    TrainOptions taken = machine;
    taken.model = sparse_path_machine(options.loss, options.features);
    require_taken(taken);
    require_trainable(data, taken.model);
    if (data.label_names.size() > 2) {
        throw InvalidArgument(
            "targets", "",
            fmt::format("a path is of two classes, the data has {}", data.label_names.size()));
    }
}

/// The rows as the machine sees them, and the problem on them.
struct Posed {
    fit::Prepared prepared;
    Model model;  ///< without a solution
    Problem problem;
};

/// Half a squared loss is the squared loss at half the cost: models use the squared loss.
Posed pose(const Dataset& data, const SparsePathOptions& options) {
    TrainOptions machine = options.machine;
    machine.model = sparse_path_machine(options.loss, options.features);
    if (options.features) {
        machine.kernel = linear_kernel();
    }
    Posed out{fit::prepare(data, machine), {}, {}};
    const bool half = options.loss == HalfSquaredLoss::kName;
    const Loss loss = half ? Loss(SquaredLoss{}) : loss_by_name(options.loss).value();
    if (!is_classification(loss)) {
        fit::require_finite_squares(out.prepared);
    }
    const double cost = fit::svc_cost(machine, out.prepared.total_weight);
    out.model = fit::describe_smooth(data, machine, out.prepared, loss, half ? 0.5 * cost : cost);
    out.model.penalty = machine.objective.penalty;
    out.problem = fit::smooth_problem(out.prepared, out.model, loss);
    return out;
}

/// The kernel matrix; by symmetry its rows are its columns.
Buffer<double> kernel_columns(const Posed& posed, Context& context) {
    const index_t n = posed.prepared.rows.rows();
    Buffer<double> out =
        context.allocate<double>(checked_multiply(n, n), "the kernel matrix of the path");
    const GramMatrix gram(posed.prepared.kernel, posed.prepared.rows, Precision::float64, context);
    gram.copy_rows(0, MatrixView<double>(out.data(), n, n), context);
    const auto bad = std::find_if_not(out.data(), out.data() + out.size(),
                                      [](double value) { return std::isfinite(value); });
    if (bad != out.data() + out.size()) {
        const index_t place = bad - out.data();
        throw DataError(fmt::format("kernel: its value of rows {} and {} is not finite",
                                    posed.prepared.original(place / n) + 1,
                                    posed.prepared.original(place % n) + 1));
    }
    return out;
}

/// The columns of the data, one after the other.
Buffer<double> feature_columns(const Posed& posed, Context& context) {
    const Dataset& rows = posed.prepared.rows;
    const index_t n = rows.rows();
    const index_t p = rows.columns();
    Buffer<double> out =
        context.allocate<double>(checked_multiply(n, p), "the columns of the path");
    std::vector<index_t> all(at_place(p));
    std::iota(all.begin(), all.end(), index_t{0});
    LinearRows(rows).copy_columns(all, MatrixView<double>(out.data(), p, n));
    return out;
}

/// The options in the form that the scoring of paths takes.
PathOptions scored_options(const SparsePathOptions& options) {
    PathOptions out;
    out.machine = options.machine;
    out.machine.model = sparse_path_machine(options.loss, options.features);
    out.over = "lambda";
    out.to = options.to;
    return out;
}

/// The losses of other rows along a path that was traced on `path`'s rows, downwards from `from`.
search::LossCurve losses_along(const SparsePath& path, const Dataset& validation, double from,
                               Context& context) {
    const SparsePathOptions& options = path.options();
    fit::Prepared prepared = std::move(pose(path.data(), options).prepared);
    if (options.features) {  // the basis takes the place of the rows
        std::vector<index_t> all(at_place(path.solution().columns));
        std::iota(all.begin(), all.end(), index_t{0});
        std::vector<std::string> labels = prepared.rows.label_names;
        prepared.rows = fit::unit_rows(std::move(all), prepared.rows.columns());
        prepared.rows.label_names = std::move(labels);
    }
    search::PathScorer scorer(prepared, scored_options(options), validation, context);
    L1Point start = path.solution().at(std::max(from, path.solution().lambda_max));
    start.lambda = from;
    for (const L1Knot& knot : path.knots()) {
        L1Point end = path.solution().at(knot.lambda);
        if (end.lambda < start.lambda) {
            scorer.add(
                {start.lambda, end.lambda, start.beta, end.beta, start.intercept, end.intercept});
            start = std::move(end);
        }
    }
    return scorer.finish();
}

}  // namespace

std::string sparse_path_machine(const std::string& loss, bool features) {
    if (loss == SquaredHingeLoss::kName) {
        return machine_of(MachineId::l2_svc).name;
    }
    if (loss == ModifiedHuberLoss::kName) {
        return machine_of(MachineId::huber_svc).name;
    }
    if (loss == SquaredLoss::kName || loss == HalfSquaredLoss::kName) {
        return machine_of(features ? MachineId::least_squares : MachineId::krr).name;
    }
    throw InvalidArgument(
        "loss", fmt::format("'{}'", loss),
        fmt::format("a path over lambda is of {}", fmt::join(l1_path_losses(), ", ")));
}

SparsePath::SparsePath(Dataset data, SparsePathOptions options, L1Path solution)
    : data_(std::move(data)), options_(std::move(options)), solution_(std::move(solution)) {}

TrainResult SparsePath::at(double lambda, Context& context) const {
    const L1Point point = solution_.at(lambda);
    const bool ridge = options_.machine.objective.penalty == kL1AndRkhs;
    if (lambda == 0.0 && !ridge) {
        throw InvalidArgument("lambda", "0", "must be > 0: the penalty l1 alone certifies nothing");
    }
    Posed posed = pose(data_, options_);
    const double start = context.elapsed();
    TrainResult result;
    result.model = std::move(posed.model);
    Model& model = result.model;
    model.l1 = lambda;
    Certificate proof;
    if (options_.features) {
        proof = certify(SparseColumnProblem{posed.problem, lambda, ridge}, point.beta, context);
        fit::keep_columns(point.beta, model);
        result.weights = point.beta;
    } else {
        proof = certify(SparseProblem{posed.problem, lambda, ridge}, point.beta, context);
        fit::keep_support(posed.prepared, point.beta, 1, model);
    }
    model.intercepts = {proof.intercept};
    model.certificates = {fit::with_original_row(proof, posed.prepared)};
    model.status = to_string(fit::goal_of(model).status(proof, SolveStatus::reduced));
    model.solver = name_of(SolverId::l1_path);
    model.iterations = static_cast<index_t>(solution_.knots.size());
    if (!model.labels.empty()) {
        OutputSummary summary;
        summary.support = model.support.rows();
        for (const double beta : model.coefficients) {
            summary.absolute_sum += std::abs(beta);
        }
        for (const double cost : posed.problem.costs) {
            summary.total_cost += cost;
        }
        result.outputs = {summary};
    }
    result.certify_seconds = context.elapsed() - start;
    return result;
}

std::vector<double> SparsePath::predict(const Dataset& rows, double lambda,
                                        Context& context) const {
    return decision_function(at(lambda, context).model, rows, context);
}

SparsePath trace_sparse(const Dataset& data, const SparsePathOptions& options, Context& context) {
    require_options(data, options);
    require_in_range("to", options.to, Range::non_negative());
    const Posed posed = pose(data, options);
    const Buffer<double> columns =
        options.features ? feature_columns(posed, context) : kernel_columns(posed, context);
    const index_t n = posed.prepared.rows.rows();
    L1PathProblem problem;
    problem.columns = {columns.data(), options.features ? posed.prepared.rows.columns() : n, n};
    problem.targets = posed.problem.targets;
    problem.costs = posed.problem.costs;
    problem.loss = posed.problem.loss;
    problem.intercept = posed.problem.intercept;
    if (options.machine.objective.penalty == kL1AndRkhs) {
        problem.ridge = options.features ? L1Ridge::identity : L1Ridge::gram;
    }
    return {data, options, trace_l1_path(problem, options.to, context)};
}

SparsePath trace_sparse(const Dataset& data, const SparsePathOptions& options,
                        const Dataset& validation, Context& context) {
    SparsePath path = trace_sparse(data, options, context);
    const double from = path.solution().lambda_max;
    if (from > options.to) {
        path.score = search::score_of({losses_along(path, validation, from, context)},
                                      scored_options(options));
    }
    return path;
}

SparsePath cross_validate(const Dataset& data, const SparsePathOptions& options, index_t folds,
                          Context& context) {
    SparsePath path = trace_sparse(data, options, context);
    const std::vector<Split> splits = fit::seeded_folds(data, folds, context);
    std::vector<std::optional<SparsePath>> parts(splits.size());
    std::vector<search::LossCurve> curves(splits.size());
    double from = path.solution().lambda_max;
    try {
        fit::run_folds(
            splits, {},
            [&](const fit::FoldRun& fold) {
                std::optional<SparsePath>& part = parts[at_place(fold.number)];
                part = trace_sparse(fit::rows_at(data, fold.rows.train), options, fold.context);
                if (part->solution().status == SolveStatus::interrupted) {
                    fold.context.throw_if_stopped("path");
                }
            },
            context);
        for (const std::optional<SparsePath>& part : parts) {
            from = std::max(from, part->solution().lambda_max);
        }
        fit::run_folds(
            splits, {},
            [&](const fit::FoldRun& fold) {
                curves[at_place(fold.number)] =
                    losses_along(*parts[at_place(fold.number)], fit::rows_at(data, fold.rows.test),
                                 from, fold.context);
            },
            context);
    } catch (const Interrupted&) {  // the path is complete, without a score
        return path;
    }
    if (from > options.to) {
        path.score = search::score_of(curves, scored_options(options));
    }
    return path;
}

}  // namespace mercer

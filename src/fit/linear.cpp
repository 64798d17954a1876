// SPDX-License-Identifier: Apache-2.0
//
// src/fit/linear.cpp - linear predictors: least squares, ridge, polynomials, logistic regression.
//
// A linear machine is a kernel machine with the linear kernel (a polynomial one with the kernel (1
// + s <x, z>)^degree), solved in the columns if that is cheaper. The model stores the beta of w =
// sum_i beta_i x_i, so that it predicts, is saved and is verified like any other.
#include "mercer/solvers/linear.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fit/smooth.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_map.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/problems/likelihood.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::fit {

void require_no_kernel(const TrainOptions& options) {
    if (!(options.kernel == linear_kernel())) {
        throw InvalidArgument("kernel", to_string(options.kernel),
                              fmt::format("{} is linear and takes none", options.model));
    }
}

namespace {

/// The weighted ridge or least squares fit of the columns of `x`, as a model.
TrainResult fit_squared(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
                        MatrixView<const double> x, double alpha, Context& context) {
    TrainResult result;
    Model& model = result.model;
    model = describe_smooth(data, options, prepared, SquaredLoss{}, 1.0 / (2.0 * alpha));
    LinearProblem linear;
    linear.rows = x;
    linear.targets = prepared.rows.targets;
    linear.weights = prepared.rows.weights;
    linear.alpha = alpha;
    linear.intercept = options.objective.intercept;
    const double start = context.elapsed();
    const LinearSolution solved =
        solve_linear(linear, options.run.solver, options.run.max_iterations, context);
    const double certify_start = context.elapsed();
    result.fit_seconds = certify_start - start;
    Solution solution = static_cast<const Solution&>(solved);
    Problem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.targets = prepared.rows.targets;
    problem.loss = SquaredLoss{};
    problem.intercept = options.objective.intercept;
    for (index_t i = 0; i < x.rows; ++i) {
        problem.costs.push_back(alpha > 0.0 ? model.cost * prepared.weight(i) : 1.0);
    }
    if (alpha > 0.0) {
        const double moved = project_onto_dual(problem, solution.beta);
        const std::vector<double> f = linear_values(x, solution.beta);
        solution.adopt(certify_values(problem, solution.beta, f, goal_of(model).wanted(), context));
        solution.certificate().dual_infeasibility = moved;
        solution.status = goal_of(model).status(solution.certificate(), SolveStatus::reduced);
    } else {
        const std::vector<double> f = linear_values(x, solution.beta);
        solution.certificate() = certify_least_norm(problem.targets, problem.costs, solution.beta,
                                                    f, solution.intercept());
        double scale = 1.0;
        for (const double target : problem.targets) {
            scale = std::max(scale, std::abs(target));
        }
        // Without an exact solution the values are those of the projected equations; then the
        // normal equations hold.
        solution.certificate().exact = solution.certificate().kkt_violation <= 1e-8 * scale;
        if (!solution.certificate().exact) {
            solution.certificate().kkt_violation = solved.optimality;
        }
    }
    solution.certify_seconds = context.elapsed() - certify_start;
    keep_solution(prepared, solution, result);
    result.rank = solved.rank;
    result.weights = solved.w;
    result.residual = solved.residual;
    return result;
}

}  // namespace

TrainResult train_least_squares(const Dataset& data, const TrainOptions& options,
                                Context& context) {
    require_no_kernel(options);
    const Prepared prepared = prepare(data, options);
    const Buffer<double> x = dense_rows(prepared.rows, context);
    return fit_squared(data, options, prepared,
                       {x.data(), prepared.rows.rows(), prepared.rows.columns()}, 0.0, context);
}

TrainResult train_ridge(const Dataset& data, const TrainOptions& options, Context& context) {
    require_no_kernel(options);
    const Prepared prepared = prepare(data, options);
    const double alpha = ridge_alpha(options, prepared.total_weight);
    require_in_range("alpha", alpha, Range::positive());
    const Buffer<double> x = dense_rows(prepared.rows, context);
    return fit_squared(data, options, prepared,
                       {x.data(), prepared.rows.rows(), prepared.rows.columns()}, alpha, context);
}

TrainResult train_polynomial(const Dataset& data, const TrainOptions& options, Context& context) {
    require_no_kernel(options);
    const index_t degree = chosen_degree(options);
    require_in_range("degree", static_cast<double>(degree), Range::within(1.0, 100.0));
    TrainOptions inner = options;
    inner.objective.intercept = false;  // the monomial of degree 0 is the intercept
    Prepared prepared = prepare(data, inner);
    double longest = 0.0;  // squared
    std::vector<double> row(static_cast<std::size_t>(prepared.rows.columns()));
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        prepared.rows.copy_row(i, row);
        double square = 0.0;
        for (const double value : row) {
            square += value * value;
        }
        longest = std::max(longest, square);
    }
    // The scale bounds 1 + s <x, z> to [0, 2], so that no monomial dominates the others.
    const double scale = longest > 0.0 ? 1.0 / longest : 1.0;
    prepared.kernel = poly_kernel(static_cast<double>(degree), 1.0, scale);
    FeatureMapOptions limits;
    limits.max_dimension = std::max<index_t>(
        1, context.memory()->left() / 32 / std::max<index_t>(1, prepared.rows.rows()));
    limits.max_dimension = std::min<index_t>(limits.max_dimension, 20'000);
    const FeatureMap map = make_feature_map(prepared.kernel, prepared.rows.columns(), limits);
    const index_t n = prepared.rows.rows();
    const index_t p = map.dimension();
    Buffer<double> features = context.allocate<double>(checked_multiply(n, p), "the monomials");
    for (index_t i = 0; i < n; ++i) {
        prepared.rows.copy_row(i, row);
        map.map(row, std::span<double>(features.data() + i * p, static_cast<std::size_t>(p)));
    }
    TrainResult result = fit_squared(data, inner, prepared,
                                     MatrixView<const double>(features.data(), n, p), 0.0, context);
    // Coefficients of the plain monomials: each coordinate at the row of ones is its weight.
    const std::vector<double> ones(row.size(), 1.0);
    std::vector<double> unit(static_cast<std::size_t>(p));
    map.map(ones, unit);
    for (index_t k = 0; k < p; ++k) {
        result.weights[static_cast<std::size_t>(k)] *= unit[static_cast<std::size_t>(k)];
        result.weight_names.push_back(map.coordinate_name(k));
    }
    return result;
}

namespace {

/// Coefficients of least norm with sum_i beta_i x_i = w, for w in the span of the rows.
std::vector<double> row_coefficients(MatrixView<const double> rows, std::span<const double> w,
                                     Context& context) {
    std::vector<double> values(static_cast<std::size_t>(rows.rows), 0.0);
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t j = 0; j < rows.columns; ++j) {
            values[static_cast<std::size_t>(i)] += rows(i, j) * w[static_cast<std::size_t>(j)];
        }
    }
    LinearProblem linear;
    linear.rows = rows;
    linear.targets = values;
    linear.intercept = false;
    return solve_linear(linear, SolverId::automatic, 0, context).beta;
}

/// Logistic regression without a penalty.
TrainResult train_likelihood(const Dataset& data, const TrainOptions& options, Context& context) {
    if (!options.run.solver.is_automatic() && options.run.solver != SolverId::newton) {
        throw InvalidArgument(
            "solver", fmt::format("'{}'", options.run.solver.name()),
            fmt::format("logistic without a penalty is solved by: {}", name_of(SolverId::newton)));
    }
    if (options.run.start != nullptr || options.run.start_only) {
        throw InvalidArgument("start", "", "logistic without a penalty starts at zero");
    }
    const Prepared prepared = prepare(data, options);
    TrainResult result;
    Model& model = result.model;
    model = describe_smooth(data, options, prepared, LogisticLoss{}, 1.0);
    const Problem counted = smooth_problem(prepared, model, LogisticLoss{});
    model.cost = kInfinity;
    const Buffer<double> x = dense_rows(prepared.rows, context);
    const index_t d = prepared.rows.columns();
    const MatrixView<const double> rows(x.data(), prepared.rows.rows(), d);
    const double start = context.elapsed();
    const LikelihoodFit fit =
        maximum_likelihood(rows, counted.targets, counted.costs, counted.intercept,
                           options.run.max_iterations, context);
    if (fit.separable) {
        double norm = 0.0;
        for (index_t j = 0; j < d; ++j) {
            norm += fit.x[static_cast<std::size_t>(j)] * fit.x[static_cast<std::size_t>(j)];
        }
        throw DataError(fmt::format(
            "the likelihood has no maximum: the columns separate the classes, and the best |w| is "
            "unbounded ({:.3g} after {} steps and growing); give -C, or --lambda > 0",
            std::sqrt(norm), fit.iterations));
    }
    Solution solution;
    solution.beta = row_coefficients(
        rows, std::span<const double>(fit.x).first(static_cast<std::size_t>(d)), context);
    solution.intercepts = {counted.intercept ? fit.x[static_cast<std::size_t>(d)] : 0.0};
    const double certify_start = context.elapsed();
    solution.certificate() =
        certify_likelihood({rows, counted.targets, counted.costs, counted.intercept}, solution.beta,
                           solution.intercept(), context);
    solution.certify_seconds = context.elapsed() - certify_start;
    solution.status = goal_of(model).status(solution.certificate(), fit.status);
    solution.solver = name_of(SolverId::newton);
    solution.iterations = fit.iterations;
    keep_solution(prepared, solution, result);
    model.link = log_odds();
    result.weights.assign(fit.x.begin(), fit.x.begin() + d);
    result.fit_seconds = std::max(0.0, context.elapsed() - start - result.certify_seconds);
    return result;
}

}  // namespace

TrainResult train_logistic(const Dataset& data, const TrainOptions& options, Context& context) {
    require_no_kernel(options);
    if (options.objective.lambda == 0.0 && !options.objective.cost && !options.objective.alpha) {
        return train_likelihood(data, options, context);
    }
    auto [prepared, result, problem] = pose_smooth(data, options, LogisticLoss{});
    Model& model = result.model;
    const double start = context.elapsed();
    SolveOptions wanted = solve_options(options);
    wanted.gap_tolerance = given(model.gap_tolerance);
    wanted.solver = options.run.solver == SolverId::dual ? SolverId::smo : options.run.solver;
    const std::vector<double> beta = smooth_start(prepared, options, model, problem, context);
    wanted.start = beta;
    const Solution solution = options.run.start_only
                                  ? certified_start(problem, beta, goal_of(model), context)
                                  : solve_smooth(problem, wanted, context);
    keep_solution(prepared, solution, result);
    model.link = log_odds();
    result.weights.resize(static_cast<std::size_t>(prepared.rows.columns()));
    LinearRows(prepared.rows).multiply_transposed(solution.beta, result.weights, context);
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

}  // namespace mercer::fit

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_columns.cpp - kernel ridge regression with the linear kernel, in the columns.
//
// Method   The squared loss is its own quadratic model, so the first Newton step of
//          column_newton.cpp is the solution; the next, with the same factor, corrects rounding.
// Fits     a kernel c <x, z>, alpha > 0: few columns (Cholesky), or many and sparse rows (conjugate
//          gradients).
// Cost     n d^2 + d^3/3, leave-one-out and variances another n d^2; or two passes per iteration.
// Stops    when a step lowers the value only by rounding; its end point is the solution.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/column_newton.hpp"
#include "solvers/ridge_system.hpp"

namespace mercer {

namespace {

constexpr index_t kMostSteps = 4;  // with one factor: the first solves, the others refine

// The retained dual point belongs to the point after the step, whose gap is smaller by the square
// of the accuracy of the step, at worst 1e-2.
constexpr double kSmallStep = 1e-12;

void require_some_weight(const RidgeProblem& ridge) {
    if (!ridge.weights.empty() && std::none_of(ridge.weights.begin(), ridge.weights.end(),
                                               [](double weight) { return weight > 0.0; })) {
        throw InvalidArgument("weights: no row has a weight > 0");
    }
}

/// Dual point and intercept of one target.
NewtonState solve_target(const Problem& problem, bool direct, Context& context) {
    NewtonState state;
    const SolveStatus ended = column_newton(
        problem, direct, state, direct ? kMostSteps : 0,
        [](const NewtonState& now, const NewtonStep& step) {
            return step.decrement > kSmallStep * now.value;
        },
        context);
    if (ended == SolveStatus::interrupted) {
        context.throw_if_stopped("ridge");
    }
    return state;
}

/// Leave-one-out residuals; 0 for rows without weight.
std::vector<double> left_out_residuals(const Problem& problem, const NewtonState& state,
                                       Context& context) {
    std::vector<double> out = column_leave_one_out(problem, state.dual, state.intercept, context);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = problem.costs[i] > 0.0 ? problem.targets[i] - out[i] : 0.0;
    }
    return out;
}

void set_column(MatrixView<double> matrix, index_t t, std::span<const double> column) {
    for (index_t i = 0; i < matrix.rows; ++i) {
        matrix(i, t) = column[static_cast<std::size_t>(i)];
    }
}

}  // namespace

ColumnForm ridge_column_form(const RidgeProblem& problem, Context& context) {
    return problem.alpha > 0.0 ? column_form(*problem.gram, context) : ColumnForm{};
}

RidgeSolution solve_ridge_in_columns(const RidgeProblem& ridge, const ColumnForm& form,
                                     bool leave_one_out, Context& context) {
    const index_t n = ridge.size();
    const index_t targets = ridge.target_count;
    require_some_weight(ridge);
    const std::string_view solver =
        name_of(form.direct ? SolverId::cholesky : SolverId::conjugate_gradient);
    context.note(fmt::format("solver {} in the columns ({})", solver, form.reason));
    RidgeSolution out;
    out.rank = n;
    out.solver = solver;
    out.iterations = 1;
    out.beta.resize(static_cast<std::size_t>(n * targets));
    out.intercepts.assign(static_cast<std::size_t>(targets), 0.0);
    for (index_t t = 0; t < targets; ++t) {
        const Problem problem = target_problem(ridge, t);
        const NewtonState state = solve_target(problem, form.direct, context);
        set_column({out.beta.data(), n, targets}, t, state.dual);
        out.intercepts[static_cast<std::size_t>(t)] = state.intercept;
        if (leave_one_out) {
            out.leave_one_out.resize(out.beta.size(), 0.0);
            set_column({out.leave_one_out.data(), n, targets}, t,
                       left_out_residuals(problem, state, context));
        }
    }
    certify_ridge(ridge, out, context);
    return out;
}

std::vector<double> ridge_variance_in_columns(const RidgeProblem& ridge, const NewRows& rows,
                                              Context& context) {
    std::vector<double> precisions(static_cast<std::size_t>(ridge.size()), 1.0 / ridge.alpha);
    for (std::size_t i = 0; i < ridge.weights.size(); ++i) {
        precisions[i] *= ridge.weights[i];
    }
    const LinearFactor& x = *ridge.gram->linear();
    const LinearRows& wanted = *rows.linear;
    std::vector<double> out = column_variance(x.rows, x.factor, precisions, wanted, context);
    // A column that is zero in all training rows keeps its prior variance.
    for (index_t i = 0; i < wanted.rows() && wanted.columns() > x.rows.columns(); ++i) {
        std::vector<double> row(static_cast<std::size_t>(wanted.columns()));
        wanted.copy_row(i, row);
        const auto rest = row.begin() + x.rows.columns();
        out[static_cast<std::size_t>(i)] +=
            x.factor * std::inner_product(rest, row.end(), rest, 0.0);
    }
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_newton.cpp - Newton's method in the metric of the kernel.
//
//     minimise   1/2 beta'K beta + sum_i c_i loss(y_i, z_i),   z = K beta + b
//
// Method   The Newton point solves beta_i = -(g_i + w_i (znew_i - z_i)), sum(beta) = 0 with an
//          intercept. Rows without curvature have beta_i = -g_i; on the curved rows J, with
//          S = W^1/2, it is one Cholesky of B = I + S K_JJ S, whose eigenvalues are >= 1 (Chapelle,
//          Neural Computation 19, 2007; Zhu and Hastie, 2005, for the logistic loss). Squared
//          hinge, modified Huber and squared epsilon losses are piecewise quadratic: a full step
//          after which every row is still on the same piece gives the solution (finite Newton:
//          Mangasarian 2002; Keerthi and DeCoste, JMLR 6, 2005).
// Fits     |J|^2 doubles in memory; f is computed from the kernel, K itself is not stored.
// Cost     |J|^3/3 + n |J| kernel values per step; 5 to 15 steps.
// Stops    when the line search finds no lower value, or the caller's watch says so.
// Notation g = c loss'   w = c loss''   S = sqrt(w)   z = f + b   d = new - old
#include "mercer/solvers/kernel_newton.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "solvers/column_newton.hpp"
#include "solvers/newton_line.hpp"
#include "solvers/smaller_cost.hpp"

namespace mercer {

namespace {

constexpr index_t kNewtonIterations = 200;

constexpr index_t kRowsPerTask = 64;

/// The curved rows and the factor of I + S K_JJ S in `room`, which grows if it is too small: all
/// steps use the same memory.
class CurvedSystem {
public:
    CurvedSystem(const Problem& problem, std::span<const double> curvature, Buffer<double>& room,
                 Context& context)
        : context_(context), room_(room) {
        for (std::size_t i = 0; i < curvature.size(); ++i) {
            if (curvature[i] > 0.0) {
                rows_.push_back(static_cast<index_t>(i));
                root_.push_back(std::sqrt(curvature[i]));
            }
        }
        const index_t m = size();
        if (room_.size() < checked_multiply(m, m)) {
            room_ = Buffer<double>();  // free the old one first: both may not fit
            room_ = context.allocate<double>(m * m, "the matrix of a Newton step");
        }
        if (m > 0) {
            problem.gram->block(rows_, rows_, Precision::float64, context)
                ->copy_lower(view(), context);
        }
        parallel_for(context, (m + kRowsPerTask - 1) / kRowsPerTask, [&](index_t task, int) {
            const index_t end = std::min(m, (task + 1) * kRowsPerTask);
            for (index_t i = task * kRowsPerTask; i < end; ++i) {
                for (index_t j = 0; j <= i; ++j) {
                    view()(i, j) *= root_[at(i)] * root_[at(j)];
                }
                view()(i, i) += 1.0;
            }
        });
        if (!cholesky(view(), context)) {
            throw SingularSystem(
                "kernel: I + S K S is not positive definite in double precision, and the kernel is "
                "not known to be; Newton's method needs a positive definite kernel");
        }
    }

    [[nodiscard]] index_t size() const { return static_cast<index_t>(rows_.size()); }
    [[nodiscard]] std::span<const index_t> rows() const { return rows_; }
    [[nodiscard]] std::span<const double> root() const { return root_; }
    [[nodiscard]] MatrixView<double> view() { return {room_.data(), size(), size()}; }

    void solve(MatrixView<double> right) { cholesky_solve(view(), right, context_); }

    [[nodiscard]] std::vector<double> inverse_diagonal() {
        std::vector<double> out(rows_.size());
        mercer::inverse_diagonal(view(), out, context_);
        return out;
    }

private:
    Context& context_;
    std::vector<index_t> rows_;
    std::vector<double> root_;
    Buffer<double>& room_;
};

struct NewtonPoint {
    std::vector<double> beta;
    std::vector<double> f;  ///< K beta
    double intercept = 0.0;
};

/// The rows without curvature, whose coefficients are given by the slopes.
struct StraightRows {
    std::vector<double> beta;  ///< of all rows, 0 on the curved ones
    std::vector<double> f;     ///< K beta
    double sum = 0.0;          ///< of beta
};

StraightRows straight_rows(const Problem& problem, const Terms& terms, Context& context) {
    StraightRows out;
    out.beta.resize(terms.slope.size(), 0.0);
    bool any = false;
    for (std::size_t i = 0; i < out.beta.size(); ++i) {
        if (!(terms.curvature[i] > 0.0) && terms.slope[i] != 0.0) {
            out.beta[i] = -terms.slope[i];
            out.sum += out.beta[i];
            any = true;
        }
    }
    out.f =
        any ? decision_values(problem, out.beta, context) : std::vector<double>(out.beta.size());
    return out;
}

/// The minimiser of the quadratic pieces at z.
NewtonPoint newton_point(const Problem& problem, const NewtonState& state, const Terms& terms,
                         CurvedSystem& system, Context& context) {
    const index_t m = system.size();
    StraightRows straight = straight_rows(problem, terms, context);
    // Columns: S (z - g / w - K straight), and S 1 for the intercept.
    std::vector<double> right(at(m * 2));
    for (index_t k = 0; k < m; ++k) {
        const std::size_t i = at(system.rows()[at(k)]);
        const double s = system.root()[at(k)];
        const double z = state.f[i] + state.intercept;
        right[at(2 * k)] = s * (z - straight.f[i]) - terms.slope[i] / s;
        right[at(2 * k + 1)] = s;
    }
    system.solve(MatrixView<double>(right.data(), m, 2));
    double sum = straight.sum;
    double ones = 0.0;
    for (index_t k = 0; k < m; ++k) {
        sum += system.root()[at(k)] * right[at(2 * k)];
        ones += system.root()[at(k)] * right[at(2 * k + 1)];
    }
    NewtonPoint out;
    if (problem.intercept) {
        out.intercept = ones > 0.0 ? sum / ones : state.intercept;
    }
    out.beta = std::move(straight.beta);
    for (index_t k = 0; k < m; ++k) {
        out.beta[at(system.rows()[at(k)])] =
            system.root()[at(k)] * (right[at(2 * k)] - out.intercept * right[at(2 * k + 1)]);
    }
    out.f = decision_values(problem, out.beta, context);
    return out;
}

/// The objective along the line to a Newton point.
NewtonLine line_to(const Problem& problem, const NewtonState& from, const NewtonPoint& to) {
    std::vector<double> f_step(from.f.size());
    std::vector<double> beta_step(from.f.size());
    for (std::size_t i = 0; i < f_step.size(); ++i) {
        f_step[i] = to.f[i] - from.f[i];
        beta_step[i] = to.beta[i] - from.beta[i];
    }
    const double linear = dot(from.beta, f_step);
    const double quadratic = std::max(0.0, dot(beta_step, f_step));
    std::vector<double> z(from.f);
    for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] += from.intercept;
        f_step[i] += to.intercept - from.intercept;
    }
    return {problem, std::move(z), std::move(f_step), linear, quadratic};
}

/// Moves the share `length` of the way to a Newton point; exactly to it if that is 1.
void move(NewtonState& state, const NewtonPoint& to, double length) {
    if (length == 1.0) {
        state.beta = to.beta;
        state.f = to.f;
        state.intercept = to.intercept;
        return;
    }
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
        state.beta[i] += length * (to.beta[i] - state.beta[i]);
        state.f[i] += length * (to.f[i] - state.f[i]);
    }
    state.intercept += length * (to.intercept - state.intercept);
}

void refresh(const Problem& problem, NewtonState& state, const Terms& terms) {
    state.value = 0.5 * std::max(0.0, dot(state.beta, state.f)) + terms.value;
    state.dual.resize(state.beta.size());
    for (std::size_t i = 0; i < state.dual.size(); ++i) {
        state.dual[i] = problem.costs[i] > 0.0 ? -terms.slope[i] : 0.0;
    }
}

}  // namespace

bool newton_fits(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kSlope && kind.kGreatestCurvature > 0.0; },
                      loss);
}

SolveStatus kernel_newton(const Problem& problem, NewtonState& state, index_t max_iterations,
                          const NewtonWatch& watch, Context& context) {
    require_well_formed(problem);
    require_curvature(problem.loss);
    const auto n = static_cast<std::size_t>(problem.size());
    if (state.beta.size() != n) {
        state.beta.assign(n, 0.0);
        state.f.assign(n, 0.0);
    }
    const index_t limit = max_iterations > 0 ? max_iterations : kNewtonIterations;
    Terms terms = terms_at(problem, state.f, state.intercept);
    refresh(problem, state, terms);
    NewtonStep step;
    Buffer<double> room;
    for (;; ++step.iteration) {
        if (context.should_stop()) {
            return SolveStatus::interrupted;
        }
        CurvedSystem system(problem, terms.curvature, room, context);
        step.curved = system.size();
        step.value = state.value;
        const NewtonPoint point = newton_point(problem, state, terms, system, context);
        const bool descends = line_to(problem, state, point).search(step);
        if (!watch(state, step) || !descends || step.settled) {
            return SolveStatus::converged;
        }
        if (step.iteration == limit) {
            return SolveStatus::iteration_limit;
        }
        move(state, point, step.length);
        Terms next = terms_at(problem, state.f, state.intercept);
        step.settled = step.length == 1.0 && is_piecewise_quadratic(problem.loss) &&
                       same_zones(problem.loss, terms, next);
        terms = std::move(next);
        refresh(problem, state, terms);
        report_newton_step(step, state.value, context);
    }
}

std::vector<double> approximate_leave_one_out(const Problem& problem, std::span<const double> beta,
                                              double intercept, Context& context) {
    require_well_formed(problem);
    if (const ColumnForm form = column_form(*problem.gram, context); form.cheaper && form.direct) {
        return column_leave_one_out(problem, beta, intercept, context);
    }
    std::vector<double> z = decision_values(problem, beta, context);
    const Terms terms = terms_at(problem, z, intercept);
    Buffer<double> room;
    std::optional<CurvedSystem> factored;
    try {
        factored.emplace(problem, terms.curvature, room, context);
    } catch (const SingularSystem&) {
        return {};
    }
    CurvedSystem& system = *factored;
    const index_t m = system.size();
    const std::vector<double> inverse = system.inverse_diagonal();
    std::vector<double> border(at(m));
    for (index_t k = 0; k < m; ++k) {
        border[at(k)] = system.root()[at(k)];
    }
    system.solve(MatrixView<double>(border.data(), m, 1));
    double ones = 0.0;
    for (index_t k = 0; k < m; ++k) {
        ones += system.root()[at(k)] * border[at(k)];
    }
    for (double& value : z) {
        value += intercept;
    }
    // P = (K + W^-1)^-1, projected if there is an intercept: leaving row i out moves z_i by
    // beta_i (1 / P_ii - 1 / w_i).
    for (index_t k = 0; k < m; ++k) {
        const std::size_t i = at(system.rows()[at(k)]);
        const double w = terms.curvature[i];
        double p = w * inverse[at(k)];
        if (problem.intercept && ones > 0.0) {
            p -= w * border[at(k)] * border[at(k)] / ones;
        }
        z[i] -= beta[i] * (1.0 / p - 1.0 / w);
    }
    return z;
}

}  // namespace mercer

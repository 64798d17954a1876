// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/linear.cpp - least squares and ridge regression in the columns.
//
// Method   Rows are weighted and, with an intercept, centred: X~ = W^1/2 (X - mean). Least squares
//          of least norm by the singular values of X~, or by the pseudo-inverse of X~'X~ from its
//          eigenvectors; ridge by one Cholesky of X~'X~ + alpha (primal) or X~X~' + alpha (dual), or
//          by the singular values where alpha is so small that (y - f) / alpha is only rounding.
//          Every solution also as w = X'beta, which is what a kernel model holds.
// Fits     n d doubles in memory.
// Cost     n d min(n, d).
// Notation A = X~'X~   b = X~'y~   U S V' = X~   r  residual
#include "mercer/solvers/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "solvers/find_solver.hpp"

namespace mercer {

namespace {

constexpr index_t kDescentSteps = 1'000'000;
constexpr double kDescentTolerance = 1e-12;

double norm(std::span<const double> v) {
    double square = 0.0;
    for (const double value : v) {
        square += value * value;
    }
    return std::sqrt(square);
}

/// y - U U'y for the first `count` columns of U; 0 if it is only the rounding of y. Projected twice,
/// so that what is left along U is of the size of its own rounding.
std::vector<double> beside(MatrixView<const double> u, index_t count, std::vector<double> y) {
    const double rounding =
        static_cast<double>(u.rows) * std::numeric_limits<double>::epsilon() * norm(y);
    for (int round = 0; round < 2; ++round) {
        for (index_t e = 0; e < count; ++e) {
            double along = 0.0;
            for (index_t i = 0; i < u.rows; ++i) {
                along += u(i, e) * y[at(i)];
            }
            for (index_t i = 0; i < u.rows; ++i) {
                y[at(i)] -= along * u(i, e);
            }
        }
    }
    if (norm(y) <= rounding) {
        std::fill(y.begin(), y.end(), 0.0);
    }
    return y;
}

/// The weighted, centred copy and what the solvers share.
class System {
public:
    System(const LinearProblem& problem, Context& context)
        : problem_(problem), context_(context), n_(problem.rows.rows), d_(problem.rows.columns) {
        check();
        means();
        copy_ = context.allocate<double>(checked_multiply(n_, d_), "a copy of the rows");
        targets_.resize(at(n_));
        for (index_t i = 0; i < n_; ++i) {
            const double root = std::sqrt(weight(i));
            for (index_t j = 0; j < d_; ++j) {
                copy_[i * d_ + j] = root * (problem.rows(i, j) - mean_[at(j)]);
            }
            targets_[at(i)] = root * (problem.targets[at(i)] - target_mean_);
        }
    }

    LinearSolution by_singular_values() {
        const index_t k = std::min(n_, d_);
        Buffer<double> work = context_.allocate<double>(n_ * d_, "a copy of the rows");
        std::copy_n(copy_.data(), n_ * d_, work.data());
        Buffer<double> left = context_.allocate<double>(n_ * k, "singular vectors");
        Buffer<double> right = context_.allocate<double>(k * d_, "singular vectors");
        std::vector<double> s(at(k));
        singular_values(MatrixView<double>(work.data(), n_, d_),
                        MatrixView<double>(left.data(), n_, k), s,
                        MatrixView<double>(right.data(), k, d_), context_);
        const double zero = k == 0 ? 0.0
                                   : s.front() * std::numeric_limits<double>::epsilon() *
                                         static_cast<double>(std::max(n_, d_));
        LinearSolution out = empty();
        for (index_t e = 0; e < k && s[at(e)] > zero; ++e) {
            ++out.rank;
            out.condition = s.front() / s[at(e)];
            double along = 0.0;
            for (index_t i = 0; i < n_; ++i) {
                along += left[i * k + e] * targets_[at(i)];
            }
            const double share = along / (s[at(e)] * s[at(e)] + problem_.alpha);
            for (index_t j = 0; j < d_; ++j) {
                out.w[at(j)] += share * s[at(e)] * right[e * d_ + j];
            }
            for (index_t i = 0; i < n_; ++i) {
                out.beta[at(i)] += share * left[i * k + e];
            }
        }
        if (problem_.alpha > 0.0) {
            const std::vector<double> r = beside({left.data(), n_, k}, out.rank, targets_);
            for (index_t i = 0; i < n_; ++i) {
                out.beta[at(i)] += r[at(i)] / problem_.alpha;
            }
        }
        return finish(std::move(out));
    }

    LinearSolution by_normal_equations() {
        Buffer<double> a = normal_matrix();
        std::vector<double> values(at(d_));
        symmetric_eigen(MatrixView<double>(a.data(), d_, d_), values, true, context_);
        const double zero = d_ == 0 ? 0.0
                                    : values.back() * std::numeric_limits<double>::epsilon() *
                                          static_cast<double>(std::max(n_, d_));
        const std::vector<double> b = against_rows(targets_);
        LinearSolution out = empty();
        std::vector<double> twice(at(d_), 0.0);  // A^+ A^+ b
        for (index_t e = d_ - 1; e >= 0 && values[at(e)] > zero; --e) {
            ++out.rank;
            out.condition = std::sqrt(values.back() / values[at(e)]);
            double along = 0.0;
            for (index_t j = 0; j < d_; ++j) {
                along += a[e * d_ + j] * b[at(j)];
            }
            const double once = along / values[at(e)];
            for (index_t j = 0; j < d_; ++j) {
                out.w[at(j)] += once * a[e * d_ + j];
                twice[at(j)] += once / values[at(e)] * a[e * d_ + j];
            }
        }
        out.beta = times(twice);
        return finish(std::move(out));
    }

    /// Batch LMS: w += step * sum_i (y_i - <w, x_i>) x_i, and beta the same in the rows.
    LinearSolution by_descent(index_t max_iterations) {
        LinearSolution out = empty();
        const double step = 1.0 / std::max(greatest_curvature(), 1e-300);
        const std::vector<double> b = against_rows(targets_);
        const double size = std::max(largest(b), 1e-300);
        const index_t limit = max_iterations > 0 ? max_iterations : kDescentSteps;
        out.status = SolveStatus::iteration_limit;
        out.remedy =
            "the columns differ much in scale or nearly depend on each other: scale them, "
            "or use the solver svd";
        for (out.iterations = 0; out.iterations < limit; ++out.iterations) {
            if (context_.should_stop()) {
                out.status = SolveStatus::interrupted;
                break;
            }
            std::vector<double> r = times(out.w);
            for (index_t i = 0; i < n_; ++i) {
                r[at(i)] = targets_[at(i)] - r[at(i)];
            }
            const std::vector<double> g = against_rows(r);
            if (largest(g) <= kDescentTolerance * size) {
                out.status = SolveStatus::converged;
                out.remedy.clear();
                break;
            }
            for (index_t j = 0; j < d_; ++j) {
                out.w[at(j)] += step * g[at(j)];
            }
            for (index_t i = 0; i < n_; ++i) {
                out.beta[at(i)] += step * r[at(i)];
            }
        }
        drop_residual(out);
        const SolveStatus ended = out.status;
        out = finish(std::move(out));
        out.status = ended;
        return out;
    }

    LinearSolution by_primal() {
        Buffer<double> a = normal_matrix();
        const MatrixView<double> matrix(a.data(), d_, d_);
        for (index_t j = 0; j < d_; ++j) {
            matrix(j, j) += problem_.alpha;
        }
        factor(matrix);
        LinearSolution out = empty();
        out.w = against_rows(targets_);
        cholesky_solve(matrix, MatrixView<double>(out.w.data(), d_, 1), context_);
        const std::vector<double> f = times(out.w);
        for (index_t i = 0; i < n_; ++i) {
            out.beta[at(i)] = (targets_[at(i)] - f[at(i)]) / problem_.alpha;
        }
        out.rank = std::min(n_, d_);
        return finish(std::move(out));
    }

    LinearSolution by_dual() {
        Buffer<double> g = context_.allocate<double>(checked_multiply(n_, n_), "the Gram matrix");
        const MatrixView<double> matrix(g.data(), n_, n_);
        multiply(rows(), false, rows(), true, 1.0, 0.0, matrix, context_);
        for (index_t i = 0; i < n_; ++i) {
            matrix(i, i) += problem_.alpha;
        }
        factor(matrix);
        LinearSolution out = empty();
        out.beta = targets_;
        cholesky_solve(matrix, MatrixView<double>(out.beta.data(), n_, 1), context_);
        out.w = against_rows(out.beta);
        out.rank = std::min(n_, d_);
        return finish(std::move(out));
    }

private:
    void check() const {
        require_in_range("alpha", problem_.alpha, Range::non_negative());
        if (n_ == 0 || static_cast<index_t>(problem_.targets.size()) != n_) {
            throw InvalidArgument(
                fmt::format("targets: got {} for {} rows", problem_.targets.size(), n_));
        }
        if (!problem_.weights.empty() && static_cast<index_t>(problem_.weights.size()) != n_) {
            throw InvalidArgument(
                fmt::format("weights: got {}, must be {}", problem_.weights.size(), n_));
        }
        for (index_t i = 0; i < n_; ++i) {
            require_in_range(fmt::format("weight of row {}", i + 1), weight(i), Range::positive());
            require_in_range(fmt::format("target of row {}", i + 1), problem_.targets[at(i)],
                             Range::any());
        }
    }

    [[nodiscard]] double weight(index_t i) const {
        return problem_.weights.empty() ? 1.0 : problem_.weights[at(i)];
    }
    [[nodiscard]] MatrixView<const double> rows() const { return {copy_.data(), n_, d_}; }

    void means() {
        mean_.assign(at(d_), 0.0);
        double total = 0.0;
        for (index_t i = 0; i < n_ && problem_.intercept; ++i) {
            total += weight(i);
            target_mean_ += weight(i) * problem_.targets[at(i)];
            for (index_t j = 0; j < d_; ++j) {
                mean_[at(j)] += weight(i) * problem_.rows(i, j);
            }
        }
        if (problem_.intercept) {
            target_mean_ /= total;
            for (double& value : mean_) {
                value /= total;
            }
        }
    }

    [[nodiscard]] LinearSolution empty() const {
        LinearSolution out;
        out.iterations = 1;
        out.w.assign(at(d_), 0.0);
        out.beta.assign(at(n_), 0.0);
        return out;
    }

    [[nodiscard]] static double largest(std::span<const double> values) {
        double most = 0.0;
        for (const double value : values) {
            most = std::max(most, std::abs(value));
        }
        return most;
    }

    /// X~ v.
    [[nodiscard]] std::vector<double> times(std::span<const double> v) const {
        std::vector<double> out(at(n_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            for (index_t j = 0; j < d_; ++j) {
                out[at(i)] += copy_[i * d_ + j] * v[at(j)];
            }
        }
        return out;
    }
    /// X~' u.
    [[nodiscard]] std::vector<double> against_rows(std::span<const double> u) const {
        std::vector<double> out(at(d_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            for (index_t j = 0; j < d_; ++j) {
                out[at(j)] += copy_[i * d_ + j] * u[at(i)];
            }
        }
        return out;
    }

    /// The final residual is orthogonal to the columns, and every step has added it to beta without
    /// moving w: the beta of least norm is the one without it.
    void drop_residual(LinearSolution& out) const {
        std::vector<double> r = times(out.w);
        double square = 0.0;
        double along = 0.0;
        for (index_t i = 0; i < n_; ++i) {
            r[at(i)] = targets_[at(i)] - r[at(i)];
            square += r[at(i)] * r[at(i)];
            along += out.beta[at(i)] * r[at(i)];
        }
        for (index_t i = 0; i < n_ && square > 0.0; ++i) {
            out.beta[at(i)] -= along / square * r[at(i)];
        }
    }

    [[nodiscard]] Buffer<double> normal_matrix() {
        Buffer<double> a = context_.allocate<double>(checked_multiply(d_, d_), "normal equations");
        multiply(rows(), true, rows(), false, 1.0, 0.0, MatrixView<double>(a.data(), d_, d_),
                 context_);
        return a;
    }

    /// An upper bound of the greatest eigenvalue of X~'X~: the power method, then 5 % more.
    [[nodiscard]] double greatest_curvature() const {
        Random random = context_.random(0x11ea5);
        std::vector<double> v(at(d_));
        for (double& value : v) {
            value = random.normal();
        }
        double most = 0.0;
        for (int k = 0; k < 30; ++k) {
            double norm = 0.0;
            for (const double value : v) {
                norm += value * value;
            }
            norm = std::sqrt(norm);
            if (norm == 0.0) {
                return 0.0;
            }
            for (double& value : v) {
                value /= norm;
            }
            most = norm;
            v = against_rows(times(v));
        }
        return 1.05 * most;
    }

    void factor(MatrixView<double> matrix) const {
        if (!cholesky(matrix, context_)) {
            throw InvalidArgument(fmt::format(
                "alpha: {} is too small beside these columns in double precision; use a greater "
                "one, or 0 for least squares of least norm",
                problem_.alpha));
        }
    }

    /// Back to the rows as given: intercept, weighted beta, residual and optimality.
    LinearSolution finish(LinearSolution out) const {
        double intercept = target_mean_;
        for (index_t j = 0; j < d_; ++j) {
            intercept -= problem_.intercept ? out.w[at(j)] * mean_[at(j)] : 0.0;
        }
        out.intercepts = {intercept};
        const std::vector<double> f = times(out.w);
        std::vector<double> r(at(n_));
        out.residual = 0.0;
        double scale = 0.0;
        for (index_t i = 0; i < n_; ++i) {
            r[at(i)] = targets_[at(i)] - f[at(i)];
            out.residual += r[at(i)] * r[at(i)];
            out.beta[at(i)] *= std::sqrt(weight(i));
            scale = std::max({scale, std::abs(f[at(i)]), std::abs(targets_[at(i)])});
        }
        const std::vector<double> g = against_rows(r);
        out.optimality = 0.0;
        for (index_t j = 0; j < d_; ++j) {
            out.optimality =
                std::max(out.optimality, std::abs(g[at(j)] - problem_.alpha * out.w[at(j)]));
        }
        out.scale = 0.0;
        for (index_t j = 0; j < d_; ++j) {
            double sum = 0.0;
            for (index_t i = 0; i < n_; ++i) {
                sum += std::abs(copy_[i * d_ + j]) * scale;
            }
            out.scale = std::max(out.scale, sum);
        }
        out.status = out.optimality <= 1e-8 * std::max(out.scale, 1e-300) ? SolveStatus::converged
                                                                          : SolveStatus::reduced;
        return out;
    }

    const LinearProblem& problem_;
    Context& context_;
    index_t n_;
    index_t d_;
    std::vector<double> mean_;
    double target_mean_ = 0.0;
    Buffer<double> copy_;
    std::vector<double> targets_;
};

bool is_penalised(const LinearProblem& problem) { return problem.alpha > 0.0; }
bool is_unpenalised(const LinearProblem& problem) { return !is_penalised(problem); }
bool is_any(const LinearProblem&) { return true; }

/// True if (y - f) / alpha is rounding after a factorisation of the columns.
bool is_hardly_penalised(const LinearProblem& problem) {
    constexpr double kHardly = 1e-12;
    if (!is_penalised(problem)) {
        return false;
    }
    double squares = 0.0;
    for (index_t i = 0; i < problem.rows.rows; ++i) {
        const double weight = problem.weights.empty() ? 1.0 : problem.weights[at(i)];
        for (index_t j = 0; j < problem.rows.columns; ++j) {
            squares += weight * problem.rows(i, j) * problem.rows(i, j);
        }
    }
    return problem.alpha < kHardly * squares;
}

template <LinearSolution (System::*method)()>
LinearSolution linear_by(const LinearProblem& problem, const SolveOptions&, Context& context) {
    System system(problem, context);
    return (system.*method)();
}

LinearSolution linear_by_descent(const LinearProblem& problem, const SolveOptions& options,
                                 Context& context) {
    return System(problem, context).by_descent(options.max_iterations);
}

SolverFacts linear_facts(SolverId id, const char* summary) {
    return {.name = std::string(name_of(id)), .summary = summary, .form = SolverForm::columns};
}

std::vector<LinearSolver> make_linear_table() {
    return {
        {linear_facts(SolverId::primal, "one factorisation, columns by columns"),
         is_penalised,
         {},
         linear_by<&System::by_primal>},
        {linear_facts(SolverId::dual, "one factorisation, rows by rows"),
         is_penalised,
         {},
         linear_by<&System::by_dual>},
        {linear_facts(SolverId::svd, "singular values of the rows"),
         is_any,
         {},
         linear_by<&System::by_singular_values>},
        {linear_facts(SolverId::normal_equations, "the pseudo-inverse of X'X by its eigenvectors"),
         is_unpenalised,
         {},
         linear_by<&System::by_normal_equations>},
        {linear_facts(SolverId::gradient_descent, "batch LMS"),
         is_unpenalised,
         {},
         linear_by_descent}};
}

}  // namespace

std::span<const LinearSolver> linear_table() {
    static const std::vector<LinearSolver> rows = make_linear_table();
    return rows;
}

std::vector<std::string> linear_solvers(double alpha) {
    LinearProblem form;
    form.alpha = alpha;
    return names_of(fitting(linear_table(), form));
}

LinearSolution solve_linear(const LinearProblem& problem, const SolverChoice& solver,
                            index_t max_iterations, Context& context) {
    SolverChoice choice = solver;
    const std::vector<const LinearSolver*> rows = fitting(linear_table(), problem);
    if (solver.is_automatic()) {
        choice = is_penalised(problem) && problem.rows.columns > problem.rows.rows
                     ? SolverChoice(SolverId::dual)
                 : is_hardly_penalised(problem) ? SolverChoice(SolverId::svd)
                                                : SolverChoice(rows.front()->facts.name);
    }
    SolveOptions options;
    options.max_iterations = max_iterations;
    LinearSolution out = required_solver(rows, choice).solve(problem, options, context);
    out.solver = choice.name();
    return out;
}

std::vector<double> linear_values(MatrixView<const double> rows, std::span<const double> beta) {
    std::vector<double> w(at(rows.columns), 0.0);
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t j = 0; j < rows.columns; ++j) {
            w[at(j)] += beta[at(i)] * rows(i, j);
        }
    }
    std::vector<double> f(at(rows.rows), 0.0);
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t j = 0; j < rows.columns; ++j) {
            f[at(i)] += rows(i, j) * w[at(j)];
        }
    }
    return f;
}

Certificate certify_least_norm(std::span<const double> targets, std::span<const double> costs,
                               std::span<const double> beta, std::span<const double> f,
                               double intercept) {
    Certificate out;
    out.intercept = intercept;
    out.intercepts = {intercept, intercept};
    out.dual_infeasibility = 0.0;
    out.kkt_violation = 0.0;
    double norm = 0.0;
    double linear = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        norm += beta[i] * f[i];
        linear += beta[i] * targets[i];
        const double miss = costs[i] > 0.0 ? std::abs(f[i] + intercept - targets[i]) : 0.0;
        if (miss > out.kkt_violation) {
            out.kkt_violation = miss;
            out.worst_sample = static_cast<index_t>(i);
        }
    }
    out.squared_norm = std::max(0.0, norm);
    out.primal = 0.5 * out.squared_norm;
    out.dual = linear - 0.5 * out.squared_norm;
    out.gap = std::abs(out.primal - out.dual);
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge.cpp - kernel ridge regression by one Cholesky factorisation.
//
// Method   G = K + alpha W^-1 is factored in place as L L'. With an intercept the bordered system is
//          solved through G eta = 1, G nu = Y:  b = (1'nu) / (1'eta), beta = nu - eta b.
//          Leave-one-out residuals are beta_i / (G^-1)_ii, minus eta_i^2 / (1'eta) with an
//          intercept (Cook and Weisberg's identity in kernel form).
// Fits     any n for which n^2 doubles fit in memory.
// Cost     n^2/2 kernel values, n^3/3 flops; leave-one-out adds n^3/3.
// Stops    direct. alpha = 0 with singular K uses the eigenvalues: beta = K^+ y, rank reported.
#include "mercer/solvers/ridge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "solvers/column_newton.hpp"
#include "solvers/estimates.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/ridge_system.hpp"
#include "solvers/smaller_cost.hpp"

namespace mercer {

namespace {

double weight_of(const RidgeProblem& problem, index_t i) {
    return problem.weights.empty() ? 1.0 : problem.weights[static_cast<std::size_t>(i)];
}

void require_ridge(const RidgeProblem& p) {
    const index_t n = p.size();
    require_in_range("alpha", p.alpha, Range::non_negative());
    if (p.target_count < 1 || static_cast<index_t>(p.targets.size()) != n * p.target_count) {
        throw InvalidArgument(fmt::format("targets: got {} numbers for {} rows and {} targets",
                                          p.targets.size(), n, p.target_count));
    }
    if (!p.weights.empty() && static_cast<index_t>(p.weights.size()) != n) {
        throw InvalidArgument(fmt::format("weights: got {}, must be {}", p.weights.size(), n));
    }
    for (index_t i = 0; i < n; ++i) {
        const double weight = weight_of(p, i);
        if (!(weight >= 0.0) || !std::isfinite(weight)) {
            throw InvalidArgument(
                fmt::format("row {}: the weight {} must be finite and >= 0", i + 1, weight));
        }
        for (index_t t = 0; t < p.target_count; ++t) {
            if (!std::isfinite(p.targets[static_cast<std::size_t>(i * p.target_count + t)])) {
                throw InvalidArgument(fmt::format("row {}: the target is not finite", i + 1));
            }
        }
    }
}

/// The rows with weight > 0 and their right-hand sides.
class RidgeSystem {
public:
    RidgeSystem(const RidgeProblem& problem, Context& context)
        : problem_(problem), context_(context) {
        const index_t n = problem.size();
        for (index_t i = 0; i < n; ++i) {
            if (weight(i) > 0.0) {
                kept_.push_back(i);
            }
        }
        if (kept_.empty()) {
            throw InvalidArgument("weights: no row has a weight > 0");
        }
        gram_ = size() == n ? problem.gram : subset(problem.gram, kept_);
    }

    RidgeSolution solve(bool leave_one_out) {
        RidgeSolution out;
        out.solver = name_of(SolverId::cholesky);
        out.iterations = 1;
        build();
        if (problem_.alpha == 0.0) {
            singular_ = !factor_definite();
        } else if (!factor()) {
            throw SingularSystem(
                fmt::format("alpha: K + {} I is not positive definite in double precision; the "
                            "kernel is not positive definite, or alpha is too small",
                            problem_.alpha));
        }
        if (singular_) {
            solve_singular(out);
        } else {
            solve_regular(out, leave_one_out);
        }
        spread(out);
        matrix_ = Buffer<double>();  // the certificate builds K again and needs the memory
        certify_ridge(problem_, out, context_);
        if (stopped_) {
            out.status = SolveStatus::interrupted;
        }
        out.factor_seconds = factor_seconds_;
        return out;
    }

    std::vector<double> variance(const NewRows& rows) {
        build();
        if (!factor()) {
            throw InvalidArgument(
                "alpha: too small beside these rows for a variance in double precision");
        }
        const index_t n = size();
        std::vector<double> out(rows.diagonal);
        constexpr index_t kBatch = 256;
        const index_t wanted = rows.cross->columns();
        Buffer<double> all =
            context_.allocate<double>(checked_multiply(n, wanted), "kernel values of the new rows");
        for (index_t i = 0; i < n; ++i) {
            rows.cross->copy_rows(kept_[static_cast<std::size_t>(i)],
                                  MatrixView<double>(all.data() + i * wanted, 1, wanted), context_);
        }
        for (index_t j = 0; j < wanted; j += kBatch) {
            const index_t count = std::min(kBatch, wanted - j);
            const MatrixView<double> part(all.data() + j, n, count, wanted);
            solve_lower(gram(), part, context_);
            for (index_t c = 0; c < count; ++c) {
                double sum = 0.0;
                for (index_t i = 0; i < n; ++i) {
                    sum += part(i, c) * part(i, c);
                }
                double& value = out[static_cast<std::size_t>(j + c)];
                value = std::max(0.0, value - sum);
            }
        }
        return out;
    }

private:
    [[nodiscard]] double weight(index_t i) const { return weight_of(problem_, i); }
    [[nodiscard]] index_t size() const { return static_cast<index_t>(kept_.size()); }
    [[nodiscard]] index_t targets() const { return problem_.target_count; }
    [[nodiscard]] MatrixView<double> gram() { return {matrix_.data(), size(), size()}; }
    [[nodiscard]] double target(index_t i, index_t t) const {
        return problem_
            .targets[static_cast<std::size_t>(kept_[static_cast<std::size_t>(i)] * targets() + t)];
    }

    /// G = K + alpha W^-1: its lower triangle, which the factorisation reads, or all of it.
    void build(bool whole = false) {
        const index_t n = size();
        if (matrix_.empty()) {
            matrix_ = context_.allocate<double>(checked_multiply(n, n), "the Gram matrix of krr");
        }
        std::vector<double> shift;
        for (const index_t row : kept_) {
            shift.push_back(problem_.alpha / weight(row));
        }
        const auto sum = shifted(gram_, shift)->whole(Precision::float64, context_);
        if (whole) {
            sum->copy_rows(0, gram(), context_);
        } else {
            sum->copy_lower(gram(), context_);
        }
    }

    bool factor() {
        const auto start = std::chrono::steady_clock::now();
        const bool definite = cholesky(gram(), context_);
        factor_seconds_ =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return definite;
    }

    /// Factors K itself; false when it is singular to working precision. K is then rebuilt.
    bool factor_definite() {
        double largest = 0.0;
        for (index_t i = 0; i < size(); ++i) {
            largest = std::max(largest, gram()(i, i));
        }
        if (factor()) {
            double least = kInfinity;
            for (index_t i = 0; i < size(); ++i) {
                least = std::min(least, gram()(i, i) * gram()(i, i));
            }
            if (least > 1e-15 * static_cast<double>(size()) * largest) {
                return true;
            }
        }
        build(true);
        return false;
    }

    void solve_regular(RidgeSolution& out, bool leave_one_out) {
        const index_t n = size();
        const index_t t = targets();
        out.rank = n;
        // Columns 0 .. t-1: Y; column t: ones.
        Buffer<double> solved = context_.allocate<double>(n * (t + 1), "right-hand sides");
        const MatrixView<double> rhs(solved.data(), n, t + 1);
        for (index_t i = 0; i < n; ++i) {
            for (index_t c = 0; c < t; ++c) {
                rhs(i, c) = target(i, c);
            }
            rhs(i, t) = 1.0;
        }
        cholesky_solve(gram(), rhs, context_);
        double ones = 0.0;
        for (index_t i = 0; i < n; ++i) {
            ones += rhs(i, t);
        }
        out.intercepts.assign(static_cast<std::size_t>(t), 0.0);
        out.beta.resize(static_cast<std::size_t>(n * t));
        for (index_t c = 0; c < t; ++c) {
            double sum = 0.0;
            for (index_t i = 0; i < n; ++i) {
                sum += rhs(i, c);
            }
            const double b = problem_.intercept ? sum / ones : 0.0;
            out.intercepts[static_cast<std::size_t>(c)] = b;
            for (index_t i = 0; i < n; ++i) {
                out.beta[static_cast<std::size_t>(i * t + c)] = rhs(i, c) - b * rhs(i, t);
            }
        }
        if (leave_one_out) {
            try {
                leave_rows_out(rhs, ones, out);
            } catch (const Interrupted&) {  // the solution remains, without leave-one-out errors
                out.leave_one_out.clear();
                stopped_ = true;
            }
        }
    }

    /// Leave-one-out residuals; the last column of `solved` is eta, `ones` its sum.
    void leave_rows_out(MatrixView<const double> solved, double ones, RidgeSolution& out) {
        const index_t t = targets();
        std::vector<double> diagonal(static_cast<std::size_t>(size()));
        inverse_diagonal(gram(), diagonal, context_);
        out.leave_one_out.resize(out.beta.size());
        for (index_t i = 0; i < size(); ++i) {
            const double eta = solved(i, t);
            const double border = problem_.intercept ? eta * eta / ones : 0.0;
            for (index_t c = 0; c < t; ++c) {
                const auto at = static_cast<std::size_t>(i * t + c);
                out.leave_one_out[at] =
                    out.beta[at] / (diagonal[static_cast<std::size_t>(i)] - border);
            }
        }
    }

    /// alpha = 0, K singular: least squares of least norm from the eigenvectors of K, centred on
    /// both sides when there is an intercept.
    void solve_singular(RidgeSolution& out) {
        const index_t n = size();
        const index_t t = targets();
        MatrixView<double> k = gram();
        Buffer<double> original = context_.allocate<double>(n * n, "a copy of K");
        std::copy_n(matrix_.data(), n * n, original.data());
        if (problem_.intercept) {
            centre(k);
        }
        std::vector<double> values(static_cast<std::size_t>(n));
        symmetric_eigen(k, values, true, context_);
        const double zero =
            1e-15 * static_cast<double>(n) * std::max(values.back(), -values.front());
        out.rank = static_cast<index_t>(
            std::count_if(values.begin(), values.end(), [&](double v) { return v > zero; }));
        out.beta.assign(static_cast<std::size_t>(n * t), 0.0);
        out.intercepts.assign(static_cast<std::size_t>(t), 0.0);
        for (index_t c = 0; c < t; ++c) {
            double mean = 0.0;
            for (index_t i = 0; i < n && problem_.intercept; ++i) {
                mean += target(i, c) / static_cast<double>(n);
            }
            for (index_t e = 0; e < n; ++e) {
                if (values[static_cast<std::size_t>(e)] <= zero) {
                    continue;
                }
                double along = 0.0;
                for (index_t i = 0; i < n; ++i) {
                    along += k(e, i) * (target(i, c) - mean);
                }
                for (index_t i = 0; i < n; ++i) {
                    out.beta[static_cast<std::size_t>(i * t + c)] +=
                        along / values[static_cast<std::size_t>(e)] * k(e, i);
                }
            }
            finish_singular(out, c, original.data());
        }
    }

    /// Intercept and consistency of target c, from K itself.
    void finish_singular(RidgeSolution& out, index_t c, const double* k) {
        const index_t n = size();
        const index_t t = targets();
        std::vector<double> residual(static_cast<std::size_t>(n));
        double mean = 0.0;
        double scale = 0.0;
        for (index_t i = 0; i < n; ++i) {
            double f = 0.0;
            for (index_t j = 0; j < n; ++j) {
                f += k[i * n + j] * out.beta[static_cast<std::size_t>(j * t + c)];
            }
            residual[static_cast<std::size_t>(i)] = target(i, c) - f;
            mean += residual[static_cast<std::size_t>(i)] / static_cast<double>(n);
            scale = std::max(scale, std::abs(target(i, c)));
        }
        const double b = problem_.intercept ? mean : 0.0;
        out.intercepts[static_cast<std::size_t>(c)] = b;
        for (const double r : residual) {
            out.consistent = out.consistent && std::abs(r - b) <= 1e-8 * std::max(1.0, scale);
        }
    }

    static void centre(MatrixView<double> k) {
        const index_t n = k.rows;
        std::vector<double> mean(static_cast<std::size_t>(n), 0.0);
        double total = 0.0;
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                mean[static_cast<std::size_t>(i)] += k(i, j) / static_cast<double>(n);
            }
            total += mean[static_cast<std::size_t>(i)] / static_cast<double>(n);
        }
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                k(i, j) +=
                    total - mean[static_cast<std::size_t>(i)] - mean[static_cast<std::size_t>(j)];
            }
        }
    }

    /// Scatters the results of the positive-weight rows to all rows; the others get beta 0.
    void spread(RidgeSolution& out) const {
        const index_t n = problem_.size();
        const index_t t = targets();
        if (size() == n) {
            return;
        }
        const auto place = [&](std::vector<double>& values) {
            if (values.empty()) {
                return;
            }
            std::vector<double> all(static_cast<std::size_t>(n * t), 0.0);
            for (index_t i = 0; i < size(); ++i) {
                std::copy_n(values.begin() + i * t, t,
                            all.begin() + kept_[static_cast<std::size_t>(i)] * t);
            }
            values = std::move(all);
        };
        place(out.beta);
        place(out.leave_one_out);
    }

    const RidgeProblem& problem_;
    Context& context_;
    std::vector<index_t> kept_;
    std::shared_ptr<const GramOperator> gram_;  ///< K of the rows with weight > 0
    Buffer<double> matrix_;
    bool singular_ = false;
    bool stopped_ = false;  ///< before the leave-one-out errors
    double factor_seconds_ = 0.0;
};

/// The factor in double or single precision, or a system of the columns.
RidgeSolution solve_by_factor(const RidgeProblem& problem, const RidgeOptions& options,
                              Context& context) {
    const ColumnForm form = ridge_column_form(problem, context);
    const bool free = options.solver.is_automatic();
    if (form.cheaper && (form.direct || (free && !options.leave_one_out))) {
        return solve_ridge_in_columns(problem, form, options.leave_one_out, context);
    }
    if (options.precision != Precision::float32 || problem.alpha == 0.0) {
        return RidgeSystem(problem, context).solve(options.leave_one_out);
    }
    RidgeOptions wanted = options;
    wanted.solver = SolverId::cholesky;
    RidgeSolution out = solve_ridge_by_products(problem, wanted, context);
    if (out.status != SolveStatus::converged && !context.should_stop()) {
        return RidgeSystem(problem, context).solve(false);  // float32 was not enough
    }
    return out;
}

/// The largest gap of the targets.
double greatest_gap(const RidgeSolution& solution) {
    double gap = 0.0;
    for (const Certificate& proof : solution.certificates) {
        gap = std::isnan(proof.gap) ? kInfinity : std::max(gap, proof.gap);
    }
    return gap;
}

/// f = 0 and the best constants, with certificates: the result of a solver that was stopped before
/// it had any.
RidgeSolution constants_only(const RidgeProblem& problem, const std::string& solver,
                             Context& context) {
    RidgeSolution out;
    out.beta.assign(problem.targets.size(), 0.0);
    out.intercepts.assign(static_cast<std::size_t>(problem.target_count), 0.0);
    out.rank = problem.size();
    certify_ridge(problem, out, context);
    out.status = SolveStatus::interrupted;
    out.solver = solver;
    out.iterations = 0;
    return out;
}

/// Solutions for a larger alpha, certified for this one, for a K whose rounding error exceeds alpha.
/// There are no leave-one-out errors: they would be those of the larger alpha.
RidgeSolution solve_with_greater_alpha(const RidgeProblem& problem, Context& context) {
    RidgeSolution best = constants_only(problem, std::string(name_of(SolverId::cholesky)), context);
    double best_gap = greatest_gap(best);
    double certify_seconds = best.certify_seconds;
    const double weight = problem.weights.empty()
                              ? 1.0
                              : *std::max_element(problem.weights.begin(), problem.weights.end());
    const auto attempt = [&](double share) {
        RidgeProblem smoother = problem;
        smoother.alpha = problem.alpha / share;
        RidgeSolution found = RidgeSystem(smoother, context).solve(false);
        certify_seconds += found.certify_seconds;
        certify_ridge(problem, found, context);
        certify_seconds += found.certify_seconds;
        const double gap = greatest_gap(found);
        const bool better = gap < best_gap;
        if (better) {
            context.note(fmt::format(
                "K + {:.3g} I is singular to rounding; the coefficients for alpha {:.3g} have a "
                "gap of {:.3g}",
                problem.alpha, smoother.alpha, gap));
            best_gap = gap;
            best = std::move(found);
        }
        return better;
    };
    try {
        try_smaller_costs(greatest_smaller_cost(*problem.gram, weight / problem.alpha), attempt,
                          context);
    } catch (const Interrupted&) {  // the best so far remains
    }
    best.status = context.should_stop() ? SolveStatus::interrupted : SolveStatus::reduced;
    best.certify_seconds = certify_seconds;
    return best;
}

// The gap is the squared residual over 2 alpha, so factors of the residual count twice.
double descent_pace(double condition) { return std::pow(1.0 - 1.0 / condition, 2); }
double conjugate_pace(double condition) {
    const double root = std::sqrt(condition);
    return std::pow((root - 1.0) / (root + 1.0), 2);
}

bool fits_all(const RidgeProblem&) { return true; }

std::vector<RidgeSolver> make_ridge_table() {
    constexpr SolverCapabilities kProducts{.trace = true, .products = true};
    constexpr SolverForm kForm = SolverForm::equations;
    return {{.facts = {.name = std::string(name_of(SolverId::cholesky)),
                       .summary = "one factorisation of K + alpha",
                       .form = kForm,
                       .can = {.float32 = true}},
             .fits = fits_all,
             .estimate = estimate_cholesky,
             .solve = solve_by_factor},
            {.facts = {.name = std::string(name_of(SolverId::conjugate_gradient)),
                       .summary = "conjugate gradients, products with K",
                       .form = kForm,
                       .can = kProducts,
                       .pace = conjugate_pace},
             .fits = fits_all,
             .estimate = estimate_products,
             .solve = solve_ridge_by_products},
            {.facts = {.name = std::string(name_of(SolverId::gradient_descent)),
                       .summary = "gradient descent, products with K",
                       .form = kForm,
                       .can = kProducts,
                       .pace = descent_pace},
             .fits = fits_all,
             .estimate = estimate_products,
             .solve = solve_ridge_by_products}};
}

}  // namespace

std::span<const RidgeSolver> ridge_table() {
    static const std::vector<RidgeSolver> rows = make_ridge_table();
    return rows;
}

RidgeSolution solve_ridge(const RidgeProblem& problem, bool leave_one_out, Context& context) {
    return solve_ridge(problem, {.solver = SolverId::automatic, .leave_one_out = leave_one_out},
                       context);
}

RidgeSolution solve_ridge(const RidgeProblem& problem, const RidgeOptions& options,
                          Context& context) {
    require_ridge(problem);
    const std::vector<const RidgeSolver*> rows = fitting(ridge_table(), problem);
    const RidgeSolver& row =
        options.solver.is_automatic() ? *rows.front() : required_solver(rows, options.solver);
    if (options.leave_one_out &&
        (row.facts.can.products || options.precision == Precision::float32)) {
        throw InvalidArgument(fmt::format(
            "leave_one_out: needs the factor in double precision; use the solver {} with float64",
            rows.front()->facts.name));
    }
    try {
        try {
            RidgeSolution out = row.solve(problem, options, context);
            refine_certificates(problem, options.proof, out, context);
            finish_ridge_precisely(problem, options, out, context);
            return out;
        } catch (const SingularSystem&) {
            if (!problem.gram->is_definite()) {
                throw;
            }
            RidgeSolution out = solve_with_greater_alpha(problem, context);
            finish_ridge_precisely(problem, options, out, context);
            return out;
        }
    } catch (const Interrupted&) {
        if (problem.alpha == 0.0) {
            throw;  // an unbounded cost has no certificate for the constants
        }
        return constants_only(problem, row.facts.name, context);
    }
}

std::vector<double> ridge_variance(const RidgeProblem& problem, const NewRows& rows,
                                   Context& context) {
    require_ridge(problem);
    if (problem.alpha == 0.0) {
        throw InvalidArgument("alpha: got 0, predictive variance needs alpha > 0");
    }
    if (const ColumnForm form = ridge_column_form(problem, context); form.cheaper && form.direct) {
        return ridge_variance_in_columns(problem, rows, context);
    }
    return RidgeSystem(problem, context).variance(rows);
}

}  // namespace mercer

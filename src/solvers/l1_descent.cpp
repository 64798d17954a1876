// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_descent.cpp - sparse coefficients by coordinate descent with soft thresholding.
//
//     minimise   l1 sum_j |beta_j| + rho/2 beta'G beta + sum_i c_i loss(y_i, (Z beta)_i + b)
//
// with Z = G = K for functions at the rows, Z = X and G = 1 for the columns themselves.
//
// Method   A working set of the nonzero coefficients and the worst of the others; on it Newton's
//          method in the nonzero ones, to which others are added a few at a time (l1_newton.cpp).
//          If that does not fit the memory or makes no progress: sweeps over the set, with a
//          soft-thresholded Newton step for each coefficient (Yuan, Chang, Hsieh, Lin, JMLR 11,
//          2010) and for the intercept. Then all values are recomputed in float64, and the next set
//          is chosen.
// Fits     losses with a slope everywhere, and penalties that leave at most a few thousand
//          coefficients nonzero. Any kernel without 1/2 |f|^2, positive definite ones with it.
// Cost     two products with Z for a working set of size m, and O(n m) for each sweep over it;
//          memory O(n), the columns of the set within the budget, and 2 m^2 for Newton's method if
//          that is left.
// Stops    when the estimated gap may meet the tolerance and the certificate confirms it; or when
//          neither the objective nor the violations decrease any more (reduced).
// Notation a  multipliers -c loss'(z)     r = Z'a - rho G beta
//          violation  how far r_j is from l1 sgn(beta_j), or |r_j| above l1 where beta_j = 0
#include "mercer/solvers/l1_descent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/divided.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/hinge_program.hpp"
#include "solvers/l1_columns.hpp"
#include "solvers/l1_newton.hpp"
#include "solvers/l1_state.hpp"
#include "solvers/prover.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

std::string_view own_name() { return name_of(SolverId::l1_descent); }
constexpr index_t kLeastNewcomers = 50;
constexpr index_t kMostSweepsOfASet = 1000;
constexpr index_t kMostSweeps = 1'000'000;
constexpr int kMostStalls = 8;
constexpr int kMostIdleSweeps = 30;
constexpr double kShare = 0.1;              // of the violation: where a working set stops
constexpr double kDescentProgress = 1e-14;  // of the objective: less is rounding
constexpr double kLargestValue = 1e60;      // of K, with room for products in double

/// Works on one set of coefficients after the other.
class L1Descent {
public:
    L1Descent(const L1Basis& basis, std::span<const double> start, index_t cache_bytes)
        : state_(basis, start), cache_(basis, cache_bytes) {}

    [[nodiscard]] L1State& state() noexcept { return state_; }

    /// The greatest violation of all coefficients at the base point.
    [[nodiscard]] double violation() const {
        double worst = 0.0;
        for (index_t j = 0; j < state_.size(); ++j) {
            worst = std::max(worst, state_.violation(j));
        }
        return worst;
    }

    /// Works on a new set until its violations are at most `tolerance`: by Newton's method, and by
    /// sweeps if that does not fit or makes no progress. Returns the number of sweeps and Newton
    /// steps, at most `most`. Throws Interrupted.
    index_t improve(double tolerance, index_t most, Context& context) {
        choose();
        const bool resident = static_cast<index_t>(set_.size()) <= cache_.capacity();
        index_t count = 0;
        double least = kInfinity;
        int idle = 0;  // rounds in which the violations did not decrease
        while (count < most && idle < kMostIdleSweeps) {
            if (resident) {
                cache_.fetch(set_, columns_, context);
                const NewtonOutcome newton =
                    newton_on_set(state_, set_, columns_, tolerance, most - count, context);
                count += newton.steps;
                if (newton.violation <= tolerance || count >= most) {
                    break;
                }
            }
            const double worst = sweep(context);
            ++count;
            if (worst <= tolerance) {
                break;
            }
            idle = worst < 0.9 * least ? 0 : idle + 1;
            least = std::min(least, worst);
        }
        return count;
    }

private:
    /// Chooses the nonzero coefficients and as many of the worst violators, in ascending order.
    void choose() {
        set_.clear();
        std::vector<index_t> others;
        for (index_t j = 0; j < state_.size(); ++j) {
            if (state_.beta()[static_cast<std::size_t>(j)] != 0.0) {
                set_.push_back(j);
            } else if (state_.violation(j) > 0.0) {
                others.push_back(j);
            }
        }
        const auto room = std::max(kLeastNewcomers, static_cast<index_t>(set_.size()));
        const auto count = std::min<std::size_t>(others.size(), static_cast<std::size_t>(room));
        std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                          others.end(), [this](index_t i, index_t j) {
                              const double left = state_.violation(i);
                              const double right = state_.violation(j);
                              return left != right ? left > right : i < j;
                          });
        set_.insert(set_.end(), others.begin(),
                    others.begin() + static_cast<std::ptrdiff_t>(count));
        std::sort(set_.begin(), set_.end());
    }

    /// One step for each coefficient of the set; returns the greatest violation found.
    double sweep(Context& context) {
        double worst = 0.0;
        const auto most = static_cast<std::size_t>(cache_.capacity());
        for (std::size_t begin = 0; begin < set_.size(); begin += most) {
            const std::size_t count = std::min(most, set_.size() - begin);
            const std::span<const index_t> part(set_.data() + begin, count);
            cache_.fetch(part, columns_, context);
            state_.step_intercept();
            for (std::size_t k = 0; k < count; ++k) {
                context.throw_if_stopped("coordinate descent");
                worst = std::max(worst, state_.step(part[k], columns_[k]));
            }
        }
        state_.step_intercept();
        return worst;
    }

    L1State state_;
    ColumnCache cache_;
    std::vector<index_t> set_;
    std::vector<const double*> columns_;
};

/// Counts the rounds without a decrease.
class Stalls {
public:
    bool add(double value, double violation) {
        const bool falls =
            value < value_ - kDescentProgress * std::abs(value_) || violation < 0.9 * violation_;
        count_ = falls || !std::isfinite(value_) ? 0 : count_ + 1;
        value_ = std::min(value_, value);
        violation_ = std::min(violation_, violation);
        return count_ >= kMostStalls;
    }

private:
    double value_ = kInfinity;
    double violation_ = kInfinity;
    int count_ = 0;
};

index_t cache_bytes(const SolveOptions& options, index_t largest, const Context& context) {
    return options.coordinates.cache_bytes > 0
               ? options.coordinates.cache_bytes
               : std::clamp<index_t>(context.memory()->left() / 4, 0, largest);
}

template <typename Proof>
SolveStatus descend(L1Descent& descent, Proof& proof, const SolveOptions& options,
                    index_t& iterations, Context& context) {
    const index_t limit = options.max_iterations > 0 ? options.max_iterations : kMostSweeps;
    Stalls stalls;
    for (;;) {
        L1State& state = descent.state();
        state.refresh(context);
        if (!state.is_finite()) {
            return SolveStatus::reduced;
        }
        const double violation = descent.violation();
        const double gap = state.estimated_gap();
        context.report({.stage = own_name(),
                        .done = iterations,
                        .gap = gap / std::max(1.0, std::abs(state.value())),
                        .memory = context.memory()->used()});
        const bool stalled = stalls.add(state.value(), violation);
        if (proof.promising(2.0 * gap, state.value()) || violation <= options.tolerance ||
            stalled || violation == 0.0) {
            if (proof.certify({state.beta().begin(), state.beta().end()}, iterations)) {
                return SolveStatus::converged;
            }
        }
        if (stalled || violation == 0.0) {
            return SolveStatus::reduced;
        }
        if (iterations >= limit) {
            return SolveStatus::iteration_limit;
        }
        iterations += descent.improve(kShare * violation,
                                      std::min(limit - iterations, kMostSweepsOfASet), context);
    }
}

/// Descends on the basis of a problem with its own certificate.
template <typename ProblemType>
Solution solve_on(const ProblemType& problem, const L1Basis& basis, const SolveOptions& options,
                  index_t bytes, Context& context) {
    if (!options.start.empty() && static_cast<index_t>(options.start.size()) != basis.size()) {
        throw InvalidArgument(fmt::format("start: got {} coefficients, must be {}",
                                          options.start.size(), basis.size()));
    }
    Prover<ProblemType> proof(problem, options, context);
    index_t iterations = 0;
    std::vector<double> last(static_cast<std::size_t>(basis.size()), 0.0);
    SolveStatus ended = SolveStatus::interrupted;
    try {
        L1Descent descent(basis, options.start, bytes);
        try {
            ended = descend(descent, proof, options, iterations, context);
        } catch (const Interrupted&) {
        }
        last.assign(descent.state().beta().begin(), descent.state().beta().end());
    } catch (const Interrupted&) {  // before the first step: f = 0 and the best constant remain
    }
    if (ended != SolveStatus::converged) {
        proof.certify(std::move(last), iterations);  // retained only if better than the best so far
    }
    return proof.finish(ended, iterations, std::string(own_name()));
}

void require_solver(const SolveOptions& options, std::string_view known) {
    if (!options.solver.is_automatic() && options.solver.name() != known) {
        throw InvalidArgument("solver", fmt::format("'{}'", options.solver.name()),
                              fmt::format("a penalty on the coefficients is solved by: {}", known));
    }
}

/// Values beyond float32: the same problem with K / s, costs s c and coefficients s beta.
Solution solve_divided(const SparseProblem& problem, const SolveOptions& options, double s,
                       Context& context) {
    SparseProblem divided = problem;
    divided.risk = divided_by(problem.risk, s);
    const std::vector<double> start = times(options.start, s);
    SolveOptions wanted = options;
    wanted.start = start;
    Solution out = solve_sparse(divided, wanted, context);
    for (double& beta : out.beta) {
        beta /= s;
    }
    Prover<SparseProblem> proof(problem, options, context);
    proof.certify(out.beta, out.iterations);
    return proof.finish(out.status == SolveStatus::converged ? SolveStatus::reduced : out.status,
                        out.iterations, std::string(own_name()));
}

bool has_hinge(const SparseProblem& problem) {
    return std::holds_alternative<HingeLoss>(problem.risk.loss);
}
bool has_slopes(const SparseProblem& problem) { return !has_hinge(problem); }

Solution solve_by_descent(const SparseProblem& problem, const SolveOptions& options,
                          Context& context) {
    if (const std::optional<double> s = divisor_for(problem.risk, kLargestValue)) {
        return solve_divided(problem, options, *s, context);
    }
    return solve_on(problem, KernelBasis(problem), options,
                    cache_bytes(options, largest_cache(problem.risk.gram->cost()), context),
                    context);
}

std::vector<SparseSolver> make_sparse_table() {
    constexpr SolverForm kForm = SolverForm::sparse;
    return {{.facts = {.name = std::string(own_name()),
                       .summary = "working sets: Newton's method, soft-thresholded sweeps",
                       .form = kForm,
                       .can = {.warm_start = true, .trace = true}},
             .fits = has_slopes,
             .solve = solve_by_descent},
            {.facts = {.name = std::string(name_of(SolverId::linear_program)),
                       .summary = "the hinge as a linear programme",
                       .form = kForm},
             .fits = has_hinge,
             .solve = solve_hinge_program}};
}

}  // namespace

std::span<const SparseSolver> sparse_table() {
    static const std::vector<SparseSolver> rows = make_sparse_table();
    return rows;
}

std::vector<std::string> sparse_solvers(const Loss& loss) {
    SparseProblem form;
    form.risk.loss = loss;
    return names_of(fitting(sparse_table(), form));
}

Solution solve_sparse(const SparseProblem& problem, const SolveOptions& options, Context& context) {
    require_well_formed(problem);
    const SparseSolver& row = *fitting(sparse_table(), problem).front();
    require_solver(options, row.facts.name);
    return row.solve(problem, options, context);
}

Solution solve_sparse_columns(const SparseColumnProblem& problem, const SolveOptions& options,
                              Context& context) {
    require_well_formed(problem);
    require_solver(options, own_name());
    const LinearRows& x = columns_of(problem);
    const index_t whole = checked_multiply(checked_multiply(x.rows(), x.columns()), 8);
    return solve_on(problem, ColumnBasis(problem), options, cache_bytes(options, whole, context),
                    context);
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smaller_cost.hpp - coefficients for costs too large for double precision.
//
// Method   K is positive semidefinite, but its entries are rounded: if eps |K| exceeds 1 / C, the
//          matrix 1 / C + K of a smooth machine may not be positive definite. Coefficients for a
//          fraction of the cost are in the dual set of the full cost (a box grows with C), and are
//          certified for it. The fraction decreases by factors of ten; the best certificate is
//          retained.
// Cost     one solution per fraction, five to ten in all.
// Stops    when two consecutive fractions did not improve on the best, which is better than f = 0.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

/// Thrown when a matrix that should be positive definite has no Cholesky factor in double
/// precision: K is not positive semidefinite, or rounding made it so.
class SingularSystem : public InvalidArgument {
public:
    using InvalidArgument::InvalidArgument;
};

/// The greatest share of the cost to try, for which 1 / C is as large as the rounding of K's trace.
/// `weight` is the largest possible product of a row's cost and its curvature.
[[nodiscard]] inline double greatest_smaller_cost(const GramOperator& gram, double weight) {
    const std::vector<double> diagonal = gram.diagonal();
    const double trace = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
    const double rounding = std::numeric_limits<double>::epsilon() * trace * weight;
    return std::min(0.1, 1.0 / rounding);
}

/// Calls `attempt(share)` with decreasing shares of the cost. It returns whether its result is the
/// best so far, including f = 0, or throws SingularSystem when the share is still too large.
template <typename Attempt>
void try_smaller_costs(double greatest, const Attempt& attempt, const Context& context) {
    constexpr int kMostShares = 30;
    constexpr int kMostWorse = 2;
    bool found = false;
    int worse = 0;
    double share = greatest;
    for (int k = 0; k < kMostShares && worse < kMostWorse && !context.should_stop(); ++k) {
        try {
            const bool better = attempt(share);
            found = found || better;
            worse = found && !better ? worse + 1 : 0;
        } catch (const SingularSystem&) {
            worse = 0;
        }
        share *= 0.1;
    }
}

/// Certifies for the full costs, by `proof`, the solutions of `solve` with shares of the costs.
/// Returns the solver's iterations for all shares.
template <typename ProblemType, typename Proof, typename Solve>
index_t prove_by_smaller_costs(const ProblemType& problem, double greatest, Proof& proof,
                               const Solve& solve, Context& context) {
    index_t iterations = 0;
    const auto attempt = [&](double share) {
        ProblemType smaller = problem;
        for (double& c : smaller.costs) {
            c *= share;
        }
        const auto found = solve(smaller);
        iterations += found.iterations;
        const double before = computed_gap(proof.best().certificate());
        proof.certify(found.beta, iterations);
        const double gap = computed_gap(proof.best().certificate());
        context.note(fmt::format(
            "K + 1 / C is singular in double precision; the best cost down to {:.3g} C has a gap "
            "of {:.3g}",
            share, gap));
        return gap < before;
    };
    try_smaller_costs(greatest, attempt, context);
    return iterations;
}

}  // namespace mercer

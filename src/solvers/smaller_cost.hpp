// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smaller_cost.hpp - coefficients for costs that double precision cannot carry.
//
// Method   K is positive semidefinite, but its entries are rounded: where eps |K| is more than 1 / C,
//          the matrix 1 / C + K of a smooth machine is not positive definite any more. Coefficients of
//          the machine with a share of the cost lie in the dual set of the whole cost (a box grows with
//          C), and are certified for it. Shares fall by tens; the best certificate is kept.
// Cost     a solution per share, five to ten of them.
// Stops    when two shares in a row were no better than the best, and that is better than f = 0.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

/// A matrix that is positive definite where K is has no Cholesky factor in double precision: K is
/// not positive definite, or rounding took it.
class SingularSystem : public InvalidArgument {
public:
    using InvalidArgument::InvalidArgument;
};

/// The greatest share of the cost to try: there 1 / C is as large as the rounding of K's trace.
/// `weight` is the most that a row's cost times its curvature can be.
[[nodiscard]] inline double greatest_smaller_cost(const GramOperator& gram, double weight) {
    const std::vector<double> diagonal = gram.diagonal();
    const double trace = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
    const double rounding = std::numeric_limits<double>::epsilon() * trace * weight;
    return std::min(0.1, 1.0 / rounding);
}

/// Calls `attempt(share)` with one share of the cost after the other. It says whether what it found
/// is the best so far, f = 0 included, or throws SingularSystem when the share is still too large.
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

/// Certifies for the whole problem, by `proof`, what `solve` finds with shares of its costs. The
/// solver's iterations, of all shares.
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
        const double before = computed_gap(proof.best().certificate);
        proof.certify(found.beta, iterations);
        const double gap = computed_gap(proof.best().certificate);
        context.note(fmt::format(
            "K is singular to rounding beside 1 / C; the best of costs down to {:.3g} C has a gap "
            "of {:.3g}",
            share, gap));
        return gap < before;
    };
    try_smaller_costs(greatest, attempt, context);
    return iterations;
}

}  // namespace mercer

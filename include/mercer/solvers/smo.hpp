// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/smo.hpp - pairwise decomposition for the box-constrained kernel dual.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

struct SmoOptions {
    index_t max_iterations = 0;              ///< 0: max(10^7, 100 n)
    index_t cache_bytes = index_t{1} << 30;  ///< of float32 rows
    bool shrinking = true;
};

/// Minimises 1/2 beta'K beta - y'beta over the dual box of the hinge loss, sum(beta) = 0 with an
/// intercept. The object keeps its place: run() may be called again with a smaller tolerance.
class SmoSolver {
public:
    /// Throws InvalidArgument when the loss is not one whose dual is a box QP with linear term y.
    SmoSolver(const Problem& problem, const SmoOptions& options, Context& context);
    ~SmoSolver();

    /// Starts from these coefficients, which lie in the dual set.
    void warm_start(std::span<const double> beta, Context& context);

    /// Iterates until the violation m - M is at most `tolerance` on the full problem, by its own
    /// float32 account, or until that account has lost the digits to go on (status reduced): then
    /// reset_values() and run again. The caller certifies what beta() holds.
    [[nodiscard]] SolveStatus run(double tolerance, Context& context);

    /// Replaces the solver's idea of f = K beta by exact values, for all rows.
    void reset_values(std::span<const double> f);

    [[nodiscard]] std::span<const double> beta() const noexcept;
    [[nodiscard]] index_t iterations() const noexcept;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace mercer

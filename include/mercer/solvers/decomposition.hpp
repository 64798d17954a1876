// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/decomposition.hpp - working sets of many variables for the kernel dual.
#pragma once

#include <memory>

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/coordinate.hpp"

namespace mercer {

/// Decomposition with working sets of up to 1024 variables: a block of the Gram matrix, solved by
/// pairwise steps, then one update of all values. For every loss whose dual is a box quadratic
/// programme, with a kink at zero (epsilon) or a free width (nu) as well.
class DecompositionSolver final : public CoordinateSolver {
public:
    /// Throws InvalidArgument when the problem does not fit.
    DecompositionSolver(const Problem& problem, const CoordinateOptions& options, Context& context);
    ~DecompositionSolver() override;

    [[nodiscard]] static bool fits(const Problem& problem);

    /// Problems up to this size are solved as one working set, without rounds and row cache.
    static constexpr index_t kWholeProblem = 2048;
    static constexpr index_t kLargestSet = 1024;  ///< most variables of a working set;
                                                  ///< measured in decomposition.cpp
    /// A working set size for a caller that solves many problems: a small problem as a whole; of a
    /// larger one a fraction, which takes less memory, and less time when steps are cheap.
    [[nodiscard]] static index_t small_set(index_t rows);

    void warm_start(std::span<const double> beta, Context& context) override;
    [[nodiscard]] SolveStatus run(double tolerance, Context& context) override;
    void reset_values(std::span<const double> f) override;
    [[nodiscard]] std::span<const double> beta() const noexcept override;
    [[nodiscard]] std::vector<double> estimated_values() const override;
    [[nodiscard]] index_t iterations() const noexcept override;
    [[nodiscard]] index_t rows_computed() const noexcept override;
    [[nodiscard]] index_t working_set() const noexcept override;
    void at_boundaries(std::function<void()> action) override;
    void save(StateWriter& state) override;
    void restore(StateReader& state, Context& context) override;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace mercer

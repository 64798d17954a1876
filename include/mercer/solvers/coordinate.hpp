// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/coordinate.hpp - what the coordinate solvers of a kernel dual have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;
class StateReader;
class StateWriter;

/// How smo picks the pair that moves: the worst violator and the partner that gains most by the
/// second-order model, or the two worst violators.
enum class Selection : std::uint8_t { second_order, maximal_violating };

struct CoordinateOptions {
    index_t max_iterations = 0;              ///< 0: max(10^7, 100 n)
    index_t cache_bytes = index_t{1} << 30;  ///< of float32 rows
    bool shrinking = true;
    index_t working_set = 0;  ///< decomposition: variables that move together; 0: its own choice
    Selection selection = Selection::second_order;  ///< smo
    Precision precision = Precision::float32;  ///< rows are computed in, before they are rounded
};

/// Minimises the dual of problems/problem.hpp (DualTerm) by moving few variables at a time. The
/// object keeps its place: run() may be called again with a smaller tolerance.
class CoordinateSolver {
public:
    virtual ~CoordinateSolver() = default;

    /// Starts from these coefficients, which lie in the dual set.
    virtual void warm_start(std::span<const double> beta, Context& context) = 0;

    /// Iterates until the violation m - M is at most `tolerance` on the full problem, by its own
    /// float32 account, or until that account has lost the digits to go on (status reduced): then
    /// reset_values() and run again. The caller certifies what beta() holds.
    [[nodiscard]] virtual SolveStatus run(double tolerance, Context& context) = 0;

    /// Replaces the solver's idea of f = K beta by exact values, for all rows.
    virtual void reset_values(std::span<const double> f) = 0;

    [[nodiscard]] virtual std::span<const double> beta() const noexcept = 0;

    /// f = K beta by the solver's own account. After a run that was not interrupted.
    [[nodiscard]] virtual std::vector<double> estimated_values() const = 0;

    [[nodiscard]] virtual index_t iterations() const noexcept = 0;

    /// Kernel rows computed so far; the blocks of a working set are not among them.
    [[nodiscard]] virtual index_t rows_computed() const noexcept = 0;

    /// Variables that move together, at most.
    [[nodiscard]] virtual index_t working_set() const noexcept = 0;

    /// The action is called between rounds of steps, where save() may be called.
    virtual void at_boundaries(std::function<void()> action) = 0;

    /// Everything that later steps depend on; Gram rows are not among it, they are computed anew
    /// with the same bits. At a boundary, or after a run that was interrupted.
    virtual void save(StateWriter& state) = 0;

    /// Takes the place of the solver that was saved, of the same problem and options: the next
    /// run(), with the tolerance of the run that was left, goes on in its middle. Throws DataError
    /// when the state does not fit.
    virtual void restore(StateReader& state, Context& context) = 0;
};

}  // namespace mercer

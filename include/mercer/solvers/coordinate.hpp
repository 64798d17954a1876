// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/coordinate.hpp - the common interface of the coordinate solvers of a kernel dual.
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

/// How smo selects its pair: the worst violator and the partner with the largest gain in the
/// second-order model, or the two worst violators.
enum class Selection : std::uint8_t { second_order, maximal_violating };

struct CoordinateOptions {
    index_t max_iterations = 0;              ///< 0: max(10^7, 100 n)
    index_t cache_bytes = index_t{1} << 30;  ///< of float32 rows
    bool shrinking = true;
    index_t working_set = 0;  ///< size of decomposition's working set; 0: its default
    Selection selection = Selection::second_order;  ///< of smo
    Precision precision = Precision::float32;  ///< of the computation; rows are stored in float32
};

/// Minimises the dual of problems/problem.hpp (DualTerm) by changing few variables at a time. The
/// object retains its state: run() may be called again with a smaller tolerance.
class CoordinateSolver {
public:
    virtual ~CoordinateSolver() = default;

    /// Starts from these coefficients, which must be in the dual set.
    virtual void warm_start(std::span<const double> beta, Context& context) = 0;

    /// Iterates until the violation m - M of the full problem, computed from the solver's float32
    /// values, is at most `tolerance`, or until these values are too inaccurate to continue (status
    /// reduced): then call reset_values() and run() again. The caller certifies beta().
    [[nodiscard]] virtual SolveStatus run(double tolerance, Context& context) = 0;

    /// Replaces the solver's estimate of f = K beta by exact values, for all rows.
    virtual void reset_values(std::span<const double> f) = 0;

    [[nodiscard]] virtual std::span<const double> beta() const noexcept = 0;

    /// The solver's estimate of f = K beta. Valid after a run that was not interrupted.
    [[nodiscard]] virtual std::vector<double> estimated_values() const = 0;

    [[nodiscard]] virtual index_t iterations() const noexcept = 0;

    /// Kernel rows computed so far, not counting the blocks of a working set.
    [[nodiscard]] virtual index_t rows_computed() const noexcept = 0;

    /// Most variables that change in one step.
    [[nodiscard]] virtual index_t working_set() const noexcept = 0;

    /// Sets an action to be called between rounds of steps; it may call save().
    virtual void at_boundaries(std::function<void()> action) = 0;

    /// Writes everything that later steps depend on, except Gram rows, which are recomputed with
    /// the same bits. Call it at a boundary, or after an interrupted run.
    virtual void save(StateWriter& state) = 0;

    /// Restores the state of a saved solver of the same problem and options: the next run(), with
    /// the tolerance of the interrupted run, continues where that one stopped. Throws DataError
    /// when the state does not match.
    virtual void restore(StateReader& state, Context& context) = 0;
};

}  // namespace mercer

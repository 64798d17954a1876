// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/linear_program.hpp - linear programs in floating point, solved by COIN-OR's CLP.
//
//     minimise c'x   subject to   row_lower <= A x <= row_upper,   lower <= x <= upper
//
// The answer is as accurate as doubles and CLP's tolerances allow, so code that needs a proof must
// check it (mercer/theory/separability.hpp does, in rational arithmetic). CLP is loaded when the
// first program is solved (docs/adr/0016-clp-at-run-time.md).
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// A program whose matrix is stored by sparse columns: column j holds values[starts[j] ..
/// starts[j + 1]) in the rows given by the same entries of `indices`, no row twice. Bounds may be
/// -kInfinity and kInfinity.
struct LinearProgram {
    std::vector<index_t> starts{0};
    std::vector<index_t> indices;
    std::vector<double> values;
    std::vector<double> costs;  ///< one per column, like `lower` and `upper`
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<double> row_lower;
    std::vector<double> row_upper;

    [[nodiscard]] index_t columns() const noexcept { return static_cast<index_t>(costs.size()); }
    [[nodiscard]] index_t rows() const noexcept { return static_cast<index_t>(row_lower.size()); }

    /// Appends a column without entries; add_entry() fills the last one.
    void add_column(double cost, double column_lower, double column_upper);
    void add_entry(index_t row, double value);
};

enum class ProgramStatus {
    optimal,
    infeasible,  ///< `ray` holds multipliers of the rows that prove it
    unbounded,   ///< `ray` holds a direction of the columns along which the cost is unbounded
    stopped,     ///< the iterations ran out, or CLP gave up
};

struct ProgramOptions {
    double tolerance = 1e-9;     ///< of primal and dual feasibility
    index_t max_iterations = 0;  ///< 0: no limit
};

struct ProgramSolution {
    ProgramStatus status = ProgramStatus::stopped;
    double objective = kNaN;
    std::vector<double> x;      ///< one per column
    std::vector<double> duals;  ///< one per row: y with c - A'y the reduced costs
    std::vector<double> ray;    ///< empty when optimal, or when CLP gives none
    index_t iterations = 0;
};

/// Solves by the dual simplex method. Throws InvalidArgument for a malformed program, ResourceError
/// when CLP cannot be loaded or the program exceeds its 32-bit indices, Interrupted when the
/// context asks to stop.
[[nodiscard]] ProgramSolution solve_linear_program(const LinearProgram& program,
                                                   const ProgramOptions& options, Context& context);

}  // namespace mercer

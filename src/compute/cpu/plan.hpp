// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/plan.hpp - how the rows of each source are stored and distances are computed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compute/program.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"

namespace mercer {

class Context;

namespace cpu {

/// How a source of rows is stored.
struct SourcePlan {
    RowSource source;
    index_t width = 0;  ///< entries of a stored row
    bool sparse = false;
    /// Sparse: the columns of the reference rows, ascending, and the number of each in storage.
    std::vector<index_t> used_columns;
    std::vector<std::int32_t> numbers;
    /// The same by column, -1 where unused; empty when the columns are too many for a table.
    std::vector<std::int32_t> number_table;
    index_t largest_count = 0;  ///< number of rows with the most frequent column
    index_t frequent = 0;       ///< columns numbered below this are also stored as dense panels
    /// Subtracted from every row before it is stored; empty: nothing. Only for quantities that do
    /// not change when both rows move together.
    std::vector<double> centre;
    /// quadratic_form: R (width x columns), row-major, with A = R'R.
    std::vector<double> root;
};

/// A pair quantity and where it is computed from.
struct PairPlan {
    PairOp op = PairOp::dot;
    int source = -1;        ///< index into Plan::sources; -1 for lookup and custom
    bool from_dot = false;  ///< squared distance as |x|^2 + |z|^2 - 2 x.z
};

struct Plan {
    Program program;
    index_t columns = 0;
    std::vector<SourcePlan> sources;
    std::vector<PairPlan> pairs;            ///< one for each of program.pairs
    std::vector<int> row_quantity_sources;  ///< for squared norms: index into sources; otherwise -1

    [[nodiscard]] std::string text() const;
};

[[nodiscard]] Plan make_plan(const Kernel& kernel, const Dataset& reference, index_t columns,
                             Precision precision, Context& context);

/// The number of `column` in a sparse source; -1 when no reference row has it.
[[nodiscard]] index_t number_of(const SourcePlan& plan, index_t column);

/// Reads rows of a dataset as a source needs them: selected, mapped, centred, in double.
class RowLoader {
public:
    RowLoader(const Dataset& rows, const SourcePlan& plan, index_t columns);

    // Results are valid until the next call. They point into the rows themselves where nothing
    // needs to be converted.

    /// Row i as it is laid out (plan.width long).
    [[nodiscard]] std::span<const double> load(index_t i);

    /// Row i before mapping and centring: the source's columns only.
    [[nodiscard]] std::span<const double> selected(index_t i);

private:
    [[nodiscard]] std::span<const double> full(index_t i);

    const Dataset& rows_;
    const SourcePlan& plan_;
    std::vector<double> full_;
    std::vector<double> selected_;
    std::vector<double> loaded_;
};

}  // namespace cpu
}  // namespace mercer

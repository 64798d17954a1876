// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/free_columns.hpp - the columns of K that belong to the free rows of an active set.
//
// Row i of the store holds K(i, j) for the j that have a slot, so a product with all free columns
// is one dot product per row. Removing a column only frees its slot.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

class FreeColumns {
public:
    FreeColumns(const Problem& problem, Context& context);

    [[nodiscard]] index_t rows() const noexcept { return rows_; }
    [[nodiscard]] double diagonal(index_t row) const {
        return diagonal_[static_cast<std::size_t>(row)];
    }

    /// Copies K(:, row) to `out`, from its slot or computed.
    void copy(index_t row, std::span<double> out, Context& context);
    /// Gives the column a slot.
    void insert(index_t row, std::span<const double> column, Context& context);
    /// Computes the columns without a slot and gives each one.
    void insert(std::span<const index_t> list, Context& context);
    void remove(index_t row);

    /// K(i, j) of a column that has a slot.
    [[nodiscard]] double value(index_t i, index_t column) const {
        return store_[i * slots_ + slot_of_[static_cast<std::size_t>(column)]];
    }

    /// out = K_{:, list} x; every column of `list` must have a slot.
    void multiply(std::span<const index_t> list, std::span<const double> x, std::span<double> out,
                  Context& context) const;

    /// K x, with all of K.
    [[nodiscard]] std::vector<double> product(std::span<const double> x, Context& context) const;

    /// Columns computed so far.
    [[nodiscard]] index_t computed() const noexcept { return computed_; }

private:
    [[nodiscard]] bool has_whole() const noexcept { return whole_.size() > 0; }
    void reserve(index_t count, Context& context);
    index_t take_slot(index_t row);
    void copy_together(std::span<const index_t> list, MatrixView<double> out, Context& context);

    const Problem* problem_;
    index_t rows_;
    std::unique_ptr<const GramBlock> gram_;
    Buffer<double> whole_;  ///< K, if there are few rows; otherwise empty
    std::vector<double> diagonal_;
    Buffer<double> store_;
    index_t slots_ = 0;
    std::vector<index_t> slot_of_;  ///< by row; -1: none
    std::vector<index_t> empty_;    ///< slots without a column
    index_t computed_ = 0;
};

}  // namespace mercer

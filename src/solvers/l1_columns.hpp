// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_columns.hpp - float64 columns for the coefficients that are worked on.
//
// Few coefficients of large size cancel, and columns rounded to float32 are no longer those of a
// positive definite matrix then: the row cache of the dual solvers will not do here.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"
#include "solvers/l1_basis.hpp"

namespace mercer {

class Context;

class ColumnCache {
public:
    /// Keeps at most `bytes` of columns, but a few at the least.
    ColumnCache(const L1Basis& basis, index_t bytes);

    /// Columns that can be had at once.
    [[nodiscard]] index_t capacity() const noexcept { return capacity_; }

    /// Sets out[k] to column wanted[k], computing those that are missing; others are forgotten when
    /// their room is needed. The pointers stay valid until the next fetch(). `wanted` holds at most
    /// capacity() distinct columns. Throws ResourceError, Interrupted.
    void fetch(std::span<const index_t> wanted, std::vector<const double*>& out, Context& context);

private:
    /// The slots that hold wanted columns, while the missing ones are computed.
    struct Retained {
        std::vector<bool> slots;
        std::size_t next = 0;  ///< no slot before it can be given away
    };

    [[nodiscard]] std::vector<index_t> find_missing(std::span<const index_t> wanted,
                                                    Retained& retained) const;
    void load(std::span<const index_t> columns, Retained& retained, Context& context);
    [[nodiscard]] index_t make_room(Retained& retained, Context& context);

    const L1Basis& basis_;
    index_t capacity_;
    std::vector<index_t> slot_of_;  ///< of each column; -1: none
    std::vector<index_t> column_in_;
    std::vector<Buffer<double>> slots_;
};

}  // namespace mercer

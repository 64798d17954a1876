// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_columns.hpp - a cache of float64 columns for the coefficients in use.
//
// A few large coefficients cancel, and then columns rounded to float32 do not behave like those of
// a positive definite matrix: the row cache of the dual solvers is not accurate enough here.
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
    /// Caches at most `bytes` of columns, but at least a few columns.
    ColumnCache(const L1Basis& basis, index_t bytes);

    /// Number of columns that can be cached at once.
    [[nodiscard]] index_t capacity() const noexcept { return capacity_; }

    /// Sets out[k] to column wanted[k], computing those that are missing; others are evicted when
    /// space is needed. The pointers stay valid until the next fetch(). `wanted` holds at most
    /// capacity() distinct columns. Throws ResourceError, Interrupted.
    void fetch(std::span<const index_t> wanted, std::vector<const double*>& out, Context& context);

private:
    /// The slots that hold wanted columns, while the missing ones are computed.
    struct Retained {
        std::vector<bool> slots;
        std::size_t next = 0;  ///< no slot before this one can be reused
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

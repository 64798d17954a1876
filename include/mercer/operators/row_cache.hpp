// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/row_cache.hpp - float32 rows of a Gram matrix for coordinate solvers.
//
//     RowCache cache(gram, bytes, Precision::float32, context);
//     cache.fetch(wanted, pointers, context);      // missing rows are computed as one block
//     cache.set_active(active, context);           // from now on rows have active.size() entries
//
// A coordinate solver needs few rows at a time and, once it shrinks, few columns of them. The cache
// retains the most recently used rows that fit into its bytes. A row has the same bits whether it
// was cached, computed alone or in a block, full or restricted to the active columns.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;
class GramOperator;

/// Rows of K(rows, rows) in float32; the least recently used row is evicted first.
///
/// Rows and columns are numbered as in the dataset. After set_active(), entry j of a row belongs to
/// column active[j]; every row may still be fetched. For one thread at a time; it computes on the
/// threads of the context it is given.
class RowCache {
public:
    /// Holds at most `bytes` of rows, but always at least two rows. With float64, rows are computed
    /// in double and rounded once: for kernels whose parts leave the range of float32. Throws
    /// ResourceError when the context's budget does not suffice.
    RowCache(const GramOperator& gram, index_t bytes, Precision precision, Context& context);
    ~RowCache();
    RowCache(RowCache&&) noexcept;
    RowCache& operator=(RowCache&&) noexcept;

    /// Number of rows of the dataset.
    [[nodiscard]] index_t rows() const noexcept;
    /// Entries of a fetched row: the active columns.
    [[nodiscard]] index_t row_length() const noexcept;
    /// Rows the cache can hold at the current length.
    [[nodiscard]] index_t capacity() const noexcept;

    /// True when fetch() would not have to compute the row.
    [[nodiscard]] bool contains(index_t row) const noexcept;

    /// Sets out[i] to row wanted[i]; missing rows are computed together. The pointers stay valid
    /// until the next fetch() or set_active().
    /// Throws InvalidArgument when more than capacity() rows are wanted, or one is out of range.
    void fetch(std::span<const index_t> wanted, std::span<const float*> out, Context& context);

    /// Sets values(i, j) to K(left[i], right[j]), computed now; the cache does not change.
    void compute_block(std::span<const index_t> left, std::span<const index_t> right,
                       MatrixView<float> values, Context& context);

    /// Restricts rows to the given distinct columns, in that order. If these are some of the
    /// current columns in the current order, cached rows are shortened in place. If columns are
    /// only added at the end, cached rows are retained and completed when they are fetched.
    /// Otherwise all cached rows are dropped. If it throws, the cache is as new.
    void set_active(std::span<const index_t> active, Context& context);

    /// K(i, i) of every row, float64 by the scalar formulas.
    [[nodiscard]] std::span<const double> diagonal() const noexcept;

    struct Counters {
        index_t requested = 0;  ///< rows requested
        index_t computed = 0;   ///< rows that had to be computed
        index_t blocks = 0;     ///< blocks they were computed in
    };
    [[nodiscard]] const Counters& counters() const noexcept;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace mercer

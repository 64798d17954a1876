// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/gram.hpp - K between two sets of rows, by tiles of a kernel engine.
//
// A GramMatrix is K with K(i, j) = k(left row i, right row j): whole, by blocks of rows, or
// multiplied without being stored. Results have the same bits for any thread count.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/types.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

class Context;

/// K between two sets of rows (or one and itself). Immutable; safe to share between threads, though
/// each call uses the threads of the context it is given.
class GramMatrix {
public:
    /// K of `rows` with itself. Rows that are only borrowed must outlive it.
    GramMatrix(const Kernel& kernel, const Dataset& rows, Precision precision, Context& context);

    /// K of `left` against `right`.
    GramMatrix(const Kernel& kernel, const Dataset& left, const Dataset& right, Precision precision,
               Context& context);

    /// Rows that an engine has laid out already.
    GramMatrix(std::shared_ptr<const KernelEngine> engine, std::shared_ptr<const PreparedRows> left,
               std::shared_ptr<const PreparedRows> right);

    /// K of other rows against the same columns, which are not laid out again.
    GramMatrix(const GramMatrix& gram, const Dataset& left, Context& context);
    GramMatrix(const GramMatrix& gram, std::shared_ptr<const PreparedRows> left);

    [[nodiscard]] index_t rows() const noexcept { return left_->rows(); }
    [[nodiscard]] index_t columns() const noexcept { return right_->rows(); }
    [[nodiscard]] Precision precision() const noexcept { return engine_->precision(); }
    [[nodiscard]] const KernelEngine& engine() const noexcept { return *engine_; }
    [[nodiscard]] const PreparedRows& left() const noexcept { return *left_; }
    [[nodiscard]] const PreparedRows& right() const noexcept { return *right_; }

    /// Rows begin .. begin + values.rows - 1 of K into `values` (columns() wide). The overload must
    /// match precision().
    void copy_rows(index_t begin, MatrixView<float> values, Context& context) const;
    void copy_rows(index_t begin, MatrixView<double> values, Context& context) const;

    /// The lower triangle of a K that is symmetric by construction, diagonal included; what lies
    /// above it is not defined afterwards. For factorisations, which read no more than that. A K
    /// that is not symmetric by construction is copied whole. The overload must match precision().
    void copy_lower(MatrixView<float> values, Context& context) const;
    void copy_lower(MatrixView<double> values, Context& context) const;

    /// out = K v without storing K;   v columns() x t, out rows() x t. Sums in double.
    void multiply(MatrixView<const double> v, MatrixView<double> out, Context& context) const;

    /// out = K v and transposed = K'u from one pass over the tiles: two pieces of a symmetric
    /// matrix that is too large to be laid out at once.   v columns(), u rows(), out rows(),
    /// transposed columns() long.
    void multiply_both(std::span<const double> v, std::span<const double> u, std::span<double> out,
                       std::span<double> transposed, Context& context) const;

    /// out = K'(W (K v) - Z) without storing K: one pass over the tiles, the step of large-scale
    /// kernel methods.   v columns() x t, weights rows() (empty: all 1), z rows() x t (data null:
    /// zero), out columns() x t.
    void multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                         MatrixView<const double> z, MatrixView<double> out,
                         Context& context) const;

    /// Bytes one thread needs beside the prepared rows, for memory plans.
    [[nodiscard]] static index_t scratch_bytes(Precision precision, index_t columns);

private:
    std::shared_ptr<const KernelEngine> engine_;
    std::shared_ptr<const PreparedRows> left_;
    std::shared_ptr<const PreparedRows> right_;
};

}  // namespace mercer

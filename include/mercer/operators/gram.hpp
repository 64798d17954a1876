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
#include "mercer/operators/gram_operator.hpp"

namespace mercer {

class Context;

/// K between two sets of rows (or one and itself). Immutable; safe to share between threads. Each
/// call uses the threads of the context it is given.
class GramMatrix : public GramBlock {
public:
    /// K of `rows` with itself. Borrowed rows must outlive it.
    GramMatrix(const Kernel& kernel, const Dataset& rows, Precision precision, Context& context);

    /// K of `left` against `right`.
    GramMatrix(const Kernel& kernel, const Dataset& left, const Dataset& right, Precision precision,
               Context& context);

    /// K of rows that an engine has prepared already.
    GramMatrix(std::shared_ptr<const KernelEngine> engine, std::shared_ptr<const PreparedRows> left,
               std::shared_ptr<const PreparedRows> right);

    /// K of other rows against the same columns, which are not prepared again.
    GramMatrix(const GramMatrix& gram, const Dataset& left, Context& context);
    GramMatrix(const GramMatrix& gram, std::shared_ptr<const PreparedRows> left);

    [[nodiscard]] index_t rows() const noexcept override { return left_->rows(); }
    [[nodiscard]] index_t columns() const noexcept override { return right_->rows(); }
    [[nodiscard]] Precision precision() const noexcept override { return engine_->precision(); }
    [[nodiscard]] const KernelEngine& engine() const noexcept { return *engine_; }
    [[nodiscard]] const PreparedRows& left() const noexcept { return *left_; }
    [[nodiscard]] const PreparedRows& right() const noexcept { return *right_; }

    void copy_rows(index_t begin, MatrixView<float> values, Context& context) const override;
    void copy_rows(index_t begin, MatrixView<double> values, Context& context) const override;
    /// If K is not symmetric by construction, all of it is copied.
    void copy_lower(MatrixView<float> values, Context& context) const override;
    void copy_lower(MatrixView<double> values, Context& context) const override;

    void multiply(MatrixView<const double> v, MatrixView<double> out,
                  Context& context) const override;
    void multiply_both(std::span<const double> v, std::span<const double> u, std::span<double> out,
                       std::span<double> transposed, Context& context) const override;
    void multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                         MatrixView<const double> z, MatrixView<double> out,
                         Context& context) const override;

    /// Throws InvalidArgument: these rows do not belong to an operator.
    [[nodiscard]] std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                          Context& context) const override;

    /// Bytes that a thread needs in addition to the prepared rows, for memory plans.
    [[nodiscard]] static index_t scratch_bytes(Precision precision, index_t columns);

private:
    std::shared_ptr<const KernelEngine> engine_;
    std::shared_ptr<const PreparedRows> left_;
    std::shared_ptr<const PreparedRows> right_;
};

/// Upper bound on the number of consecutive additions in a product of a GramMatrix with that many
/// columns: tiles and partial sums make it small.
[[nodiscard]] index_t longest_sum(index_t columns);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/linear_rows.hpp - the rows of a dataset as the matrix X itself.
//
// The linear kernel's Gram matrix is X X'. A product that costs n^2 kernel values with GramMatrix
// takes two passes over the stored entries here; sparse rows stay sparse. Same bits for any thread
// count.
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"

namespace mercer {

class Context;

/// X as an operator. Holds views: the data must outlive it unless the Dataset owns its memory.
class LinearRows {
public:
    explicit LinearRows(const Dataset& rows) : data_(rows) {}

    [[nodiscard]] index_t rows() const noexcept { return data_.rows(); }
    [[nodiscard]] index_t columns() const noexcept { return data_.columns(); }
    [[nodiscard]] index_t stored() const noexcept { return data_.stored(); }

    /// A view of some of the rows.
    [[nodiscard]] LinearRows view(std::span<const index_t> rows) const {
        return LinearRows(data_.view(rows));
    }

    /// out = X v;   v columns() x t, out rows() x t.
    void multiply(MatrixView<const double> v, MatrixView<double> out, Context& context) const;
    /// out = X' u;   u rows() x t, out columns() x t. Rows of zeros in u cost nothing.
    void multiply_transposed(MatrixView<const double> u, MatrixView<double> out,
                             Context& context) const;
    /// The same with compensated sums (CompensatedSum), so that only the products are rounded: for
    /// certificates and gradients, whose terms cancel.
    void compensated_transposed(MatrixView<const double> u, MatrixView<double> out,
                                Context& context) const;
    /// One column of the first two.
    void multiply(std::span<const double> v, std::span<double> out, Context& context) const;
    void multiply_transposed(std::span<const double> u, std::span<double> out,
                             Context& context) const;

    /// out = sum_i w_i (x_i - centre)(x_i - centre)', at least its lower triangle; `centre` is the
    /// mean with these weights, or empty for zero. Rows of weight 0 cost nothing.
    void normal_matrix(std::span<const double> weights, std::span<const double> centre,
                       MatrixView<double> out, Context& context) const;

    /// Row i into `out`, which has columns() entries or more; entries beyond columns() become 0.
    void copy_row(index_t i, std::span<double> out) const;
    /// <x_i, w>, and w += scale x_i, over the stored entries in order.
    [[nodiscard]] double dot_row(index_t i, std::span<const double> w) const;
    void add_row(index_t i, double scale, std::span<double> w) const;

    /// For the rows i of `order` in turn: w += step(i, <x_i, w>) x_i. step.expect(i) is called a
    /// few rows earlier. The entries of `order` that have been processed may be overwritten
    /// meanwhile. Defined in row_steps.hpp.
    template <typename Step>
    void step_along(std::span<const index_t> order, std::span<double> w, Step&& step) const;

    /// Column columns[k] into row k of `out`, columns.size() x rows(); no column twice.
    void copy_columns(std::span<const index_t> columns, MatrixView<double> out) const;

    /// out_j = sum_i w_i x_ij^2.
    void squared_sums(std::span<const double> weights, std::span<double> out,
                      Context& context) const;

    /// Cost of normal_matrix(), in multiplications of a dense product.
    [[nodiscard]] double normal_matrix_cost() const noexcept;
    /// The same for multiply() with one column.
    [[nodiscard]] double multiply_cost() const noexcept;

private:
    Dataset data_;
};

/// out = factor X X' v in two passes;   v and out rows() x t.
void multiply_linear_gram(const LinearRows& rows, double factor, MatrixView<const double> v,
                          MatrixView<double> out, Context& context);

/// True when two passes over X for each of `vectors` columns are cheaper than the n^2 / 2 kernel
/// values of a symmetric product.
[[nodiscard]] bool two_passes_are_cheaper(const LinearRows& rows, index_t vectors);

}  // namespace mercer

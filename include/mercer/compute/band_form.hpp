// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/band_form.hpp - a symmetric matrix reduced to a band, and the band plus a shift.
//
//     BandForm form(a, context);                    // A = Q B Q', once
//     for (double shift : shifts) {
//         ShiftedBand band(form, shift);            // B + shift = L L'
//         band.inverse_diagonal(form, out, context);    // of (A + shift)^-1
//     }
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// A = Q B Q' with Q orthogonal and B block tridiagonal. All work is matrix products in fixed
/// tiles: the same bits for any number of threads.
class BandForm {
public:
    /// Rows of a block.
    static constexpr index_t kBlock = 64;

    /// `a` (n x n) holds the whole symmetric matrix and is destroyed. Takes n^2 doubles for Q.
    /// Throws InvalidArgument unless it is square and finite, ResourceError, Interrupted.
    BandForm(MatrixView<double> a, Context& context);

    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// Q', n x n: B = basis A basis'.
    [[nodiscard]] MatrixView<const double> basis() const noexcept {
        return {basis_.data(), size_, size_};
    }

    [[nodiscard]] index_t blocks() const noexcept { return (size_ + kBlock - 1) / kBlock; }
    [[nodiscard]] index_t block_rows(index_t k) const noexcept;
    /// Block (k, k) of B.
    [[nodiscard]] MatrixView<const double> diagonal(index_t k) const noexcept;
    /// Block (k + 1, k) of B.
    [[nodiscard]] MatrixView<const double> below(index_t k) const noexcept;

private:
    void reduce(MatrixView<double> a, Context& context);
    void form_basis(MatrixView<const double> reflectors, Context& context);

    index_t size_ = 0;
    Buffer<double> basis_;
    std::vector<double> diagonal_;
    std::vector<double> below_;
    std::vector<double> triangles_;  ///< T of every reflection I - V T V'; V is in the input matrix
};

/// The Cholesky factor L of B + shift, also a band.
class ShiftedBand {
public:
    /// Cost: n kBlock^2.
    ShiftedBand(const BandForm& form, double shift);

    /// False: B + shift is not positive definite, and no other function may be called.
    [[nodiscard]] bool definite() const noexcept { return definite_; }

    [[nodiscard]] double log_determinant() const noexcept { return log_determinant_; }

    /// (B + shift)^-1 b for every column of `b` (n x t), in place; few columns.
    void solve(MatrixView<double> b) const;

    /// L^-1 b for every column of `b` (n x t), in place.
    void forward(MatrixView<double> b, Context& context) const;

    /// Diagonal of (A + shift)^-1 into `out` (n). Cost: 3 n^2 kBlock.
    void inverse_diagonal(const BandForm& form, std::span<double> out, Context& context) const;

private:
    void forward_block(index_t k, const double* before, double* now, index_t columns,
                       index_t stride) const;
    [[nodiscard]] index_t rows_of(index_t k) const noexcept;

    index_t size_ = 0;
    bool definite_ = true;
    double log_determinant_ = 0.0;
    std::vector<double> factor_;  ///< diagonal blocks of L
    std::vector<double> below_;   ///< block k: L's (k + 1, k)
};

}  // namespace mercer

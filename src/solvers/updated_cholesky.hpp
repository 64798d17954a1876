// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/updated_cholesky.hpp - a Cholesky factor that follows its matrix row by row.
//
//     M = R'R,   R upper triangular, its rows contiguous
//
// Appending a row is one triangular solve, removing one a sweep of Givens rotations over the rows
// of R below it; M + ww' and M - ww' are a sweep over all rows. All but the last are backward
// stable, and that one says beforehand how much of M it leaves.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/device.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

class UpdatedCholesky {
public:
    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// What is left of `diagonal` once the present rows explain what they can of the new one:
    /// diagonal - |R^-T column|^2. Not positive: the new row depends on the present ones.
    [[nodiscard]] double pivot(std::span<const double> column, double diagonal);

    /// Appends the row whose pivot() was asked for last, with that pivot, which must be > 0.
    void append(double pivot, Context& context);

    /// Removes row and column `place`.
    void remove(index_t place);

    /// M + ww'.
    void add(std::span<const double> w);

    /// w'M^-1 w. At 1 or more M - ww' is not positive definite: M^-1 w, which explained() gives,
    /// is the direction it has nothing left in.
    [[nodiscard]] double leverage(std::span<const double> w);

    /// M - ww' of the w whose leverage() was asked for last, which must be less than 1.
    void subtract();

    /// Removes all.
    void clear() noexcept { size_ = 0; }

    /// Takes the matrix whose lower triangle is in `m`, which is destroyed, for M. False, and M
    /// empty, when a pivot is not more than this part of its diagonal.
    [[nodiscard]] bool assign(MatrixView<double> m, double least_part, Context& context);

    /// M x = b, in place; size() numbers.
    void solve(std::span<double> b) const;
    /// Its halves: R'y = b, and R x = y.
    void solve_lower(std::span<double> b) const;
    void solve_upper(std::span<double> b) const;

    /// x with M x = column of the last pivot() or leverage(): the coefficients by which the present
    /// rows explain the one that was asked about.
    [[nodiscard]] std::vector<double> explained() const;

    /// Takes better coefficients than those of explained(), for the next append() to use.
    void explain(std::span<const double> x);

private:
    [[nodiscard]] double* row(index_t i) noexcept { return factor_.data() + i * stride_; }
    [[nodiscard]] const double* row(index_t i) const noexcept {
        return factor_.data() + i * stride_;
    }
    void reserve(index_t rows, Context& context);

    Device device_ = Device::cpu;  ///< that of the context which rows were added with
    Buffer<double> factor_;
    index_t stride_ = 0;
    index_t size_ = 0;
    std::vector<double> column_;  ///< R^-T column of the last pivot() or leverage()
};

}  // namespace mercer

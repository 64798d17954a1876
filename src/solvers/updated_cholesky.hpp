// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/updated_cholesky.hpp - a Cholesky factor that is updated row by row.
//
//     M = R'R,   R upper triangular, its rows contiguous
//
// Appending a row is one triangular solve, removing one a sweep of Givens rotations over the rows
// of R below it; M + ww' and M - ww' are a sweep over all rows. All but the last are backward
// stable; for M - ww' leverage() tells beforehand how much of M is left.
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

    /// The pivot of a new row: diagonal - |R^-T column|^2. If it is not positive, the new row
    /// depends on the present ones.
    [[nodiscard]] double pivot(std::span<const double> column, double diagonal);

    /// Appends the row of the last pivot(), with that pivot, which must be > 0.
    void append(double pivot, Context& context);

    /// Removes row and column `place`.
    void remove(index_t place);

    /// M + ww'.
    void add(std::span<const double> w);

    /// w'M^-1 w. If it is 1 or more, M - ww' is not positive definite along M^-1 w, which
    /// explained() returns.
    [[nodiscard]] double leverage(std::span<const double> w);

    /// M - ww' for the w of the last leverage(), which must be less than 1.
    void subtract();

    /// Removes all.
    void clear() noexcept { size_ = 0; }

    /// Sets M to the matrix whose lower triangle is in `m`, which is overwritten. False, with M
    /// empty, when a pivot is at most `least_part` of its diagonal.
    [[nodiscard]] bool assign(MatrixView<double> m, double least_part, Context& context);

    /// M x = b, in place; size() numbers.
    void solve(std::span<double> b) const;
    /// Its halves: R'y = b, and R x = y.
    void solve_lower(std::span<double> b) const;
    void solve_upper(std::span<double> b) const;

    /// x with M x = column of the last pivot() or leverage(): the coefficients of that row as a
    /// combination of the present rows.
    [[nodiscard]] std::vector<double> explained() const;

    /// Sets more accurate coefficients than those of explained(), for the next append().
    void explain(std::span<const double> x);

private:
    [[nodiscard]] double* row(index_t i) noexcept { return factor_.data() + i * stride_; }
    [[nodiscard]] const double* row(index_t i) const noexcept {
        return factor_.data() + i * stride_;
    }
    void reserve(index_t rows, Context& context);

    Device device_ = Device::cpu;  ///< of the context with which rows were added
    Buffer<double> factor_;
    index_t stride_ = 0;
    index_t size_ = 0;
    std::vector<double> column_;  ///< R^-T column of the last pivot() or leverage()
};

}  // namespace mercer

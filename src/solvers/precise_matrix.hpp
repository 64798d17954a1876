// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_matrix.hpp - a small symmetric matrix in 113 bits, and its Cholesky factor.
//
// No library of Debian's factors such matrices. Slow: some hundred times a double's.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// Rows of a square matrix, one after the other.
class PreciseMatrix {
public:
    explicit PreciseMatrix(std::size_t size) : size_(size), values_(size * size) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] Quad& operator()(std::size_t i, std::size_t j) { return values_[i * size_ + j]; }
    [[nodiscard]] Quad operator()(std::size_t i, std::size_t j) const {
        return values_[i * size_ + j];
    }

    [[nodiscard]] std::vector<Quad> multiply(std::span<const Quad> v) const;

    /// Makes the lower triangle L of M = LL'. A pivot is at least what rounding may have left of
    /// it, so that every M >= 0 has one.
    void factor();
    /// LL'x = v of a factored matrix, in place.
    void solve(std::span<Quad> v) const;

private:
    std::size_t size_;
    std::vector<Quad> values_;
};

}  // namespace mercer

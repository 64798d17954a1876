// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_matrix.hpp - a small symmetric matrix in 113 bits, and its LDL' factor.
//
// No library in Debian factors such matrices. It is about a hundred times slower than doubles.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// A square matrix, row-major.
class PreciseMatrix {
public:
    explicit PreciseMatrix(std::size_t size) : size_(size), values_(size * size) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] Quad& operator()(std::size_t i, std::size_t j) { return values_[i * size_ + j]; }
    [[nodiscard]] Quad operator()(std::size_t i, std::size_t j) const {
        return values_[i * size_ + j];
    }

    [[nodiscard]] std::vector<Quad> multiply(std::span<const Quad> v) const;

    /// Replaces the lower triangle by M = LDL', D in place of the ones on the diagonal of L. A pivot
    /// is at least its rounding error, so every positive semidefinite M has a factor.
    void factor();
    /// LDL'x = v of a factored matrix, in place.
    void solve(std::span<Quad> v) const;

private:
    std::size_t size_;
    std::vector<Quad> values_;
};

}  // namespace mercer

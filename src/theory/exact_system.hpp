// SPDX-License-Identifier: Apache-2.0
//
// src/theory/exact_system.hpp - systems of linear equations with integer entries, solved exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "theory/exact_number.hpp"

namespace mercer {
class Context;
}

namespace mercer::theory {

/// A square integer matrix, row by row.
struct IntegerMatrix {
    std::size_t size = 0;
    std::vector<Integer> entries;

    explicit IntegerMatrix(std::size_t n) : size(n), entries(n * n) {}
    Integer& operator()(std::size_t i, std::size_t j) { return entries[i * size + j]; }
    const Integer& operator()(std::size_t i, std::size_t j) const { return entries[i * size + j]; }
};

/// x = numerators / denominator, denominator > 0.
struct RationalVector {
    std::vector<Integer> numerators;
    Integer denominator = 1;
};

/// Solves a x = b. False when `a` is singular modulo each of several primes, which for a
/// nonsingular matrix has a probability of about 1e-60.
/// Throws Interrupted.
[[nodiscard]] bool solve_exactly(const IntegerMatrix& a, std::span<const Integer> b,
                                 RationalVector& x, const Context& context);

/// Approximate word operations (about 1e8 a second) of solve_exactly() for a matrix of this size
/// whose entries have `bits` bits.
[[nodiscard]] double exact_work(std::size_t size, std::size_t bits);

/// Collects linearly independent vectors: a vector is accepted if it is independent of those
/// accepted before. The arithmetic is modulo a prime: accepted vectors are independent; a wrong
/// "dependent" has a probability of about 1e-9.
class IndependentVectors {
public:
    explicit IndependentVectors(std::size_t dimension) : dimension_(dimension) {}

    /// Residues of integers, for add().
    [[nodiscard]] static std::uint64_t residue(const Integer& x);

    /// True when the vector (of residues, `dimension` long) is accepted.
    bool add(std::vector<std::uint64_t> vector);
    [[nodiscard]] std::size_t rank() const noexcept { return reduced_.size(); }
    /// Coordinates in which the accepted vectors are independent, in the order of acceptance.
    [[nodiscard]] const std::vector<std::size_t>& coordinates() const noexcept { return pivots_; }

private:
    std::size_t dimension_;
    std::vector<std::vector<std::uint64_t>> reduced_;  ///< each has a one in its pivot
    std::vector<std::size_t> pivots_;
};

/// The rank of vectors of integers, by fraction-free elimination: exact.
[[nodiscard]] std::size_t exact_rank(std::vector<std::vector<Integer>> vectors);

}  // namespace mercer::theory

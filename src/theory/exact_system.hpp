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

/// The solution of a x = b. False when `a` is singular modulo each of several primes, which for a
/// regular matrix would be a coincidence of one in 10^60.
/// Throws Interrupted.
[[nodiscard]] bool solve_exactly(const IntegerMatrix& a, std::span<const Integer> b,
                                 RationalVector& x, const Context& context);

/// Word operations, roughly (some 1e8 a second), that solve_exactly() takes for a matrix of that
/// size whose entries have so many bits.
[[nodiscard]] double exact_work(std::size_t size, std::size_t bits);

/// Vectors added one by one; those that are linearly independent of the ones before are taken. Its
/// arithmetic is modulo a prime: vectors it finds independent are so, and a false "dependent" has a
/// probability of about 1e-9.
class IndependentVectors {
public:
    explicit IndependentVectors(std::size_t dimension) : dimension_(dimension) {}

    /// Residues of integers, for add().
    [[nodiscard]] static std::uint64_t residue(const Integer& x);

    /// True when the vector (of residues, `dimension` long) is independent of those taken.
    bool add(std::vector<std::uint64_t> vector);
    [[nodiscard]] std::size_t rank() const noexcept { return reduced_.size(); }
    /// The coordinates in which the vectors taken are independent, in the order they were taken.
    [[nodiscard]] const std::vector<std::size_t>& coordinates() const noexcept { return pivots_; }

private:
    std::size_t dimension_;
    std::vector<std::vector<std::uint64_t>> reduced_;  ///< with a one in their pivot
    std::vector<std::size_t> pivots_;
};

/// The rank of vectors of integers, by fraction-free elimination: exact.
[[nodiscard]] std::size_t exact_rank(std::vector<std::vector<Integer>> vectors);

}  // namespace mercer::theory

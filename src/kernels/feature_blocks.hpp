// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/feature_blocks.hpp - the building blocks of feature maps.
//
// A block maps a row of the data to coordinates. Its constructor counts the coordinates in checked
// arithmetic and allocates nothing that grows with their number.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

class FeatureBlock {
public:
    explicit FeatureBlock(index_t dimension) : dimension_(dimension) {}
    virtual ~FeatureBlock() = default;

    [[nodiscard]] index_t dimension() const noexcept { return dimension_; }
    /// Writes the coordinates of the row x, `out` having dimension() entries.
    virtual void map(std::span<const double> x, std::span<double> out) const = 0;
    [[nodiscard]] virtual std::string name(index_t i) const = 0;
    /// Adds the exponents of coordinate i to those of the row's columns and returns true, or
    /// returns false when it is not a monomial of them times a number.
    [[nodiscard]] virtual bool add_exponents(index_t i, std::span<index_t> exponents) const {
        static_cast<void>(i);
        static_cast<void>(exponents);
        return false;
    }

private:
    index_t dimension_;
};

using FeatureBlockPointer = std::shared_ptr<const FeatureBlock>;

/// weight * s^degree, one term of a power series in an inner product s.
struct SeriesTerm {
    index_t degree = 0;
    double weight = 0.0;
};

/// Number of products of `degree` factors out of n: n^degree, or C(n + degree - 1, degree) when
/// the order of factors does not matter. Throws ResourceError when it exceeds `limit`.
[[nodiscard]] index_t count_monomials(index_t n, index_t degree, bool ordered, index_t limit);

/// The chosen columns themselves.
[[nodiscard]] FeatureBlockPointer identity_block(std::vector<index_t> places);
/// One coordinate, the same for every row.
[[nodiscard]] FeatureBlockPointer constant_block(double value);
/// R'x for a quadratic form A = R R'.
[[nodiscard]] FeatureBlockPointer root_block(const KernelMatrix& matrix,
                                             std::vector<index_t> places);
/// The row of a mixture table that the symbol selects.
[[nodiscard]] FeatureBlockPointer table_block(std::shared_ptr<const KernelMatrix> matrix,
                                              index_t place);
/// sum of terms of <inner(x), inner(z)>.
[[nodiscard]] FeatureBlockPointer series_block(FeatureBlockPointer inner,
                                               std::vector<SeriesTerm> terms, bool ordered,
                                               index_t limit);
/// exp(-gamma |inner(x)|^2) series(x), where the series is one of the same inner block.
[[nodiscard]] FeatureBlockPointer damped_block(FeatureBlockPointer inner,
                                               FeatureBlockPointer series, double gamma);
/// factor * inner(x).
[[nodiscard]] FeatureBlockPointer multiple_block(FeatureBlockPointer inner, double factor);
/// f(x) inner(x), f a function of the chosen columns.
[[nodiscard]] FeatureBlockPointer row_scaled_block(FeatureBlockPointer inner,
                                                   std::shared_ptr<const RowFunction> function,
                                                   std::vector<index_t> places);
/// inner(x) / |inner(x)|; 0 when inner(x) is 0.
[[nodiscard]] FeatureBlockPointer normalized_block(FeatureBlockPointer inner);
/// All coordinates of all parts, one after the other.
[[nodiscard]] FeatureBlockPointer joined_block(std::vector<FeatureBlockPointer> parts,
                                               index_t limit);
/// All products of a coordinate of `left` and one of `right`.
[[nodiscard]] FeatureBlockPointer tensor_block(FeatureBlockPointer left, FeatureBlockPointer right,
                                               index_t limit);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/feature_map.hpp - explicit coordinates phi(x) with <phi(x), phi(z)> = k(x, z).
//
//     FeatureMap map = make_feature_map(poly_kernel(2), 3);
//     std::vector<double> phi(map.dimension());
//     map.map(x, phi);
//
// Kernels with a finite map: linear, poly (coef0 >= 0), monomial, cosine, constant, quadratic-form,
// mixture, and whatever is built from them by + * ^, factors, polynomial, normalized, scaled and
// columns. rbf and exp(k) have one when their power series is truncated at a degree.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

/// How a feature map is laid out.
struct FeatureMapOptions {
    /// "distinct": x0*x1 occurs once, weighted by the square root of its multiplicity. "ordered":
    /// x0*x1 and x1*x0 are two coordinates, n^d for degree d.
    std::string order = "distinct";
    /// Degree at which the series of rbf and exp are truncated; -1: such kernels are refused.
    index_t truncation = -1;
    /// A map with more coordinates is refused before anything is allocated.
    index_t max_dimension = 10'000'000;

    template <typename Visitor>
    static void describe(Visitor& visitor, FeatureMapOptions& options) {
        visitor.choice(
            "order", options.order, {"distinct", "ordered"},
            "distinct: a product is one coordinate; ordered: one for each order of factors");
        visitor.integer("truncation", options.truncation, Range::within(-1.0, 1000.0),
                        "degree at which the series of rbf and exp are truncated; -1: refuse them");
        visitor.integer("max_dimension", options.max_dimension, Range::at_least(1.0),
                        "most coordinates a map may have");
    }
};

class FeatureBlock;

/// A finite feature map. Cheap to copy; may be used by many threads at once.
class FeatureMap {
public:
    FeatureMap(Kernel kernel, std::shared_ptr<const FeatureBlock> block, index_t columns,
               bool truncated);

    [[nodiscard]] const Kernel& kernel() const noexcept { return kernel_; }

    /// Entries of a row.
    [[nodiscard]] index_t columns() const noexcept { return columns_; }
    /// Coordinates of phi.
    [[nodiscard]] index_t dimension() const noexcept;
    /// True when a series was truncated, so that <phi(x), phi(z)> only approximates k(x, z).
    [[nodiscard]] bool is_truncated() const noexcept { return truncated_; }

    /// Writes phi(x) into `out`. Throws InvalidArgument when a length is wrong or x is outside the
    /// kernel's domain.
    void map(std::span<const double> x, std::span<double> out) const;

    /// What coordinate i stands for, without its weight: "x0^2", "x0*x1", "1".
    [[nodiscard]] std::string coordinate_name(index_t i) const;

    /// The exponent of every column in coordinate i; nothing when the coordinate is not a monomial
    /// of the columns times a number.
    [[nodiscard]] std::optional<std::vector<index_t>> exponents(index_t i) const;

private:
    void require_coordinate(index_t i) const;

    Kernel kernel_;
    std::shared_ptr<const FeatureBlock> block_;
    index_t columns_;
    bool truncated_;
};

/// The map of a kernel on rows of `columns` entries.
///
/// Throws InvalidArgument when the kernel has no finite map (the message names those that have) or
/// does not fit the columns, and ResourceError when the dimension exceeds the limit.
[[nodiscard]] FeatureMap make_feature_map(const Kernel& kernel, index_t columns,
                                          const FeatureMapOptions& options = {});

}  // namespace mercer

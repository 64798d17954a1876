// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/precise.hpp - kernel values in 113 bits, and bounds on the rounding error of
// float64.
//
// For proofs: values with more digits where a double does not suffice, and for all other values a
// bound on their error that follows from the sizes of the rows alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/base/types.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// k(x, z) in 113 bits; entries, parameters, matrices and functions of one row (`scaled`) are taken
/// as exact doubles. Throws InvalidArgument where Kernel::operator() does.
[[nodiscard]] Quad evaluate_precisely(const Kernel& kernel, std::span<const double> x,
                                      std::span<const double> z);

/// True when evaluate_precisely() is more exact than a double: false for expressions that contain a
/// custom kernel, a precomputed one or a Matern kernel with a general nu (Bessel function), which
/// enter with their double values.
[[nodiscard]] bool has_precise_values(const Kernel& kernel);

/// z(x) in 113 bits with k(x, y) = <z(x), z(y)>, for the linear kernel, polynomial kernels of
/// integer degree and their multiples. Empty for other kernels, and when more than `most` numbers
/// are needed.
[[nodiscard]] std::vector<Quad> precise_features(const Kernel& kernel, std::span<const double> x,
                                                 index_t most);

/// The largest sizes of the rows that a bound has to cover, including the rows that the engine was
/// made with. They may be computed in float64: the bound allows for their rounding.
struct RowSizes {
    index_t columns = 0;
    double squared_norm = 0.0;
    double l1_norm = 0.0;
    double largest_entry = 0.0;
    /// The smallest squared norm of a row that is not zero; 0: not known. Kernels that divide by a
    /// norm (cosine, normalized(linear)) have no bound without it.
    double least_squared_norm = 0.0;
};

/// The sizes that cover the rows of both.
[[nodiscard]] RowSizes larger_of(const RowSizes& a, const RowSizes& b);

/// Computes the sizes of rows from their entries.
class RowSizesGatherer {
public:
    explicit RowSizesGatherer(index_t columns) { sizes_.columns = columns; }

    /// Adds an entry of a row. All entries of a row must follow each other.
    void add(index_t row, double value) {
        if (row != row_) {
            end_row();
            row_ = row;
        }
        square_ += value * value;
        absolute_ += std::abs(value);
        sizes_.largest_entry = std::max(sizes_.largest_entry, std::abs(value));
    }
    [[nodiscard]] RowSizes sizes();

private:
    void end_row();

    RowSizes sizes_;
    index_t row_ = -1;
    double square_ = 0.0;
    double absolute_ = 0.0;
};

/// For any two rows of those sizes: |computed - exact| <= error for a value computed in float64 by
/// the reference formula or by a tile of any backend, and |exact| <= largest. Infinite where
/// nothing can be proved. The values of a custom kernel are exact by definition: alone it has no
/// error, and no known largest value.
struct KernelRounding {
    double error = 0.0;
    double largest = 0.0;
    double relative = kInfinity;  ///< bound on the error in units of sqrt(k(x, x) k(z, z))
};

/// The error, relative to the largest value, that is assumed where no bound can be proved, as for a
/// normalized kernel whose diagonal may vanish, or for values at the edge of overflow.
inline constexpr double kAssumedRounding = 1e-12;

/// Throws InvalidArgument for a kernel that is not resolved or does not fit the columns.
[[nodiscard]] KernelRounding kernel_rounding(const Kernel& kernel, const RowSizes& sizes);

}  // namespace mercer

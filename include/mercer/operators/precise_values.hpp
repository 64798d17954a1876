// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/precise_values.hpp - some values of K beta in 113 bits, and what K is made of.
#pragma once

#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/precise.hpp"

namespace mercer {

/// The largest sizes of the rows, for the bounds of kernel_rounding().
[[nodiscard]] RowSizes row_sizes(const Dataset& rows);

/// The diagonal is rounded as well, so its square roots are enlarged by this factor.
inline constexpr double kOfDiagonal = 1.001;

struct PreciseValues {
    std::vector<Quad> values;
    double error = 0.0;  ///< bound for each value; from kernel values that exist in double only
    /// The same in units of sqrt(K(i, i)): a multiple of sum_j |beta_j| sqrt(K(j, j)), where the
    /// coefficients of equal rows may be added first. Infinite when it is not known.
    double scaled = kInfinity;
};

/// Z with K = ZZ' in 113 bits, row by row.
struct PreciseFeatures {
    std::vector<Quad> values;
    std::size_t count = 0;  ///< columns; 0: there is no Z
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/feature_geometry.hpp - distances and angles of rows in a kernel's feature space.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/operators/gram.hpp"

namespace mercer {

class Context;

/// All pairs of rows of two sets (or one and itself) in feature space, by blocks of rows.
///
/// Values come from Gram tiles, k(x,x) + k(z,z) - 2 k(x,z). Where that sum has lost digits, because
/// the rows are close, the pair is computed again from its differences
/// (kernels/feature_distance.hpp): distances have a relative error of about 1e-11, and the distance
/// of equal rows is exactly 0.
class FeatureGeometry {
public:
    /// Borrowed rows must outlive it. Throws InvalidArgument for precomputed values of two sets,
    /// which do not contain k(z, z); DataError as GramMatrix does, and when a k(x, x) is not
    /// finite.
    FeatureGeometry(const Kernel& kernel, const Dataset& rows, Context& context);
    FeatureGeometry(const Kernel& kernel, const Dataset& left, const Dataset& right,
                    Context& context);

    [[nodiscard]] index_t rows() const noexcept { return gram_.rows(); }
    [[nodiscard]] index_t columns() const noexcept { return gram_.columns(); }
    [[nodiscard]] const GramMatrix& gram() const noexcept { return gram_; }

    /// |phi(x) - phi(z)|^2 of rows begin .. begin + values.rows - 1 with every right row. Values
    /// that rounding made negative become 0. Throws DataError naming the rows when a value is not
    /// finite, or is negative beyond rounding: the kernel is then not conditionally positive
    /// definite.
    void copy_squared_distances(index_t begin, MatrixView<double> values, Context& context) const;

    /// The cosine of the angle between phi(x) and phi(z), in [-1, 1]; 0 where one of them is 0.
    /// Throws DataError naming the rows when a value is not finite.
    void copy_cosines(index_t begin, MatrixView<double> values, Context& context) const;

private:
    class Pair;
    void set_diagonals(Context& context);

    Kernel kernel_;
    Dataset left_;
    Dataset right_;
    GramMatrix gram_;
    bool from_values_ = false;  ///< precomputed: the rows are row numbers, not points
    std::vector<double> left_diagonal_;
    std::vector<double> right_diagonal_;
};

}  // namespace mercer

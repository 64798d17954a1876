// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/hyperplane.hpp - the geometry of an affine predictor <w, x> + b.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// The hyperplane <w, x> + b = 0 and its two halfspaces.
struct Hyperplane {
    std::vector<double> w;
    double b = 0.0;
};

/// <w, x> + b. Throws InvalidArgument when the lengths differ.
[[nodiscard]] double affine_value(const Hyperplane& plane, std::span<const double> x);

/// +1 where the value is >= 0 (so a point of the hyperplane counts as +1), else -1.
[[nodiscard]] int side_of(const Hyperplane& plane, std::span<const double> x);

/// |<w, x> + b|, which says how surely x is on its side only beside |w|: it grows with the scale of
/// (w, b), and the sides do not change.
[[nodiscard]] double functional_margin(const Hyperplane& plane, std::span<const double> x);

/// The same hyperplane as (factor w, factor b). Throws InvalidArgument unless the factor is finite
/// and > 0.
[[nodiscard]] Hyperplane scaled(const Hyperplane& plane, double factor);

/// |<w, x> + b| / |w|. Throws InvalidArgument when w is zero.
[[nodiscard]] double distance_to(const Hyperplane& plane, std::span<const double> x);

/// The same predictor without a constant: w' = (b, w), to be applied to x' = (1, x).
[[nodiscard]] std::vector<double> embed_intercept(const Hyperplane& plane);

/// Whether x - a makes an acute angle with w (+1), an obtuse one (-1) or a right one (0), for a
/// point a of the hyperplane: on which side x lies. Throws InvalidArgument when a is not a point of
/// it (within 1e-9 of the sizes involved).
[[nodiscard]] int angle_side(const Hyperplane& plane, std::span<const double> a,
                             std::span<const double> x);

/// The same labels with a functional margin t (<w, x> + b) >= 1 (Lemma 9.5): b is raised by half
/// of what the nearest row below has to spare, then (w, b) is multiplied. `rows` holds one x after
/// another, `labels` -1 or +1. Throws InvalidArgument when the hyperplane does not realise the
/// labels, a row on it counting as +1, or when doubles cannot hold the result.
[[nodiscard]] Hyperplane with_unit_margin(const Hyperplane& plane, std::span<const double> rows,
                                          std::span<const double> labels);

/// Distance of a point with value f(x) + b to the surface f + b = 0 in the space of a kernel, where
/// |f|^2 = beta'K beta. Throws InvalidArgument unless the squared norm is > 0.
[[nodiscard]] double kernel_distance(double value, double squared_norm);

}  // namespace mercer

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

/// +1 if the value is >= 0 (a point on the hyperplane counts as +1), otherwise -1.
[[nodiscard]] int side_of(const Hyperplane& plane, std::span<const double> x);

/// |<w, x> + b|. It is meaningful only relative to |w|: it scales with (w, b), while the sides do
/// not change.
[[nodiscard]] double functional_margin(const Hyperplane& plane, std::span<const double> x);

/// The same hyperplane as (factor w, factor b). Throws InvalidArgument unless the factor is finite
/// and > 0.
[[nodiscard]] Hyperplane scaled(const Hyperplane& plane, double factor);

/// |<w, x> + b| / |w|. Throws InvalidArgument when w is zero.
[[nodiscard]] double distance_to(const Hyperplane& plane, std::span<const double> x);

/// The same predictor without a constant: w' = (b, w), to be applied to x' = (1, x).
[[nodiscard]] std::vector<double> embed_intercept(const Hyperplane& plane);

/// The side of x by the angle between x - a and w, for a point a of the hyperplane: acute (+1),
/// obtuse (-1) or right (0). Throws InvalidArgument when a is not on the hyperplane (within a
/// relative 1e-9).
[[nodiscard]] int angle_side(const Hyperplane& plane, std::span<const double> a,
                             std::span<const double> x);

/// A hyperplane with the same labels and functional margin t (<w, x> + b) >= 1 (Lemma 9.5): b is
/// raised by half the distance of the nearest row below, then (w, b) is scaled. `rows` is
/// row-major, `labels` are -1 or +1. Throws InvalidArgument when the hyperplane does not realise
/// the labels (a row on it counts as +1), or when the result is out of the range of doubles.
[[nodiscard]] Hyperplane with_unit_margin(const Hyperplane& plane, std::span<const double> rows,
                                          std::span<const double> labels);

/// Distance of a point with value f(x) + b to the surface f + b = 0 in the space of a kernel, where
/// |f|^2 = beta'K beta. Throws InvalidArgument unless the squared norm is > 0.
[[nodiscard]] double kernel_distance(double value, double squared_norm);

}  // namespace mercer

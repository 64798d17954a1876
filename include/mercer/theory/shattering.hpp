// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/shattering.hpp - which labelings of some points halfspaces realise.
//
// A labeling is realised when sign(<w, x> + b) equals it at every point, with sign(0) = +1: points
// labelled - must be strictly below, points labelled + may lie on the hyperplane. With a free b
// that makes no difference. For hyperplanes through the origin (homogeneous) it does: some points
// cannot be moved off the hyperplane. All decisions are exact.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"

namespace mercer {

class Context;

/// 2 sum_{k < dimension} C(points - 1, k): how many labelings hyperplanes through the origin of R^d
/// realise strictly when the points are in general position, and an upper bound for any points
/// (Cover). For affine hyperplanes of R^d pass d + 1. Exact up to 2^53; 1 for no points.
[[nodiscard]] double cover_number(index_t points, index_t dimension);

struct ShatteringOptions {
    bool homogeneous = false;
    index_t limit = 1000000;  ///< most labelings to be counted
    index_t listed = 64;      ///< most labelings to be listed of each kind
};

struct Shattering {
    index_t points = 0;
    index_t dimension = 0;     ///< of the points: d
    index_t vc_dimension = 0;  ///< of the halfspaces: d homogeneous, d + 1 affine
    index_t rank = 0;          ///< of the points, or of (x, 1) when affine; exact
    /// rank == points: the points (affine: the (x, 1)) are linearly independent, which holds
    /// exactly when halfspaces shatter them (Lemmas 9.1 and 9.2).
    bool shattered = false;
    double labelings = 0.0;  ///< 2^points
    double cover = 0.0;      ///< cover_number(points, vc_dimension)

    bool counted = false;  ///< false: the limit was exceeded, what follows is unknown
    index_t realised = 0;  ///< labelings realised, sign(0) = +1
    index_t strict = 0;    ///< realised with no point on the hyperplane; equal when affine
    /// Any vc_dimension of the points (affine: of the (x, 1)) are independent, which holds
    /// exactly when `strict` is Cover's number.
    bool general_position = false;
    std::vector<std::string> realised_labelings;  ///< such as "+-+", the first ones
    std::vector<std::string> missing_labelings;
};

/// Counts by extending realised labelings point by point: as many exact decisions as there are
/// realised labelings of the first 1, 2, ... points, not 2^points. Throws Interrupted.
[[nodiscard]] Shattering shatter(const Dataset& points, const ShatteringOptions& options,
                                 Context& context);

}  // namespace mercer

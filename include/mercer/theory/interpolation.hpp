// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/interpolation.hpp - is there a function in the RKHS through these points?
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// The function of least norm that comes closest to given values at given points.
struct Interpolant {
    std::vector<double> coefficients;  ///< of least norm: K^+ y
    std::vector<double> values;        ///< f(x_i)
    double squared_norm = 0.0;         ///< |f|^2 in the RKHS
    double residual = 0.0;             ///< max |f(x_i) - y_i|
    double condition = 0.0;            ///< largest / smallest nonzero eigenvalue; 0: there is none
    index_t rank = 0;                  ///< number of nonzero eigenvalues: above n epsilon |K|
    bool interpolates = false;         ///< f(x_i) = y_i for all i, up to rounding
};

/// Solves K a = y in the least squares sense by the eigenvalues of K, with one step of refinement.
///
/// With a strictly positive definite kernel and distinct points there is a solution for every y;
/// otherwise there may be none, and `interpolates` says so.
///
/// Cost: one symmetric eigenvalue problem and one copy of the matrix. Throws InvalidArgument when
/// it is not square or not finite, or y does not fit; ResourceError when the copy does not fit.
[[nodiscard]] Interpolant interpolate(MatrixView<const double> gram, std::span<const double> y,
                                      Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/quadrature.hpp - the distribution of a generator as weighted rows.
//
// The expectation of c(x, y) under the rule of a generator is an integral over few random numbers:
// a uniform one along a curve, normal noise, a wrong label. Gauss-Legendre panels turn it into a
// sum over rows with weights that sum to 1, so that whatever takes a weighted mean over rows takes
// an expectation.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/data/generate.hpp"

namespace mercer {

/// True when the rule has three random numbers or fewer: sinc, moons, spirals, and with one or two
/// columns blobs, gaussian-mixture, xor and checkerboard; ten classes at the most.
[[nodiscard]] bool has_quadrature(const GenerateOptions& options);

/// Rows, targets, label names and weights of the rule; `options.rows` is not read. Each level has
/// twice the panels of the one below along every axis: the difference of two levels tells how far
/// the sum is from the integral.
/// Throws InvalidArgument for options that do not fit the rule, a rule without quadrature, or a
/// level outside 0 .. 4; ResourceError when the rows do not fit.
[[nodiscard]] Dataset quadrature_rows(const GenerateOptions& options, index_t level,
                                      Context& context);

}  // namespace mercer

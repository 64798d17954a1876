// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/quadrature.hpp - the distribution of a generator as weighted rows.
//
// The expectation of c(x, y) under the rule of a generator is an integral over few random numbers:
// a uniform one along a curve, normal noise, a wrong label. Gauss-Legendre panels turn it into a
// sum over rows with weights that sum to 1, so that a weighted mean over these rows is the
// expectation.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/data/generate.hpp"

namespace mercer {

/// True when the rule uses at most three random numbers: sinc, moons, spirals, and with one or two
/// columns blobs, gaussian-mixture, xor and checkerboard; at most ten classes.
[[nodiscard]] bool has_quadrature(const GenerateOptions& options);

/// Rows, targets, label names and weights of the rule; `options.rows` is ignored. Each level has
/// twice as many panels along every axis as the level below: the difference between two levels
/// estimates how far the sum is from the integral.
/// Throws InvalidArgument for options that do not fit the rule, a rule without quadrature, or a
/// level outside 0 .. 4; ResourceError when the rows do not fit.
[[nodiscard]] Dataset quadrature_rows(const GenerateOptions& options, index_t level,
                                      Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/variance.hpp - the predictive variance of kernel ridge regression.
#pragma once

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// k(x,x) - k(x)'(K + alpha I)^-1 k(x) of each row: the posterior variance of f(x) if f has the
/// kernel as its covariance and the targets have noise of variance alpha. A trained intercept is
/// treated as known. One factorisation of the model's rows: n^3 / 3 operations and n^2 doubles.
///
/// Throws InvalidArgument unless the model is kernel ridge regression with alpha > 0 that stores
/// all its training rows and was trained without row weights (which a model does not store), and if
/// the rows are wider than the training rows; ResourceError if memory does not suffice.
[[nodiscard]] std::vector<double> predictive_variance(const Model& model, const Dataset& rows,
                                                      Context& context);

}  // namespace mercer

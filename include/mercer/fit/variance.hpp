// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/variance.hpp - how sure kernel ridge regression is of its values.
#pragma once

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// k(x,x) - k(x)'(K + alpha I)^-1 k(x) of each row: the posterior variance of f(x) when f has the
/// kernel as its covariance and targets have noise of variance alpha. A trained intercept is taken
/// as known. One factorisation of the model's rows: n^3 / 3 operations and n^2 doubles.
///
/// Throws InvalidArgument when the model is not kernel ridge regression with alpha > 0, was trained
/// with row weights (which it does not keep) or does not hold all its training rows, and when rows
/// are wider than those it was trained on; ResourceError when memory does not suffice.
[[nodiscard]] std::vector<double> predictive_variance(const Model& model, const Dataset& rows,
                                                      Context& context);

}  // namespace mercer

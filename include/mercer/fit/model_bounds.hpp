// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/model_bounds.hpp - the bounds of theory/ for a trained classifier of two classes.
#pragma once

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"
#include "mercer/theory/bounds.hpp"

namespace mercer {

class Context;

/// What a model and its training rows prove about the model's risk.
struct ModelBounds {
    index_t rows = 0;
    double radius = kNaN;         ///< max sqrt(k(x, x))
    double centre_radius = kNaN;  ///< radius of a ball that contains the rows, minimal up to 1e-6
    MarginReport margin;          ///< the geometry, and bounds that hold with probability 1 - delta
    std::vector<Bound> leave_one_out;  ///< bounds on the leave-one-out error
};

/// Evaluates every bound for the model. A bound that does not apply states the reason.
///
/// Cost: one pass over the rows for f, up to some thousand rows of K for the ball, and the Cholesky
/// factorisation of the free support vectors. Throws InvalidArgument unless the model separates two
/// classes with a positive definite kernel, is not constant, and 0 < delta < 1; DataError if the
/// rows are not the training rows (this cannot be checked for a model from another program).
[[nodiscard]] ModelBounds model_bounds(const Model& model, const Dataset& data, double delta,
                                       Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_score.hpp - what a function would bring, were it to join a basis.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "solvers/basis_fit.hpp"

namespace mercer {

class Context;

/// The minimum of the objective over the coefficient of one more function, all else held.
struct BasisScore {
    double decrease = 0.0;
    double coefficient = 0.0;
};

/// The scores of functions whose values are the rows of `values`, each to a thousandth of its
/// slope: a step of Newton's method from g^2 / (2 h), and a few more where curvatures change.
[[nodiscard]] std::vector<BasisScore> score_functions(const Problem& problem, const BasisFit& fit,
                                                      const BasisFunctions& functions,
                                                      std::span<const index_t> which,
                                                      MatrixView<const double> values,
                                                      Context& context);

}  // namespace mercer

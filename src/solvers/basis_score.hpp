// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_score.hpp - how much adding a function to a basis would gain.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "solvers/basis_fit.hpp"

namespace mercer {

class Context;

/// The minimum of the objective over the coefficient of one more function, all others fixed.
struct BasisScore {
    double decrease = 0.0;
    double coefficient = 0.0;
};

/// The scores of functions whose values are the rows of `values`, accurate to a thousandth of the
/// first slope: one Newton step, which gains g^2 / (2 h), and a few more where curvatures change.
[[nodiscard]] std::vector<BasisScore> score_functions(const Problem& problem, const BasisFit& fit,
                                                      const BasisFunctions& functions,
                                                      std::span<const index_t> which,
                                                      MatrixView<const double> values,
                                                      Context& context);

}  // namespace mercer

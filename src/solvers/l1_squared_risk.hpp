// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_squared_risk.hpp - the squared loss of an l1 path by its normal matrix.
#pragma once

#include <memory>

#include "solvers/l1_risk.hpp"

namespace mercer {

/// Computes H once; the intercept follows from the coefficients. The problem's columns are not used
/// afterwards. Throws ResourceError when H does not fit.
[[nodiscard]] std::unique_ptr<L1Risk> make_squared_risk(const L1PathProblem& problem,
                                                        Context& context);

}  // namespace mercer

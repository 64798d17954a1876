// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/likelihood.hpp - logistic regression without a penalty, and its certificate.
//
//     minimise over w and b:   sum_i c_i log(1 + exp(-y_i (<x_i, w> + b)))
//
// The dual has no quadratic part; its constraints are the score equations:
//
//     maximise   - sum_i c_i conjugate(y_i, -a_i / c_i)   with   sum_i a_i x_i = 0,  sum_i a_i = 0
//
// (the last one with an intercept). At the maximum of the likelihood a_i = -c_i loss'(z_i)
// satisfies them; near it, a is projected onto them with the curvatures of the rows as metric.
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"

namespace mercer {

class Context;

struct LikelihoodProblem {
    MatrixView<const double> rows;    ///< n x d
    std::span<const double> targets;  ///< -1 or +1
    std::span<const double> costs;    ///< > 0: how often a row counts
    bool intercept = true;
};

/// The certificate of w = sum_i beta_i x_i and b. `kkt_violation` is the greatest entry of the
/// score, sum_i a_i (x_i, 1), before a is moved; `dual_infeasibility` is the largest change of an
/// a_i. If a cannot satisfy the equations within its box, the dual value is 0, that of a = 0.
///
/// Cost: n d^2 + d^3/3. Throws ResourceError.
[[nodiscard]] Certificate certify_likelihood(const LikelihoodProblem& problem,
                                             std::span<const double> beta, double intercept,
                                             Context& context);

}  // namespace mercer

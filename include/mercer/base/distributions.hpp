// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/distributions.hpp - probabilities of the beta and of Student's distribution.
#pragma once

namespace mercer {

/// I_x(a, b), the regularised incomplete beta function, for a, b > 0 and 0 <= x <= 1.
[[nodiscard]] double incomplete_beta(double a, double b, double x);

/// The x at which I_x(a, b) is `probability`.
[[nodiscard]] double beta_quantile(double a, double b, double probability);

/// The probability that |T| >= |t|, where T has Student's distribution with `degrees` of freedom.
[[nodiscard]] double student_two_sided(double t, double degrees);

/// The t for which |T| <= t has probability `level`.
[[nodiscard]] double student_bound(double level, double degrees);

}  // namespace mercer

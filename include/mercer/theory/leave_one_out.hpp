// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/leave_one_out.hpp - the leave-one-out error of a classifier without training again.
//
// Of a machine that minimises 1/2 |f|^2 + sum_i c_i loss(t_i, f(x_i) + b), f = sum_i t_i a_i
// k(x_i, .). The leave-one-out error is an unbiased estimate of the risk after n - 1 rows; these
// are bounds of it, or what it is when leaving a row out changes no other row's zone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/theory/bounds.hpp"

namespace mercer {

class Context;

/// Where a piecewise quadratic loss puts its multipliers, for a row of cost c: a row whose
/// multiplier is below box * c satisfies t f + a / (curvature * c) = 1, a hinge's t f = 1.
struct SupportShape {
    double box = kInfinity;
    double curvature = 0.0;  ///< 0: a kink
};

/// The shape of a loss; nothing when its curvature changes with f (logistic).
[[nodiscard]] std::optional<SupportShape> support_shape(const Loss& loss);

/// The support rows of a trained machine: those with a multiplier that is not 0.
struct SupportSample {
    MatrixView<const double> gram;   ///< k among them
    std::span<const double> alphas;  ///< a_i; >= 0 but for ls-svc
    std::span<const double> values;  ///< t_i (f(x_i) + b)
    std::span<const double> costs;   ///< c_i; infinite: a hard margin
    bool has_intercept = true;
    double margin = 1.0;  ///< what the loss asks of t f; the one a nu-machine found
    index_t rows = 0;     ///< n, rows without a multiplier included
};

/// What is known of f^p, trained without row p, at x_p.
struct SpanEstimate {
    /// S_p^2, the squared distance of x_p to the span of the other free support rows (affine where
    /// there is an intercept); infinite when there are none.
    std::vector<double> squared_spans;
    std::vector<double> left_out_values;  ///< t_p f^p(x_p) = t_p f(x_p) - a_p S_p^2
    index_t wrong = 0;                    ///< of them not > 0
};

/// Vapnik and Chapelle (2000). Exact when the rows left in the training set stay at their bound or
/// off it. Cost: a Cholesky factorisation of the free support rows. Throws InvalidArgument when
/// lengths differ, ResourceError.
[[nodiscard]] SpanEstimate span_estimate(const SupportSample& sample, const SupportShape& shape,
                                         Context& context);

/// The bounds `support-vectors`, `jaakkola-haussler`, `radius-margin` and `span`, all of the
/// leave-one-out error. `radius` is that of a ball around the rows in the space of k, to which 1 /
/// (curvature c_i) is added for row i: about 0 without an intercept. `span` may be null: not
/// computed, for the reason that `span_note` gives.
[[nodiscard]] std::vector<Bound> leave_one_out_bounds(const SupportSample& sample,
                                                      const SupportShape& shape, double radius,
                                                      const SpanEstimate* span,
                                                      std::string_view span_note = "");

}  // namespace mercer

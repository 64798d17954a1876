// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/leave_one_out.hpp - the leave-one-out error of a classifier without retraining.
//
// For machines that minimise 1/2 |f|^2 + sum_i c_i loss(t_i, f(x_i) + b), f = sum_i t_i a_i
// k(x_i, .). The leave-one-out error is an unbiased estimate of the risk of training on n - 1 rows.
// These are bounds on it; the span estimate is exact if leaving out a row moves no other row onto
// or off its bound.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/theory/bounds.hpp"

namespace mercer {

class Context;

/// The multipliers of a piecewise quadratic loss: a row of cost c whose multiplier a is below
/// box * c satisfies t f + a / (curvature * c) = 1, for the hinge t f = 1.
struct SupportShape {
    double box = kInfinity;
    double curvature = 0.0;  ///< 0: a kink
};

/// The shape of a loss; nothing when its curvature changes with f (logistic).
[[nodiscard]] std::optional<SupportShape> support_shape(const Loss& loss);

/// The support rows of a trained machine: those with a multiplier that is not 0.
struct SupportSample {
    MatrixView<const double> gram;   ///< kernel matrix of the support rows
    std::span<const double> alphas;  ///< a_i; >= 0 except for ls-svc
    std::span<const double> values;  ///< t_i (f(x_i) + b)
    std::span<const double> costs;   ///< c_i; infinite: a hard margin
    bool has_intercept = true;
    double margin = 1.0;  ///< target of t f in the loss; a nu-machine's own margin
    index_t rows = 0;     ///< n, including rows with multiplier 0
};

/// Estimate of f^p(x_p), where f^p is trained without row p.
struct SpanEstimate {
    /// S_p^2, the squared distance of x_p to the span of the other free support rows (affine where
    /// there is an intercept); infinite when there are none.
    std::vector<double> squared_spans;
    std::vector<double> left_out_values;  ///< t_p f^p(x_p) = t_p f(x_p) - a_p S_p^2
    index_t wrong = 0;                    ///< how many of these are not > 0
};

/// Vapnik and Chapelle (2000). Exact when no remaining row moves onto its bound or off it.
/// Cost: a Cholesky factorisation of the free support rows. Throws InvalidArgument when
/// lengths differ, ResourceError.
[[nodiscard]] SpanEstimate span_estimate(const SupportSample& sample, const SupportShape& shape,
                                         Context& context);

/// The bounds `support-vectors`, `jaakkola-haussler`, `radius-margin` and `span` on the
/// leave-one-out error. `radius` is that of a ball around the rows in the space of k, with
/// 1 / (curvature c_i) added to k(x_i, x_i); without an intercept the ball is centred at 0. `span`
/// is null if it was not computed, for the reason in `span_note`.
[[nodiscard]] std::vector<Bound> leave_one_out_bounds(const SupportSample& sample,
                                                      const SupportShape& shape, double radius,
                                                      const SpanEstimate* span,
                                                      std::string_view span_note = "");

}  // namespace mercer

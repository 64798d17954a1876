// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/certificate.hpp - the record of what a solution proves about itself.
//
// The two values consist of losses and their conjugates. Two functions compute them: certify() of
// mercer/problems/certificate.hpp when a machine is trained, and verify_model() of
// mercer/audit/verify.hpp from the model and the data alone.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer {

/// Duality certificate of dual coefficients `beta` for a regularised risk problem.
///
/// `beta` is first projected onto the dual set; all values are those of the projected point. The
/// gap is a sum of n Fenchel-Young terms, each non-negative, so it bounds the distance to the
/// optimum without knowing it:  primal - optimum <= gap.
struct Certificate {
    double primal = kNaN;              ///< 1/2 |f|^2 + sum_i c_i loss(y_i, f_i + b)
    double dual = kNaN;                ///< -1/2 |f|^2 - sum_i c_i conjugate(y_i, -beta_i / c_i)
    double gap = kNaN;                 ///< no less than the exact primal - dual
    double rounding = 0.0;             ///< the part of `gap` that only bounds rounding
    double kkt_violation = kNaN;       ///< how far the rows' intervals for b are from meeting
    double dual_infeasibility = kNaN;  ///< how far, in the inf-norm, the projection moved `beta`
    double squared_norm = kNaN;        ///< |f|^2
    double intercept = 0.0;            ///< the best b, for which all values hold
    Interval intercepts{0.0, 0.0};     ///< all values of b that are as good
    double width = kNaN;               ///< nu-machines: the best margin or tube width; NaN: fixed
    index_t worst_sample = -1;         ///< row that contributes most to the gap
    bool exact = true;                 ///< false: the kernel is not positive definite, or is
                                       ///< approximated; the bound does not hold for the problem
};

/// gap / max(1, |primal|): the number `gap_tolerance` is compared with.
[[nodiscard]] double relative_gap(const Certificate& certificate) noexcept;

/// The gap without the part that only bounds rounding: ranks two candidates, but proves nothing.
[[nodiscard]] double computed_gap(const Certificate& certificate) noexcept;

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/risk_class.hpp - the problem class of a machine, from its loss and its penalties.
#pragma once

#include "mercer/losses/loss.hpp"
#include "mercer/theory/convexity.hpp"

namespace mercer {

/// The terms of a regularised risk other than its loss.
struct RiskForm {
    bool rkhs = true;         ///< with 1/2 |f|^2; without rkhs and l1 there are losses only
    bool l1 = false;          ///< with sum |beta|
    bool intercept = true;    ///< b is free
    bool free_width = false;  ///< nu-machines: the margin or the tube width is free
    bool hard = false;        ///< C is infinite: every loss must be 0
};

struct RiskClasses {
    ProblemClass primal = ProblemClass::nonlinear;
    ProblemClass dual = ProblemClass::nonlinear;
};

/// The classes of the two problems as they are usually written: a loss with a kink has a slack
/// variable per row, |beta| two variables, so that piecewise linear losses have linear constraints;
/// a loss with a derivative everywhere stays in the objective. The dual is that of the multipliers
/// of the rows.
[[nodiscard]] RiskClasses classify_risk(const Loss& loss, const RiskForm& form);

}  // namespace mercer

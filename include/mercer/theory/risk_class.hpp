// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/risk_class.hpp - the class of a machine's problem, by its loss and what it pays
// for.
#pragma once

#include "mercer/losses/loss.hpp"
#include "mercer/theory/convexity.hpp"

namespace mercer {

/// What a regularised risk has beside its loss.
struct RiskForm {
    bool rkhs = true;         ///< 1/2 |f|^2 is paid; without it and l1: losses alone
    bool l1 = false;          ///< sum |beta| is paid
    bool intercept = true;    ///< b is free
    bool free_width = false;  ///< nu-machines: so is the margin or the tube
    bool hard = false;        ///< C is infinite: no loss may be left
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

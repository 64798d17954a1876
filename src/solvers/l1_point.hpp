// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_point.hpp - a point of a path of few coefficients: its gradient, the direction in
// which the path goes on, and the next event on it.
//
// Notation A  active columns, s their signs     H  Hessian of the pieces the rows are on
//          g  gradient of all but the penalty, with the shift of a restart
//          a = H_.A gamma, H_AA gamma = s: g changes by a when lambda falls by 1
#pragma once

#include <span>
#include <vector>

#include "solvers/l1_active_columns.hpp"

namespace mercer::l1 {

struct Event {
    double length = kInfinity;
    L1Event kind = L1Event::end;
    index_t index = -1;  ///< column or row
    double sign = 0.0;   ///< of a column that enters
    double rate = 0.0;
    ZoneChange zone;
};

class PathPoint : protected ActiveColumns {
protected:
    using ActiveColumns::ActiveColumns;

    /// gamma and a. False when the factor is of no use.
    bool direct();
    /// Whether the direction is good for the rest of the path, but for what a step of Newton's
    /// method at its end makes good.
    bool is_refined(double factor);
    /// How far H_AA gamma is from the right side.
    double residual();
    [[nodiscard]] Event next_event() const;
    /// Takes the better of two events: the sooner; at once, the one that came first when in doubt,
    /// else the one that leaves no choice.
    void offer(const Event& each, double tie, Event& best) const;
    [[nodiscard]] Event leaving(index_t j, double largest) const;
    [[nodiscard]] Event entering(index_t j, double curvature) const;
    /// Follows the direction, at whose end a coefficient may become zero and leave.
    void advance(double length, index_t leaving);
    /// The gradient at the coefficients, after those have gone that rounding gave the wrong sign.
    void refresh();
    /// A step of Newton's method where rounding has added up. Returns the violation before it.
    double correct();
    /// The worst violation of the active columns; left_ is what is missing.
    double active_violation();
    /// The worst of the conditions of optimality.
    [[nodiscard]] double violation(std::span<const double> g, double lambda) const;
    [[nodiscard]] double rhs_of(index_t j) const { return shifted_ ? shift_[at(j)] : sign_[at(j)]; }

    double lambda_ = 0.0;
    double unit_ = 0.0;  ///< lambda_max
    std::vector<double> g_;
    std::vector<double> rhs_;
    std::vector<double> gamma_;
    std::vector<double> values_;
    std::vector<double> middle_;
    double between_ = 0.0;    ///< violation in the middle of the stretch before
    bool least_ = false;      ///< in doubt
    bool corrected_ = false;  ///< the last step ended in one of Newton's method
    // A restart: share times shift is added to the gradient, and the share goes from 1 to 0.
    bool shifted_ = false;
    double share_ = 0.0;
    std::vector<double> shift_;
};

}  // namespace mercer::l1

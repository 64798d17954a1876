// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_point.hpp - a point of an l1 path: its gradient, the direction in which the path
// continues, and the next event.
//
// Notation A  active columns, s their signs     H  Hessian of the pieces the rows are on
//          g  gradient of all terms but the penalty, plus the shift of a restart
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

    /// Computes gamma and a. False when the factor is too inaccurate.
    bool direct();
    /// Whether the direction is accurate enough for the rest of the path, given that a Newton step
    /// at its end corrects small errors.
    bool is_refined(double factor);
    /// The residual of H_AA gamma = s.
    double residual();
    [[nodiscard]] Event next_event() const;
    /// Retains the better of two events: the earlier one. Among ties, when a cycle is suspected the
    /// one offered first, otherwise the one that is approached fastest.
    void offer(const Event& each, double tie, Event& best) const;
    [[nodiscard]] Event leaving(index_t j, double largest) const;
    [[nodiscard]] Event entering(index_t j, double curvature) const;
    /// Moves along the direction; at its end a coefficient may become zero and leave.
    void advance(double length, index_t leaving);
    /// Recomputes the gradient, after removing coefficients whose sign is wrong because of
    /// rounding.
    void refresh();
    /// A Newton step against accumulated rounding. Returns the violation before it.
    double correct();
    /// The worst violation of the active columns; left_ receives their residuals.
    double active_violation();
    /// The largest violation of the optimality conditions.
    [[nodiscard]] double violation(std::span<const double> g, double lambda) const;
    [[nodiscard]] double rhs_of(index_t j) const { return shifted_ ? shift_[at(j)] : sign_[at(j)]; }

    double lambda_ = 0.0;
    double unit_ = 0.0;  ///< lambda_max
    std::vector<double> g_;
    std::vector<double> rhs_;
    std::vector<double> gamma_;
    std::vector<double> values_;
    std::vector<double> middle_;
    double between_ = 0.0;    ///< violation in the middle of the last segment
    bool least_ = false;      ///< a cycle is suspected: ties go to the least index
    bool corrected_ = false;  ///< the last segment ended with a Newton step
    // During a restart share times shift is added to the gradient, and the share goes from 1 to 0.
    bool shifted_ = false;
    double share_ = 0.0;
    std::vector<double> shift_;
};

}  // namespace mercer::l1

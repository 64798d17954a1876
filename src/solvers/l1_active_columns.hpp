// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_active_columns.hpp - the active columns of an l1 path and the factor of their
// Hessian.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/runtime/context.hpp"
#include "mercer/solvers/l1_path.hpp"
#include "solvers/l1_risk.hpp"
#include "solvers/l1_tolerances.hpp"
#include "solvers/updated_cholesky.hpp"

namespace mercer::l1 {

/// The coefficients, the set of active ones, and the Cholesky factor of H_AA. The derived classes
/// PathPoint, PathSteps and Tracer follow the path.
class ActiveColumns {
protected:
    ActiveColumns(const L1PathProblem& problem, Context& context);

    /// Removes all active columns except the intercept.
    void clear();
    void append(index_t j, double pivot);
    void remove(index_t j);
    bool refactor();
    /// The Schur complement of H_jj with respect to the active columns.
    double pivot_of(index_t j);
    /// The same if it is small: from the squared residuals of the column, so that the error depends
    /// on the condition number of Z, not its square (corrected seminormal equations, Bjorck 1987).
    double refined_pivot(index_t j);
    /// The share of H that is left in the direction `way` after ww' is subtracted; the factor is
    /// still that of H. `way` is M^-1 w and is refined.
    double refine_loss(std::span<const double> w, std::vector<double>& way);

    std::unique_ptr<Context> unstoppable_;
    std::unique_ptr<L1Risk> risk_;
    index_t columns_;
    std::vector<double> beta_;
    std::vector<double> sign_;     ///< of the active columns; 0: the others and the intercept
    std::vector<index_t> place_;   ///< in active_; -1: not there
    std::vector<bool> skipped_;    ///< duplicates of the active columns
    std::vector<index_t> active_;  ///< in the order of the factor's rows
    UpdatedCholesky factor_;       ///< of H_AA
    double diagonal_ = 0.0;        ///< H_jj of the last pivot_of()
    std::vector<double> left_;
};

}  // namespace mercer::l1

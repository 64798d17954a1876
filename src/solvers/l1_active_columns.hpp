// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_active_columns.hpp - the active columns of a path of few coefficients, and the
// factor of their Hessian.
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

/// The coefficients, which of them are active, and H_AA as a product. What a path does with them is
/// in the classes above: PathPoint, PathSteps, Tracer.
class ActiveColumns {
protected:
    ActiveColumns(const L1PathProblem& problem, Context& context);

    /// No active column but the intercept.
    void clear();
    void append(index_t j, double pivot);
    void remove(index_t j);
    bool refactor();
    /// What the active columns leave of H_jj.
    double pivot_of(index_t j);
    /// The same where little is left: by the squares of what the rows leave of the column, so that
    /// the condition of Z counts and not its square (corrected seminormal equations, Bjorck 1987).
    double refined_pivot(index_t j);
    /// What is left of H in the direction `way` once ww' is subtracted, whose factor is that
    /// before, as a share; `way` is M^-1 w and becomes better.
    double refine_loss(std::span<const double> w, std::vector<double>& way);

    std::unique_ptr<Context> unstoppable_;
    std::unique_ptr<L1Risk> risk_;
    index_t columns_;
    std::vector<double> beta_;
    std::vector<double> sign_;     ///< of the active columns; 0: the others and the intercept
    std::vector<index_t> place_;   ///< in active_; -1: not there
    std::vector<bool> skipped_;    ///< duplicates of the active columns
    std::vector<index_t> active_;  ///< in the order of the factor
    UpdatedCholesky factor_;       ///< of H_AA
    double diagonal_ = 0.0;        ///< H_jj of the last pivot_of()
    std::vector<double> left_;
};

}  // namespace mercer::l1

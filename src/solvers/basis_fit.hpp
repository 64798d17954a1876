// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_fit.hpp - the optimal coefficients of a growing basis.
#pragma once

#include <span>
#include <vector>

#include "mercer/problems/problem.hpp"
#include "mercer/runtime/memory.hpp"
#include "solvers/basis_functions.hpp"
#include "solvers/newton_line.hpp"
#include "solvers/updated_cholesky.hpp"

namespace mercer {

class Context;

/// f = sum_k beta_k phi_k and b for functions phi that are added one by one.
///
///     value = 1/2 beta' R beta + sum_i c_i loss(y_i, z_i),   z = sum_k beta_k phi_k(x_i) + b,
///
/// where R holds the inner products of the functions. Their values on all rows are stored, and the
/// Newton matrix is updated from step to step: a new function adds its row, and rows of the data
/// whose curvature changes are added and subtracted.
class BasisFit {
public:
    /// f = 0 and the best b. Throws ResourceError when `capacity` functions do not fit the budget.
    BasisFit(const Problem& problem, const BasisFunctions& functions, index_t capacity,
             Context& context);

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(chosen_.size()); }
    [[nodiscard]] double value() const noexcept { return value_; }
    [[nodiscard]] double intercept() const noexcept { return intercept_; }
    [[nodiscard]] std::span<const index_t> chosen() const noexcept { return chosen_; }
    [[nodiscard]] std::span<const double> coefficients() const noexcept { return beta_; }
    [[nodiscard]] std::span<const double> z() const noexcept { return z_; }
    [[nodiscard]] const Terms& terms() const noexcept { return terms_; }

    /// Inner product of a function, whose values are given, with f.
    [[nodiscard]] double product(index_t function, const double* values) const;

    /// Adds the function with a coefficient; false, without a change, when it is in the span of the
    /// present ones up to rounding.
    [[nodiscard]] bool add(index_t function, const double* values, double coefficient,
                           Context& context);

    /// Newton steps with exact line searches until the next one would gain less than `tolerance` of
    /// the value, or nothing in double precision; at most `most` steps (0: no limit). Returns their
    /// number. Throws Interrupted between two steps; the steps taken remain.
    index_t optimise(double tolerance, index_t most, Context& context);

private:
    struct Step {
        std::vector<double> beta;
        double intercept = 0.0;
    };

    [[nodiscard]] MatrixView<const double> values() const {
        return {values_.data(), size(), rows_};
    }
    void look();
    void recompute_values(Context& context);
    void settle_intercept(Context& context);
    void extend_hessian(Context& context);
    void bend(std::span<const index_t> rows, double sign, std::span<const double> change,
              Context& context);
    void update_hessian(Context& context);
    void factor_hessian(Context& context);
    [[nodiscard]] Step newton_step(Context& context);
    [[nodiscard]] double intercept_step(std::span<const double> border,
                                        MatrixView<const double> solved) const;
    [[nodiscard]] NewtonLine line(const Step& step, Context& context) const;
    bool move(const Step& step, double length, Context& context);
    void place(std::vector<double> beta, double intercept, Context& context);

    [[nodiscard]] MatrixView<double> factor() {
        return {factor_.data(), size(), size(), capacity_};
    }
    [[nodiscard]] std::span<const double> inner_row(index_t k) const {
        return {inner_.data() + k * capacity_, beta_.size()};
    }

    const Problem& problem_;
    const BasisFunctions& functions_;
    index_t rows_;
    index_t capacity_;
    Buffer<double> values_;   ///< capacity x n
    Buffer<double> inner_;    ///< R, capacity x capacity
    Buffer<double> hessian_;  ///< R + Phi' V Phi of `bent_`, the lower triangle
    Buffer<double> factor_;
    Buffer<double> block_;       ///< values of some rows, scaled: capacity x kRowsAtOnce
    UpdatedCholesky explained_;  ///< of R
    index_t in_hessian_ = 0;     ///< functions contained in hessian_
    std::vector<double> bent_;   ///< the curvatures of hessian_
    std::vector<index_t> chosen_;
    std::vector<double> beta_;
    std::vector<double> z_;
    double intercept_ = 0.0;
    double value_ = 0.0;
    Terms terms_;
};

/// Bytes that a BasisFit of that capacity allocates.
[[nodiscard]] index_t basis_fit_bytes(index_t rows, index_t capacity);

}  // namespace mercer

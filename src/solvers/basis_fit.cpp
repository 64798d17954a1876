// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_fit.cpp - Newton's method in the coefficients of a growing basis.
//
// Method   Finite Newton with exact searches over the chosen functions (Keerthi, Chapelle, DeCoste,
//          JMLR 7, 2006), the intercept as a border. H = R + Phi' V Phi is updated, not recomputed,
//          while few curvatures change: a new function costs one product with all others, a row of
//          the data whose curvature changes one outer product. Gradients are exact at every step,
//          so rounding errors of H cost steps, not accuracy.
// Cost     O(n d^2) in all for d functions, and O(m d^2) for m rows whose curvature changes.
// Notation d  functions     Phi  their values on the rows (n x d; stored by function)
//          v  curvatures (V)     g  gradient     m = Phi'v     s = sum(v)
#include "solvers/basis_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/checked.hpp"
#include "mercer/base/dot.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsAtOnce = 2048;
constexpr index_t kFunctionsAtOnce = 128;  // a block of the lower triangle of H
constexpr index_t kMostFitSteps = 200;     // in one call of optimise()
constexpr double kRounding = 1e-15;        // relative to the value: smaller gains are rounding
// Least share of |phi|^2 outside the span of the others; below, phi is in the span up to rounding.
constexpr double kDependent = 1e-10;
constexpr double kFirstRidge = 1e-12;  // relative to the mean diagonal, if H is not definite
constexpr double kFlatBorder = 1e-13;  // least Schur complement of the intercept relative to s

double total(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

index_t basis_fit_bytes(index_t rows, index_t capacity) {
    const index_t entries = checked_multiply(rows, capacity) +
                            checked_multiply(checked_multiply(capacity, capacity), 5) +
                            checked_multiply(capacity, kRowsAtOnce);
    return checked_multiply(entries, sizeof(double));
}

BasisFit::BasisFit(const Problem& problem, const BasisFunctions& functions, index_t capacity,
                   Context& context)
    : problem_(problem),
      functions_(functions),
      rows_(problem.size()),
      capacity_(capacity),
      values_(context.allocate<double>(checked_multiply(capacity, problem.size()),
                                       "the values of the basis", Contents::any)),
      inner_(context.allocate<double>(checked_multiply(capacity, capacity), "the basis")),
      hessian_(context.allocate<double>(checked_multiply(capacity, capacity), "the basis")),
      factor_(context.allocate<double>(checked_multiply(capacity, capacity), "the basis")),
      block_(context.allocate<double>(checked_multiply(capacity, kRowsAtOnce),
                                      "some values of the basis", Contents::any)),
      bent_(at(problem.size()), 0.0),
      z_(at(problem.size()), 0.0) {
    intercept_ = choose_intercept(best_intercepts(problem, z_));
    std::fill(z_.begin(), z_.end(), intercept_);
    look();
}

double BasisFit::product(index_t function, const double* values) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < beta_.size(); ++k) {
        sum += beta_[k] * functions_.product(function, values, chosen_[k]);
    }
    return sum;
}

bool BasisFit::add(index_t function, const double* values, double coefficient, Context& context) {
    const index_t d = size();
    std::vector<double> products(at(d));
    for (index_t k = 0; k < d; ++k) {
        products[at(k)] = functions_.product(function, values, chosen_[at(k)]);
    }
    const double own = functions_.product(function, values, function);
    const double rest = explained_.pivot(products, own);
    if (!(rest > kDependent * own)) {
        return false;
    }
    explained_.append(rest, context);
    std::copy_n(values, rows_, values_.data() + d * rows_);
    for (index_t k = 0; k < d; ++k) {
        inner_[d * capacity_ + k] = products[at(k)];
        inner_[k * capacity_ + d] = products[at(k)];
    }
    inner_[d * capacity_ + d] = own;
    chosen_.push_back(function);
    beta_.push_back(coefficient);
    for (index_t i = 0; i < rows_; ++i) {
        z_[at(i)] += coefficient * values[i];
    }
    look();
    return true;
}

void BasisFit::look() {
    terms_ = terms_at(problem_, z_, 0.0);
    double norm = 0.0;
    for (index_t k = 0; k < size(); ++k) {
        norm += beta_[at(k)] * dot(inner_row(k), beta_);
    }
    value_ = 0.5 * norm + terms_.value;
}

void BasisFit::recompute_values(Context& context) {
    std::fill(z_.begin(), z_.end(), intercept_);
    if (size() > 0) {
        multiply(MatrixView<const double>(beta_.data(), 1, size()), false, values(), false, 1.0,
                 1.0, MatrixView<double>(z_.data(), 1, rows_), context);
    }
}

/// Adds the rows of H for the functions added since it was last computed.
void BasisFit::extend_hessian(Context& context) {
    const index_t d = size();
    const index_t fresh = d - in_hessian_;
    if (fresh == 0) {
        return;
    }
    const MatrixView<double> out(hessian_.data() + in_hessian_ * capacity_, fresh, d, capacity_);
    for (index_t k = 0; k < fresh; ++k) {
        std::copy_n(inner_.data() + (in_hessian_ + k) * capacity_, d, out.row(k));
    }
    for (index_t begin = 0; begin < rows_; begin += kRowsAtOnce) {
        const index_t count = std::min(kRowsAtOnce, rows_ - begin);
        const MatrixView<double> scaled(block_.data(), fresh, count);
        for (index_t k = 0; k < fresh; ++k) {
            const double* from = values_.data() + (in_hessian_ + k) * rows_ + begin;
            for (index_t i = 0; i < count; ++i) {
                scaled(k, i) = bent_[at(begin + i)] * from[i];
            }
        }
        multiply(scaled, false, MatrixView<const double>(values_.data() + begin, d, count, rows_),
                 true, 1.0, 1.0, out, context);
    }
    in_hessian_ = d;
}

/// Adds sign * change_i phi(x_i) phi(x_i)' of these rows to the lower triangle of H.
void BasisFit::bend(std::span<const index_t> rows, double sign, std::span<const double> change,
                    Context& context) {
    const index_t d = size();
    const auto all = static_cast<index_t>(rows.size());
    for (index_t begin = 0; begin < all; begin += kRowsAtOnce) {
        const index_t count = std::min(kRowsAtOnce, all - begin);
        const MatrixView<double> block(block_.data(), d, count);
        std::vector<double> root(at(count));
        for (index_t i = 0; i < count; ++i) {
            root[at(i)] = std::sqrt(change[at(begin + i)]);
        }
        const index_t strips = (d + kFunctionsAtOnce - 1) / kFunctionsAtOnce;
        parallel_for(context, strips, [&](index_t strip, int) {
            const index_t end = std::min(d, (strip + 1) * kFunctionsAtOnce);
            for (index_t k = strip * kFunctionsAtOnce; k < end; ++k) {
                const double* from = values_.data() + k * rows_;
                for (index_t i = 0; i < count; ++i) {
                    block(k, i) = root[at(i)] * from[rows[at(begin + i)]];
                }
            }
        });
        for (index_t k = 0; k < d; k += kFunctionsAtOnce) {
            const index_t end = std::min(d, k + kFunctionsAtOnce);
            multiply(MatrixView<const double>(block.row(k), end - k, count), false,
                     MatrixView<const double>(block.data, end, count), true, sign, 1.0,
                     MatrixView<double>(hessian_.data() + k * capacity_, end - k, end, capacity_),
                     context);
        }
    }
}

void BasisFit::update_hessian(Context& context) {
    const std::vector<double>& wanted = terms_.curvature;
    index_t changed = 0;
    index_t curved = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        changed += wanted[i] != bent_[i] ? 1 : 0;
        curved += wanted[i] != 0.0 ? 1 : 0;
    }
    if (changed >= curved) {  // recomputing is cheaper
        std::fill(bent_.begin(), bent_.end(), 0.0);
        for (index_t k = 0; k < size(); ++k) {
            std::copy_n(inner_.data() + k * capacity_, size(), hessian_.data() + k * capacity_);
        }
        in_hessian_ = size();
    }
    extend_hessian(context);
    for (const double sign : {1.0, -1.0}) {
        std::vector<index_t> rows;
        std::vector<double> change;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (const double more = sign * (wanted[i] - bent_[i]); more > 0.0) {
                rows.push_back(static_cast<index_t>(i));
                change.push_back(more);
            }
        }
        bend(rows, sign, change, context);
    }
    bent_ = wanted;
}

/// The Cholesky factor of H, with a ridge that is increased until H is positive definite.
void BasisFit::factor_hessian(Context& context) {
    const index_t d = size();
    double ridge = 0.0;
    double mean = 0.0;
    for (index_t k = 0; k < d; ++k) {
        mean += hessian_[k * capacity_ + k] / static_cast<double>(d);
    }
    for (;; ridge = ridge == 0.0 ? kFirstRidge * mean : 100.0 * ridge) {
        for (index_t k = 0; k < d; ++k) {
            std::copy_n(hessian_.data() + k * capacity_, k + 1, factor().row(k));
            factor()(k, k) += ridge;
        }
        if (d == 0 || cholesky(factor(), context)) {
            return;
        }
    }
}

/// The step of b by the Schur complement of H; `border` is m, `solved` H^-1 [g m].
double BasisFit::intercept_step(std::span<const double> border,
                                MatrixView<const double> solved) const {
    const double s = total(terms_.curvature);
    if (!problem_.intercept || !(s > 0.0)) {
        return 0.0;
    }
    double slope = total(terms_.slope);
    double rest = s;
    for (index_t k = 0; k < solved.rows; ++k) {
        slope -= border[at(k)] * solved(k, 0);
        rest -= border[at(k)] * solved(k, 1);
    }
    return rest > kFlatBorder * s ? -slope / rest : 0.0;
}

BasisFit::Step BasisFit::newton_step(Context& context) {
    update_hessian(context);
    factor_hessian(context);
    const index_t d = size();
    // Columns: the gradient, and Phi'v for the intercept.
    std::vector<double> sides(at(rows_) * 2);
    for (std::size_t i = 0; i < at(rows_); ++i) {
        sides[2 * i] = terms_.slope[i];
        sides[2 * i + 1] = terms_.curvature[i];
    }
    std::vector<double> right(at(d) * 2, 0.0);
    const MatrixView<double> solved(right.data(), d, 2);
    if (d > 0) {
        multiply(values(), false, MatrixView<const double>(sides.data(), rows_, 2), false, 1.0, 0.0,
                 solved, context);
    }
    std::vector<double> border(at(d));
    for (index_t k = 0; k < d; ++k) {
        solved(k, 0) += dot(inner_row(k), beta_);
        border[at(k)] = solved(k, 1);
    }
    if (d > 0) {
        cholesky_solve(factor(), solved, context);
    }
    Step step;
    step.intercept = intercept_step(border, solved);
    step.beta.resize(at(d));
    for (index_t k = 0; k < d; ++k) {
        step.beta[at(k)] = -solved(k, 0) - step.intercept * solved(k, 1);
    }
    return step;
}

/// Without curvature the step does not determine b: sets b to the best value for these f.
void BasisFit::settle_intercept(Context& context) {
    if (problem_.intercept && total(terms_.curvature) == 0.0) {
        intercept_ += choose_intercept(best_intercepts(problem_, z_));
        recompute_values(context);
        look();
    }
}

/// The objective along a step.
NewtonLine BasisFit::line(const Step& step, Context& context) const {
    std::vector<double> dz(z_.size(), step.intercept);
    if (size() > 0) {
        multiply(MatrixView<const double>(step.beta.data(), 1, size()), false, values(), false, 1.0,
                 1.0, MatrixView<double>(dz.data(), 1, rows_), context);
    }
    double linear = 0.0;
    double quadratic = 0.0;
    for (index_t k = 0; k < size(); ++k) {
        linear += step.beta[at(k)] * dot(inner_row(k), beta_);
        quadratic += step.beta[at(k)] * dot(inner_row(k), step.beta);
    }
    return {problem_, z_, std::move(dz), linear, std::max(0.0, quadratic)};
}

/// Moves to these coefficients and recomputes values and losses; uninterruptible.
void BasisFit::place(std::vector<double> beta, double intercept, Context& context) {
    beta_ = std::move(beta);
    intercept_ = intercept;
    recompute_values(*Context::unstoppable(context));
    look();
}

/// Moves along a step; false, without moving, when the value would increase.
bool BasisFit::move(const Step& step, double length, Context& context) {
    std::vector<double> old_beta = beta_;
    const double old_intercept = intercept_;
    const double old_value = value_;
    std::vector<double> beta = beta_;
    for (std::size_t k = 0; k < beta.size(); ++k) {
        beta[k] += length * step.beta[k];
    }
    place(std::move(beta), intercept_ + length * step.intercept, context);
    if (!(value_ <= old_value)) {
        place(std::move(old_beta), old_intercept, context);
        return false;
    }
    return true;
}

index_t BasisFit::optimise(double tolerance, index_t most, Context& context) {
    const index_t limit = most > 0 ? std::min(most, kMostFitSteps) : kMostFitSteps;
    index_t steps = 0;
    for (; steps < limit; ++steps) {
        context.throw_if_stopped("basis");
        settle_intercept(context);
        const Step step = newton_step(context);
        const NewtonLine along = line(step, context);
        const Slope start = along.slope(0.0);
        if (!(-start.value > std::max(tolerance, kRounding) * std::abs(value_))) {
            break;
        }
        if (!move(step, along.search(start), context)) {
            break;  // only rounding is left to gain
        }
    }
    return steps;
}

}  // namespace mercer

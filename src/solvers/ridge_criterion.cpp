// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_criterion.cpp - leave-one-out error, cross-validation and likelihood with their
// derivatives.
//
// Method   With S = W^1/2 all quantities are those of S K S + alpha, S y and the border S 1. The
//          inverse is formed, and each derivative is one matrix M with dJ = sum_ij M_ij dG_ij.
// Cost     one Cholesky, one inverse, one product.
// Notation G  S K S + alpha    P  its inverse minus border border'   beta = P S y    s = diagonal S
#include "mercer/solvers/ridge_criterion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

namespace {

/// The quantities that all criteria use.
class Inverse {
public:
    Inverse(const RidgeFit& fit, MatrixView<double> k, Context& context)
        : n_(k.rows),
          scale_(static_cast<std::size_t>(n_), 1.0),
          values_(context.allocate<double>(checked_multiply(n_, n_), "the inverse of K + alpha")),
          inverse_(values_.data(), n_, n_) {
        for (std::size_t i = 0; i < fit.weights.size(); ++i) {
            scale_[i] = std::sqrt(fit.weights[i]);
            log_weights_ += std::log(fit.weights[i]);
        }
        for (index_t i = 0; i < n_; ++i) {
            for (index_t j = 0; j < n_; ++j) {
                k(i, j) *= scale_[at(i)] * scale_[at(j)];
            }
            k(i, i) += fit.alpha;
            inverse_(i, i) = 1.0;
        }
        definite_ = cholesky(k, context);
        if (!definite_) {
            return;
        }
        for (index_t i = 0; i < n_; ++i) {
            log_determinant_ += 2.0 * std::log(k(i, i));
        }
        cholesky_solve(k, inverse_, context);
        project(fit);
    }

    [[nodiscard]] bool definite() const { return definite_; }
    [[nodiscard]] MatrixView<double> p() { return inverse_; }
    [[nodiscard]] const std::vector<double>& beta() const { return beta_; }
    [[nodiscard]] const std::vector<double>& border() const { return border_; }
    [[nodiscard]] double scale(index_t i) const { return scale_[at(i)]; }
    /// y'P y.
    [[nodiscard]] double quadratic() const { return quadratic_; }
    /// log |K + alpha W^-1|.
    [[nodiscard]] double log_determinant() const { return log_determinant_ - log_weights_; }

    /// P v.
    [[nodiscard]] std::vector<double> times(std::span<const double> v) const {
        std::vector<double> out(at(n_));
        for (index_t i = 0; i < n_; ++i) {
            out[at(i)] = dot({inverse_.row(i), at(n_)}, v);
        }
        return out;
    }

private:
    /// Subtracts the border, so that P S 1 = 0, and applies P to the targets.
    void project(const RidgeFit& fit) {
        border_.assign(at(n_), 0.0);
        if (fit.intercept) {
            border_ = times(scale_);
            const double sum = dot(border_, scale_);
            for (double& value : border_) {
                value /= std::sqrt(sum);
            }
            for (index_t i = 0; i < n_; ++i) {
                for (index_t j = 0; j < n_; ++j) {
                    inverse_(i, j) -= border_[at(i)] * border_[at(j)];
                }
            }
        }
        std::vector<double> y(fit.targets.begin(), fit.targets.end());
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] *= scale_[i];
        }
        beta_ = times(y);
        quadratic_ = dot(beta_, y);
    }

    index_t n_;
    std::vector<double> scale_;
    Buffer<double> values_;
    MatrixView<double> inverse_;
    std::vector<double> border_;
    std::vector<double> beta_;
    double quadratic_ = 0.0;
    double log_determinant_ = 0.0;
    double log_weights_ = 0.0;
    bool definite_ = false;
};

/// m += factor (a b' + b a') / 2.
void add_outer(MatrixView<double> m, std::span<const double> a, std::span<const double> b,
               double factor) {
    for (index_t i = 0; i < m.rows; ++i) {
        for (index_t j = 0; j < m.rows; ++j) {
            m(i, j) += 0.5 * factor * (a[at(i)] * b[at(j)] + b[at(i)] * a[at(j)]);
        }
    }
}

/// m = P diag(v) P.
void weighted_square(Inverse& inverse, std::span<const double> v, MatrixView<double> m,
                     Context& context) {
    const MatrixView<double> p = inverse.p();
    Buffer<double> scaled =
        context.allocate<double>(checked_multiply(m.rows, m.rows), "a scaled inverse");
    const MatrixView<double> left(scaled.data(), m.rows, m.rows);
    for (index_t i = 0; i < m.rows; ++i) {
        for (index_t j = 0; j < m.rows; ++j) {
            left(i, j) = p(i, j) * v[at(j)];
        }
    }
    multiply(MatrixView<const double>(left.data, m.rows, m.rows), false,
             MatrixView<const double>(p.data, m.rows, m.rows), false, 1.0, 0.0, m, context);
}

double leave_one_out(Inverse& inverse, MatrixView<double> m, Context& context) {
    const auto n = static_cast<double>(m.rows);
    std::vector<double> u(inverse.beta().size());
    std::vector<double> v(u.size());
    double sum = 0.0;
    for (index_t i = 0; i < m.rows; ++i) {
        const double p = inverse.p()(i, i);
        const double e = inverse.beta()[at(i)] / (p * inverse.scale(i));
        sum += e * e;
        u[at(i)] = e / (p * inverse.scale(i));
        v[at(i)] = 2.0 / n * e * e / p;
    }
    weighted_square(inverse, v, m, context);
    add_outer(m, inverse.times(u), inverse.beta(), -2.0 / n);
    return sum / n;
}

double cross_validation(Inverse& inverse, MatrixView<double> m, Context& context) {
    const auto n = static_cast<double>(m.rows);
    const double squares = dot(inverse.beta(), inverse.beta());
    double trace = 0.0;
    for (index_t i = 0; i < m.rows; ++i) {
        trace += inverse.p()(i, i);
    }
    const std::vector<double> same(inverse.beta().size(),
                                   2.0 * n * squares / (trace * trace * trace));
    weighted_square(inverse, same, m, context);
    add_outer(m, inverse.times(inverse.beta()), inverse.beta(), -2.0 * n / (trace * trace));
    return n * squares / (trace * trace);
}

double likelihood(Inverse& inverse, MatrixView<double> m) {
    const auto n = static_cast<double>(m.rows);
    for (index_t i = 0; i < m.rows; ++i) {
        for (index_t j = 0; j < m.rows; ++j) {
            m(i, j) = 0.5 * inverse.p()(i, j);
        }
    }
    add_outer(m, inverse.border(), inverse.border(), 0.5);  // log|G| has G^-1, not P
    add_outer(m, inverse.beta(), inverse.beta(), -0.5);
    return 0.5 *
           (inverse.quadratic() + inverse.log_determinant() + n * std::log(2.0 * std::numbers::pi));
}

}  // namespace

RidgeCriterion ridge_criterion(const std::string& name) {
    require_choice("gradient", name, {"loo", "gcv", "likelihood"});
    return name == "loo"   ? RidgeCriterion::loo
           : name == "gcv" ? RidgeCriterion::gcv
                           : RidgeCriterion::likelihood;
}

CriterionValue evaluate_criterion(RidgeCriterion criterion, const RidgeFit& fit,
                                  MatrixView<double> k, Context& context) {
    const auto n = static_cast<std::size_t>(k.rows);
    if (k.rows != k.columns || fit.targets.size() != n ||
        (!fit.weights.empty() && fit.weights.size() != n)) {
        throw InvalidArgument("k: it must be square, with a target and a weight for each row");
    }
    require_in_range("alpha", fit.alpha, Range::positive());
    CriterionValue out;
    Inverse inverse(fit, k, context);
    if (!inverse.definite()) {
        return out;
    }
    out.value = criterion == RidgeCriterion::loo   ? leave_one_out(inverse, k, context)
                : criterion == RidgeCriterion::gcv ? cross_validation(inverse, k, context)
                                                   : likelihood(inverse, k);
    out.alpha_slope = 0.0;
    for (index_t i = 0; i < k.rows; ++i) {
        out.alpha_slope += k(i, i);
        for (index_t j = 0; j < k.rows; ++j) {
            k(i, j) *= inverse.scale(i) * inverse.scale(j);
        }
    }
    return out;
}

}  // namespace mercer

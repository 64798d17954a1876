// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/ridge_criterion_test.cpp - criteria of ridge fits against their definitions,
// in long double, and their slopes against differences.
#include "mercer/solvers/ridge_criterion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using Real = long double;
using RealMatrix = std::vector<std::vector<Real>>;
using RealVector = std::vector<Real>;

constexpr std::size_t kRows = 5;
constexpr double kAlpha = 0.3;
const std::vector<double> kX{0.0, 0.7, 1.1, 2.0, 3.2};
const std::vector<double> kTargets{0.2, 1.0, 0.7, -0.5, 0.4};
const std::vector<double> kWeights{1.0, 2.0, 0.5, 1.5, 1.0};

std::vector<double> gram() {
    std::vector<double> k;
    for (const double x : kX) {
        for (const double z : kX) {
            k.push_back(1.5 * std::exp(-0.6 * (x - z) * (x - z)));
        }
    }
    return k;
}

double value_of(RidgeCriterion criterion, std::vector<double> k, double alpha, bool intercept,
                bool weighted = false) {
    Context context;
    const RidgeFit fit{kTargets,
                       weighted ? std::span<const double>(kWeights) : std::span<const double>(),
                       alpha, intercept};
    return evaluate_criterion(criterion, fit, {k.data(), kRows, kRows}, context).value;
}

/// Solves A x = b by elimination with row pivots; `determinant` receives that of A.
RealVector solved(RealMatrix a, RealVector b, Real* determinant = nullptr) {
    const std::size_t n = b.size();
    Real product = 1;
    for (std::size_t j = 0; j < n; ++j) {
        std::size_t pivot = j;
        for (std::size_t i = j; i < n; ++i) {
            pivot = std::abs(a[i][j]) > std::abs(a[pivot][j]) ? i : pivot;
        }
        product *= pivot == j ? a[j][j] : -a[pivot][j];
        std::swap(a[j], a[pivot]);
        std::swap(b[j], b[pivot]);
        for (std::size_t i = j + 1; i < n; ++i) {
            const Real factor = a[i][j] / a[j][j];
            for (std::size_t k = j; k < n; ++k) {
                a[i][k] -= factor * a[j][k];
            }
            b[i] -= factor * b[j];
        }
    }
    for (std::size_t j = n; j-- > 0;) {
        for (std::size_t k = j + 1; k < n; ++k) {
            b[j] -= a[j][k] * b[k];
        }
        b[j] /= a[j][j];
    }
    if (determinant != nullptr) {
        *determinant = product;
    }
    return b;
}

/// Values at all rows of the fit to the rows `seen` and these targets.
RealVector fitted(const std::vector<std::size_t>& seen, const RealVector& y, bool intercept,
                  bool weighted) {
    const std::vector<double> k = gram();
    const std::size_t n = seen.size();
    RealMatrix a(n + (intercept ? 1 : 0), RealVector(n + (intercept ? 1 : 0), 1));
    RealVector right;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = Real(k[seen[i] * kRows + seen[j]]);
        }
        a[i][i] += Real(kAlpha) / (weighted ? kWeights[seen[i]] : 1.0);
        right.push_back(y[seen[i]]);
    }
    if (intercept) {
        a[n][n] = 0;
        right.push_back(0);
    }
    const RealVector beta = solved(a, right);
    RealVector f(kRows, intercept ? beta[n] : 0);
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            f[i] += Real(k[i * kRows + seen[j]]) * beta[j];
        }
    }
    return f;
}

double relative(double found, Real wanted) {
    return static_cast<double>(std::abs((Real(found) - wanted) / wanted));
}

const RealVector kY(kTargets.begin(), kTargets.end());

TEST(ridge_criteria, leave_one_out_is_that_of_refits) {
    double largest = 0.0;
    for (const bool intercept : {true, false}) {
        for (const bool weighted : {true, false}) {
            Real sum = 0;
            for (std::size_t left = 0; left < kRows; ++left) {
                std::vector<std::size_t> seen;
                for (std::size_t i = 0; i < kRows; ++i) {
                    if (i != left) {
                        seen.push_back(i);
                    }
                }
                const Real e = kY[left] - fitted(seen, kY, intercept, weighted)[left];
                sum += e * e / kRows;
            }
            largest = std::max(
                largest,
                relative(value_of(RidgeCriterion::loo, gram(), kAlpha, intercept, weighted), sum));
        }
    }
    expect_fact("A20", "loo of 5 rows, relative difference from 5 refits in long double", largest);
}

TEST(ridge_criteria, cross_validation_is_that_of_the_hat_matrix) {
    double largest = 0.0;
    const std::vector<std::size_t> all{0, 1, 2, 3, 4};
    for (const bool intercept : {true, false}) {
        for (const bool weighted : {true, false}) {
            Real trace = 0;
            for (std::size_t i = 0; i < kRows; ++i) {
                RealVector unit(kRows, 0);
                unit[i] = 1;
                trace += 1 - fitted(all, unit, intercept, weighted)[i];
            }
            const RealVector f = fitted(all, kY, intercept, weighted);
            Real squares = 0;
            for (std::size_t i = 0; i < kRows; ++i) {
                squares += (weighted ? kWeights[i] : 1.0) * (kY[i] - f[i]) * (kY[i] - f[i]);
            }
            largest = std::max(largest, relative(value_of(RidgeCriterion::gcv, gram(), kAlpha,
                                                          intercept, weighted),
                                                 kRows * squares / (trace * trace)));
        }
    }
    expect_fact("A20", "gcv of 5 rows, relative difference from the hat matrix in long double",
                largest);
}

TEST(ridge_criteria, likelihood_is_that_of_a_normal_vector) {
    const std::vector<double> k = gram();
    RealMatrix g(kRows, RealVector(kRows));
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kRows; ++j) {
            g[i][j] = Real(k[i * kRows + j]) + (i == j ? Real(kAlpha) : 0);
        }
    }
    Real determinant = 0;
    const RealVector nu = solved(g, kY, &determinant);
    const RealVector eta = solved(g, RealVector(kRows, 1));
    Real quadratic = 0;
    Real nu_sum = 0;
    Real eta_sum = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
        quadratic += kY[i] * nu[i];
        nu_sum += nu[i];
        eta_sum += eta[i];
    }
    const Real constant = kRows * std::log(2 * std::numbers::pi_v<Real>);
    const Real wanted = (quadratic + std::log(determinant) + constant) / 2;
    expect_fact("A20", "likelihood of N(0, K + alpha), 5 rows, relative difference in long double",
                relative(value_of(RidgeCriterion::likelihood, gram(), kAlpha, false), wanted));
    // The best constant b = 1'nu / 1'eta reduces the quadratic form by b 1'nu.
    const Real centred = wanted - nu_sum * nu_sum / eta_sum / 2;
    EXPECT_LE(relative(value_of(RidgeCriterion::likelihood, gram(), kAlpha, true), centred), 1e-13);
}

TEST(ridge_criteria, one_row_is_solved_by_hand) {
    // G = 4: 1/2 (y^2 / 4 + log 4 + log 2 pi); its slope 1/2 (1/4 - y^2 / 16) is 0 at y = 2.
    std::vector<double> k{3.0};
    const std::vector<double> y{2.0};
    Context context;
    const CriterionValue found = evaluate_criterion(RidgeCriterion::likelihood, {y, {}, 1.0, false},
                                                    {k.data(), 1, 1}, context);
    expect_fact("A20", "likelihood, n=1, K=3, alpha=1, y=2", found.value);
    expect_fact("A20", "its slope by alpha", found.alpha_slope);
    EXPECT_NEAR(k[0], 0.0, 1e-16);
}

TEST(ridge_criteria, slopes_are_those_of_central_differences) {
    constexpr double h = 1e-5;
    Context context;
    double largest = 0.0;
    const auto compare = [&](double slope, double wanted) {
        largest = std::max(largest, std::abs(slope - wanted) / std::max(0.1, std::abs(wanted)));
    };
    for (const RidgeCriterion criterion :
         {RidgeCriterion::loo, RidgeCriterion::gcv, RidgeCriterion::likelihood}) {
        for (const bool intercept : {true, false}) {
            for (const bool weighted : {true, false}) {
                std::vector<double> m = gram();
                const RidgeFit fit{
                    kTargets,
                    weighted ? std::span<const double>(kWeights) : std::span<const double>(),
                    kAlpha, intercept};
                const CriterionValue found =
                    evaluate_criterion(criterion, fit, {m.data(), kRows, kRows}, context);
                compare(found.alpha_slope,
                        (value_of(criterion, gram(), kAlpha + h, intercept, weighted) -
                         value_of(criterion, gram(), kAlpha - h, intercept, weighted)) /
                            (2.0 * h));
                for (std::size_t i = 0; i < kRows; ++i) {
                    for (std::size_t j = 0; j <= i; ++j) {
                        EXPECT_NEAR(m[i * kRows + j], m[j * kRows + i], 1e-13);
                        std::vector<double> up = gram();
                        std::vector<double> down = gram();
                        for (const std::size_t at : {i * kRows + j, j * kRows + i}) {
                            up[at] = gram()[at] + h;
                            down[at] = gram()[at] - h;
                        }
                        compare((i == j ? 1.0 : 2.0) * m[i * kRows + j],
                                (value_of(criterion, up, kAlpha, intercept, weighted) -
                                 value_of(criterion, down, kAlpha, intercept, weighted)) /
                                    (2.0 * h));
                    }
                }
            }
        }
    }
    expect_fact("A20", "largest relative error of a slope by K or alpha", largest);
}

TEST(ridge_criteria, what_is_not_positive_definite_is_infinitely_bad) {
    std::vector<double> k{1.0, 3.0, 3.0, 1.0};
    const std::vector<double> y{1.0, 2.0};
    Context context;
    EXPECT_EQ(
        evaluate_criterion(RidgeCriterion::loo, {y, {}, 0.5, false}, {k.data(), 2, 2}, context)
            .value,
        kInfinity);
    EXPECT_THROW((void)evaluate_criterion(RidgeCriterion::loo, {y, {}, 0.0, false},
                                          {k.data(), 2, 2}, context),
                 InvalidArgument);
    EXPECT_THROW((void)ridge_criterion("aic"), InvalidArgument);
}

}  // namespace
}  // namespace mercer

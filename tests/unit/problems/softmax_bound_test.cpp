// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/softmax_bound_test.cpp - the stated gap of joint problems against primal - dual
// in 113 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/softmax.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr double kGamma = 0.7;
constexpr std::size_t kClasses = 3;

using QuadRows = std::vector<std::vector<Quad>>;

/// Three classes of rows with random coefficients.
struct JointToy {
    JointToy(index_t n, double cost, std::uint64_t seed) : rows(n, 3, seed) {
        Random random(seed + 1);
        problem.gram = make_gram(rbf_kernel(kGamma), rows.dense());
        problem.class_count = kClasses;
        for (index_t i = 0; i < n; ++i) {
            problem.classes.push_back(i % 3);
            problem.costs.push_back(cost * random.uniform(0.5, 2.0));
            const double size = random.below(3) == 0 ? cost : std::min(cost, 1.0);
            for (std::size_t k = 0; k < kClasses; ++k) {
                beta.push_back(-size * random.uniform(0.0, 0.2));
            }
        }
    }

    /// The coefficients as numbers of 113 bits, with rows that sum to 0 and, by an exchange in one
    /// row for each class, columns that do.
    [[nodiscard]] QuadRows dual_point() const {
        QuadRows out(problem.costs.size(), std::vector<Quad>(kClasses));
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto own = static_cast<std::size_t>(problem.classes[i]);
            for (std::size_t k = 0; k < kClasses; ++k) {
                if (k != own) {
                    out[i][k] = beta[i * kClasses + k];
                    out[i][own] -= out[i][k];
                }
            }
        }
        for (std::size_t k = 0; k + 1 < kClasses && problem.intercept; ++k) {
            Quad lack = 0.0;
            for (const std::vector<Quad>& row : out) {
                lack -= row[k];
            }
            std::vector<Quad>& row = out[roomiest(out, k)];
            row[k] += lack;
            row[kClasses - 1] -= lack;
        }
        return out;
    }

    /// c p of one class in row i.
    [[nodiscard]] Quad mass(const QuadRows& point, std::size_t i, std::size_t k) const {
        const bool own = static_cast<std::size_t>(problem.classes[i]) == k;
        return own ? Quad(problem.costs[i]) - point[i][k] : -point[i][k];
    }

    /// The row with most of class k and of the last class.
    [[nodiscard]] std::size_t roomiest(const QuadRows& point, std::size_t k) const {
        std::size_t best = 0;
        Quad most = -1.0;
        for (std::size_t i = 0; i < point.size(); ++i) {
            const Quad a = mass(point, i, k);
            const Quad b = mass(point, i, kClasses - 1);
            const Quad least = a < b ? a : b;
            if (least > most) {
                most = least;
                best = i;
            }
        }
        return best;
    }

    [[nodiscard]] Quad kernel_value(std::size_t i, std::size_t j) const {
        const Dataset data = rows.dense();
        std::vector<double> x(3);
        std::vector<double> z(3);
        data.copy_row(static_cast<index_t>(i), x);
        data.copy_row(static_cast<index_t>(j), z);
        Quad distance = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
            distance += (Quad(x[c]) - z[c]) * (Quad(x[c]) - z[c]);
        }
        return exp(-Quad(kGamma) * distance);
    }

    [[nodiscard]] QuadRows values_of(const QuadRows& coefficients) const {
        QuadRows f(coefficients.size(), std::vector<Quad>(kClasses));
        for (std::size_t i = 0; i < f.size(); ++i) {
            for (std::size_t j = 0; j < f.size(); ++j) {
                const Quad value = kernel_value(i, j);
                for (std::size_t k = 0; k < kClasses; ++k) {
                    f[i][k] += coefficients[j][k] * value;
                }
            }
        }
        return f;
    }

    /// Primal value of beta and the intercepts minus the dual value of dual_point().
    [[nodiscard]] double exact_gap(const std::vector<double>& intercepts) const {
        QuadRows stored(problem.costs.size(), std::vector<Quad>(kClasses));
        for (std::size_t i = 0; i < beta.size(); ++i) {
            stored[i / kClasses][i % kClasses] = beta[i];
        }
        const QuadRows point = dual_point();
        const QuadRows f = values_of(stored);
        const QuadRows dual_f = values_of(point);
        Quad gap = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            const auto own = static_cast<std::size_t>(problem.classes[i]);
            Quad top = f[i][0] + intercepts[0];
            for (std::size_t k = 1; k < kClasses; ++k) {
                const Quad z = f[i][k] + intercepts[k];
                top = z > top ? z : top;
            }
            Quad total = 0.0;
            for (std::size_t k = 0; k < kClasses; ++k) {
                const Quad p = mass(point, i, k) / problem.costs[i];
                gap += Quad(0.5) * (stored[i][k] * f[i][k] + point[i][k] * dual_f[i][k]);
                gap += p > 0.0 ? Quad(problem.costs[i]) * p * log(p) : Quad(0.0);
                total += exp(f[i][k] + intercepts[k] - top);
            }
            gap += Quad(problem.costs[i]) * (top - f[i][own] - intercepts[own] + log(total));
        }
        return static_cast<double>(gap);
    }

    RowSet rows;
    SoftmaxProblem problem;
    std::vector<double> beta;
};

TEST(softmax_bound, is_never_below_the_exact_gap) {
    Context context;
    for (const double cost : {1e-6, 1e-3, 1.0, 1e4, 1e8, 1e12}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            JointToy toy(6 + static_cast<index_t>(seed), cost, seed);
            toy.problem.intercept = seed % 4 != 0;
            const SoftmaxCertificate found = certify(toy.problem, toy.beta, context);
            const double exact = toy.exact_gap(found.intercepts);
            EXPECT_GE(found.certificate.gap, exact) << cost << " " << seed;
            EXPECT_GE(found.certificate.rounding, 0.0);
            EXPECT_LE(found.certificate.rounding, 1e-11 * exact) << cost << " " << seed;
            EXPECT_NEAR(computed_gap(found.certificate), exact, found.certificate.rounding);
        }
    }
}

TEST(softmax_bound, covers_values_at_which_the_gap_is_only_rounding) {
    // Two rows of two classes at one place: f is 0 and the coefficients of the optimum are c / 2.
    Context context;
    const std::vector<double> x{1e8, 1.0, 1e8, 1.0};
    for (const double cost : {1e-6, 3.0}) {
        SoftmaxProblem problem;
        problem.gram =
            make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 2)));
        problem.classes = {0, 1};
        problem.class_count = 2;
        problem.costs = {cost, cost};
        std::vector<double> beta{0.5 * cost, -0.5 * cost, -0.5 * cost, 0.5 * cost};
        const Certificate found = certify(problem, beta, context).certificate;
        EXPECT_LE(computed_gap(found), 1e-30 * cost);
        EXPECT_GT(found.gap, 0.0) << "K is rounded by up to 10^16 times 2^-53";
    }
}

}  // namespace
}  // namespace mercer

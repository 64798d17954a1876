// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/gap_bound_test.cpp - the stated gap against primal - dual in 113 bits.
#include "problems/gap_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/value_errors.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr double kGamma = 0.7;

/// Two classes of rows with coefficients in their boxes that sum to 0 exactly.
struct Toy {
    Toy(index_t n, double cost, std::uint64_t seed) : rows(n, 3, seed) {
        Random random(seed + 1);
        problem.gram = make_gram(rbf_kernel(kGamma), rows.dense());
        for (index_t i = 0; i < n; ++i) {
            problem.targets.push_back(i % 2 == 0 ? 1.0 : -1.0);
            problem.costs.push_back(cost);
        }
        for (index_t i = 0; i + 1 < n; i += 2) {  // in pairs of equal size
            const double size = random.below(3) == 0 ? cost : cost * random.uniform(0.0, 1.0);
            beta.insert(beta.end(), {size, -size});
        }
        beta.resize(static_cast<std::size_t>(n), 0.0);
    }

    /// Primal value of beta and b minus the dual value of `point`, in 113 bits.
    [[nodiscard]] Quad exact_gap(double intercept, const std::vector<Quad>& point) const {
        const std::vector<Quad> f = values_of({beta.begin(), beta.end()});
        const std::vector<Quad> dual_f = values_of(point);
        Quad gap = 0.0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            const Quad slack = Quad(1.0) - problem.targets[i] * (f[i] + intercept);
            gap += Quad(0.5) * (Quad(beta[i]) * f[i] + point[i] * dual_f[i]);
            gap += (slack > 0.0 ? Quad(problem.costs[i]) * slack : Quad(0.0)) -
                   point[i] * problem.targets[i];
        }
        return gap;
    }
    [[nodiscard]] double exact_gap(double intercept) const {
        return static_cast<double>(exact_gap(intercept, {beta.begin(), beta.end()}));
    }

    [[nodiscard]] std::vector<Quad> values_of(const std::vector<Quad>& coefficients) const {
        const Dataset data = rows.dense();
        std::vector<std::vector<double>> x(coefficients.size(), std::vector<double>(3));
        for (std::size_t i = 0; i < x.size(); ++i) {
            data.copy_row(static_cast<index_t>(i), x[i]);
        }
        std::vector<Quad> f(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = 0; j < x.size(); ++j) {
                Quad distance = 0.0;
                for (std::size_t k = 0; k < 3; ++k) {
                    const Quad difference = Quad(x[i][k]) - x[j][k];
                    distance += difference * difference;
                }
                f[i] += coefficients[j] * exp(-Quad(kGamma) * distance);
            }
        }
        return f;
    }

    RowSet rows;
    Problem problem;
    std::vector<double> beta;
};

TEST(gap_bound, is_never_below_the_exact_gap) {
    Context context;
    for (const double cost : {1e-3, 1.0, 1e4, 1e8, 1e12}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            Toy toy(4 + static_cast<index_t>(seed), cost, seed);
            const std::vector<double> before = toy.beta;
            const Certificate found = certify(toy.problem, toy.beta, context);
            ASSERT_EQ(toy.beta, before) << "it is in the dual set";
            const double exact = toy.exact_gap(found.intercept);
            EXPECT_GE(found.gap, exact * (1.0 - 1e-15) - 0x1p-96 * found.primal)
                << cost << " " << seed;  // the exact gap is rounded as well
            EXPECT_LE(found.gap - found.rounding, exact + found.rounding);
            EXPECT_GE(found.rounding, 0.0);
        }
    }
}

TEST(gap_bound, blur_covers_what_the_errors_of_the_values_do_to_the_primal_value) {
    // The hinge changes by at most c e when its value is off by e; 1/2 beta'K beta by |beta| e / 2.
    Context context;
    for (const double share : {1e-6, 1.0}) {  // of the costs
        Toy toy(20, 1e4, 5);
        for (double& value : toy.beta) {
            value *= share;
        }
        const std::vector<double> f = decision_values(toy.problem, toy.beta, context);
        const GapBound bound(toy.problem, toy.problem.loss, toy.beta, f, 0.0);
        const ValueErrors errors(*toy.problem.gram, toy.beta);
        double most = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            most += (toy.problem.costs[i] + 0.5 * std::abs(toy.beta[i])) * errors.at(i);
        }
        EXPECT_GE(bound.blur(), most);
        EXPECT_LE(bound.blur(), 10.0 * most);  // an estimate, but no excuse
    }
}

TEST(gap_bound, comes_down_to_the_exact_gap_when_it_is_wanted) {
    Context context;
    for (const double cost : {1.0, 1e8, 1e12}) {
        Toy toy(20, cost, 7);
        const Certificate plain = certify(toy.problem, toy.beta, context);
        const double computed = plain.gap - plain.rounding;
        const double wanted = (computed + 0.01 * plain.rounding) / std::max(1.0, plain.primal);
        const Certificate close = certify(toy.problem, toy.beta, context, {.relative = wanted});
        const double exact = toy.exact_gap(close.intercept);
        EXPECT_GE(close.gap, exact * (1.0 - 1e-15));
        EXPECT_LE(close.gap, plain.gap);
        EXPECT_LE(close.gap, exact * (1.0 + 1e-12) + 0.3 * plain.rounding) << cost;
    }
}

TEST(gap_bound, covers_the_best_point_whose_sum_is_zero) {
    Context context;
    for (const double excess : {1e-6, 1.0}) {
        Toy toy(10, 1e4, 3);
        for (double& value : toy.beta) {
            if (value > 0.0 && value < 9e3) {
                value += excess;
                break;
            }
        }
        const std::vector<double> f = decision_values(toy.problem, toy.beta, context);
        const Certificate found = certify_values(toy.problem, toy.beta, f);
        double least = kInfinity;
        for (std::size_t k = 0; k < toy.beta.size(); ++k) {
            std::vector<Quad> point(toy.beta.begin(), toy.beta.end());
            Quad sum = 0.0;
            for (const Quad value : point) {
                sum += value;
            }
            point[k] -= sum;
            const Interval box = dual_box(toy.problem, static_cast<index_t>(k));
            if (point[k] >= box.lower && point[k] <= box.upper) {
                least = std::min(least, static_cast<double>(toy.exact_gap(found.intercept, point)));
            }
        }
        EXPECT_GE(found.gap, least * (1.0 - 1e-14));
        EXPECT_LE(found.gap, least * (1.0 + 1e-6) + found.rounding);
    }
}

}  // namespace
}  // namespace mercer

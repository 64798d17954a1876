// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/comparisons_test.cpp - rankings solved by hand, and the steps they take.
#include "mercer/solvers/comparisons.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

TEST(comparisons, a_line_of_rows_is_ranked_by_one_step) {
    // x = 0, 1, ..., 49 and all pairs: the first pair requires a slope of 1, with which all others
    // are satisfied. There are more pairs than a working set holds.
    constexpr index_t kRows = 50;
    std::vector<double> x(kRows);
    std::iota(x.begin(), x.end(), 0.0);
    std::vector<Comparison> pairs;
    for (index_t i = 1; i < kRows; ++i) {
        for (index_t k = 0; k < i; ++k) {
            pairs.push_back({i, k});
        }
    }
    ASSERT_GT(pairs.size(), 1024U);
    ComparisonProblem problem;
    problem.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), kRows, 1)));
    problem.cost = 2.0;
    problem.weights.assign(kRows, 1.0);
    problem.comparisons = pairs;
    Context context;
    const Solution found = solve_comparisons(problem, {}, context);
    EXPECT_EQ(found.status, SolveStatus::converged);
    EXPECT_EQ(found.iterations, 1);
    std::vector<double> alpha(pairs.size(), 0.0);
    alpha[0] = 1.0;
    EXPECT_EQ(found.multipliers, alpha);
    EXPECT_EQ(found.certificate().primal, 0.5);
    EXPECT_EQ(found.certificate().dual, 0.5);
}

TEST(comparisons, a_working_set_costs_one_product) {
    // x = 0, 1 and one pair: the slope of 1 is reached by one set of one step.
    const std::vector<double> x{0.0, 1.0};
    const std::vector<Comparison> pairs{{1, 0}};
    ComparisonProblem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.cost = 2.0;
    problem.weights = {1.0, 1.0};
    problem.comparisons = pairs;
    Context context;
    const Context::WorkMeter meter(context);
    const Solution found = solve_comparisons(problem, {}, context);
    EXPECT_EQ(found.status, SolveStatus::converged);
    EXPECT_EQ(found.multipliers, (std::vector<double>{1.0}));
    EXPECT_EQ(meter.work().products, 1);
}

}  // namespace
}  // namespace mercer

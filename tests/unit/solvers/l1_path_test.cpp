// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/l1_path_test.cpp - paths worked out by hand, and properties of every path.
#include "mercer/solvers/l1_path.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "support/facts.hpp"
#include "support/l1_conditions.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::check;

L1PathProblem problem_of(const std::vector<double>& columns, index_t rows,
                         std::vector<double> targets, const Loss& loss, double cost) {
    L1PathProblem problem;
    problem.columns = {columns.data(), static_cast<index_t>(columns.size()) / rows, rows};
    problem.costs.assign(targets.size(), cost);
    problem.targets = std::move(targets);
    problem.loss = loss;
    problem.intercept = false;
    return problem;
}

std::vector<double> lambdas(const L1Path& path) {
    std::vector<double> out;
    for (const L1Knot& knot : path.knots) {
        out.push_back(knot.lambda);
    }
    return out;
}

std::string events(const L1Path& path) {
    std::string out;
    for (const L1Knot& knot : path.knots) {
        out += out.empty() ? "" : ", ";
        out += to_string(knot.event);
        out += knot.index >= 0 ? " " + std::to_string(knot.index + 1) : "";
    }
    return out;
}

/// One coefficient at every knot.
std::vector<double> along(const L1Path& path, std::size_t column) {
    std::vector<double> out;
    for (const L1Knot& knot : path.knots) {
        out.push_back(path.at(knot.lambda).beta[column]);
    }
    return out;
}

/// X'X = [[4, 1.5], [1.5, 1]], X'y = (4, 3.2).
struct Lasso2 {
    double h = std::sqrt(7.0) / 4.0;
    std::vector<double> columns{2.0, 0.0, 0.75, h};
    L1PathProblem problem =
        problem_of(columns, 2, {2.0, (3.2 - 0.75 * 2.0) / h}, HalfSquaredLoss{}, 1.0);
};

/// The two points -1 (-) and 1 (+), columns of the linear kernel.
struct Pair {
    std::vector<double> columns{1.0, -1.0, -1.0, 1.0};
    L1PathProblem problem = problem_of(columns, 2, {-1.0, 1.0}, SquaredHingeLoss{}, 1.0);
};

double slope_at(const L1Path& path, double lambda) {
    const L1Point point = path.at(lambda);
    return point.beta[1] - point.beta[0];
}

TEST(l1_path, one_feature_bends_where_a_row_reaches_its_margin) {
    const std::vector<double> x{1.0, 2.0};
    const L1PathProblem problem = problem_of(x, 2, {1.0, 1.0}, SquaredHingeLoss{}, 1.0);
    Context context;
    const L1Path path = trace_l1_path(problem, 0.0, context);
    expect_fact("A14", "one feature 1, 2: knots", lambdas(path));
    expect_fact("A14", "one feature 1, 2: events", events(path));
    expect_fact("A14", "one feature 1, 2: coefficient at the knots", along(path, 0));
    expect_fact("A13", "one feature 1, 2: lambda_max", path.lambda_max);
}

TEST(l1_path, orthogonal_features_enter_one_after_the_other) {
    const std::vector<double> columns{2.0, 0.0, 0.0, 1.0};
    const L1PathProblem problem = problem_of(columns, 2, {1.0, 1.0}, SquaredHingeLoss{}, 1.0);
    Context context;
    const L1Path path = trace_l1_path(problem, 0.0, context);
    expect_fact("A14", "features (2, 0), (0, 1): knots", lambdas(path));
    expect_fact("A14", "features (2, 0), (0, 1): events", events(path));
    expect_fact("A14", "features (2, 0), (0, 1): end", path.at(0.0).beta);
}

TEST(l1_path, lasso_drops_a_column_and_takes_it_back_with_the_other_sign) {
    const Lasso2 lasso;
    Context context;
    const L1Path path = trace_l1_path(lasso.problem, 0.0, context);
    expect_fact("A14", "LASSO2: knots", lambdas(path));
    expect_fact("A14", "LASSO2: events", events(path));
    expect_fact("A14", "LASSO2: first coefficient at the knots", along(path, 0));
    expect_fact("A14", "LASSO2: second coefficient at the knots", along(path, 1));
    expect_fact("A14", "LASSO2: end", path.at(0.0).beta);
    expect_fact("A13", "LASSO2: lambda_max", path.lambda_max);
    EXPECT_EQ(path.restarts, 0);
}

TEST(l1_path, lasso_is_the_same_with_the_square_or_its_half) {
    Lasso2 lasso;
    Context context;
    const L1Path half = trace_l1_path(lasso.problem, 0.0, context);
    lasso.problem.loss = SquaredLoss{};
    lasso.problem.costs = {0.5, 0.5};
    const L1Path whole = trace_l1_path(lasso.problem, 0.0, context);
    ASSERT_EQ(half.knots.size(), whole.knots.size());
    for (std::size_t k = 0; k < half.knots.size(); ++k) {
        EXPECT_DOUBLE_EQ(half.knots[k].lambda, whole.knots[k].lambda);
        EXPECT_NEAR(half.knots[k].objective, whole.knots[k].objective, 1e-13);
    }
}

TEST(l1_path, the_unit_of_the_columns_scales_the_path_and_nothing_else) {
    Context context;
    const L1Path plain = trace_l1_path(Lasso2().problem, 0.0, context);
    for (const double unit : {0x1.0p-40, 0x1.0p40}) {
        Lasso2 lasso;
        for (double& value : lasso.columns) {
            value *= unit;
        }
        const L1Path scaled = trace_l1_path(lasso.problem, 0.0, context);
        ASSERT_EQ(events(scaled), events(plain)) << unit;
        for (std::size_t k = 0; k < plain.knots.size(); ++k) {
            EXPECT_DOUBLE_EQ(scaled.knots[k].lambda, unit * plain.knots[k].lambda);
            EXPECT_NEAR(scaled.knots[k].objective, plain.knots[k].objective, 1e-13);
        }
        for (std::size_t j = 0; j < 2; ++j) {
            EXPECT_DOUBLE_EQ(scaled.at(0.0).beta[j] * unit, plain.at(0.0).beta[j]);
        }
    }
}

TEST(l1_path, more_columns_than_rows_take_products_with_them) {
    // LASSO2 with additional columns of zeros, which have no gradient: p > n, so Z'Z is not used.
    const Lasso2 lasso;
    std::vector<double> columns = lasso.columns;
    columns.resize(12, 0.0);
    const L1PathProblem wide =
        problem_of(columns, 2, lasso.problem.targets, HalfSquaredLoss{}, 1.0);
    Context context;
    const L1Path path = trace_l1_path(wide, 0.0, context);
    const L1Path narrow = trace_l1_path(lasso.problem, 0.0, context);
    ASSERT_EQ(events(path), events(narrow));
    for (std::size_t k = 0; k < path.knots.size(); ++k) {
        EXPECT_NEAR(path.knots[k].lambda, narrow.knots[k].lambda, 1e-14);
        EXPECT_NEAR(path.knots[k].objective, narrow.knots[k].objective, 1e-14);
    }
}

TEST(l1_path, pair_has_the_slope_of_the_first_formulation_all_along) {
    const Pair pair;
    Context context;
    const L1Path path = trace_l1_path(pair.problem, 0.0, context);
    expect_fact("S15", "PAIR, path at C = 1: lambda_max", path.lambda_max);
    std::vector<double> slopes;
    for (const double lambda : {0.0, 0.25, 1.0, 5.0 / 3.0, 2.0, 5.0}) {
        slopes.push_back(slope_at(path, lambda));
    }
    expect_fact("S15", "PAIR, path at C = 1, lambda = 0, 1/4, 1, 5/3, 2, 5: slope", slopes);
    expect_fact("S15", "PAIR, path at C = 1, lambda = 1: objective",
                static_cast<double>(check(pair.problem, path.at(1.0)).objective));
}

TEST(l1_path, pair_has_the_slope_of_the_second_formulation_all_along) {
    Pair pair;
    pair.problem.ridge = L1Ridge::gram;
    Context context;
    const L1Path path = trace_l1_path(pair.problem, 0.0, context);
    expect_fact("S16", "PAIR, path at C = 1: lambda_max", path.lambda_max);
    std::vector<double> slopes;
    for (const double lambda : {0.0, 0.5, 1.0, 2.0, 8.0}) {
        slopes.push_back(slope_at(path, lambda));
    }
    expect_fact("S16", "PAIR, path at C = 1, lambda = 0, 0.5, 1, 2, 8: slope", slopes);
    expect_fact("A15", "PAIR, C = 1: slope at lambda = 0, as without the penalty",
                slope_at(path, 0.0));
    expect_fact("A15", "PAIR, C = 1: coefficients at lambda_max", path.at(path.lambda_max).beta);
}

TEST(l1_path, pair_is_the_same_with_an_intercept) {
    Pair pair;
    pair.problem.intercept = true;
    Context context;
    const L1Path path = trace_l1_path(pair.problem, 0.0, context);
    for (const double lambda : {0.0, 0.5, 1.0, 1.9}) {
        EXPECT_NEAR(slope_at(path, lambda), 1.0 - lambda / 2.0, 1e-14);
        EXPECT_NEAR(path.at(lambda).intercept, 0.0, 1e-14);
    }
}

/// Two classes that overlap, columns of a Gaussian kernel.
struct Overlap {
    explicit Overlap(index_t n) {
        Random random(5);
        std::vector<double> x;
        std::vector<double> targets;
        for (index_t i = 0; i < n; ++i) {
            targets.push_back(i % 2 == 0 ? 1.0 : -1.0);
            x.push_back(random.normal() + 0.7 * targets.back());
            x.push_back(random.normal());
        }
        rows = x;
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < n; ++i) {
                const double a = x[2 * j] - x[2 * i];
                const double b = x[2 * j + 1] - x[2 * i + 1];
                columns.push_back(std::exp(-2.0 * (a * a + b * b)));
            }
        }
        problem = problem_of(columns, n, targets, SquaredHingeLoss{}, 1.0);
        problem.ridge = L1Ridge::gram;
        problem.intercept = true;
    }
    std::vector<double> rows;
    std::vector<double> columns;
    L1PathProblem problem;
};

TEST(l1_path, kernel_version_ends_at_the_full_machine_and_is_sparse_before) {
    const Overlap data(40);
    Context context;
    const L1Path path = trace_l1_path(data.problem, 0.0, context);
    Problem full;
    set_kernel(full, rbf_kernel(2.0));
    set_rows(full, Dataset(MatrixView<const double>(data.rows.data(), 40, 2)));
    full.targets = data.problem.targets;
    full.costs = data.problem.costs;
    full.loss = SquaredHingeLoss{};
    SolveOptions options;
    options.gap_tolerance = 1e-11;
    const Solution solved = solve_smooth(full, options, context);
    ASSERT_EQ(solved.status, SolveStatus::converged);
    expect_fact("A15", "40 rows: distance of the end's objective from the full machine's",
                std::abs(path.knots.back().objective - solved.certificate().primal));
    const auto count = [&](double lambda) {
        const L1Point point = path.at(lambda);
        return std::count_if(point.beta.begin(), point.beta.end(),
                             [](double beta) { return beta != 0.0; });
    };
    expect_fact("A15", "40 rows: fewer coefficients at lambda_max / 10 than at the end",
                count(0.1 * path.lambda_max) < count(0.0));
    expect_fact("A15", "40 rows: no coefficient at lambda_max", count(path.lambda_max) == 0);
}

TEST(l1_path, a_copy_of_a_column_changes_no_value) {
    Random random(3);
    std::vector<double> columns(3 * 10);
    for (double& x : columns) {
        x = random.normal();
    }
    std::vector<double> targets;
    for (index_t i = 0; i < 10; ++i) {
        targets.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
    }
    std::vector<double> doubled = columns;
    doubled.insert(doubled.end(), columns.begin(), columns.begin() + 20);
    for (const Loss& loss :
         {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}), Loss(SquaredLoss{})}) {
        const L1PathProblem once = problem_of(columns, 10, targets, loss, 2.0);
        const L1PathProblem twice = problem_of(doubled, 10, targets, loss, 2.0);
        Context context;
        const L1Path a = trace_l1_path(once, 0.0, context);
        const L1Path b = trace_l1_path(twice, 0.0, context);
        for (const L1Knot& knot : a.knots) {
            EXPECT_NEAR(static_cast<double>(check(twice, b.at(knot.lambda)).objective),
                        knot.objective, 1e-10)
                << name_of(loss) << " at " << knot.lambda;
        }
        EXPECT_EQ(b.restarts, 0);
    }
}

TEST(l1_path, one_class_alone_needs_no_coefficient) {
    const std::vector<double> x{1.0, 2.0};
    L1PathProblem problem = problem_of(x, 2, {1.0, 1.0}, SquaredHingeLoss{}, 1.0);
    problem.intercept = true;
    Context context;
    const L1Path path = trace_l1_path(problem, 0.0, context);
    EXPECT_EQ(path.lambda_max, 0.0);
    ASSERT_EQ(path.knots.size(), 1U);
    EXPECT_EQ(path.at(0.0).beta, std::vector<double>{0.0});
    EXPECT_EQ(path.at(0.0).intercept, 1.0);
}

TEST(l1_path, ends_where_it_is_told_to) {
    const Lasso2 lasso;
    Context context;
    const L1Path path = trace_l1_path(lasso.problem, 2.0, context);
    EXPECT_EQ(path.knots.back().lambda, 2.0);
    EXPECT_EQ(path.knots.size(), 3U);
    const L1Path whole = trace_l1_path(lasso.problem, 0.0, context);
    EXPECT_EQ(path.at(2.0).beta, path.at(path.knots.back().lambda).beta);
    EXPECT_NEAR(path.at(2.0).beta[0], whole.at(2.0).beta[0], 1e-14);
    EXPECT_THROW(static_cast<void>(path.at(1.9)), InvalidArgument);
    const L1Path none = trace_l1_path(lasso.problem, 10.0, context);
    EXPECT_EQ(none.knots.size(), 1U);
    EXPECT_EQ(none.lambda_max, 4.0);
    EXPECT_EQ(none.at(10.0).beta, (std::vector<double>{0.0, 0.0}));
}

TEST(l1_path, ends_with_the_last_coefficients_where_rounding_hides_the_rest) {
    // The first coefficient is 1 - lambda / 4 until lambda = 2, where the second enters: its large
    // entries cancel exactly up to there, and make the gradient inaccurate after that. The end is
    // so close that the coefficients of the last knot, 1/2 and 0, are optimal there as well. The
    // third column, of zeros, makes p too large for Z'Z.
    constexpr double kLarge = 0x1p30;
    const std::vector<double> columns{1.0,          1.0,     1.0,     1.0,     0.0,  //
                                      3.0 * kLarge, -kLarge, -kLarge, -kLarge, 1.0,  //
                                      0.0,          0.0,     0.0,     0.0,     0.0};
    const L1PathProblem problem =
        problem_of(columns, 5, {1.0, 1.0, 1.0, 1.0, 2.0}, HalfSquaredLoss{}, 1.0);
    const double to = 2.0 - 1e-9;
    Context context;
    const L1Path path = trace_l1_path(problem, to, context);
    EXPECT_EQ(path.status, SolveStatus::converged);
    EXPECT_EQ(events(path), "enter 1, enter 2, end");
    EXPECT_EQ(path.knots.back().lambda, to);
    EXPECT_EQ(path.at(to).beta, (std::vector<double>{0.5, 0.0, 0.0}));
    EXPECT_EQ(path.knots.back().violation, 2.0 - to);
    EXPECT_EQ(path.max_violation, 2.0 - to);
    // Half the squares: four times 1/4, and 4; plus lambda times 1/2.
    EXPECT_NEAR(path.knots.back().objective, 2.5 + 0.5 * to, 1e-14);
}

TEST(l1_path, a_stop_request_leaves_a_path_that_is_good_so_far) {
    const Overlap data(40);
    const std::atomic<bool> stop{true};
    Context context(ContextOptions{.stop_flag = &stop});
    const L1Path path = trace_l1_path(data.problem, 0.0, context);
    EXPECT_EQ(path.status, SolveStatus::interrupted);
    EXPECT_GT(path.knots.back().lambda, 0.0);
}

TEST(l1_path, malformed_problems_are_refused_by_name) {
    Lasso2 lasso;
    Context context;
    EXPECT_THROW(static_cast<void>(trace_l1_path(lasso.problem, -1.0, context)), InvalidArgument);
    lasso.problem.loss = LogisticLoss{};
    EXPECT_THROW(static_cast<void>(trace_l1_path(lasso.problem, 0.0, context)), InvalidArgument);
    lasso.problem.loss = SquaredHingeLoss{};  // targets are no classes
    EXPECT_THROW(static_cast<void>(trace_l1_path(lasso.problem, 0.0, context)), InvalidArgument);
    lasso.problem.loss = SquaredLoss{};
    lasso.problem.costs = {1.0, 0.0};
    EXPECT_THROW(static_cast<void>(trace_l1_path(lasso.problem, 0.0, context)), InvalidArgument);
    lasso.problem.costs = {1.0};
    EXPECT_THROW(static_cast<void>(trace_l1_path(lasso.problem, 0.0, context)), InvalidArgument);
}

}  // namespace
}  // namespace mercer

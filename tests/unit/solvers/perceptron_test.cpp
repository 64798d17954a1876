// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/perceptron_test.cpp - mistakes, orders, averages and limits of perceptrons.
#include "mercer/solvers/perceptron.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

constexpr PerceptronOrder kOrders[] = {PerceptronOrder::cyclic, PerceptronOrder::random,
                                       PerceptronOrder::worst};

Problem problem_of(const std::vector<std::vector<double>>& rows, const std::vector<double>& y,
                   bool intercept = true, const Kernel& kernel = linear_kernel()) {
    auto values = std::make_shared<std::vector<double>>();
    for (const std::vector<double>& row : rows) {
        values->insert(values->end(), row.begin(), row.end());
    }
    Problem problem;
    problem.gram = make_gram(
        kernel, Dataset(MatrixView<const double>(values->data(), static_cast<index_t>(rows.size()),
                                                 static_cast<index_t>(rows.front().size())),
                        values));
    problem.targets = y;
    problem.costs.assign(y.size(), 1.0);
    problem.intercept = intercept;
    return problem;
}

/// e_1 .. e_d.
std::vector<std::vector<double>> unit_rows(std::size_t d) {
    std::vector<std::vector<double>> rows(d, std::vector<double>(d, 0.0));
    for (std::size_t i = 0; i < d; ++i) {
        rows[i][i] = 1.0;
    }
    return rows;
}

/// sum_i beta_i x_i.
std::vector<double> weights_of(const std::vector<std::vector<double>>& rows,
                               const std::vector<double>& beta) {
    std::vector<double> w(rows.front().size(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < w.size(); ++j) {
            w[j] += beta[i] * rows[i][j];
        }
    }
    return w;
}

/// Normal rows on the two sides of a random hyperplane, none nearer to it than `margin`.
struct Separable {
    std::vector<std::vector<double>> rows;
    std::vector<double> y;
};
Separable separable(index_t n, std::size_t columns, double margin, Random& random) {
    std::vector<double> w(columns);
    for (double& value : w) {
        value = random.normal();
    }
    const double b = 0.3 * random.normal();
    Separable out;
    while (static_cast<index_t>(out.rows.size()) < n) {
        std::vector<double> row(columns);
        double value = b;
        for (std::size_t j = 0; j < columns; ++j) {
            row[j] = random.normal();
            value += w[j] * row[j];
        }
        if (std::abs(value) >= margin) {
            out.rows.push_back(row);
            out.y.push_back(value > 0.0 ? 1.0 : -1.0);
        }
    }
    return out;
}

TEST(perceptron, makes_one_mistake_at_each_orthonormal_row) {
    constexpr std::size_t d = 7;
    const std::vector<std::vector<double>> rows = unit_rows(d);
    Context context;
    index_t least = 1000;
    index_t most = 0;
    bool equal = true;
    for (unsigned labelling = 0; labelling < (1U << d); ++labelling) {
        std::vector<double> y(d);
        for (std::size_t i = 0; i < d; ++i) {
            y[i] = (labelling >> i) % 2 == 1 ? 1.0 : -1.0;
        }
        for (const PerceptronOrder order : kOrders) {
            const Problem problem = problem_of(rows, y, false);
            const PerceptronRun run = run_perceptron(problem, {.order = order}, context);
            least = std::min(least, run.mistakes);
            most = std::max(most, run.mistakes);
            equal = equal && weights_of(rows, run.beta) == y;
            EXPECT_EQ(run.status, SolveStatus::converged);
        }
    }
    EXPECT_EQ(least, most);
    expect_fact("P05", "e_1..e_7, every labelling and order: T", most);
    expect_fact("P05", "and w = (y_1 .. y_7)", equal);
}

TEST(perceptron, averages_w_over_all_looks) {
    // Visits: e1 (a mistake, w = e1), e2 (a mistake, w = e1 - e2), then both again without a
    // mistake: (w_1 + 3 w_2) / 4.
    const std::vector<std::vector<double>> rows = unit_rows(2);
    Context context;
    const PerceptronRun run =
        run_perceptron(problem_of(rows, {1.0, -1.0}, false), {.average = true}, context);
    EXPECT_EQ(run.status, SolveStatus::converged);
    EXPECT_EQ(run.looks, 4);
    expect_fact("P05", "the average of e1(+), e2(-) over four looks", weights_of(rows, run.beta));
}

TEST(perceptron, an_average_goes_on_until_it_separates_the_rows_too) {
    // With a small margin the early w are far from the last one, so the mean over the passes with
    // mistakes leaves a row on the wrong side.
    Random random(5);
    Context context;
    int prolonged = 0;
    for (int k = 0; k < 200; ++k) {
        const Separable data = separable(12, 2, 0.02, random);
        const Problem problem = problem_of(data.rows, data.y);
        const PerceptronRun last = run_perceptron(problem, {}, context);
        const PerceptronRun mean = run_perceptron(problem, {.average = true}, context);
        ASSERT_EQ(last.status, SolveStatus::converged);
        EXPECT_EQ(mean.status, SolveStatus::converged);
        EXPECT_EQ(mean.mistakes, last.mistakes);
        EXPECT_TRUE(mean.proof.rows.empty());
        EXPECT_EQ((mean.looks - last.looks) % 12, 0);
        prolonged += static_cast<int>(mean.looks > last.looks);
    }
    EXPECT_GT(prolonged, 0);
}

TEST(perceptron, the_linear_kernel_makes_the_mistakes_of_the_columns) {
    Random random(7);
    Context context;
    index_t more = 0;
    index_t different = 0;
    for (int k = 0; k < 30; ++k) {
        const Separable data = separable(40, 3, 0.05, random);
        const Separable test = separable(20, 3, 0.0, random);
        for (const PerceptronOrder order : kOrders) {
            for (const bool intercept : {true, false}) {
                const Problem problem = problem_of(data.rows, data.y, intercept);
                PerceptronOptions options{.order = order, .max_mistakes = 3000};
                options.form = PerceptronForm::columns;
                const PerceptronRun columns = run_perceptron(problem, options, context);
                options.form = PerceptronForm::rows;
                const PerceptronRun rows = run_perceptron(problem, options, context);
                more += std::abs(columns.mistakes - rows.mistakes);
                const std::vector<double> w = weights_of(data.rows, columns.beta);
                for (const std::vector<double>& x : test.rows) {
                    double in_columns = columns.intercept;
                    double in_rows = rows.intercept;
                    for (std::size_t j = 0; j < w.size(); ++j) {
                        in_columns += w[j] * x[j];
                    }
                    for (std::size_t i = 0; i < data.rows.size(); ++i) {
                        in_rows += rows.beta[i] * (data.rows[i][0] * x[0] + data.rows[i][1] * x[1] +
                                                   data.rows[i][2] * x[2]);
                    }
                    different += static_cast<index_t>((in_columns >= 0.0) != (in_rows >= 0.0));
                }
            }
        }
    }
    expect_fact("P08", "linear kernel: T differs from that in the columns", more);
    expect_fact("P08", "linear kernel: rows predicted differently", different);
}

TEST(perceptron, a_limit_of_mistakes_ends_rows_that_are_not_separable) {
    const Problem problem = problem_of({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {-1, -1, 1, 1});
    Context context;
    for (const PerceptronOrder order : kOrders) {
        const PerceptronRun run =
            run_perceptron(problem, {.order = order, .max_mistakes = 1001}, context);
        EXPECT_EQ(run.status, SolveStatus::iteration_limit);
        EXPECT_EQ(run.mistakes, 1001);
        EXPECT_GE(run.proof.certificate.gap, 1.0);
        EXPECT_EQ(run.proof.certificate.gap, static_cast<double>(run.proof.rows.size()));
    }
}

TEST(perceptron, a_limit_of_passes_ends_after_the_corrections_of_those_passes) {
    // By hand, w = (b, w1): pass 1: row 0 at 0: (1, 1); row 1: 1 + 2 = 3, wrong: (0, -1); row 2:
    // y (0 - 3) = -3, wrong: (1, 2). Pass 2: row 0: 3; row 1: 1 + 4, wrong: (0, 0); row 2: 0,
    // wrong: (1, 3).
    const Problem problem = problem_of({{1.0}, {2.0}, {3.0}}, {1.0, -1.0, 1.0});
    Context context;
    for (const PerceptronForm form : {PerceptronForm::columns, PerceptronForm::rows}) {
        const PerceptronRun one = run_perceptron(problem, {.max_passes = 1, .form = form}, context);
        EXPECT_EQ(one.status, SolveStatus::iteration_limit);
        EXPECT_EQ(one.passes, 1);
        EXPECT_EQ(one.beta, (std::vector<double>{1.0, -1.0, 1.0}));
        const PerceptronRun two = run_perceptron(problem, {.max_passes = 2, .form = form}, context);
        EXPECT_EQ(two.passes, 2);
        EXPECT_EQ(two.mistakes, 5);
        EXPECT_EQ(two.beta, (std::vector<double>{1.0, -2.0, 2.0}));
        EXPECT_EQ(two.intercept, 1.0);
    }
    const PerceptronRun worst =
        run_perceptron(problem, {.order = PerceptronOrder::worst, .max_passes = 4}, context);
    EXPECT_EQ(worst.status, SolveStatus::iteration_limit);
    EXPECT_EQ(worst.mistakes, 4);
}

TEST(perceptron, a_request_to_stop_leaves_the_mistakes_so_far) {
    const std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    for (const PerceptronForm form : {PerceptronForm::columns, PerceptronForm::rows}) {
        const PerceptronRun run =
            run_perceptron(problem_of({{1.0}, {-1.0}}, {1.0, -1.0}), {.form = form}, context);
        EXPECT_EQ(run.status, SolveStatus::interrupted);
        EXPECT_EQ(run.mistakes, 0);
        EXPECT_EQ(run.proof.certificate.primal, 2.0);  // f = 0 classifies no row
    }
}

TEST(perceptron, the_worst_row_is_corrected_first) {
    // At w = 0 all are equal and the first is chosen: w = 3. Then y <w, x> = 9, -6, -1.5.
    const Problem problem = problem_of({{3.0}, {-2.0}, {0.5}}, {1.0, 1.0, -1.0}, false);
    Context context;
    PerceptronOptions options{.order = PerceptronOrder::worst, .max_mistakes = 2, .record = true};
    const PerceptronRun run = run_perceptron(problem, options, context);
    ASSERT_EQ(run.steps.size(), 2U);
    EXPECT_EQ(run.steps[0].row, 0);
    EXPECT_EQ(run.steps[1].row, 1);
    EXPECT_EQ(run.steps[0].squared_norm, 9.0);
    EXPECT_EQ(run.steps[1].squared_norm, 1.0);
}

TEST(perceptron, equal_seeds_make_equal_runs_and_others_do_not) {
    Random random(2);
    const Separable data = separable(60, 4, 0.01, random);
    const Problem problem = problem_of(data.rows, data.y);
    const auto run_of = [&](std::uint64_t seed) {
        Context context({.seed = seed});
        return run_perceptron(problem, {.order = PerceptronOrder::random, .record = true}, context);
    };
    const PerceptronRun one = run_of(1);
    EXPECT_EQ(one.beta, run_of(1).beta);
    EXPECT_NE(one.beta, run_of(2).beta);
}

TEST(perceptron, kernel_rows_that_are_not_retained_change_nothing) {
    Random random(9);
    const Separable data = separable(50, 2, 0.05, random);
    const Problem problem = problem_of(data.rows, data.y, true, rbf_kernel(0.5));
    Context context;
    const PerceptronRun all = run_perceptron(problem, {}, context);
    const PerceptronRun few = run_perceptron(problem, {.cache_bytes = 50 * 8 * 2}, context);
    EXPECT_EQ(all.status, SolveStatus::converged);
    EXPECT_EQ(all.beta, few.beta);
}

TEST(perceptron, columns_need_the_linear_kernel) {
    Context context;
    const Problem problem = problem_of({{1.0}, {-1.0}}, {1.0, -1.0}, true, rbf_kernel(1.0));
    EXPECT_THROW((void)run_perceptron(problem, {.form = PerceptronForm::columns}, context),
                 InvalidArgument);
    EXPECT_THROW((void)perceptron_order("first"), InvalidArgument);
}

TEST(perceptron, a_side_that_rounding_leaves_open_is_a_mistake) {
    // 0.1 + 0.2 - 0.3 summed in this order is 5.6e-17, in another 2.8e-17.
    const Problem problem = problem_of({{1.0, 1.0, 1.0}, {0.1, 0.2, -0.3}}, {1.0, 1.0}, false);
    Context context;
    const std::vector<double> beta{1.0, 0.0};
    EXPECT_EQ(certify_disagreement(problem, beta, 0.0, context).rows, std::vector<index_t>{1});
    const PerceptronRun run = run_perceptron(problem, {}, context);
    EXPECT_EQ(run.status, SolveStatus::converged);
    EXPECT_EQ(run.beta, (std::vector<double>{1.0, 1.0}));
    EXPECT_EQ(run.mistakes, 2);
}

}  // namespace
}  // namespace mercer

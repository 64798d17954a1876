// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/column_newton_test.cpp - Newton's method in the columns against that in the
// rows, and the line search against bisection.
#include "solvers/column_newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"
#include "row_sets.hpp"
#include "solvers/newton_line.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::RowSet;

const std::vector<Loss> kLosses{SquaredLoss{},      HalfSquaredLoss{},   SquaredEpsilonLoss{0.3},
                                SquaredHingeLoss{}, ModifiedHuberLoss{}, LogisticLoss{}};

Problem random_problem(const Dataset& rows, const Loss& loss, bool intercept) {
    Problem problem;
    problem.gram = make_gram(2.5 * linear_kernel(), rows);
    problem.loss = loss;
    problem.intercept = intercept;
    Random random(17);
    for (index_t i = 0; i < rows.rows(); ++i) {
        const double y = 0.7 + random.normal();
        problem.targets.push_back(is_classification(loss) ? (y < 0.0 ? -1.0 : 1.0) : 2.0 * y);
        problem.costs.push_back(i % 7 == 0 ? 0.0 : random.uniform(0.2, 3.0));
    }
    return problem;
}

bool keep_on(const NewtonState&, const NewtonStep&) { return true; }

TEST(column_newton, columns_and_rows_have_the_same_minimum) {
    Context context;
    RowSet set(90, 6, 3, 0.6);
    for (const Loss& loss : kLosses) {
        for (const bool intercept : {true, false}) {
            const std::string name = std::string(name_of(loss)) + (intercept ? " with b" : "");
            NewtonState rows;
            ASSERT_EQ(kernel_newton(random_problem(set.dense(), loss, intercept), rows, 0, keep_on,
                                    context),
                      SolveStatus::converged)
                << name;
            for (const Dataset& data : {set.dense(), set.sparse()}) {
                for (const bool direct : {true, false}) {
                    const Problem problem = random_problem(data, loss, intercept);
                    NewtonState columns;
                    ASSERT_EQ(column_newton(problem, direct, columns, 0, keep_on, context),
                              SolveStatus::converged)
                        << name;
                    expect_fact("X16",
                                "six losses, 90 rows of 6 columns: value in the columns over "
                                "that in the rows, - 1",
                                std::abs(columns.value / rows.value - 1.0));
                    EXPECT_NEAR(columns.intercept, rows.intercept, 1e-6) << name;
                    double apart = 0.0;
                    for (std::size_t i = 0; i < rows.f.size(); ++i) {
                        apart = std::max(apart, std::abs(columns.f[i] - rows.f[i]));
                    }
                    expect_fact("X16", "six losses, 90 rows of 6 columns: change of f", apart);
                    const Certificate proof = certify(problem, columns.dual, context);
                    EXPECT_LE(relative_gap(proof), 1e-10) << name;
                    EXPECT_NEAR(proof.primal, rows.value, 1e-9 * rows.value) << name;
                }
            }
        }
    }
}

TEST(column_newton, the_pair_needs_one_step_to_two_thirds) {
    // x = -1 (-), x = 1 (+), C = 1: w = 2 C / (2 C + 1) = 2/3; in the second step no row changes
    // its piece.
    const std::vector<double> x{-1.0, 1.0};
    Context context;
    for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{})}) {
        Problem problem;
        problem.gram =
            make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
        problem.targets = {-1.0, 1.0};
        problem.costs = {1.0, 1.0};
        problem.loss = loss;
        NewtonState state;
        index_t steps = 0;
        bool settled = false;
        const auto watch = [&](const NewtonState&, const NewtonStep& step) {
            steps = step.iteration;
            settled = step.settled;
            return true;
        };
        EXPECT_EQ(column_newton(problem, true, state, 0, watch, context), SolveStatus::converged);
        expect_fact("A16", "PAIR, C = 1: Newton steps in the columns", steps);
        expect_fact("A16", "PAIR, C = 1: it ends as the active set repeats", settled);
        expect_fact("A16", "PAIR, C = 1: w", state.f[1]);
        expect_fact("A16", "PAIR, C = 1: value", state.value);
        expect_fact("A16", "PAIR, C = 1: alpha", state.dual[1]);
    }
}

TEST(column_newton, random_problems_of_quadratic_pieces_end_as_their_active_set_repeats) {
    // Finite termination: the last step ends at the minimum of its quadratic piece, up to rounding.
    Context context;
    RowSet set(90, 6, 41);
    for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{})}) {
        for (const double factor : {0.01, 1.0, 100.0}) {
            Problem problem = random_problem(set.dense(), loss, true);
            for (double& cost : problem.costs) {
                cost *= factor;
            }
            NewtonState state;
            index_t steps = 0;
            bool settled = false;
            const auto watch = [&](const NewtonState&, const NewtonStep& step) {
                steps = step.iteration;
                settled = step.settled;
                return true;
            };
            EXPECT_EQ(column_newton(problem, true, state, 0, watch, context),
                      SolveStatus::converged);
            expect_fact("A16", "90 random rows, six problems: they end as the active set repeats",
                        settled);
            expect_fact("A16", "90 random rows, six problems: steps", steps);
            expect_fact("A16", "90 random rows, six problems: relative gap at the end",
                        relative_gap(certify(problem, state.dual, context)));
        }
    }
}

TEST(column_newton, the_walk_over_the_kinks_ends_where_the_slope_is_zero) {
    Context context;
    const RowSet set(40, 3, 5);
    Random random(23);
    for (const Loss& loss : kLosses) {
        for (int trial = 0; trial < 30; ++trial) {
            const Problem problem = random_problem(set.dense(), loss, true);
            std::vector<double> z;
            std::vector<double> dz;
            for (index_t i = 0; i < 40; ++i) {
                z.push_back(random.normal());
                dz.push_back(2.0 * random.normal());
            }
            z[0] = 1.0;  // on an edge of both margin losses
            // A penalty steep enough that the slope is negative at the start.
            const NewtonLine line(problem, z, dz, -300.0, 1.0 + random.uniform());
            const Slope start = line.slope(0.0);
            ASSERT_LT(start.value, 0.0);
            double low = 0.0;
            double high = 1e4;
            for (int k = 0; k < 200; ++k) {
                const double middle = 0.5 * (low + high);
                (line.slope(middle).value < 0.0 ? low : high) = middle;
            }
            expect_fact("A16", "180 random lines: exact search over bisection of the slope, - 1",
                        std::abs(line.search(start) / high - 1.0));
        }
    }
}

TEST(column_newton, leaving_rows_out_agrees_with_the_rows_and_with_fits_without_them) {
    Context context;
    RowSet set(40, 4, 9);
    for (const Loss& loss : kLosses) {
        const Problem problem = random_problem(set.sparse(), loss, true);
        NewtonState state;
        ASSERT_EQ(column_newton(problem, true, state, 0, keep_on, context), SolveStatus::converged);
        const std::vector<double> columns =
            column_leave_one_out(problem, state.dual, state.intercept, context);
        Problem tiles = problem;  // the same kernel in a form that is not recognised as linear
        set_kernel(tiles, poly_kernel(1.0, 0.0, 2.5));
        const std::vector<double> rows =
            approximate_leave_one_out(tiles, state.dual, state.intercept, context);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_NEAR(columns[i], rows[i], 1e-8) << name_of(loss) << " row " << i;
        }
        if (!std::holds_alternative<SquaredLoss>(loss)) {
            continue;
        }
        for (const std::size_t left_out : {1U, 8U, 30U}) {  // exact for squares
            Problem without = problem;
            without.costs[left_out] = 0.0;
            NewtonState other;
            ASSERT_EQ(column_newton(without, true, other, 0, keep_on, context),
                      SolveStatus::converged);
            EXPECT_NEAR(columns[left_out], other.f[left_out] + other.intercept, 1e-9);
        }
    }
}

TEST(column_newton, ridge_in_the_columns_is_ridge_in_the_rows) {
    Context context;
    RowSet set(120, 5, 31, 0.7);
    RowSet fresh(7, 5, 32);
    double coefficients = 0.0;
    double left_out = 0.0;
    double variances = 0.0;
    for (const bool weighted : {false, true}) {
        for (const double alpha : {1e-3, 1.0, 50.0}) {
            RidgeProblem ridge;
            set_kernel(ridge, linear_kernel());
            ridge.alpha = alpha;
            ridge.target_count = 2;
            Random random(3);
            for (int k = 0; k < 240; ++k) {
                ridge.targets.push_back(random.normal());
            }
            for (int i = 0; weighted && i < 120; ++i) {
                ridge.weights.push_back(i % 5 == 0 ? 0.0 : random.uniform(0.5, 2.0));
            }
            set_rows(ridge, set.dense());
            RidgeProblem tiles = ridge;
            set_kernel(tiles, poly_kernel(1.0, 0.0, 1.0));
            const RidgeSolution wanted = solve_ridge(tiles, true, context);
            const std::vector<double> wanted_variance =
                ridge_variance(tiles, tiles.gram->beside(fresh.dense(), context), context);
            for (const Dataset& data : {set.dense(), set.sparse()}) {
                set_rows(ridge, data);
                const RidgeSolution found = solve_ridge(ridge, true, context);
                EXPECT_EQ(found.status, SolveStatus::converged);
                for (std::size_t k = 0; k < wanted.beta.size(); ++k) {
                    const double size = 1.0 + 1.0 / alpha;
                    coefficients =
                        std::max(coefficients, std::abs(found.beta[k] - wanted.beta[k]) / size);
                    left_out = std::max(left_out,
                                        std::abs(found.leave_one_out[k] - wanted.leave_one_out[k]));
                }
                for (std::size_t t = 0; t < 2; ++t) {
                    EXPECT_NEAR(found.intercepts[t], wanted.intercepts[t], 1e-9);
                    EXPECT_LE(relative_gap(found.certificates[t]), 1e-12);
                    EXPECT_NEAR(found.certificates[t].primal, wanted.certificates[t].primal,
                                1e-9 * wanted.certificates[t].primal);
                }
                const std::vector<double> variance =
                    ridge_variance(ridge, ridge.gram->beside(fresh.dense(), context), context);
                for (std::size_t i = 0; i < variance.size(); ++i) {
                    variances = std::max(variances, std::abs(variance[i] - wanted_variance[i]));
                }
            }
        }
    }
    expect_fact("RR1", "120 rows of 5 columns: alpha apart from the rows', over 1 + 1 / (n lambda)",
                coefficients);
    expect_fact("RR1", "the same: leave-one-out residuals apart", left_out);
    expect_fact("RR1", "the same: variances of 7 new rows apart", variances);
}

TEST(column_newton, columns_that_only_new_rows_have_keep_their_prior_variance) {
    // 20 rows x = 1, alpha = 1: of (x, z) the variance is x^2 - x^2 20 / 21 + z^2.
    const std::vector<double> ones(20, 1.0);
    const std::vector<double> wider{2.0, 3.0, 2.0, 0.0};
    RidgeProblem ridge;
    ridge.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(ones.data(), 20, 1)));
    ridge.targets = ones;
    ridge.intercept = false;
    Context context;
    const NewRows rows =
        ridge.gram->beside(Dataset(MatrixView<const double>(wider.data(), 2, 2)), context);
    const std::vector<double> variance = ridge_variance(ridge, rows, context);
    ASSERT_EQ(variance.size(), 2U);
    EXPECT_NEAR(variance[0], 4.0 / 21.0 + 9.0, 1e-14);
    EXPECT_NEAR(variance[1], 4.0 / 21.0, 1e-14);
}

TEST(column_newton, ridge_of_many_columns_and_few_entries_takes_products) {
    Context context;
    RowSet set(600, 1500, 33, 0.003);
    RidgeProblem ridge;
    ridge.gram = make_gram(linear_kernel(), set.sparse());
    Random random(4);
    for (int i = 0; i < 600; ++i) {
        ridge.targets.push_back(1.0 + random.normal());
    }
    for (const double alpha : {1e-2, 1.0}) {
        ridge.alpha = alpha;
        const RidgeSolution wanted = solve_ridge(ridge, {.solver = "cholesky"}, context);
        const RidgeSolution found = solve_ridge(ridge, {.solver = "auto"}, context);
        EXPECT_EQ(wanted.solver, "cholesky");
        EXPECT_EQ(found.solver, "conjugate-gradient");
        EXPECT_LE(relative_gap(found.certificates[0]), 1e-12);
        EXPECT_NEAR(found.intercepts[0], wanted.intercepts[0], 1e-8);
        for (std::size_t i = 0; i < found.beta.size(); ++i) {
            EXPECT_NEAR(found.beta[i], wanted.beta[i], 1e-7 / alpha);
        }
        // Leave-one-out needs the factor.
        EXPECT_EQ(solve_ridge(ridge, true, context).solver, "cholesky");
    }
}

TEST(column_newton, the_cheaper_form_is_chosen_by_rows_columns_and_entries) {
    Context context;
    const RowSet tall(200, 4, 1);
    const RowSet wide(10, 60, 1);
    EXPECT_TRUE(column_form(*make_gram(linear_kernel(), tall.dense()), context).cheaper);
    EXPECT_TRUE(column_form(*make_gram(linear_kernel(), tall.dense()), context).direct);
    EXPECT_FALSE(column_form(*make_gram(linear_kernel(), wide.dense()), context).cheaper);
    EXPECT_FALSE(column_form(*make_gram(rbf_kernel(1.0), tall.dense()), context).cheaper);
    // Many columns, few entries: no matrix at all.
    RowSet text(3000, 3000, 2, 0.002);
    const ColumnForm form = column_form(*make_gram(linear_kernel(), text.sparse()), context);
    EXPECT_TRUE(form.cheaper);
    EXPECT_FALSE(form.direct);
}

TEST(column_newton, no_smooth_machine_makes_a_matrix_of_the_rows) {
    // 20,000 rows: K would take 3.2 GB, the budget is 48 MB.
    ContextOptions limits;
    limits.memory = index_t{48} << 20;
    limits.threads = 2;
    Context context(limits);
    RowSet set(20'000, 8, 6, 0.5);
    for (const Dataset& data : {set.dense(), set.sparse()}) {
        for (const Loss& loss : kLosses) {
            Problem problem = random_problem(data, loss, true);
            SolveOptions options;
            options.gap_tolerance = 1e-9;
            const Solution solution = solve_smooth(problem, options, context);
            EXPECT_EQ(solution.status, SolveStatus::converged) << name_of(loss);
            EXPECT_LE(relative_gap(solution.certificate()), 1e-9) << name_of(loss);
        }
    }
    SoftmaxProblem classes;
    classes.gram = make_gram(linear_kernel(), set.sparse());
    classes.class_count = 3;
    for (index_t i = 0; i < 20'000; ++i) {
        classes.classes.push_back((i + i / 5) % 3);
        classes.costs.push_back(0.01);
    }
    SolveOptions options;
    options.gap_tolerance = 1e-6;
    EXPECT_EQ(solve_softmax(classes, options, context).status, SolveStatus::converged);
}

TEST(column_newton, any_number_of_threads_gives_the_same_bits) {
    RowSet set(3000, 12, 6, 0.4);
    for (const Dataset& data : {set.dense(), set.sparse()}) {
        for (const bool direct : {true, false}) {
            std::vector<std::vector<double>> all;
            for (const int threads : {1, 3}) {
                ContextOptions options;
                options.threads = threads;
                Context context(options);
                NewtonState state;
                static_cast<void>(column_newton(random_problem(data, LogisticLoss{}, true), direct,
                                                state, 0, keep_on, context));
                all.push_back(state.dual);
            }
            EXPECT_EQ(all[0], all[1]);
        }
    }
}

}  // namespace
}  // namespace mercer

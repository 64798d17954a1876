// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/precise_test.cpp - small problems in 113 bits match their closed forms.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "solvers/precise_columns.hpp"
#include "solvers/precise_interior_point.hpp"
#include "solvers/precise_matrix.hpp"
#include "solvers/precise_rounding.hpp"
#include "solvers/precise_system.hpp"
#include "support/noisy_targets.hpp"

namespace mercer {
namespace {

using testing::noisy_problem;
using testing::RowSet;

/// Hilbert's matrix.
PreciseMatrix hilbert(std::size_t size) {
    PreciseMatrix out(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            out(i, j) = Quad(1.0) / static_cast<double>(i + j + 1);
        }
    }
    return out;
}

TEST(precise_matrix, solves_what_doubles_cannot) {
    // The condition of twelve rows is 1e16; the inverse holds whole numbers.
    constexpr std::size_t kSize = 12;
    PreciseMatrix matrix = hilbert(kSize);
    const PreciseMatrix original = matrix;
    matrix.factor();
    std::vector<Quad> x(kSize);
    x[0] = 1.0;
    matrix.solve(x);
    EXPECT_NEAR(static_cast<double>(x[0]), 144.0, 1e-12);     // n^2
    EXPECT_NEAR(static_cast<double>(x[1]), -10296.0, 1e-10);  // - n (n^2 - 1) n / 2
    const std::vector<Quad> back = original.multiply(x);
    for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_NEAR(static_cast<double>(back[i]), i == 0 ? 1.0 : 0.0, 1e-20) << i;
    }
}

TEST(precise_matrix, a_singular_matrix_has_a_factor) {
    PreciseMatrix ones(3);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            ones(i, j) = 4.0;
        }
    }
    PreciseMatrix factor = ones;
    factor.factor();
    std::vector<Quad> x{Quad(8.0), Quad(8.0), Quad(8.0)};
    factor.solve(x);
    for (const Quad value : ones.multiply(x)) {
        EXPECT_NEAR(static_cast<double>(value), 8.0, 1e-15);
    }
}

TEST(precise_system, both_forms_solve_the_same_system) {
    constexpr std::size_t kRows = 6;
    constexpr std::size_t kColumns = 3;
    RowSet set(kRows, kColumns, 7);
    PreciseFeatures columns{{set.values().begin(), set.values().end()}, kColumns};
    PreciseMatrix kernel(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kRows; ++j) {
            for (std::size_t k = 0; k < kColumns; ++k) {
                kernel(i, j) += columns.values[i * kColumns + k] * columns.values[j * kColumns + k];
            }
        }
    }
    const std::vector<Quad> ridge{0.0, 0.25, 0.0, 2.0, 0.0, 0.5};
    const std::vector<Quad> inverse{1e9, 0.5, 1e-12, 3.0, 0.0, 1e15};
    const std::vector<Quad> right{1.0, -2.0, 0.5, 3.0, 7.0, -1.0};
    for (PreciseSystem system : {PreciseSystem(kernel, ridge), PreciseSystem(columns, ridge)}) {
        system.factor(inverse);
        std::vector<Quad> x = right;
        system.solve(x);
        EXPECT_EQ(x[4], 0.0);  // a row that is not in the system
        const std::vector<Quad> back = system.multiply(x);
        for (const std::size_t i : {0U, 1U, 2U, 3U, 5U}) {
            const Quad left = back[i] + x[i] / inverse[i] - right[i];
            EXPECT_NEAR(static_cast<double>(left), 0.0, 1e-18) << i;
        }
    }
}

TEST(precise_system, columns_of_any_size_keep_their_digits) {
    // For (2^120, 1) and (2^120, -1) K has equal entries in 113 bits; the rows differ by (0, 2).
    const Quad large = 0x1p120;
    PreciseSystem system(PreciseFeatures{{large, 1.0, large, -1.0}, 2}, {0.0, 0.0});
    const std::vector<Quad> difference{1.0, -1.0};
    const std::vector<Quad> f = system.multiply(difference);
    EXPECT_EQ(f[0], 2.0);
    EXPECT_EQ(f[1], -2.0);
    system.factor(std::vector<Quad>{4.0, 4.0});
    std::vector<Quad> x{1.0, -1.0};  // an eigenvector: 2 + 1/4
    system.solve(x);
    EXPECT_NEAR(static_cast<double>(x[0]), 1.0 / 2.25, 1e-15);
    EXPECT_NEAR(static_cast<double>(x[1]), -1.0 / 2.25, 1e-15);
}

TEST(precise_columns, are_no_more_than_rows_and_have_the_same_inner_products) {
    RowSet set(5, 40, 7);
    const PreciseFeatures many{{set.values().begin(), set.values().end()}, 40};
    const PreciseFeatures few = compressed(many);
    ASSERT_EQ(few.count, 5U);
    ASSERT_EQ(few.values.size(), 25U);
    const auto product = [](const PreciseFeatures& z, std::size_t i, std::size_t j) {
        Quad sum = 0.0;
        for (std::size_t k = 0; k < z.count; ++k) {
            sum += z.values[i * z.count + k] * z.values[j * z.count + k];
        }
        return sum;
    };
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            EXPECT_NEAR(static_cast<double>(product(few, i, j) - product(many, i, j)), 0.0, 1e-30);
        }
    }
    const PreciseFeatures wide{{1.0, 2.0, 3.0, 4.0}, 2};
    EXPECT_EQ(compressed(wide).values, wide.values);  // as many as rows
    EXPECT_EQ(compressed({}).count, 0U);
}

TEST(precise_columns, a_small_column_keeps_its_digits_beside_a_large_one) {
    const Quad large = 0x1p100;
    const PreciseFeatures columns = compressed({{0.5, large, 1.0, 0.25, large, -1.0}, 3});
    ASSERT_EQ(columns.count, 2U);
    PreciseSystem system(columns, {0.0, 0.0});
    system.factor(std::vector<Quad>{4.0, 4.0});
    // x = (t, -t) up to 2^-200, and the rows differ by (1/4, 0, 2): (65/16 + 2/4) t = 2.
    std::vector<Quad> x{1.0, -1.0};
    system.solve(x);
    EXPECT_NEAR(static_cast<double>(x[0]), 2.0 / 4.5625, 1e-14);
    EXPECT_NEAR(static_cast<double>(x[1]), -2.0 / 4.5625, 1e-14);
}

/// -1 and +1 on a line.
Problem pair_of(RowSet& rows, const Loss& loss, double target, double cost) {
    rows.at(0, 0) = -1.0;
    rows.at(1, 0) = 1.0;
    Problem problem;
    problem.gram = make_gram(linear_kernel(), rows.dense());
    problem.targets = {-target, target};
    problem.costs = {cost, cost};
    problem.loss = loss;
    return problem;
}

/// The result of a solver without success: zeros and their certificate.
Solution stuck_at_zero(const Problem& problem, Context& context) {
    Solution out;
    out.beta.assign(static_cast<std::size_t>(problem.size()), 0.0);
    out.certificate() = certify(problem, out.beta, context);
    out.status = SolveStatus::reduced;
    return out;
}

struct ClosedForm {
    Loss loss;
    double target;
    double cost;
    double beta;  ///< of the row with the positive target
};

class PreciseClosedForms : public ::testing::TestWithParam<ClosedForm> {};

TEST_P(PreciseClosedForms, AreReachedToTheLastDigits) {
    const ClosedForm& known = GetParam();
    RowSet rows(2, 1, 1);
    const Problem problem = pair_of(rows, known.loss, known.target, known.cost);
    Context context;
    Solution out = stuck_at_zero(problem, context);
    const SolveOptions options{.gap_tolerance = 1e-14};
    finish_precisely(problem, options, 1e-4, out, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_NEAR(out.beta[1], known.beta, 1e-15 * known.beta);
    EXPECT_NEAR(out.beta[0], -known.beta, 1e-15 * known.beta);
    EXPECT_NEAR(out.intercept(), 0.0, 1e-15);
}

// w = 2 beta minimises 1/2 w^2 + 2 C loss(target, w): for half a squared residual r - w the weight
// is w = 2 C r / (1 + 2 C), for a whole one 4 C r / (1 + 4 C).
INSTANTIATE_TEST_SUITE_P(
    losses, PreciseClosedForms,
    ::testing::Values(ClosedForm{HingeLoss{}, 1.0, 10.0, 0.5},   // inside the box
                      ClosedForm{HingeLoss{}, 1.0, 0.25, 0.25},  // on its bound
                      ClosedForm{SquaredHingeLoss{}, 1.0, 3.0, 3.0 / 7.0},
                      ClosedForm{ModifiedHuberLoss{}, 1.0, 3.0, 3.0 / 7.0},
                      ClosedForm{SquaredLoss{}, 3.0, 3.0, 18.0 / 13.0},
                      ClosedForm{HalfSquaredLoss{}, 3.0, 3.0, 9.0 / 7.0},
                      ClosedForm{AbsoluteLoss{}, 3.0, 10.0, 1.5},
                      ClosedForm{EpsilonInsensitiveLoss{1.0}, 3.0, 10.0, 1.0},
                      ClosedForm{EpsilonInsensitiveLoss{1.0}, 3.0, 0.5, 0.5},
                      ClosedForm{SquaredEpsilonLoss{1.0}, 3.0, 3.0, 6.0 / 7.0},
                      // 1 = 2 C sigmoid(-1)
                      ClosedForm{LogisticLoss{}, 1.0, 0.5 * (1.0 + std::exp(1.0)), 0.5}));

TEST(precise_interior_point, proves_its_answer_for_every_loss_with_and_without_a_sum) {
    for (const Loss& loss : all_losses(0.1)) {
        for (const bool intercept : {true, false}) {
            RowSet rows(30, 3, 5);
            Problem problem = noisy_problem(rows.dense(), rows, loss, rbf_kernel(0.5));
            problem.intercept = intercept;
            Context context;
            const SolveOptions options{.gap_tolerance = 1e-10};
            Solution out = stuck_at_zero(problem, context);
            finish_precisely(problem, options, 1e-4, out, context);
            ASSERT_EQ(out.status, SolveStatus::converged) << name_of(loss);
            EXPECT_LE(relative_gap(out.certificate()), 1e-10) << name_of(loss);
        }
    }
}

TEST(precise_interior_point, a_tube_that_needs_less_than_its_mass_is_closed) {
    RowSet rows(2, 1, 1);
    Problem problem = pair_of(rows, EpsilonInsensitiveLoss{0.0}, 1.0, 100.0);
    problem.mass = 100.0;  // beta of 1/2 each is enough for f = y
    Context context;
    Solution out = stuck_at_zero(problem, context);
    finish_precisely(problem, {.gap_tolerance = 1e-12}, 1e-4, out, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_EQ(out.certificate().width, 0.0);
    EXPECT_NEAR(out.beta[1], 0.5, 1e-14);
}

TEST(precise_interior_point, leaves_alone_what_is_not_its_own) {
    RowSet rows(2, 1, 1);
    const Problem problem = pair_of(rows, HingeLoss{}, 1.0, 10.0);
    Context context;
    const auto untouched = [&](const SolveOptions& options, SolveStatus status) {
        Solution out = stuck_at_zero(problem, context);
        out.status = status;
        finish_precisely(problem, options, 1e-4, out, context);
        EXPECT_EQ(out.status, status);
        EXPECT_EQ(out.beta[1], 0.0);
    };
    untouched({}, SolveStatus::converged);
    untouched({}, SolveStatus::interrupted);
    untouched({.solver = SolverId::smo}, SolveStatus::reduced);
    untouched({.max_iterations = 5}, SolveStatus::iteration_limit);
}

TEST(precise_interior_point, a_stop_leaves_the_answer_and_says_so) {
    RowSet rows(2, 1, 1);
    const Problem problem = pair_of(rows, HingeLoss{}, 1.0, 10.0);
    Context calm;
    Solution out = stuck_at_zero(problem, calm);
    const std::atomic<bool> stop{true};
    Context context(ContextOptions{.stop_flag = &stop});
    finish_precisely(problem, {}, 1e-4, out, context);
    EXPECT_EQ(out.status, SolveStatus::interrupted);
    EXPECT_EQ(out.beta[1], 0.0);
}

TEST(precise_rounding, errors_of_large_coefficients_are_made_up_for_by_small_ones) {
    // Two functions that are equal up to 1e-12: the small coefficient, whose doubles are finer,
    // compensates for the rounding of the large one.
    PreciseMatrix kernel(2);
    kernel(0, 0) = 1.0;
    kernel(1, 1) = 1.0;
    kernel(0, 1) = kernel(1, 0) = Quad(1.0) - 1e-12;
    const Quad third = Quad(1.0) / 3.0;
    const std::vector<Quad> beta{third * 1e8, third * 1e-3};
    RowSet rows(2, 1, 1);
    Problem problem = pair_of(rows, SquaredLoss{}, 1.0, 1.0);
    const auto lost = [&](const std::vector<double>& doubles) {
        const std::vector<Quad> error{Quad(doubles[0]) - beta[0], Quad(doubles[1]) - beta[1]};
        const std::vector<Quad> f = kernel.multiply(error);
        return static_cast<double>(f[0] * error[0] + f[1] * error[1]);
    };
    const double alone = lost(rounded(beta, kernel));
    const double together = lost(rounded_together(problem, beta, kernel));
    EXPECT_GT(alone, 1e-20);
    EXPECT_LT(together, 1e-9 * alone);
}

TEST(precise_rounding, the_sum_of_the_coefficients_is_made_up_for_as_well) {
    // Three rows that are small in K beta compared with a fourth.
    PreciseMatrix kernel(4);
    PreciseFeatures columns{std::vector<Quad>(16), 4};
    for (std::size_t i = 0; i < 4; ++i) {
        const double size = i == 3 ? 1.0 : 1e-15;
        kernel(i, i) = Quad(size) * size;
        columns.values[i * 5] = size;
    }
    const Quad third = Quad(1.0) / 3.0;
    const std::vector<Quad> beta{third * 1e8, third, -(third * 1e8 + third + 1.0), 1.0};
    RowSet rows(4, 1, 1);
    Problem problem = pair_of(rows, SquaredLoss{}, 1.0, 1.0);
    problem.targets.assign(4, 1.0);
    problem.costs.assign(4, 1.0);
    const auto sum = [](const std::vector<double>& doubles) {
        Quad out = 0.0;
        for (const double value : doubles) {
            out += value;
        }
        return std::abs(static_cast<double>(out));
    };
    EXPECT_GT(sum(rounded(beta, kernel)), 1e-10);
    for (const bool by_size : {true, false}) {
        for (const PreciseFeatures* given : {&columns, static_cast<PreciseFeatures*>(nullptr)}) {
            const TogetherOptions options{
                .columns = given, .held = {}, .by_size = by_size, .with_sums = true};
            EXPECT_LT(sum(rounded_together(problem, beta, kernel, options)), 1e-15);
        }
    }
}

TEST(precise_rounding, a_row_that_is_held_goes_to_its_bound_and_others_make_up_for_it) {
    PreciseMatrix kernel(2);  // two equal rows
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            kernel(i, j) = 1.0;
        }
    }
    const std::vector<Quad> beta{1e-9, 2.0};
    RowSet rows(2, 1, 1);
    Problem problem = pair_of(rows, SquaredHingeLoss{}, 1.0, 1.0);
    problem.targets = {1.0, 1.0};
    const std::vector<double> held{0.0, kNaN};
    const PreciseFeatures columns{{1.0, 1.0}, 1};
    const std::vector<double> expected{0.0, 2.0 + 1e-9};
    EXPECT_EQ(rounded_together(problem, beta, kernel, {.held = held}), expected);
    EXPECT_EQ(rounded_together(problem, beta, kernel, {.columns = &columns, .held = held}),
              expected);
    EXPECT_EQ(rounded_together(problem, beta, kernel)[0], 1e-9);
}

TEST(precise_rounding, what_is_nothing_is_zero_unless_a_sum_needs_it) {
    PreciseMatrix kernel(3);
    kernel(0, 0) = 1.0;
    kernel(1, 1) = 1.0;
    kernel(2, 2) = 1e-80;  // small norm, large coefficient
    const std::vector<Quad> beta{Quad(1.0), Quad(1e-25), Quad(-1.0)};
    EXPECT_EQ(rounded(beta, kernel), (std::vector<double>{1.0, 0.0, -1.0}));
}

TEST(precise_rounding, a_small_coefficient_whose_function_is_large_is_kept) {
    PreciseMatrix kernel(2);
    kernel(0, 0) = 1.0;
    kernel(1, 1) = 1e40;
    const std::vector<Quad> beta{Quad(1.0), Quad(1e-19)};  // of norms 1 and 10
    EXPECT_EQ(rounded(beta, kernel), (std::vector<double>{1.0, 1e-19}));
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/linear_program_test.cpp - linear programs that are solved on paper.
#include "mercer/compute/linear_program.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

/// max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6), multipliers 0, 3/2, 1.
LinearProgram two_products() {
    LinearProgram program;
    program.row_lower.assign(3, -kInfinity);
    program.row_upper = {4.0, 12.0, 18.0};
    program.add_column(-3.0, 0.0, kInfinity);
    program.add_entry(0, 1.0);
    program.add_entry(2, 3.0);
    program.add_column(-5.0, 0.0, kInfinity);
    program.add_entry(1, 2.0);
    program.add_entry(2, 2.0);
    return program;
}

TEST(linear_program, a_textbook_programme_has_its_optimum_and_multipliers) {
    Context context;
    const ProgramSolution found = solve_linear_program(two_products(), {}, context);
    ASSERT_EQ(found.status, ProgramStatus::optimal);
    EXPECT_NEAR(found.objective, -36.0, 1e-9);
    EXPECT_NEAR(found.x[0], 2.0, 1e-9);
    EXPECT_NEAR(found.x[1], 6.0, 1e-9);
    EXPECT_NEAR(found.duals[0], 0.0, 1e-9);
    EXPECT_NEAR(found.duals[1], -1.5, 1e-9);
    EXPECT_NEAR(found.duals[2], -1.0, 1e-9);
}

TEST(linear_program, infeasible_rows_have_multipliers_that_prove_it) {
    LinearProgram program;  // x >= 2 and x <= 1 as rows
    program.row_lower = {2.0, -kInfinity};
    program.row_upper = {kInfinity, 1.0};
    program.add_column(0.0, -kInfinity, kInfinity);
    program.add_entry(0, 1.0);
    program.add_entry(1, 1.0);
    Context context;
    const ProgramSolution found = solve_linear_program(program, {}, context);
    EXPECT_EQ(found.status, ProgramStatus::infeasible);
    ASSERT_EQ(found.ray.size(), 2u);  // y with y'A = 0
    EXPECT_NE(found.ray[0], 0.0);
    EXPECT_NEAR(found.ray[0] + found.ray[1], 0.0, 1e-12);
}

TEST(linear_program, costs_that_fall_forever_are_unbounded) {
    LinearProgram program;  // min -x - y, x - y <= 1
    program.row_lower = {-kInfinity};
    program.row_upper = {1.0};
    for (const double side : {1.0, -1.0}) {
        program.add_column(-1.0, 0.0, kInfinity);
        program.add_entry(0, side);
    }
    Context context;
    EXPECT_EQ(solve_linear_program(program, {}, context).status, ProgramStatus::unbounded);
}

TEST(linear_program, weak_duality_is_tight_on_random_programmes) {
    Context context;
    Random random(6);
    for (int k = 0; k < 20; ++k) {
        // min c'x, A x >= b, x >= 0 with c >= 0, b <= A x0: feasible and bounded.
        LinearProgram program;
        const index_t rows = 6;
        const index_t columns = 9;
        std::vector<double> product(rows, 0.0);
        for (index_t j = 0; j < columns; ++j) {
            program.add_column(random.uniform(), 0.0, kInfinity);
            const double x = random.uniform();
            for (index_t i = 0; i < rows; ++i) {
                const double a = random.normal();
                program.add_entry(i, a);
                product[static_cast<std::size_t>(i)] += a * x;
            }
        }
        program.row_lower = product;
        program.row_upper.assign(rows, kInfinity);
        const ProgramSolution found = solve_linear_program(program, {}, context);
        ASSERT_EQ(found.status, ProgramStatus::optimal);
        double dual = 0.0;
        for (std::size_t i = 0; i < product.size(); ++i) {
            EXPECT_GE(found.duals[i], -1e-9);
            dual += found.duals[i] * product[i];
        }
        EXPECT_NEAR(dual, found.objective, 1e-8);
    }
}

TEST(linear_program, iterations_that_run_out_are_told) {
    Context context;
    const ProgramSolution found =
        solve_linear_program(two_products(), {.max_iterations = 1}, context);
    EXPECT_EQ(found.status, ProgramStatus::stopped);
}

TEST(linear_program, malformed_ones_are_refused) {
    Context context;
    LinearProgram program = two_products();
    program.indices[0] = 3;
    EXPECT_THROW((void)solve_linear_program(program, {}, context), InvalidArgument);
    program = two_products();
    program.values[0] = kNaN;
    EXPECT_THROW((void)solve_linear_program(program, {}, context), InvalidArgument);
    program = two_products();
    program.lower.pop_back();
    EXPECT_THROW((void)solve_linear_program(program, {}, context), InvalidArgument);
}

TEST(linear_program, a_stop_request_ends_it) {
    const std::atomic<bool> stop{true};
    ContextOptions options;
    options.stop_flag = &stop;
    Context context(options);
    EXPECT_THROW((void)solve_linear_program(two_products(), {}, context), Interrupted);
}

}  // namespace
}  // namespace mercer

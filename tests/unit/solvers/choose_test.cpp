// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/choose_test.cpp - what `auto` expects of the coordinate solvers.
#include "solvers/choose.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solvers/kernel_solvers.hpp"

namespace mercer {
namespace {

/// The coordinate solvers that `auto` compares.
std::vector<const KernelSolver*> both() {
    std::vector<const KernelSolver*> rows;
    for (const KernelSolver& row : kernel_table()) {
        if (row.typical_seconds && row.make) {
            rows.push_back(&row);
        }
    }
    return rows;
}

TEST(choose, the_first_stays_unless_another_is_clearly_faster) {
    EXPECT_EQ(cheapest({{"a", 1.0}}), 0U);
    EXPECT_EQ(cheapest({{"a", 1.0}, {"b", 0.9}}), 0U);
    EXPECT_EQ(cheapest({{"a", 1.0}, {"b", 0.7}}), 1U);
    EXPECT_EQ(cheapest({{"a", 1.0}, {"b", 0.7}, {"c", 0.65}}), 2U);
    EXPECT_EQ(cheapest({{"a", 1.0}, {"b", 2.0}, {"c", 0.5}}), 2U);
}

// Seconds of complete fits, best of two, on two cores, each solver requested by name. On typical
// data the estimate is within a factor of three.
TEST(choose, the_expected_time_is_that_of_typical_data) {
    struct Measured {
        index_t rows;
        double entries;
        double decomposition;
        double smo;
    };
    for (const Measured& each : {Measured{30000, 18.0, 1.04, 1.23},     // SUSY
                                 Measured{30000, 8.0, 0.60, 0.78},      // cod-rna
                                 Measured{8000, 500.0, 0.99, 1.28}}) {  // a mixture
        const auto times =
            expected_times(both(), {.rows = each.rows, .entries_per_row = each.entries});
        ASSERT_EQ(times.size(), 2U);
        EXPECT_EQ(times[0].solver, "decomposition");
        EXPECT_GT(times[0].seconds, each.decomposition / 3.0);
        EXPECT_LT(times[0].seconds, each.decomposition * 3.0);
        EXPECT_GT(times[1].seconds, each.smo / 3.0);
        EXPECT_LT(times[1].seconds, each.smo * 3.0);
        EXPECT_EQ(cheapest(times), 0U) << "decomposition was the faster one";
    }
}

TEST(choose, more_rows_and_more_entries_cost_more) {
    for (const KernelSolver* solver : both()) {
        double before = 0.0;
        for (const index_t rows : {10, 100, 1000, 4000, 20000, 100000}) {
            const double now =
                expected_times({solver}, {.rows = rows, .entries_per_row = 20.0}).front().seconds;
            EXPECT_GT(now, before) << solver->facts.name << " " << rows;
            before = now;
            EXPECT_GT(
                expected_times({solver}, {.rows = rows, .entries_per_row = 900.0}).front().seconds,
                now);
        }
    }
}

TEST(choose, dual_descent_is_expected_where_k_has_columns_and_many_rows) {
    const Problem hinge;
    const std::vector<const KernelSolver*> rows = kernel_solvers(hinge, SolverForm::box_dual);
    const auto taken = [&](const ProblemSize& size) {
        const std::vector<ExpectedTime> times = expected_times(rows, size);
        return times[cheapest(times)].solver;
    };
    EXPECT_EQ(taken({.rows = 400000, .entries_per_row = 10.0, .factor_columns = 10}),
              "dual-descent");
    EXPECT_EQ(taken({.rows = 400000, .entries_per_row = 50.0, .factor_columns = 50000}),
              "dual-descent");
    EXPECT_EQ(taken({.rows = 400000, .entries_per_row = 10.0}), "decomposition") << "no columns";
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/l1_risk_test.cpp - values, ties and changes of zones by hand.
#include "solvers/l1_risk.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

/// Two rows of class +1. Column 0 gives them the values 1/2 and -1, column 1 moves them by 1 and 2:
/// the first reaches its margin, 1, after a step of 1/2, the second after a step of 1.
struct TwoRows {
    std::vector<double> columns{0.5, -1.0, 1.0, 2.0};
    L1PathProblem problem;
    Context context;
    std::unique_ptr<L1Risk> risk;

    explicit TwoRows(L1Ridge ridge = L1Ridge::none, bool intercept = false) {
        problem.columns = {columns.data(), 2, 2};
        problem.targets = {1.0, 1.0};
        problem.costs = {1.0, 1.0};
        problem.loss = SquaredHingeLoss{};
        problem.ridge = ridge;
        problem.intercept = intercept;
        risk = make_l1_risk(problem, context);
        move({0}, {1.0});
        risk->settle();
    }

    void move(const std::vector<index_t>& which, const std::vector<double>& values) {
        risk->move(which, values);
    }
    void direct(const std::vector<index_t>& which, const std::vector<double>& rates) {
        risk->direct(which, rates);
    }
};

TEST(l1_risk, the_first_row_at_its_margin_is_found_without_a_tie) {
    TwoRows rows;
    rows.direct({1}, {1.0});
    const ZoneChange first = rows.risk->next_change(0.0, false, false);
    EXPECT_EQ(first.row, 0);
    EXPECT_EQ(first.length, 0.5);
    EXPECT_EQ(first.rate, 1.0);
    EXPECT_TRUE(first.up);
}

TEST(l1_risk, of_rows_within_a_tie_the_fastest_changes_or_the_first_when_in_doubt) {
    TwoRows rows;
    rows.direct({1}, {1.0});
    for (const auto& [tie, row] : {std::pair<double, index_t>{0.25, 0}, {0.5, 1}, {1.0, 1}}) {
        const ZoneChange fastest = rows.risk->next_change(tie, false, false);
        EXPECT_EQ(fastest.row, row) << tie;
        EXPECT_EQ(fastest.length, 0.5) << tie;  // to the end that is reached first
        EXPECT_EQ(rows.risk->next_change(tie, true, false).row, 0) << tie;
    }
}

TEST(l1_risk, rows_with_curvature_do_not_end_a_flat_move) {
    TwoRows rows;
    rows.direct({1}, {1.0});
    EXPECT_LT(rows.risk->next_change(0.0, false, true).row, 0);
    // From 5 and 10, where both losses are flat, the first is back at its margin after a step of 4,
    // the second after 9/2.
    rows.move({0, 1}, {0.0, 5.0});
    rows.risk->settle();
    rows.direct({1}, {-1.0});
    const ZoneChange first = rows.risk->next_change(0.0, false, true);
    EXPECT_EQ(first.row, 0);
    EXPECT_EQ(first.length, 4.0);
    EXPECT_FALSE(first.up);
}

TEST(l1_risk, the_ridge_is_paid_for_coefficients_and_not_for_the_intercept) {
    TwoRows rows(L1Ridge::identity, true);
    // 1/2 3^2, and values of 3/2 + 1/4 and -3 + 1/4, of which the second misses 1 by 15/4: half its
    // square is 225/32.
    rows.move({0, 2}, {3.0, 0.25});
    EXPECT_EQ(rows.risk->value(), 4.5 + 225.0 / 32.0);
    EXPECT_EQ(rows.risk->intercept(), 0.25);
}

}  // namespace
}  // namespace mercer

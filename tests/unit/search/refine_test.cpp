// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/refine_test.cpp - edges of a grid, and the grids that follow.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/search/select.hpp"

namespace mercer {
namespace {

SelectResult best_at(const std::vector<double>& values) {
    SelectResult result;
    result.table.push_back({});
    result.table.back().values = values;
    return result;
}

TEST(Refine, EdgesAreTheLeastAndTheGreatestOfAGrid) {
    const std::vector<GridAxis> grid{{"C", {1.0, 10.0, 100.0}}, {"gamma", {2.0}}};
    EXPECT_TRUE(edges_of_best(best_at({10.0, 2.0}), grid).empty());
    const std::vector<GridEdge> above = edges_of_best(best_at({100.0, 2.0}), grid);
    ASSERT_EQ(above.size(), 1U);
    EXPECT_EQ(above[0].name, "C");
    EXPECT_TRUE(above[0].greatest);
    EXPECT_DOUBLE_EQ(above[0].beyond, 1000.0);
    const std::vector<GridEdge> below = edges_of_best(best_at({1.0, 2.0}), grid);
    ASSERT_EQ(below.size(), 1U);
    EXPECT_FALSE(below[0].greatest);
    EXPECT_DOUBLE_EQ(below[0].beyond, 0.1);
}

TEST(Refine, AnEdgeThatNothingLiesBeyondIsNone) {
    EXPECT_TRUE(edges_of_best(best_at({1.0}), {{"nu", {0.25, 0.5, 0.75, 1.0}}}).empty());
    EXPECT_TRUE(edges_of_best(best_at({1.0}), {{"degree", {1.0, 2.0, 3.0}}}).empty());
}

TEST(Refine, FactorsAreHalvedByTheirRootsAndStepsByTheirMiddle) {
    const std::vector<GridAxis> around = grid_around(
        {10.0, 3.0, 3.0},
        {{"C", {1.0, 10.0, 100.0}}, {"length", {1.0, 2.0, 3.0}}, {"degree", {1.0, 2.0, 3.0}}});
    ASSERT_EQ(around[0].values.size(), 5U);
    EXPECT_NEAR(around[0].values[1], std::sqrt(10.0), 1e-14);
    EXPECT_EQ(around[0].values[2], 10.0);
    EXPECT_EQ(around[1].values, (std::vector<double>{2.0, 2.5, 3.0, 3.5, 4.0}));
    EXPECT_EQ(around[2].values, (std::vector<double>{2.0, 3.0, 4.0}));
}

}  // namespace
}  // namespace mercer

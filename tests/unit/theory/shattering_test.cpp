// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/shattering_test.cpp - labelings realised by halfspaces, and their number.
#include "mercer/theory/shattering.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using Points = std::vector<std::vector<double>>;

Shattering shatter_points(const Points& points, bool homogeneous, index_t limit = 1000000) {
    auto values = std::make_shared<std::vector<double>>();
    for (const std::vector<double>& point : points) {
        values->insert(values->end(), point.begin(), point.end());
    }
    Context context;
    const Dataset data(MatrixView<const double>(values->data(), static_cast<index_t>(points.size()),
                                                static_cast<index_t>(points[0].size())),
                       values);
    return shatter(data, {.homogeneous = homogeneous, .limit = limit}, context);
}

Points random_points(index_t count, index_t columns, Random& random) {
    Points points;
    for (index_t i = 0; i < count; ++i) {
        std::vector<double>& point = points.emplace_back();
        for (index_t j = 0; j < columns; ++j) {
            point.push_back(random.normal());
        }
    }
    return points;
}

TEST(shattering, four_points_of_the_plane_lack_the_two_labelings_of_exclusive_or) {
    const Shattering found = shatter_points({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, false);
    expect_fact("V01", "4 points of R^2, affine: realised of 16", found.realised);
    EXPECT_EQ(found.labelings, 16.0);
    EXPECT_TRUE(found.general_position);
    std::string missing;
    for (const std::string& labeling : found.missing_labelings) {
        missing += (missing.empty() ? "" : " ") + labeling;
    }
    expect_fact("V01", "the missing labelings of (1,1), (-1,-1), (1,-1), (-1,1)", missing);
}

TEST(shattering, points_in_general_position_have_covers_number) {
    Random random(1);
    bool equal = true;
    for (const index_t columns : {1, 2, 3}) {
        for (const index_t points : {3, 5, 8}) {
            for (const bool homogeneous : {false, true}) {
                const Shattering found =
                    shatter_points(random_points(points, columns, random), homogeneous);
                EXPECT_EQ(static_cast<double>(found.strict), found.cover);
                EXPECT_TRUE(found.general_position);
                equal = equal && static_cast<double>(found.strict) == found.cover;
            }
        }
    }
    expect_fact("V01", "3, 5, 8 random points of R, R^2, R^3: Cover's number", equal);
    expect_fact("V01", "Cover's number of 4 points, dimension 3", cover_number(4, 3));
    expect_fact("V01", "Cover's number of 20 points, dimension 3", cover_number(20, 3));
    EXPECT_EQ(cover_number(5, 9), 32.0);
    EXPECT_EQ(cover_number(0, 3), 1.0);
}

TEST(shattering, twenty_points_of_the_plane_are_counted_without_two_to_the_twenty_steps) {
    Random random(2);
    const Shattering found = shatter_points(random_points(20, 2, random), false);
    EXPECT_TRUE(found.counted);
    EXPECT_EQ(found.realised, 382);
}

TEST(shattering, homogeneous_halfspaces_shatter_independent_points_alone) {
    const Shattering axes = shatter_points({{1, 0}, {0, 1}}, true);
    expect_fact("V02", "{e1, e2}: realised of 4", axes.realised);
    expect_fact("V02", "{e1, e2} is shattered", axes.shattered);
    const Shattering line = shatter_points({{1, 0}, {2, 0}}, true);
    expect_fact("V02", "{e1, 2 e1}: realised",
                line.realised_labelings[0] + " " + line.realised_labelings[1]);
    EXPECT_EQ(line.realised, 2);
    expect_fact("V02", "{e1, 2 e1} is shattered", line.shattered);
    const Shattering zero = shatter_points({{0, 0}}, true);
    EXPECT_EQ(zero.realised, 1);
    expect_fact("V02", "{0}: realised", zero.realised_labelings[0]);

    Random random(3);
    bool equal = true;
    for (int k = 0; k < 60; ++k) {  // small integers: often dependent
        Points points = random_points(3, 3, random);
        for (std::vector<double>& point : points) {
            for (double& x : point) {
                x = std::round(x);
            }
        }
        const Shattering found = shatter_points(points, true);
        equal = equal && (found.realised == 8) == (found.rank == 3);
    }
    expect_fact("V02", "60 sets of 3 integer points: all labelings exactly when independent",
                equal);
}

TEST(shattering, affine_halfspaces_shatter_the_origin_with_independent_points) {
    const Shattering simplex = shatter_points({{1, 0}, {0, 1}, {0, 0}}, false);
    expect_fact("V03", "{e1, e2, 0}: realised of 8", simplex.realised);
    EXPECT_TRUE(simplex.shattered);
    const Shattering line = shatter_points({{0, 0}, {1, 0}, {2, 0}}, false);
    expect_fact("V03", "{0, e1, 2 e1}: realised of 8", line.realised);
    EXPECT_FALSE(line.shattered);
    EXPECT_FALSE(line.general_position);
    EXPECT_EQ(line.missing_labelings, (std::vector<std::string>{"+-+", "-+-"}));
}

TEST(shattering, the_dimension_of_halfspaces_is_d_or_d_plus_one) {
    Random random(4);
    bool shattered = true;
    bool beyond = false;
    for (const index_t d : {1, 2, 3}) {
        for (int k = 0; k < 10; ++k) {
            for (const bool homogeneous : {false, true}) {
                const index_t dimension = homogeneous ? d : d + 1;
                const Shattering at =
                    shatter_points(random_points(dimension, d, random), homogeneous);
                EXPECT_EQ(at.vc_dimension, dimension);
                shattered = shattered && at.shattered && at.realised == (index_t{1} << dimension);
                const Shattering above =
                    shatter_points(random_points(dimension + 1, d, random), homogeneous);
                beyond =
                    beyond || above.shattered || above.realised == (index_t{1} << (dimension + 1));
            }
        }
    }
    expect_fact("V04", "d + 1 random points are shattered, d of them homogeneously, d <= 3",
                shattered);
    expect_fact("V04", "some set of one more is shattered, d <= 3", beyond);
}

TEST(shattering, a_count_beyond_the_limit_is_refused_and_the_rank_is_told) {
    Random random(5);
    const Shattering found = shatter_points(random_points(12, 3, random), false, 100);
    EXPECT_FALSE(found.counted);
    EXPECT_EQ(found.rank, 4);
    EXPECT_FALSE(found.shattered);
    EXPECT_GT(found.cover, 100.0);
}

}  // namespace
}  // namespace mercer

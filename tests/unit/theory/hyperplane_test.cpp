// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/hyperplane_test.cpp - the geometry of affine predictors.
#include "mercer/theory/hyperplane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

TEST(hyperplane, the_distance_of_the_origin_to_3x_plus_4y_equals_5_is_one) {
    const Hyperplane plane{{3.0, 4.0}, -5.0};
    expect_fact("P04", "v=(3,4), c=5, x=0", distance_to(plane, std::vector<double>{0.0, 0.0}));
    expect_fact("P04", "x=(3,4)", distance_to(plane, std::vector<double>{3.0, 4.0}));
    EXPECT_THROW((void)distance_to({{0.0}, 1.0}, std::vector<double>{0.0}), InvalidArgument);
}

TEST(hyperplane, the_functional_margin_has_the_scale_of_its_weights) {
    const Hyperplane plane{{3.0, 4.0}, -5.0};
    const std::vector<double> x{3.0, 4.0};
    expect_fact("V07", "(3, 4), b=-5, at (3, 4)", functional_margin(plane, x));
    expect_fact("V07", "the same times 2.5", functional_margin(scaled(plane, 2.5), x));
    EXPECT_DOUBLE_EQ(distance_to(scaled(plane, 2.5), x), 4.0);
    EXPECT_THROW((void)scaled(plane, 0.0), InvalidArgument);
    EXPECT_THROW((void)scaled(plane, -1.0), InvalidArgument);
}

TEST(hyperplane, a_point_on_it_counts_as_plus_one) {
    const Hyperplane plane{{3.0, 4.0}, -5.0};
    expect_fact("P01", "3x + 4y = 5 at (3, -1), on it",  // 9 - 4 - 5 = 0
                side_of(plane, std::vector<double>{3.0, -1.0}));
    expect_fact("P01", "at (0, 0)", side_of(plane, std::vector<double>{0.0, 0.0}));
    expect_fact("P01", "at (1, 1)", side_of(plane, std::vector<double>{1.0, 1.0}));
}

TEST(hyperplane, embedding_the_intercept_changes_no_value) {
    Random random(3);
    double largest = 0.0;
    for (int k = 0; k < 50; ++k) {
        const Hyperplane plane{{random.normal(), random.normal(), random.normal()},
                               random.normal()};
        const std::vector<double> x{random.normal(), random.normal(), random.normal()};
        const Hyperplane embedded{embed_intercept(plane), 0.0};
        const std::vector<double> longer{1.0, x[0], x[1], x[2]};
        largest =
            std::max(largest, std::abs(affine_value(embedded, longer) - affine_value(plane, x)));
    }
    expect_fact("P02", "largest difference, 50 random predictors", largest);
}

TEST(hyperplane, embedding_the_intercept_is_exact_where_sums_are) {
    // Numbers of few bits: no sum is rounded, in any order.
    const Hyperplane plane{{0.5, -3.0, 2.25}, -1.75};
    expect_fact("P02", "w = (0.5, -3, 2.25), b = -1.75", embed_intercept(plane));
    const Hyperplane embedded{embed_intercept(plane), 0.0};
    expect_fact("P02", "at (4, 0.5, -8), embedded",
                affine_value(embedded, std::vector<double>{1.0, 4.0, 0.5, -8.0}));
    expect_fact("P02", "at (4, 0.5, -8)", affine_value(plane, std::vector<double>{4.0, 0.5, -8.0}));
}

TEST(hyperplane, realised_labels_are_realised_with_a_functional_margin_of_one) {
    const std::vector<double> points{0.0, -1.0};
    const std::vector<double> labels{1.0, -1.0};
    const Hyperplane found = with_unit_margin({{1.0}, 0.0}, points, labels);
    expect_fact("V08", "w = 1, b = 0 at 0 (+) and -1 (-): w, b afterwards",
                std::vector<double>{found.w[0], found.b});
    expect_fact("V08", "the margins then",
                std::vector<double>{affine_value(found, std::vector<double>{0.0}),
                                    -affine_value(found, std::vector<double>{-1.0})});
    // The point 0 labelled + cannot get a margin from a hyperplane through the origin.
    EXPECT_THROW((void)with_unit_margin({{1.0}, 0.0}, points, std::vector<double>{-1.0, 1.0}),
                 InvalidArgument);

    Random random(12);
    double least = kInfinity;
    for (int k = 0; k < 200; ++k) {
        const Hyperplane plane{{random.normal(), random.normal()}, random.normal()};
        std::vector<double> rows;
        std::vector<double> sides;
        for (int i = 0; i < 10; ++i) {
            rows.push_back(random.normal());
            rows.push_back(random.normal());
            sides.push_back(side_of(plane, std::span(rows).last(2)));
        }
        const Hyperplane wide = with_unit_margin(plane, rows, sides);
        for (std::size_t i = 0; i < sides.size(); ++i) {
            least =
                std::min(least, sides[i] * affine_value(wide, std::span(rows).subspan(2 * i, 2)));
        }
    }
    expect_fact("V08", "least margin of 200 random planes and 10 points each", least);
}

TEST(hyperplane, the_angle_at_a_point_of_it_tells_the_side) {
    const Hyperplane plane{{3.0, 4.0}, -5.0};
    const std::vector<double> on{3.0, -1.0};
    expect_fact("P03", "(2, 2) from (3, -1), 3x + 4y = 5",
                angle_side(plane, on, std::vector<double>{2.0, 2.0}));
    expect_fact("P03", "(0, 0)", angle_side(plane, on, std::vector<double>{0.0, 0.0}));
    expect_fact("P03", "(-1, 2), on it", angle_side(plane, on, std::vector<double>{-1.0, 2.0}));
    // A point of the parallel plane through the origin is refused.
    bool refused = false;
    try {
        (void)angle_side(plane, std::vector<double>{4.0, -3.0}, on);
    } catch (const InvalidArgument&) {
        refused = true;
    }
    expect_fact("P03", "a = (4, -3), not on it, is refused", refused);
}

TEST(hyperplane, in_a_kernels_space_the_norm_is_beta_k_beta) {
    // XOR with (1 + <x, z>)^2: f = -x1 x2, |f|^2 = 1/2, so the points lie sqrt(2) away.
    expect_fact("P04", "XOR, (1+x.z)^2: value 1, |f|^2 = 1/2", kernel_distance(1.0, 0.5));
    EXPECT_THROW((void)kernel_distance(1.0, 0.0), InvalidArgument);
}

}  // namespace
}  // namespace mercer

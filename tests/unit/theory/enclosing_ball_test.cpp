// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/enclosing_ball_test.cpp - balls around a few points, by hand and by search.
#include "mercer/theory/enclosing_ball.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

using Points = std::vector<std::vector<double>>;

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) {
        sum += a[j] * b[j];
    }
    return sum;
}

EnclosingBall ball_of(const Points& points, double tolerance = 1e-9) {
    std::vector<double> diagonal;
    for (const auto& point : points) {
        diagonal.push_back(dot_of(point, point));
    }
    Context context;
    return enclosing_ball(
        diagonal,
        [&](index_t i, std::span<double> row) {
            for (std::size_t j = 0; j < points.size(); ++j) {
                row[j] = dot_of(points[static_cast<std::size_t>(i)], points[j]);
            }
        },
        context, tolerance, 100'000);
}

TEST(enclosing_ball, of_few_points_is_known) {
    EXPECT_NEAR(ball_of({{-1.0}, {0.5}, {3.0}}).radius, 2.0, 1e-8);
    EXPECT_EQ(ball_of({{7.0, 1.0}}).radius, 0.0);
    EXPECT_EQ(ball_of({{7.0, 1.0}, {7.0, 1.0}}).radius, 0.0);
    const double height = std::sqrt(3.0);
    EXPECT_NEAR(ball_of({{-1.0, 0.0}, {1.0, 0.0}, {0.0, height}}).radius, 2.0 / height, 1e-8);
    EXPECT_THROW((void)ball_of({}), InvalidArgument);
}

TEST(enclosing_ball, holds_every_point_and_proves_that_no_ball_is_much_smaller) {
    Random random(5);
    for (int round = 0; round < 30; ++round) {
        Points points;
        for (int i = 0; i < 25; ++i) {
            points.push_back({random.normal() + 3.0, random.normal(), random.normal()});
        }
        const EnclosingBall ball = ball_of(points);
        std::vector<double> centre(3, 0.0);
        double sum = 0.0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            EXPECT_GE(ball.weights[i], 0.0);
            sum += ball.weights[i];
            for (std::size_t j = 0; j < 3; ++j) {
                centre[j] += ball.weights[i] * points[i][j];
            }
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
        const auto reach = [&](const std::vector<double>& from) {
            double most = 0.0;
            for (const auto& point : points) {
                most = std::max(
                    most, std::hypot(point[0] - from[0], point[1] - from[1], point[2] - from[2]));
            }
            return most;
        };
        EXPECT_NEAR(reach(centre), ball.radius, 1e-7);
        EXPECT_LE(ball.least_radius, ball.radius);
        EXPECT_NEAR(ball.least_radius, ball.radius, 1e-7);
        for (int other = 0; other < 200; ++other) {  // no other centre is better
            std::vector<double> moved = centre;
            for (double& value : moved) {
                value += 0.05 * random.normal();
            }
            EXPECT_GE(reach(moved), ball.least_radius - 1e-9);
        }
    }
}

}  // namespace
}  // namespace mercer

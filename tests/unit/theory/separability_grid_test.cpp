// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/separability_grid_test.cpp - all labelings of integer grids, against an oracle
// that shares no code with the library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/theory/separability.hpp"
#include "mercer/theory/shattering.hpp"
#include "support/facts.hpp"
#include "support/separation_oracle.hpp"

namespace mercer {
namespace {

using Point = std::vector<int>;

/// How many instances were compared, and how many answers or certificates were wrong.
struct Tally {
    index_t instances = 0;
    index_t wrong = 0;
    index_t invalid = 0;
};

/// The points of {0 .. side - 1}^columns.
std::vector<Point> grid(int side, int columns) {
    std::vector<Point> out{{}};
    for (int j = 0; j < columns; ++j) {
        std::vector<Point> next;
        for (const Point& point : out) {
            for (int x = 0; x < side; ++x) {
                next.push_back(point);
                next.back().push_back(x);
            }
        }
        out = next;
    }
    return out;
}

bool oracle_says(const std::vector<Point>& points, const std::vector<double>& labels,
                 bool homogeneous) {
    std::vector<oracle::Inequality> system;
    for (std::size_t i = 0; i < points.size(); ++i) {
        oracle::Inequality row;
        for (const int x : points[i]) {
            row.a.push_back(static_cast<std::int64_t>(labels[i]) * x);
        }
        if (!homogeneous) {
            row.a.push_back(static_cast<std::int64_t>(labels[i]));
        }
        system.push_back(row);
    }
    return oracle::has_solution(system);
}

Dataset dataset_of(const std::vector<Point>& points, double factor) {
    auto values = std::make_shared<std::vector<double>>();
    for (const Point& point : points) {
        for (const int x : point) {
            values->push_back(factor * x);
        }
    }
    return Dataset(MatrixView<const double>(values->data(), static_cast<index_t>(points.size()),
                                            static_cast<index_t>(points[0].size())),
                   values);
}

void compare(const std::vector<Point>& points, const Dataset& data,
             const std::vector<double>& labels, SeparabilityOptions options, Tally& tally,
             Context& context) {
    const Separability found = test_separability(data, labels, options, context);
    const bool expected = oracle_says(points, labels, options.homogeneous);
    ++tally.instances;
    tally.wrong +=
        static_cast<index_t>(found.answer != (expected ? SeparabilityAnswer::separable
                                                       : SeparabilityAnswer::not_separable));
    tally.invalid += static_cast<index_t>(
        !found.exact_check || !check_certificate(data, labels, options.homogeneous, found));
}

/// Every labeling of the points; only those with the first label + when `half`.
void compare_all(const std::vector<Point>& points, const SeparabilityOptions& options, Tally& tally,
                 Context& context, double factor = 1.0) {
    const Dataset data = dataset_of(points, factor);
    for (unsigned mask = 0; mask < (1u << points.size()); ++mask) {
        std::vector<double> labels;
        for (std::size_t i = 0; i < points.size(); ++i) {
            labels.push_back((mask >> i & 1u) != 0 ? 1.0 : -1.0);
        }
        compare(points, data, labels, options, tally, context);
    }
}

/// `count` points drawn from the grid, repeats allowed.
std::vector<Point> draw(const std::vector<Point>& points, std::size_t count, Random& random) {
    std::vector<Point> out;
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(
            points[static_cast<std::size_t>(random.below(static_cast<index_t>(points.size())))]);
    }
    return out;
}

TEST(separability_grid, every_labeling_of_a_square_and_a_cube_is_decided_rightly) {
    Context context;
    Tally tally;
    for (const bool homogeneous : {false, true}) {
        compare_all(grid(3, 2), {.homogeneous = homogeneous}, tally, context);
        compare_all(grid(2, 3), {.homogeneous = homogeneous}, tally, context);
        compare_all(grid(8, 1), {.homogeneous = homogeneous}, tally, context, 0x1.0p-300);
    }
    EXPECT_EQ(tally.instances, 2048);
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_EQ(tally.invalid, 0);
}

TEST(separability_grid, the_linear_programme_changes_no_answer) {
    Context context;
    Tally tally;
    for (const bool homogeneous : {false, true}) {
        compare_all(grid(3, 2), {.homogeneous = homogeneous, .always_program = true}, tally,
                    context);
    }
    EXPECT_EQ(tally.instances, 1024);
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_EQ(tally.invalid, 0);
}

TEST(Slow_separability_grid, a_hundred_thousand_instances_have_no_wrong_answer) {
    Context context;
    Tally tally;
    Random random(1);
    for (const bool homogeneous : {false, true}) {
        compare_all(grid(3, 2), {.homogeneous = homogeneous}, tally, context);
        compare_all(grid(2, 3), {.homogeneous = homogeneous}, tally, context);
        for (int k = 0; k < 110; ++k) {
            compare_all(draw(grid(4, 2), 8, random), {.homogeneous = homogeneous}, tally, context);
            compare_all(draw(grid(3, 3), 7, random), {.homogeneous = homogeneous}, tally, context);
            compare_all(draw(grid(9, 1), 6, random), {.homogeneous = homogeneous}, tally, context,
                        0x1.0p500);
        }
        for (int k = 0; k < 20; ++k) {
            compare_all(draw(grid(4, 2), 8, random),
                        {.homogeneous = homogeneous, .always_program = true}, tally, context);
        }
    }
    expect_fact("H03", "labelings of integer grids decided", tally.instances);
    expect_fact("H03", "labelings of integer grids decided wrongly", tally.wrong);
    expect_fact("H03", "labelings of integer grids with a certificate that is not exact",
                tally.invalid);
}

TEST(separability_grid, shattered_labelings_are_those_of_the_oracle) {
    Context context;
    Random random(3);
    for (int k = 0; k < 60; ++k) {
        const bool homogeneous = k % 2 == 0;
        const std::vector<Point> points = draw(grid(3, 1 + k % 3), 5, random);
        index_t realised = 0;
        for (unsigned mask = 0; mask < 32; ++mask) {
            std::vector<oracle::Inequality> system;
            for (std::size_t i = 0; i < points.size(); ++i) {
                const int label = (mask >> i & 1u) != 0 ? 1 : -1;
                oracle::Inequality row{{}, label < 0};  // sign(0) = +1
                for (const int x : points[i]) {
                    row.a.push_back(label * (x - 1));
                }
                if (!homogeneous) {
                    row.a.push_back(label);
                }
                system.push_back(row);
            }
            realised += static_cast<index_t>(oracle::has_solution(system));
        }
        std::vector<Point> moved = points;
        for (Point& point : moved) {
            for (int& x : point) {
                --x;
            }
        }
        const Shattering found =
            shatter(dataset_of(moved, 1.0), {.homogeneous = homogeneous}, context);
        EXPECT_EQ(found.realised, realised);
        EXPECT_EQ(found.shattered, realised == 32);
    }
}

}  // namespace
}  // namespace mercer

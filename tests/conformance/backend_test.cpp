// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/backend_test.cpp - every backend, kernel, storage, shape and precision against
// the reference. Backends are those of the list in mercer/compute/backend.hpp, kernels those of
// tests/sample_kernels.hpp.
#include "mercer/compute/backend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "mercer/compute/engine.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "random_kernel.hpp"
#include "row_sets.hpp"
#include "sample_kernels.hpp"

namespace mercer {
namespace {

using testing::kAnyRows;
using testing::kNonNegative;
using testing::kThreeColumns;
using testing::kUnitInterval;
using testing::RowSet;

double tolerance(Precision precision) { return precision == Precision::float64 ? 1e-12 : 1e-5; }

/// Dense, strided and sparse storage, both precisions, against the reference.
void expect_agreement(const Kernel& kernel, RowSet& left, RowSet& right, Device device) {
    Context context({.device = device});
    const std::vector<double> truth = testing::reference_gram(kernel, left.dense(), right.dense());
    for (const Precision precision : {Precision::float64, Precision::float32}) {
        const double limit = tolerance(precision);
        EXPECT_LE(
            testing::largest_difference(
                testing::compute_gram(kernel, left.dense(), right.dense(), precision, context),
                truth),
            limit)
            << to_string(kernel) << " dense, float" << (precision == Precision::float64 ? 64 : 32);
        EXPECT_LE(
            testing::largest_difference(
                testing::compute_gram(kernel, left.strided(), right.strided(), precision, context),
                truth),
            limit)
            << to_string(kernel) << " strided";
        EXPECT_LE(
            testing::largest_difference(
                testing::compute_gram(kernel, left.sparse(), right.sparse(), precision, context),
                truth),
            limit)
            << to_string(kernel) << " sparse";
    }
}

struct Shape {
    index_t left;
    index_t right;
    index_t columns;
    double density;
};

class backend : public ::testing::TestWithParam<std::tuple<const Backend*, Shape>> {};

TEST_P(backend, every_kernel_agrees_with_the_reference) {
    const Device device = std::get<0>(GetParam())->device();
    const Shape shape = std::get<1>(GetParam());
    // Rows of norm about 2 for any width, so that kernel values stay away from 0 and infinity.
    const double scale = 2.0 / std::sqrt(std::max(1.0, static_cast<double>(shape.columns)));
    RowSet left(shape.left, shape.columns, 1, shape.density);
    RowSet right(shape.right, shape.columns, 2, shape.density);
    left.scale(scale);
    right.scale(scale);
    if (shape.left > 2 && shape.right > 2) {
        left.copy_row(right, 1, 0);  // a duplicate across the two sets
        left.zero_row(2);            // an empty row
    }
    for (const std::string& text : kAnyRows) {
        expect_agreement(parse_kernel(text).value(), left, right, device);
    }
    if (shape.columns >= 3) {
        for (const std::string& text : kThreeColumns) {
            expect_agreement(parse_kernel(text).value(), left, right, device);
        }
    }
    left.make_absolute();
    right.make_absolute();
    for (const std::string& text : kNonNegative) {
        expect_agreement(parse_kernel(text).value(), left, right, device);
    }
    if (shape.columns == 1) {
        left.clamp_to_unit();
        right.clamp_to_unit();
        for (const std::string& text : kUnitInterval) {
            expect_agreement(parse_kernel(text).value(), left, right, device);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, backend,
    ::testing::Combine(::testing::ValuesIn(backends().begin(), backends().end()),
                       ::testing::Values(Shape{1, 1, 1, 1.0}, Shape{7, 37, 0, 1.0},
                                         Shape{33, 65, 1, 1.0}, Shape{65, 100, 3, 1.0},
                                         Shape{70, 31, 3, 0.3}, Shape{13, 530, 170, 0.02},
                                         Shape{2, 70, 90, 0.01}, Shape{9, 40, 1000, 1.0},
                                         Shape{9, 40, 1000, 0.02})),
    [](const auto& info) {
        const Shape shape = std::get<1>(info.param);
        return std::string(std::get<0>(info.param)->name()) + "_" + std::to_string(shape.left) +
               "x" + std::to_string(shape.right) + "x" + std::to_string(shape.columns) +
               (shape.density < 1.0 ? "_sparse" : "");
    });

class Slow_backend_random : public ::testing::TestWithParam<const Backend*> {};

TEST_P(Slow_backend_random, expressions_of_depth_four_agree_with_the_reference) {
    constexpr index_t kWidths[] = {1, 2, 3, 40, 1000};
    Random random(20240607);
    for (int round = 0; round < 400; ++round) {
        const index_t columns = kWidths[random.below(5)];
        testing::RandomKernelOptions options;
        options.positive_definite_only = random.below(2) == 0;
        options.columns = columns;
        const Kernel kernel =
            testing::random_kernel(random, 1 + static_cast<int>(random.below(4)), options);
        // A density over 40 columns underflows float32, and 0 / 0 is not a normalised value.
        if (columns > 3 && to_string(kernel).find("latent-gaussian") != std::string::npos) {
            continue;
        }
        const index_t wide = columns > 100 ? 20 : 60;
        RowSet left(1 + random.below(wide), columns, random.bits(), random.uniform(0.02, 1.0));
        RowSet right(1 + random.below(wide), columns, random.bits(), random.uniform(0.02, 1.0));
        const double scale = 1.5 / std::sqrt(std::max(1.0, static_cast<double>(columns)));
        left.scale(scale);
        right.scale(scale);
        expect_agreement(kernel, left, right, GetParam()->device());
    }
}

INSTANTIATE_TEST_SUITE_P(all, Slow_backend_random,
                         ::testing::ValuesIn(backends().begin(), backends().end()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace mercer

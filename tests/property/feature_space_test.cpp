// SPDX-License-Identifier: Apache-2.0
//
// tests/property/feature_space_test.cpp - laws of distances and functions in an RKHS.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "gram_of.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_distance.hpp"
#include "mercer/kernels/precise.hpp"
#include "mercer/operators/feature_geometry.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/theory/rkhs.hpp"
#include "random_kernel.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::random_kernel;
using testing::Rows;

constexpr index_t kColumns = 3;

Dataset dataset(const Rows& rows) {
    auto values = std::make_shared<std::vector<double>>();
    for (const std::vector<double>& row : rows) {
        values->insert(values->end(), row.begin(), row.end());
    }
    return Dataset(
        MatrixView<const double>(values->data(), static_cast<index_t>(rows.size()), kColumns),
        values);
}

/// Normal rows, one of them twice, one close to another.
Rows some_rows(Random& random, index_t count) {
    Rows rows = testing::normal_rows(random, count, kColumns);
    rows.push_back(rows.front());
    rows.push_back(rows[1]);
    rows.back()[0] += 1e-9 * random.normal();
    return rows;
}

RkhsFunctions random_function(const Kernel& kernel, const Rows& rows, Random& random) {
    RkhsFunctions out{kernel, dataset(rows), {}, 1};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.coefficients.push_back(random.normal());
    }
    return out;
}

TEST(FeatureSpaceProperty, distances_are_never_negative_and_obey_the_triangle) {
    Context context;
    double least = 0.0;
    EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 3);
        const Rows rows = some_rows(random, 6);
        const auto n = static_cast<index_t>(rows.size());
        const FeatureGeometry geometry(kernel, dataset(rows), context);
        std::vector<double> d(static_cast<std::size_t>(n * n));
        geometry.copy_squared_distances(0, MatrixView<double>(d.data(), n, n), context);
        const auto root = [&](index_t i, index_t j) {
            return std::sqrt(d[static_cast<std::size_t>(i * n + j)]);
        };
        least = std::min(least, *std::min_element(d.begin(), d.end()));
        double largest = 0.0;
        for (const std::vector<double>& row : rows) {
            largest = std::max(largest, diagonal(kernel, row));
        }
        const double rounding = 1e-7 * std::sqrt(largest);  // the root of a rounded 0
        RC_ASSERT(root(0, n - 2) == 0.0);                   // the duplicated row
        for (index_t i = 0; i < n; ++i) {
            RC_ASSERT(root(i, i) == 0.0);
            for (index_t j = 0; j < n; ++j) {
                for (index_t k = 0; k < n; ++k) {
                    RC_ASSERT(root(i, j) <= root(i, k) + root(k, j) + rounding);
                }
            }
        }
    }));
    expect_fact("K24", "random kernels and rows: least squared distance", least);
}

TEST(FeatureSpaceProperty, blocks_of_distances_agree_with_the_pairs_of_the_formulas) {
    Context context;
    EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 2);
        const Rows left = some_rows(random, 5);
        const Rows right = testing::normal_rows(random, 4, kColumns);
        const FeatureGeometry geometry(kernel, dataset(left), dataset(right), context);
        std::vector<double> d(left.size() * right.size());
        geometry.copy_squared_distances(
            0,
            MatrixView<double>(d.data(), static_cast<index_t>(left.size()),
                               static_cast<index_t>(right.size())),
            context);
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = 0; j < right.size(); ++j) {
                const double known = squared_feature_distance(kernel, left[i], right[j]);
                const double size = diagonal(kernel, left[i]) + diagonal(kernel, right[j]);
                RC_ASSERT(std::abs(d[i * right.size() + j] - known) <=
                          1e-9 * std::abs(known) + 1e-14 * size);
            }
        }
    }));
}

TEST(FeatureSpaceProperty, evaluation_is_bounded_by_norm_and_diagonal) {
    Context context;
    const bool holds = rc::check([&](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 3);
        const RkhsFunctions f = random_function(kernel, some_rows(random, 5), random);
        const RkhsFunctions g = random_function(kernel, some_rows(random, 4), random);
        const RkhsFunctions gap = difference(f, g, context);
        const Dataset probe = dataset(some_rows(random, 10));
        std::vector<double> diagonal(static_cast<std::size_t>(probe.rows()));
        kernel_diagonal(kernel, probe, diagonal);
        const std::vector<RkhsNumber> norms = squared_norms(gap, context);
        const EvaluationBound bound =
            evaluation_bound(reproduced_values(gap, probe, context), norms, diagonal);
        RC_ASSERT(bound.holds);
        // |f - g|^2 = |f|^2 + |g|^2 - 2 <f, g>, and f - f is 0.
        const RkhsNumber a = squared_norms(f, context)[0];
        const RkhsNumber b = squared_norms(g, context)[0];
        const RkhsNumber inner = inner_products(f, g, context)[0];
        const double rounding = 4.0 * (a.rounding + b.rounding + inner.rounding);
        RC_ASSERT(std::abs(norms[0].value - (a.value + b.value - 2.0 * inner.value)) <=
                  rounding + 1e-300);
        RC_ASSERT(difference(f, f, context).rows.rows() == 0);
        // The Cauchy-Schwarz inequality in the RKHS.
        RC_ASSERT(std::abs(inner.value) <= std::sqrt(a.value * b.value) + rounding);
    });
    expect_fact("RK3", "random kernels, functions and rows: it holds", holds);
}

struct RoundedInnerProduct {
    RkhsNumber number;
    double error = 0.0;  ///< from its value in 113 bits
};

RoundedInnerProduct random_inner_product(std::uint64_t seed, Context& context) {
    Random random(seed);
    const Kernel kernel = random_kernel(random, 3);
    const Rows left = some_rows(random, 5);
    const Rows right = some_rows(random, 4);
    const RkhsFunctions f = random_function(kernel, left, random);
    const RkhsFunctions g = random_function(kernel, right, random);
    Quad exact = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = 0; j < right.size(); ++j) {
            exact += Quad(f.coefficients[i]) * g.coefficients[j] *
                     evaluate_precisely(kernel, left[i], right[j]);
        }
    }
    const RkhsNumber number = inner_products(f, g, context)[0];
    return {number, std::abs(static_cast<double>(Quad(number.value) - exact))};
}

TEST(FeatureSpaceProperty, inner_products_in_113_bits_lie_within_the_stated_rounding) {
    Context context;
    EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
        const RoundedInnerProduct inner = random_inner_product(seed, context);
        RC_ASSERT(inner.error <= inner.number.rounding);
        RC_ASSERT(std::abs(inner.number.value) <= inner.number.size * (1.0 + 1e-12));
    }));
}

TEST(FeatureSpaceProperty, powers_of_normalized_kernels_lose_more_than_a_few_units) {
    // Each level of normalized(...)^n multiplies the error of a value.
    Context context;
    for (const std::uint64_t seed : {19869, 94093}) {
        const RoundedInnerProduct inner = random_inner_product(seed, context);
        EXPECT_GT(inner.error, 6.0 * kEpsilon * inner.number.size);
        EXPECT_LE(inner.error, inner.number.rounding);
    }
}

TEST(FeatureSpaceProperty, cosines_lie_between_minus_one_and_one) {
    Context context;
    EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 3);
        const Rows rows = some_rows(random, 5);
        const auto n = static_cast<index_t>(rows.size());
        const FeatureGeometry geometry(kernel, dataset(rows), context);
        std::vector<double> cosines(static_cast<std::size_t>(n * n));
        geometry.copy_cosines(0, MatrixView<double>(cosines.data(), n, n), context);
        for (index_t i = 0; i < n; ++i) {
            const double own = cosines[static_cast<std::size_t>(i * n + i)];
            const double k = diagonal(kernel, rows[static_cast<std::size_t>(i)]);
            const bool right = k > 0.0 ? std::abs(own - 1.0) <= 1e-12 : own == 0.0;
            RC_ASSERT(right);
        }
        RC_ASSERT(std::all_of(cosines.begin(), cosines.end(),
                              [](double c) { return c >= -1.0 && c <= 1.0; }));
    }));
}

}  // namespace
}  // namespace mercer

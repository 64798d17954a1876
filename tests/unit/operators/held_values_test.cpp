// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/held_values_test.cpp - values that are held are those that are computed.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

TEST(HeldValues, RowsBlocksAndProductsOfPartsAreThoseOfTheKernel) {
    Context context(ContextOptions{.threads = 2});
    // More rows than a stripe, and not a multiple of a tile.
    const Dataset data =
        generate({.name = "friedman1", .rows = 1100, .noise = 1.0, .seed = 1}, context);
    const Kernel kernel = rbf_kernel(0.7);
    const auto held = make_tiled_gram(kernel, data);
    held->hold_values(context);
    ASSERT_TRUE(held->holds_values());
    EXPECT_FALSE(held->is_exact());
    EXPECT_EQ(held->rounding().error, 0.0);
    const auto computed = make_gram(kernel, data);
    std::vector<index_t> places;
    std::vector<double> beta;
    for (index_t i = 3; i < 1100; i += 2) {
        places.push_back(i);
        beta.push_back(std::sin(static_cast<double>(i)));
    }
    const auto part = subset(held, places);
    const auto own = subset(computed, places);
    const auto n = static_cast<index_t>(places.size());
    std::vector<double> ours(static_cast<std::size_t>(n));
    std::vector<double> theirs(ours.size());
    for (const index_t row : {index_t{0}, index_t{77}, n - 1}) {
        part->whole(Precision::float64, context)->copy_rows(row, {ours.data(), 1, n}, context);
        own->whole(Precision::float64, context)->copy_rows(row, {theirs.data(), 1, n}, context);
        for (std::size_t j = 0; j < ours.size(); ++j) {
            EXPECT_NEAR(ours[j], theirs[j], 1e-6);
        }
        EXPECT_EQ(ours[static_cast<std::size_t>(row)], 1.0);
    }
    const std::vector<double> f = part->multiply(beta, context);
    const std::vector<double> g = own->multiply(beta, context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], g[i], 1e-5);
    }
}

TEST(HeldValues, ArePaidForFromTheBudget) {
    Context context(ContextOptions{.threads = 1, .memory = index_t{1} << 20});
    const Dataset data =
        generate({.name = "friedman1", .rows = 600, .noise = 1.0, .seed = 1}, context);
    const auto gram = make_tiled_gram(rbf_kernel(0.7), data);
    EXPECT_THROW(gram->hold_values(context), ResourceError);
    EXPECT_FALSE(gram->holds_values());
}

}  // namespace
}  // namespace mercer

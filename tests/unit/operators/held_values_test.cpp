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

TEST(HeldValues, ColumnsThatFollowOneAnotherHaveTheValuesOfSingleColumns) {
    Context context(ContextOptions{.threads = 2});
    const Dataset data =
        generate({.name = "friedman1", .rows = 1100, .noise = 1.0, .seed = 2}, context);
    const auto held = make_tiled_gram(rbf_kernel(0.7), data);
    held->hold_values(context);
    ASSERT_TRUE(held->holds_values());
    std::vector<index_t> rows;  // long stretches, one that ends a tile, and single columns
    for (const auto& [begin, end] : {std::pair<index_t, index_t>{90, 602}, {3, 70}, {700, 1031}}) {
        for (index_t i = begin; i < end; ++i) {
            rows.push_back(i);
        }
    }
    rows.insert(rows.end(), {1, 1099, 1050, 650});
    const auto n = static_cast<index_t>(rows.size());
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        const std::vector<index_t> left = {5, 600, 1099};
        const auto block = held->block(left, rows, precision, context);
        std::vector<double> unit(rows.size(), 0.0);
        std::vector<double> column(left.size());
        std::vector<double> alone(left.size());
        const double one = 1.0;
        for (std::size_t j = 0; j < rows.size(); j += 7) {
            unit[j] = 1.0;
            block->multiply({unit.data(), n, 1}, {column.data(), 3, 1}, context);
            unit[j] = 0.0;
            const std::vector<index_t> single = {rows[j]};
            held->block(left, single, precision, context)
                ->multiply({&one, 1, 1}, {alone.data(), 3, 1}, context);
            EXPECT_EQ(column, alone) << rows[j];
        }
    }
}

TEST(HeldValues, ProductsAreSumsOverTheValuesOfTheBlock) {
    Context context(ContextOptions{.threads = 2});
    Context alone(ContextOptions{.threads = 1});
    constexpr index_t kRows = 3000;
    const Dataset data =
        generate({.name = "friedman1", .rows = kRows, .noise = 1.0, .seed = 3}, context);
    const auto held = make_tiled_gram(rbf_kernel(0.7), data);
    held->hold_values(context);
    ASSERT_TRUE(held->holds_values());
    std::vector<index_t> left;  // one stretch is longer than a part of the sum, one ends the table
    for (const auto& [begin, end] :
         {std::pair<index_t, index_t>{7, 2100}, {2110, 2150}, {2990, kRows}}) {
        for (index_t i = begin; i < end; ++i) {
            left.push_back(i);
        }
    }
    std::vector<index_t> right;  // more than one partial sum
    std::vector<double> v;
    for (index_t j = 1; j < kRows; j += 2) {
        right.push_back(j);
        v.push_back(std::cos(static_cast<double>(j)));
    }
    const auto m = static_cast<index_t>(left.size());
    const auto n = static_cast<index_t>(right.size());
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        const auto block = held->block(right, right, precision, context)->beside(left, context);
        std::vector<double> f(left.size());
        block->multiply({v.data(), n, 1}, {f.data(), m, 1}, context);
        std::vector<double> again(left.size());
        block->multiply({v.data(), n, 1}, {again.data(), m, 1}, alone);
        EXPECT_EQ(f, again);
        const auto wide = held->block(left, right, Precision::float64, context);
        std::vector<double> row(right.size());
        for (index_t i = 0; i < m; i += 50) {
            wide->copy_rows(i, {row.data(), 1, n}, context);
            double sum = 0.0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                sum += row[j] * v[j];
            }
            EXPECT_NEAR(f[static_cast<std::size_t>(i)], sum, 1e-10);
        }
        wide->copy_rows(m - 1, {row.data(), 1, n}, context);
        EXPECT_EQ(row.back(), 1.0);  // both end with the last row
        EXPECT_THROW(block->multiply({v.data(), n - 1, 1}, {f.data(), m, 1}, context),
                     InvalidArgument);
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

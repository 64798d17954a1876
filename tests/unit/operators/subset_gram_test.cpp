// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/subset_gram_test.cpp - a kernel compiled once for all rows gives the same
// values for some of them.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/operators/row_cache.hpp"
#include "mercer/runtime/context.hpp"
#include "operators/compiled_rows.hpp"
#include "operators/tiled_rows.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 290;
constexpr index_t kClasses = 3;

class subset_gram : public ::testing::TestWithParam<bool> {
protected:
    subset_gram() : set_(kRows, GetParam() ? 300 : 12, 1, GetParam() ? 0.01 : 1.0) {
        for (index_t i = 0; i < kRows; ++i) {
            parts_[static_cast<std::size_t>(i * i / 5 % kClasses)].push_back(i);
        }
        const GramMatrix gram(kernel_, data(), Precision::float32, context_);
        full_.resize(kRows * kRows);
        gram.copy_rows(0, MatrixView<float>(full_.data(), kRows, kRows), context_);
    }

    Dataset data() { return GetParam() ? set_.sparse() : set_.dense(); }

    /// K of the cache's rows among themselves, against the matrix of all rows.
    void expect_block(RowCache& cache, const std::vector<index_t>& places) {
        const auto n = static_cast<index_t>(places.size());
        std::vector<index_t> all(places.size());
        std::iota(all.begin(), all.end(), index_t{0});
        const index_t stride = n + 7;
        std::vector<float> block(static_cast<std::size_t>(n * stride), -1.0F);
        cache.compute_block(all, all, MatrixView<float>(block.data(), n, n, stride), context_);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                ASSERT_EQ(
                    block[static_cast<std::size_t>(i * stride + j)],
                    full_[static_cast<std::size_t>(places[static_cast<std::size_t>(i)] * kRows +
                                                   places[static_cast<std::size_t>(j)])])
                    << i << ", " << j;
            }
            EXPECT_EQ(block[static_cast<std::size_t>(i * stride + n)], -1.0F);
        }
    }

    std::vector<index_t> joined(std::size_t a, std::size_t b) const {
        std::vector<index_t> places = parts_[a];
        places.insert(places.end(), parts_[b].begin(), parts_[b].end());
        return places;
    }

    /// Room for whole rows.
    struct Rows {
        Rows(std::size_t count, index_t length) : values(count) {
            for (std::vector<float>& row : values) {
                row.resize(static_cast<std::size_t>(length + 2 * kColumnAlignment));
                targets.push_back(row.data());
            }
        }
        std::vector<std::vector<float>> values;
        std::vector<float*> targets;
    };

    Kernel kernel_ = rbf_kernel(0.1);
    RowSet set_;
    Context context_;
    std::vector<std::vector<index_t>> parts_{kClasses};
    std::vector<float> full_;
};

TEST_P(subset_gram, a_cache_of_some_rows_has_the_bits_of_all) {
    const std::vector<index_t> places = joined(1, 0);
    RowCache cache(*subset(make_gram(kernel_, data()), places), 1 << 20, Precision::float32,
                   context_);
    expect_block(cache, places);
    std::vector<const float*> rows(2);
    const std::vector<index_t> wanted{3, static_cast<index_t>(places.size()) - 1};
    cache.fetch(wanted, rows, context_);
    for (std::size_t r = 0; r < wanted.size(); ++r) {
        for (std::size_t j = 0; j < places.size(); ++j) {
            ASSERT_EQ(rows[r][j],
                      full_[static_cast<std::size_t>(
                          places[static_cast<std::size_t>(wanted[r])] * kRows + places[j])]);
        }
    }
}

TEST_P(subset_gram, rows_within_a_part_are_computed_once_and_change_no_bit) {
    const auto shared = std::make_shared<CompiledRows>(kernel_, data());
    shared->retain_rows_within({parts_[0], parts_[1], parts_[2]}, index_t{1} << 20, context_);
    EXPECT_EQ(shared->leading_part(joined(1, 0))->size(), static_cast<index_t>(parts_[1].size()));
    EXPECT_EQ(shared->leading_part(std::vector<index_t>{1, 0}), nullptr);
    for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}, {2, 1}}) {
        const std::vector<index_t> places =
            joined(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
        const auto n = static_cast<index_t>(places.size());
        TiledRows source(shared, places, Precision::float32, context_);
        std::vector<index_t> wanted;  // some rows of both parts, those of before among them
        for (index_t i = a; i < n; i += 3) {
            wanted.push_back(i);
        }
        Rows rows(wanted.size(), n);
        source.fill(wanted, 0, n, rows.targets, context_);
        for (std::size_t r = 0; r < wanted.size(); ++r) {
            for (std::size_t j = 0; j < places.size(); ++j) {
                ASSERT_EQ(rows.targets[r][j],
                          full_[static_cast<std::size_t>(
                              places[static_cast<std::size_t>(wanted[r])] * kRows + places[j])])
                    << a << " against " << b << ", row " << wanted[r] << ", column " << j;
            }
        }
    }
    const PartRows& first = *shared->leading_part(parts_[0]);
    EXPECT_EQ(first.retained(), (first.size() + 2) / 3);  // both of its problems asked for the same
}

TEST_P(subset_gram, rows_beyond_the_room_are_not_retained) {
    const auto shared = std::make_shared<CompiledRows>(kernel_, data());
    const auto row = static_cast<index_t>(parts_[0].size() * sizeof(float));
    shared->retain_rows_within({parts_[0], parts_[1]}, 5 * row + row / 2, context_);
    const std::vector<index_t> places = joined(0, 1);
    TiledRows source(shared, places, Precision::float32, context_);
    std::vector<index_t> wanted(20);
    std::iota(wanted.begin(), wanted.end(), index_t{0});
    Rows rows(wanted.size(), source.size());
    source.fill(wanted, 0, source.size(), rows.targets, context_);
    const PartRows& part = *shared->leading_part(places);
    EXPECT_EQ(part.retained(), 5);
    EXPECT_NE(part.find(4), nullptr);
    EXPECT_EQ(part.find(5), nullptr);
    EXPECT_EQ(part.find(4)[1], full_[static_cast<std::size_t>(places[4] * kRows + places[1])]);
}

TEST_P(subset_gram, float64_products_are_those_of_rows_laid_out_anew) {
    const auto gram = make_gram(kernel_, data());
    const std::vector<index_t> right = parts_[1];
    std::vector<double> v(right.size());
    for (std::size_t j = 0; j < v.size(); ++j) {
        v[j] = 0.5 - static_cast<double>(j % 7);
    }
    const MatrixView<const double> weights(v.data(), static_cast<index_t>(v.size()), 1);
    std::vector<double> ours(parts_[0].size());
    std::vector<double> fresh(parts_[0].size());
    gram->block(parts_[0], right, Precision::float64, context_)
        ->multiply(weights, {ours.data(), static_cast<index_t>(ours.size()), 1}, context_);
    GramMatrix(kernel_, data().select(parts_[0]), data().select(right), Precision::float64,
               context_)
        .multiply(weights, {fresh.data(), static_cast<index_t>(fresh.size()), 1}, context_);
    for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_NEAR(ours[i], fresh[i], 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(storage, subset_gram, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "sparse" : "dense"; });

}  // namespace
}  // namespace mercer

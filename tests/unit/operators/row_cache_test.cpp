// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/row_cache_test.cpp - cached, fresh, whole and partial rows are the same
// rows.
#include "mercer/operators/row_cache.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 300;

class row_cache : public ::testing::TestWithParam<bool> {
protected:
    row_cache() : set_(kRows, GetParam() ? 300 : 12, 1, GetParam() ? 0.01 : 1.0) {
        const GramMatrix gram(kernel_, data(), Precision::float32, context_);
        full_.resize(kRows * kRows);
        gram.copy_rows(0, MatrixView<float>(full_.data(), kRows, kRows), context_);
    }

    Dataset data() { return GetParam() ? set_.sparse() : set_.dense(); }
    float expected(index_t row, index_t column) const {
        return full_[static_cast<std::size_t>(row * kRows + column)];
    }
    void expect_rows(RowCache& cache, const std::vector<index_t>& wanted,
                     const std::vector<index_t>& columns) {
        std::vector<const float*> out(wanted.size());
        cache.fetch(wanted, out, context_);
        ASSERT_EQ(cache.row_length(), static_cast<index_t>(columns.size()));
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            for (std::size_t j = 0; j < columns.size(); ++j) {
                ASSERT_EQ(out[i][j], expected(wanted[i], columns[j]))
                    << "row " << wanted[i] << " entry " << j;
            }
        }
    }
    static std::vector<index_t> all() {
        std::vector<index_t> columns(kRows);
        std::iota(columns.begin(), columns.end(), index_t{0});
        return columns;
    }

    Kernel kernel_ = rbf_kernel(0.1);
    RowSet set_;
    Context context_;
    std::vector<float> full_;
};

TEST_P(row_cache, cached_rows_equal_fresh_rows) {
    RowCache cache(*make_gram(kernel_, data()), 1 << 20, Precision::float32, context_);
    expect_rows(cache, {5, 17, 5, 299}, all());
    expect_rows(cache, {17, 5}, all());
    EXPECT_EQ(cache.counters().requested, 6);
    EXPECT_EQ(cache.counters().computed, 3);
    expect_fact("K25", "cached rows have the bits of fresh ones", !HasFailure());
}

TEST_P(row_cache, missing_rows_are_computed_as_one_block) {
    RowCache cache(*make_gram(kernel_, data()), 1 << 20, Precision::float32, context_);
    std::vector<index_t> wanted(40);
    std::iota(wanted.begin(), wanted.end(), index_t{100});
    expect_rows(cache, wanted, all());
    EXPECT_EQ(cache.counters().computed, 40);
    EXPECT_EQ(cache.counters().blocks, 1);
}

TEST_P(row_cache, the_least_recently_used_row_goes_first) {
    RowCache cache(*make_gram(kernel_, data()), 3 * 304 * 4, Precision::float32, context_);
    ASSERT_EQ(cache.capacity(), 3);
    expect_rows(cache, {1, 2, 3}, all());
    expect_rows(cache, {1}, all());
    expect_rows(cache, {4}, all());     // drops 2
    expect_rows(cache, {1, 3}, all());  // still there
    EXPECT_EQ(cache.counters().computed, 4);
    expect_rows(cache, {2}, all());
    EXPECT_EQ(cache.counters().computed, 5);
}

TEST_P(row_cache, a_request_never_throws_out_its_own_rows) {
    RowCache cache(*make_gram(kernel_, data()), 3 * 304 * 4, Precision::float32, context_);
    expect_rows(cache, {1, 2, 3}, all());
    expect_rows(cache, {9, 1, 8}, all());
}

TEST_P(row_cache, an_active_set_serves_parts_of_rows_without_computing_them_again) {
    RowCache cache(*make_gram(kernel_, data()), 1 << 20, Precision::float32, context_);
    expect_rows(cache, {5, 17, 200}, all());
    std::vector<index_t> active;
    for (index_t j = 0; j < kRows; j += 3) {
        active.push_back((j * 7) % kRows);
    }
    cache.set_active(active, context_);
    expect_rows(cache, {200, 5}, active);
    EXPECT_EQ(cache.counters().computed, 3);
    expect_rows(cache, {1, 2}, active);
    std::vector<index_t> smaller(active.begin() + 10, active.begin() + 50);
    cache.set_active(smaller, context_);
    expect_rows(cache, {1, 5, 17, 250}, smaller);
    EXPECT_EQ(cache.counters().computed, 6);
    cache.set_active(all(), context_);
    expect_rows(cache, {1, 5}, all());
}

TEST_P(row_cache, shorter_rows_leave_room_for_more_of_them) {
    RowCache cache(*make_gram(kernel_, data()), 4 * 304 * 4, Precision::float32, context_);
    EXPECT_EQ(cache.capacity(), 4);
    cache.set_active(std::vector<index_t>{1, 2, 3, 4}, context_);
    EXPECT_EQ(cache.capacity(), 4 * 304 / 16);
}

TEST_P(row_cache, the_cache_stays_within_its_bytes) {
    const index_t before = context_.memory()->used();
    RowCache big(*make_gram(kernel_, data()), index_t{1} << 40, Precision::float32, context_);
    EXPECT_LE(context_.memory()->used() - before, 304 * kRows * 4 + 200000);
    RowCache none(*make_gram(kernel_, data()), 0, Precision::float32, context_);
    EXPECT_EQ(none.capacity(), 2);
}

TEST_P(row_cache, rows_written_past_the_caches_equal_fresh_rows) {
    // 1,100 rows of 1,200 entries are more than 4 MiB; a first request leaves the slots of the rest
    // apart, so that they are not written in place.
    constexpr index_t n = 1200;
    RowSet set(n, 6, 3);
    const GramMatrix gram(kernel_, set.dense(), Precision::float32, context_);
    std::vector<float> whole(static_cast<std::size_t>(n * n));
    gram.copy_rows(0, MatrixView<float>(whole.data(), n, n), context_);
    Context two({.threads = 2});
    RowCache cache(*make_gram(kernel_, set.dense()), n * n * 4, Precision::float32, two);
    for (const std::vector<index_t>& wanted : {std::vector<index_t>{7, 3}, [] {
                                                   std::vector<index_t> odd_first;
                                                   for (index_t i = 1; i < n; i += 2) {
                                                       odd_first.push_back(i);
                                                   }
                                                   for (index_t i = 0; i < n; i += 2) {
                                                       odd_first.push_back(i);
                                                   }
                                                   return odd_first;
                                               }()}) {
        std::vector<const float*> out(wanted.size());
        cache.fetch(wanted, out, two);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            ASSERT_TRUE(std::equal(out[i], out[i] + n, whole.data() + wanted[i] * n))
                << "row " << wanted[i];
        }
    }
}

TEST_P(row_cache, bad_requests_are_refused) {
    RowCache cache(*make_gram(kernel_, data()), 0, Precision::float32, context_);
    std::vector<const float*> out(3);
    EXPECT_THROW(cache.fetch(std::vector<index_t>{1, 2, 3}, out, context_), InvalidArgument);
    out.resize(1);
    EXPECT_THROW(cache.fetch(std::vector<index_t>{300}, out, context_), InvalidArgument);
    EXPECT_THROW(cache.fetch(std::vector<index_t>{-1}, out, context_), InvalidArgument);
    EXPECT_THROW(cache.set_active(std::vector<index_t>{1, 1}, context_), InvalidArgument);
    EXPECT_THROW(cache.set_active(std::vector<index_t>{300}, context_), InvalidArgument);
}

TEST_P(row_cache, the_diagonal_is_exact) {
    RowCache cache(*make_gram(kernel_, data()), 0, Precision::float32, context_);
    for (const double value : cache.diagonal()) {
        EXPECT_EQ(value, 1.0);
    }
}

INSTANTIATE_TEST_SUITE_P(storage, row_cache, ::testing::Values(false, true),
                         [](const auto& storage) { return storage.param ? "sparse" : "dense"; });

}  // namespace
}  // namespace mercer

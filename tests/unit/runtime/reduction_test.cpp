// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/reduction_test.cpp - sums in the order of parts and ranks.
#include "mercer/runtime/reduction.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {
namespace {

/// Rank 0 of two, where the other rank always has the number 100.
class TwoRanks final : public Communicator {
public:
    [[nodiscard]] int rank() const noexcept override { return 0; }
    [[nodiscard]] int size() const noexcept override { return 2; }
    void sum(std::span<double> values) override {
        ++sums;
        for (double& value : values) {
            value += 100.0;
        }
    }
    void broadcast(std::span<double>, int) override {}

    int sums = 0;
};

/// Part p adds terms that are rounded differently in any other order.
void add_rough(index_t part, MatrixView<double> sum) {
    for (index_t i = 0; i < sum.rows; ++i) {
        for (index_t c = 0; c < sum.columns; ++c) {
            sum(i, c) += std::pow(-1.3, static_cast<double>(part + i + 7 * c)) / 3.0;
        }
    }
}

TEST(reduction, parts_are_added_in_their_order_on_any_number_of_threads) {
    constexpr index_t kParts = 29;
    constexpr index_t kRows = 1100;
    std::vector<double> expected(kRows * 2, 0.0);
    for (index_t part = 0; part < kParts; ++part) {
        std::vector<double> one(kRows * 2, 0.0);
        add_rough(part, {one.data(), kRows, 2});
        for (std::size_t k = 0; k < one.size(); ++k) {
            expected[k] += one[k];
        }
    }
    for (const int threads : {1, 2, 5}) {
        Context context({.threads = threads});
        std::vector<double> out(kRows * 2, kNaN);
        sum_in_order(kParts, {out.data(), kRows, 2}, "sums", context,
                     [](index_t part, int, MatrixView<double> sum) { add_rough(part, sum); });
        EXPECT_EQ(out, expected) << threads << " threads";
    }
}

TEST(reduction, a_single_part_is_summed_in_place_and_may_use_all_threads) {
    Context context({.threads = 3, .memory = 1});  // no room for partial sums
    std::vector<double> out{kNaN, 5.0, kNaN, 5.0};
    sum_over_rows(1, {out.data(), 2, 1, 2}, "sums", context,
                  [&](index_t part, int worker, MatrixView<double> sum) {
                      EXPECT_EQ(part, 0);
                      EXPECT_EQ(worker, 0);
                      parallel_for(context, 2, [&](index_t i, int) { sum(i, 0) += 1.0; });
                  });
    EXPECT_EQ(out, (std::vector<double>{1.0, 5.0, 1.0, 5.0}));
}

TEST(reduction, sums_over_rows_are_over_the_rows_of_all_ranks) {
    const auto ranks = std::make_shared<TwoRanks>();
    Context context({.threads = 2, .communicator = ranks});
    const AddPart add = [](index_t part, int, MatrixView<double> sum) {
        sum(0, 0) += static_cast<double>(part);
        sum(1, 0) += 1.0;
    };
    std::vector<double> out(2);
    sum_in_order(3, {out.data(), 2, 1}, "sums", context, add);
    EXPECT_EQ(out, (std::vector<double>{3.0, 3.0}));
    EXPECT_EQ(ranks->sums, 0);
    sum_over_rows(3, {out.data(), 2, 1}, "sums", context, add);
    EXPECT_EQ(out, (std::vector<double>{103.0, 103.0}));
    EXPECT_EQ(ranks->sums, 1);
    compensated_sum_over_rows(3, {out.data(), 2, 1}, "sums", context,
                              [](index_t part, MatrixView<double> sum, MatrixView<double> lost) {
                                  add_exactly(static_cast<double>(part), sum(0, 0), lost(0, 0));
                                  add_exactly(1.0, sum(0, 1), lost(0, 1));
                              });
    EXPECT_EQ(out, (std::vector<double>{103.0, 103.0}));
    std::vector<double> strided{0.0, -1.0, 0.0, -1.0};  // what lies between the rows is not sent
    sum_over_rows(3, {strided.data(), 2, 1, 2}, "sums", context, add);
    EXPECT_EQ(strided, (std::vector<double>{103.0, -1.0, 103.0, -1.0}));
}

TEST(reduction, compensated_sums_keep_what_plain_ones_lose) {
    Context context;
    double plain = 0.0;
    sum_over_rows(3, {&plain, 1, 1}, "sums", context,
                  [](index_t part, int, MatrixView<double> sum) {
                      sum(0, 0) += part == 0 ? 1e16 : part == 1 ? 1.0 : -1e16;
                  });
    EXPECT_EQ(plain, 0.0);
    double exact = 0.0;
    compensated_sum_over_rows(
        3, {&exact, 1, 1}, "sums", context,
        [](index_t part, MatrixView<double> sum, MatrixView<double> lost) {
            add_exactly(part == 0 ? 1e16 : part == 1 ? 1.0 : -1e16, sum(0, 0), lost(0, 0));
        });
    EXPECT_EQ(exact, 1.0);
}

TEST(reduction, no_parts_and_stopped_contexts_are_refused) {
    Context context;
    double out = 0.0;
    const AddPart add = [](index_t, int, MatrixView<double>) {};
    EXPECT_THROW(sum_over_rows(0, {&out, 1, 1}, "sums", context, add), InvalidArgument);
    const std::atomic<bool> stop{true};
    Context stopped({.stop_flag = &stop});
    EXPECT_THROW(sum_over_rows(1, {&out, 1, 1}, "sums", stopped, add), Interrupted);
    EXPECT_THROW(sum_over_rows(2, {&out, 1, 1}, "sums", stopped, add), Interrupted);
}

}  // namespace
}  // namespace mercer

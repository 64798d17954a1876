// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/equal_rows_test.cpp - K beta where many rows are equal: one value for all of them,
// and within the error that is stated of it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/base/random.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/operators/precise_values.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 3000;     // enough that equal rows are looked for
constexpr index_t kDifferent = 37;  // row i is row i % 37

using GramPointer = std::shared_ptr<const GramOperator>;

RowSet repeated_rows() {
    RowSet set(kRows, 4, 8, 0.7);
    for (index_t i = kDifferent; i < kRows; ++i) {
        for (index_t k = 0; k < 4; ++k) {
            set.at(i, k) = set.at(i % kDifferent, k);
        }
    }
    return set;
}

std::vector<index_t> all_places() {
    std::vector<index_t> all(static_cast<std::size_t>(kRows));
    std::iota(all.begin(), all.end(), index_t{0});
    return all;
}

/// Large coefficients of both signs whose sums over equal rows are small; every `step`-th row has one.
std::vector<double> cancelling_coefficients(index_t step) {
    Random random(5);
    std::vector<double> beta(static_cast<std::size_t>(kRows), 0.0);
    for (index_t i = 0; i < kRows; i += step) {
        beta[static_cast<std::size_t>(i)] = 1e6 * random.normal();
    }
    for (index_t i = 0; i + kDifferent < kRows; i += 2 * kDifferent) {
        for (index_t k = 0; k < kDifferent && i + kDifferent + k < kRows; ++k) {
            double& later = beta[static_cast<std::size_t>(i + kDifferent + k)];
            later = later == 0.0 ? 0.0 : random.uniform() - beta[static_cast<std::size_t>(i + k)];
        }
    }
    return beta;
}

void expect_product(const GramOperator& gram, const std::vector<double>& beta) {
    Context context;
    const std::vector<double> f = gram.multiply(beta, context);
    ASSERT_EQ(static_cast<index_t>(f.size()), gram.size());
    const std::vector<index_t> some = {0, 1, kDifferent - 1, kDifferent, gram.size() - 1};
    const PreciseValues exact = gram.multiply_precisely(some, beta, gram.rounding(), context);
    const double bound =
        gram.rounding().of_sum(testing::l1_norm(beta), rounding_of(gram.product_steps(beta)));
    for (std::size_t k = 0; k < some.size(); ++k) {
        const double missed =
            static_cast<double>(exact.values[k] - Quad(f[static_cast<std::size_t>(some[k])]));
        EXPECT_LE(std::abs(missed), bound + exact.error) << some[k];
    }
}

/// Values in 113 bits of (x z)^4 at the last row, for these x.
PreciseValues last_of_powers(const std::vector<double>& x, const std::vector<double>& beta) {
    Context context;
    const auto n = static_cast<index_t>(x.size());
    const auto gram =
        make_gram(poly_kernel(4, 0.0, 1.0), Dataset(MatrixView<const double>(x.data(), n, 1)));
    const index_t last = n - 1;
    return gram->multiply_precisely(std::span(&last, 1), beta, gram->rounding(), context);
}

TEST(equal_rows_in_113_bits, coefficients_that_cancel_have_no_error) {
    // Apart, 3 (2e10)^4 and its negative would each be known to 1e-33 of 5e41.
    const PreciseValues exact = last_of_powers({1e10, 1e10, 2.0}, {3.0, -3.0, 0.5});
    EXPECT_EQ(static_cast<double>(exact.values[0]), 128.0);  // 0.5 (2 2)^4
    EXPECT_LE(exact.scaled * 16.0, 1e-28);                   // sqrt(K) of the last row is 16
}

TEST(equal_rows_in_113_bits, what_their_sum_rounds_off_is_part_of_the_error) {
    const PreciseValues exact = last_of_powers({1e10, 1e10, 1e10}, {1.0, 0x1p-130, -1.0});
    const double missed = std::abs(static_cast<double>(exact.values[0]) - 0x1p-130 * 1e80);
    EXPECT_GT(missed, 0.0);
    EXPECT_GE(exact.error, missed);
    EXPECT_GE(exact.scaled * 1e40, missed);
}

TEST(equal_rows_product, is_the_product_within_its_error) {
    RowSet set = repeated_rows();
    for (const Dataset& rows : {set.dense(), set.sparse()}) {
        const GramPointer gram = make_gram(rbf_kernel(0.3), rows);
        for (const index_t step : {1, 7, 401}) {  // by halves, and with a small support
            expect_product(*gram, cancelling_coefficients(step));
        }
        std::vector<index_t> odd;
        for (index_t i = 1; i < kRows; i += 2) {
            odd.push_back(i);
        }
        for (index_t i = 0; i < kRows; i += 2) {
            odd.push_back(i);
        }
        const GramPointer shuffled = subset(gram, odd);
        expect_product(*shuffled, cancelling_coefficients(1));
        EXPECT_EQ(shuffled->kinds(std::vector<index_t>{0, 1, kDifferent}),
                  (std::vector<index_t>{1, 3, (2 * kDifferent + 1) % kDifferent}));
    }
}

TEST(equal_rows_product, has_the_same_bits_for_equal_rows_and_for_any_number_of_threads) {
    const RowSet set = repeated_rows();
    const GramPointer gram = make_gram(rbf_kernel(0.3), set.dense());
    const std::vector<double> beta = cancelling_coefficients(3);
    Context one({.threads = 1});
    Context three({.threads = 3});
    const std::vector<double> f = gram->multiply(beta, one);
    EXPECT_EQ(gram->multiply(beta, three), f);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_EQ(f[i], f[i % static_cast<std::size_t>(kDifferent)]) << i;
    }
}

TEST(equal_rows_product, coefficients_that_cancel_leave_nothing) {
    const RowSet set = repeated_rows();
    std::vector<double> beta(static_cast<std::size_t>(kRows), 0.0);
    beta[2] = 0.7;
    beta[2 + kDifferent] = -0.7;
    Context context;
    EXPECT_EQ(make_gram(rbf_kernel(0.3), set.dense())->multiply(beta, context),
              std::vector<double>(beta.size(), 0.0));
}

TEST(equal_rows_product, a_shift_is_of_the_row_and_not_of_its_equals) {
    const RowSet set = repeated_rows();
    const GramPointer gram = make_gram(rbf_kernel(0.3), set.dense());
    const std::vector<double> shift(static_cast<std::size_t>(kRows), 0.5);
    const GramPointer more = shifted(gram, shift);
    std::vector<double> beta(static_cast<std::size_t>(kRows), 0.0);
    beta[5] = 2.0;
    Context context;
    const std::vector<double> f = gram->multiply(beta, context);
    const std::vector<double> g = more->multiply(beta, context);
    EXPECT_NEAR(g[5] - f[5], 1.0, 1e-14);
    EXPECT_NEAR(g[5 + kDifferent] - f[5 + kDifferent], 0.0, 1e-14);
}

TEST(equal_rows_product, kinds_are_told_where_many_rows_are_equal_and_values_come_from_them) {
    const RowSet different(kRows, 4, 8);
    const std::vector<index_t> all = all_places();
    EXPECT_TRUE(make_gram(rbf_kernel(0.3), different.dense())->kinds(all).empty());
    const RowSet set = repeated_rows();
    const std::vector<index_t> kinds = make_gram(rbf_kernel(0.3), set.dense())->kinds(all);
    ASSERT_EQ(kinds.size(), all.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        EXPECT_EQ(kinds[i], all[i] % kDifferent);
    }
    EXPECT_TRUE(make_gram(trusted_lookup_kernel(), set.dense())->kinds(all).empty());
}

}  // namespace
}  // namespace mercer

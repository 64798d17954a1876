// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/equal_rows_test.cpp - rows are equal when every entry is.
#include "mercer/data/equal_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/random.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

using Rows = std::vector<index_t>;

TEST(equal_rows, name_the_first_of_their_kind_in_every_storage) {
    const std::vector<double> values = {0, 1, 2,  //
                                        1, 0, 2,  //
                                        0, 1, 2,  //
                                        0, 0, 0,  //
                                        1, 0, 2,  //
                                        0, 1, 2};
    const Rows expected = {0, 1, 0, 3, 1, 0};
    EXPECT_EQ(first_equal_rows(dense_rows(values, 3)), expected);
    EXPECT_EQ(first_equal_rows(sparse_rows(values, 3)), expected);
    EXPECT_EQ(first_equal_rows(dense_rows(std::vector<float>(values.begin(), values.end()), 3)),
              expected);
    EXPECT_EQ(first_equal_rows(dense_rows(values, 3).view(Rows{5, 4, 1, 0})), (Rows{0, 1, 1, 0}));
    EXPECT_TRUE(first_equal_rows(Dataset()).empty());
}

TEST(equal_rows, a_stored_zero_is_no_entry_and_its_sign_does_not_matter) {
    const std::vector<index_t> offsets = {0, 3, 4, 6};
    const std::vector<index_t> columns = {0, 1, 2, 1, 1, 2};
    const std::vector<double> values = {0.0, 5.0, -0.0, 5.0, 5.0, 1e-300};
    const Dataset rows(CsrView{offsets, columns, values, 3});
    EXPECT_EQ(first_equal_rows(rows), (Rows{0, 0, 2}));
}

TEST(equal_rows, the_column_of_an_entry_and_its_last_bit_matter) {
    const double next = std::nextafter(1.0, 2.0);
    EXPECT_EQ(first_equal_rows(dense_rows(std::vector<double>{1, 0, 0, 1, next, 0, 1, 0}, 2)),
              (Rows{0, 1, 2, 0}));
}

TEST(equal_rows, are_those_that_a_comparison_of_all_pairs_finds) {
    Random random(11);
    std::vector<double> values;
    constexpr index_t kRows = 300;
    for (index_t k = 0; k < 3 * kRows; ++k) {
        values.push_back(std::floor(3.0 * random.uniform()) - 1.0);
    }
    const Rows first = first_equal_rows(dense_rows(values, 3));
    for (index_t i = 0; i < kRows; ++i) {
        index_t j = 0;
        while (!std::equal(values.begin() + 3 * i, values.begin() + 3 * i + 3,
                           values.begin() + 3 * j)) {
            ++j;
        }
        EXPECT_EQ(first[static_cast<std::size_t>(i)], j) << i;
    }
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/scale_test.cpp - scaling by hand-checked numbers and odd columns.
#include "mercer/data/scale.hpp"

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/convert.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::read_text;
using testing::row_of;

using Row = std::vector<double>;

ScaleOptions options(const std::string& method, double lower = 0.0, double upper = 1.0) {
    ScaleOptions result;
    result.method = method;
    result.lower = lower;
    result.upper = upper;
    return result;
}

TEST(Scale, standard_columns_have_mean_zero_and_deviation_one) {
    const Dataset data = read_text("1,10,7,0\n2,20,7,0\n3,60,7,0\n", "a.csv").value();
    const Scaling scaling = Scaling::fit(data, options("standard"));
    EXPECT_EQ(scaling.offset, (Row{2, 30, 7}));
    EXPECT_DOUBLE_EQ(scaling.factor[0], 1.0 / std::sqrt(2.0 / 3.0));
    EXPECT_EQ(scaling.factor[2], 0.0);
    const Dataset scaled = scaling.apply(data);
    EXPECT_DOUBLE_EQ(row_of(scaled, 0)[0], -std::sqrt(1.5));
    EXPECT_EQ(row_of(scaled, 1)[0], 0.0);
    EXPECT_EQ(row_of(scaled, 1)[2], 0.0);
    EXPECT_EQ(scaled.targets, data.targets);
}

TEST(Scale, minmax_maps_the_extremes_to_the_bounds) {
    const Dataset data = read_text("1,-5,7,0\n2,5,7,0\n5,0,7,0\n", "a.csv").value();
    const Scaling scaling = Scaling::fit(data, options("minmax", -1.0, 1.0));
    const Dataset scaled = scaling.apply(data);
    EXPECT_EQ(row_of(scaled, 0), (Row{-1, -1, -1}));
    EXPECT_EQ(row_of(scaled, 1), (Row{-0.5, 1, -1}));
    EXPECT_EQ(row_of(scaled, 2), (Row{1, 0, -1}));
}

TEST(Scale, later_rows_are_scaled_by_what_was_learned) {
    const Dataset train = read_text("0,0\n10,0\n", "a.csv").value();
    const Dataset test = read_text("20,0\n-10,0\n", "a.csv").value();
    const Dataset scaled = Scaling::fit(train, options("minmax")).apply(test);
    EXPECT_EQ(row_of(scaled, 0), (Row{2}));
    EXPECT_EQ(row_of(scaled, 1), (Row{-1}));
}

TEST(Scale, sparse_rows_stay_sparse_when_zeros_stay_zeros) {
    const Dataset data = read_text("1 1:2 3:4\n1 1:4\n1\n1 3:8\n").value();
    const Scaling minmax = Scaling::fit(data, options("minmax"));
    EXPECT_TRUE(minmax.keeps_zeros());
    const Dataset scaled = minmax.apply(data);
    EXPECT_TRUE(scaled.is_sparse());
    EXPECT_EQ(row_of(scaled, 0), (Row{0.5, 0, 0.5}));
    EXPECT_TRUE(testing::same_data(minmax.apply(to_dense(data)), scaled));

    const Scaling standard = Scaling::fit(data, options("standard"));
    EXPECT_EQ(standard.offset, (Row{0, 0, 0}));
    EXPECT_TRUE(standard.apply(data).is_sparse());
    // Entries 2, 4, 0, 0: mean 1.5, variance 2.75.
    EXPECT_DOUBLE_EQ(row_of(standard.apply(data), 0)[0], 2.0 / std::sqrt(2.75));
}

TEST(Scale, sparse_rows_become_dense_when_zeros_move) {
    const Dataset data = read_text("1 1:2 2:5\n1 1:4 2:6\n1 2:7\n").value();
    const Scaling scaling = Scaling::fit(data, options("minmax", -1.0, 1.0));
    EXPECT_FALSE(scaling.keeps_zeros());
    const Dataset scaled = scaling.apply(data);
    EXPECT_FALSE(scaled.is_sparse());
    EXPECT_EQ(row_of(scaled, 0), (Row{0, -1}));
    EXPECT_EQ(row_of(scaled, 2), (Row{-1, 1}));
    EXPECT_TRUE(testing::same_data(scaling.apply(to_dense(data)), scaled));
}

TEST(Scale, wide_sparse_rows_list_only_the_columns_that_occur) {
    const Dataset data = read_text("1 2:2 2147483649:4\n1 2:4\n").value();
    for (const char* method : {"standard", "minmax"}) {
        const Scaling scaling = Scaling::fit(data, options(method));
        EXPECT_EQ(scaling.columns, (std::vector<index_t>{1, 2147483648}));
        EXPECT_EQ(scaling.column_count, 2147483649);
    }
    const Scaling scaling = Scaling::fit(data, options("standard"));
    const Dataset scaled =
        scaling.apply(read_text("1 2:1 7:5 2147483649:2 2147483999:1\n").value());
    const auto& rows = std::get<CsrView>(scaled.storage());
    EXPECT_EQ(rows.column_count, 2147483649);
    ASSERT_EQ(rows.values.size(), 3U);
    EXPECT_EQ(rows.values[0], 1.0);  // deviation of 2 and 4
    EXPECT_EQ(rows.values[1], 0.0);  // never seen in training
    EXPECT_EQ(rows.values[2], 1.0);  // deviation of 4 and 0 is 2
}

TEST(Scale, narrow_sparse_rows_list_all_columns_however_few_occur) {
    const Dataset data = read_text("1 3:2\n1 3:4\n").value();
    for (const char* method : {"standard", "minmax"}) {
        const Scaling scaling = Scaling::fit(data, options(method));
        EXPECT_TRUE(scaling.columns.empty());  // that is, all
        EXPECT_EQ(scaling.column_count, 3);
        EXPECT_EQ(scaling.factor.size(), 3U);
    }
}

TEST(Scale, columns_of_any_magnitude_are_scaled) {
    const Dataset data =
        read_text("1e300,1e-300,1e8,0\n-1e300,3e-300,100000001,0\n0,2e-300,100000002,0\n", "a.csv")
            .value();
    const Dataset scaled = Scaling::fit(data, options("standard")).apply(data);
    const double expected = std::sqrt(1.5);
    EXPECT_NEAR(row_of(scaled, 0)[0], expected, 1e-12);
    EXPECT_NEAR(row_of(scaled, 0)[1], -expected, 1e-12);
    EXPECT_NEAR(row_of(scaled, 0)[2], -expected, 1e-7);
}

TEST(Scale, a_spread_whose_inverse_overflows_counts_as_constant) {
    const Dataset data = read_text("5e-324,0\n0,0\n", "a.csv").value();
    const Scaling scaling = Scaling::fit(data, options("standard"));
    EXPECT_EQ(scaling.factor, (Row{0.0}));
    EXPECT_EQ(row_of(scaling.apply(data), 0), (Row{0.0}));
}

TEST(Scale, what_cannot_be_scaled_is_refused) {
    const Dataset data = read_text("1,2\n", "a.csv").value();
    const Dataset wide = read_text("1,2,3\n", "a.csv").value();
    EXPECT_THROW((void)Scaling::fit(data, options("minmax", 1.0, 1.0)), InvalidArgument);
    EXPECT_THROW((void)Scaling::fit(data, options("robust")), InvalidArgument);
    EXPECT_THROW((void)Scaling::fit(Dataset(), options("standard")), InvalidArgument);
    EXPECT_THROW((void)Scaling::fit(data, options("standard")).apply(wide), InvalidArgument);
    const Dataset huge = read_text("1.7e308,0\n-1.7e308,0\n", "a.csv").value();
    EXPECT_THROW((void)Scaling::fit(huge, options("minmax")), InvalidArgument);
    const Dataset small = read_text("0,0\n1e-300,0\n", "a.csv").value();
    EXPECT_THROW((void)Scaling::fit(small, options("minmax")).apply(huge), InvalidArgument);
}

TEST(Scale, none_changes_nothing) {
    const Dataset data = read_text("1 1:5\n").value();
    const Scaling scaling = Scaling::fit(data, options("none"));
    EXPECT_TRUE(scaling.keeps_zeros());
    EXPECT_TRUE(testing::same_data(scaling.apply(data), data));
}

}  // namespace
}  // namespace mercer

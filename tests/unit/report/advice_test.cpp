// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/report/advice_test.cpp - findings in data constructed to have them.
#include "mercer/report/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Rows that own their numbers.
struct Table {
    std::vector<double> values;
    index_t columns = 0;
    Dataset data;

    Table(std::vector<double> numbers, index_t width, std::vector<double> targets = {})
        : values(std::move(numbers)), columns(width) {
        data = Dataset(MatrixView<const double>(
            values.data(), static_cast<index_t>(values.size()) / columns, columns));
        data.targets = std::move(targets);
    }
};

DataAdvice advice_for(const Dataset& data) {
    Context context;
    return advise(data, summarize(data), {.file = "d.csv"}, context);
}

const Advice* topic(const DataAdvice& found, const std::string& name) {
    const auto place = std::find_if(found.advice.begin(), found.advice.end(),
                                    [&](const Advice& one) { return one.topic == name; });
    return place == found.advice.end() ? nullptr : &*place;
}

TEST(AdviceTest, WidthsAreThoseOfTheDistances) {
    // Points 0, 1, 3: squared distances 1, 4, 9.
    const Table table({0.0, 1.0, 3.0}, 1);
    const SuggestedHyperparameters suggested = advice_for(table.data).suggested;
    EXPECT_DOUBLE_EQ(suggested.median_gamma, 0.125);
    EXPECT_DOUBLE_EQ(suggested.sigest[1], 0.25);
    EXPECT_DOUBLE_EQ(suggested.sigest[0], 1.0 / 8.0);  // 90 %: 4 + 0.8 * 5
    EXPECT_DOUBLE_EQ(suggested.sigest[2], 1.0 / 1.6);  // 10 %: 1 + 0.2 * 3
    EXPECT_FALSE(suggested.scaled);
}

TEST(AdviceTest, EqualRowsSuggestNothing) {
    const Table table({2.0, 2.0, 2.0}, 1);
    EXPECT_TRUE(std::isnan(advice_for(table.data).suggested.median_gamma));
}

TEST(AdviceTest, ConstantAndDuplicateColumnsAreNamed) {
    const Table table({1.0, 5.0, 1.0, 2.0, 2.0, 5.0, 2.0, 0.0, 3.0, 5.0, 3.0, 1.0}, 4);
    const DataAdvice found = advice_for(table.data);
    EXPECT_THAT(found.constant_columns, ElementsAre(1));
    EXPECT_THAT(found.duplicate_columns, ElementsAre(Pair(2, 0)));
    ASSERT_NE(topic(found, "duplicate"), nullptr);
    EXPECT_THAT(topic(found, "duplicate")->command, HasSubstr("--drop 2"));
    EXPECT_THAT(topic(found, "constant")->command, HasSubstr("--drop 1"));
}

TEST(AdviceTest, AColumnThatTellsTheTargetIsFound) {
    const Table table({0.3, 7.0, 0.1, 9.0, 0.9, 3.0, 0.4, 5.0}, 2, {1.0, 2.0, -1.0, 0.0});
    const DataAdvice found = advice_for(table.data);  // the second is 5 + 2 y
    EXPECT_THAT(found.target_columns, ElementsAre(1));
    const Table other({0.3, 7.0, 0.1, 9.0, 0.9, 3.0, 0.4, 5.1}, 2, {1.0, 2.0, -1.0, 0.0});
    EXPECT_THAT(advice_for(other.data).target_columns, IsEmpty());
}

TEST(AdviceTest, NearDuplicatesBoundTheAccuracy) {
    // Three rows at 1, of the classes 0 0 1; two at 2, of 1 1; one each at 3 and 4.
    const Table table({1.0, 1.0 + 1e-9, 1.0, 2.0, 2.0, 3.0, 4.0}, 1, {0, 0, 1, 1, 1, 0, 1});
    const DataAdvice found = advice_for(table.data);
    EXPECT_EQ(found.near_duplicates, 3);
    EXPECT_DOUBLE_EQ(found.accuracy_bound, 6.0 / 7.0);
}

TEST(AdviceTest, ARareClassIsWeighed) {
    std::vector<double> values;
    std::vector<double> targets;
    for (int i = 0; i < 66; ++i) {
        values.push_back(0.1 * i);
        targets.push_back(i < 6 ? 1.0 : 0.0);
    }
    const Table table(values, 1, targets);
    const DataAdvice found = advice_for(table.data);
    EXPECT_DOUBLE_EQ(found.imbalance, 10.0);
    ASSERT_NE(topic(found, "imbalance"), nullptr);
    EXPECT_THAT(topic(found, "imbalance")->command, HasSubstr("--weight 1=10"));
}

TEST(AdviceTest, ARowFarFromAllOthersIsAnOutlierInAnyUnit) {
    for (const double unit : {1.0, 1e-6, 1e9}) {
        Random random(4);
        std::vector<double> values;
        for (int i = 0; i < 200; ++i) {
            values.push_back(unit * random.normal());
            values.push_back(unit * random.normal());
        }
        const Table plain(values, 2);
        EXPECT_THAT(advice_for(plain.data).outliers, IsEmpty()) << unit;
        values[20] = 12.0 * unit;
        values[21] = -12.0 * unit;
        const Table table(values, 2);
        EXPECT_THAT(advice_for(table.data).outliers, ElementsAre(10)) << unit;
    }
}

TEST(AdviceTest, UnevenColumnsAreScaledFirst) {
    Random random(5);
    std::vector<double> plain;
    std::vector<double> uneven;
    for (int i = 0; i < 100; ++i) {
        const double x = random.normal();
        const double z = random.normal();
        plain.insert(plain.end(), {x, z});
        uneven.insert(uneven.end(), {x, 1e5 * z});
    }
    std::vector<double> targets;
    for (int i = 0; i < 100; ++i) {
        targets.push_back(i % 2);
    }
    const Table table(uneven, 2, targets);
    const DataAdvice found = advice_for(table.data);
    EXPECT_TRUE(found.suggested.scaled);
    ASSERT_NE(topic(found, "scale"), nullptr);
    EXPECT_THAT(topic(found, "kernel")->command, HasSubstr("--scale standard"));
    const Table even(plain, 2);
    // After standardising, the distances are nearly those of the even columns.
    EXPECT_NEAR(found.suggested.median_gamma / advice_for(even.data).suggested.median_gamma, 1.0,
                0.25);
}

TEST(AdviceTest, SparseRowsAreAdvisedLikeDenseOnes) {
    // Six rows (i, 1 + i mod 3, i, e) with e = 1 in the last row only, and 0 left out.
    std::vector<double> cells;
    std::vector<index_t> offsets{0};
    std::vector<index_t> indices;
    std::vector<double> values;
    for (index_t i = 1; i <= 6; ++i) {
        const auto x = static_cast<double>(i);
        for (const double value : {x, 1.0 + static_cast<double>(i % 3), x, i == 6 ? 1.0 : 0.0}) {
            if (value != 0.0) {
                indices.push_back(static_cast<index_t>(cells.size()) % 4);
                values.push_back(value);
            }
            cells.push_back(value);
        }
        offsets.push_back(static_cast<index_t>(values.size()));
    }
    const Table dense(cells, 4, {0.0, 1.0, 0.0, 1.0, 0.0, 1.0});
    Dataset sparse(CsrView{offsets, indices, values, 4});
    sparse.targets = dense.data.targets;
    const DataAdvice one = advice_for(dense.data);
    const DataAdvice two = advice_for(sparse);
    EXPECT_THAT(two.duplicate_columns, ElementsAre(Pair(2, 0)));
    EXPECT_EQ(one.duplicate_columns, two.duplicate_columns);
    EXPECT_DOUBLE_EQ(one.suggested.median_gamma, two.suggested.median_gamma);
    EXPECT_EQ(one.accuracy_bound, two.accuracy_bound);
}

TEST(AdviceTest, RareSparseColumnsAreNotCalledDuplicates) {
    // Columns 0 and 1 have one entry each, in the same row.
    const std::vector<index_t> offsets{0, 3, 4, 5};
    const std::vector<index_t> indices{0, 1, 2, 2, 2};
    const std::vector<double> values{1.0, 1.0, 5.0, 6.0, 7.0};
    EXPECT_THAT(advice_for(Dataset(CsrView{offsets, indices, values, 3})).duplicate_columns,
                IsEmpty());
}

}  // namespace
}  // namespace mercer

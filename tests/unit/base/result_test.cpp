// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/base/result_test.cpp - results, the text of diagnostics, checked arithmetic.
#include "mercer/base/result.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

#include "mercer/base/checked.hpp"

namespace mercer {
namespace {

TEST(Diagnostic, TextNamesThePlaceAsFarAsItIsKnown) {
    EXPECT_EQ((Diagnostic{"bad value", "a.csv", 3, 14}).text(), "a.csv:3:14: bad value");
    EXPECT_EQ((Diagnostic{"bad value", "a.csv", 3, 0}).text(), "a.csv:3: bad value");
    EXPECT_EQ((Diagnostic{"bad value", "a.csv", 0, 0}).text(), "a.csv: bad value");
    EXPECT_EQ((Diagnostic{"bad value", "", 0, 0}).text(), "bad value");
}

TEST(Result, HoldsAValue) {
    Result<int> result = 7;
    EXPECT_TRUE(result.ok());
    EXPECT_TRUE(static_cast<bool>(result));
    EXPECT_EQ(result.value(), 7);
    result.value() = 8;
    EXPECT_EQ(std::as_const(result).value(), 8);
}

TEST(Result, HoldsADiagnosticAndThrowsItWhenAskedForTheValue) {
    const Result<int> result = Diagnostic{"bad value", "a.csv", 3, 14};
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.diagnostic().column, 14);
    try {
        (void)result.value();
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "a.csv:3:14: bad value");
    }
}

TEST(Result, GivesUpAValueThatCannotBeCopied) {
    Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
    const std::unique_ptr<int> value = std::move(result).value();
    EXPECT_EQ(*value, 5);
}

TEST(Error, EveryTypeIsAnError) {
    EXPECT_THROW(throw InvalidArgument("x"), Error);
    EXPECT_THROW(throw DataError("x"), Error);
    EXPECT_THROW(throw ResourceError("x"), Error);
    EXPECT_THROW(throw Interrupted("x"), Error);
    EXPECT_THROW(throw InternalError("x"), Error);
}

TEST(Checked, SumsAndProductsThatFit) {
    EXPECT_EQ(try_add(2, 3), 5);
    EXPECT_EQ(try_multiply(-4, 3), -12);
    EXPECT_EQ(checked_multiply(index_t{1} << 31, index_t{1} << 31), index_t{1} << 62);
}

TEST(Checked, SumsAndProductsThatDoNotFit) {
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    constexpr index_t kMin = std::numeric_limits<index_t>::min();
    EXPECT_EQ(try_add(kMax, 1), std::nullopt);
    EXPECT_EQ(try_add(kMin, -1), std::nullopt);
    EXPECT_EQ(try_multiply(kMin, -1), std::nullopt);
    EXPECT_EQ(try_multiply(index_t{1} << 32, index_t{1} << 31), std::nullopt);
    EXPECT_THROW((void)checked_multiply(kMax, 2), ResourceError);
}

}  // namespace
}  // namespace mercer

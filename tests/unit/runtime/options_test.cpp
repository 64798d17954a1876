// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/options_test.cpp - ranges, their messages, and validation by description.
#include "mercer/runtime/options.hpp"

#include <gtest/gtest.h>

#include "mercer/base/error.hpp"

namespace mercer {
namespace {

std::string refusal(double value, const Range& range) {
    try {
        require_in_range("gamma", value, range);
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    return "";
}

TEST(Range, ContainsWhatItSays) {
    EXPECT_TRUE(Range::any().contains(-1e300));
    EXPECT_FALSE(Range::positive().contains(0.0));
    EXPECT_TRUE(Range::positive().contains(5e-324));
    EXPECT_TRUE(Range::non_negative().contains(0.0));
    EXPECT_TRUE(Range::non_negative().contains(-0.0));
    EXPECT_TRUE(Range::at_least(2.0).contains(2.0));
    EXPECT_FALSE(Range::at_least(2.0).contains(1.9999));
    EXPECT_TRUE(Range::within(0.0, 1.0).contains(1.0));
    EXPECT_FALSE(Range::within(0.0, 1.0).contains(1.0001));
}

TEST(Range, NeverContainsWhatIsNotFinite) {
    for (const Range& range :
         {Range::any(), Range::positive(), Range::non_negative(), Range::within(0.0, 1.0)}) {
        EXPECT_FALSE(range.contains(kNaN));
        EXPECT_FALSE(range.contains(kInfinity));
        EXPECT_FALSE(range.contains(-kInfinity));
    }
}

TEST(Range, MessagesHaveOneForm) {
    EXPECT_EQ(refusal(-1.0, Range::positive()), "gamma: got -1, must be finite and > 0");
    EXPECT_EQ(refusal(kNaN, Range::positive()), "gamma: got nan, must be finite and > 0");
    EXPECT_EQ(refusal(-0.5, Range::non_negative()), "gamma: got -0.5, must be finite and >= 0");
    EXPECT_EQ(refusal(kInfinity, Range::any()), "gamma: got inf, must be finite");
    EXPECT_EQ(refusal(3.0, Range::within(0.0, 1.0)), "gamma: got 3, must be >= 0 and <= 1");
    EXPECT_EQ(refusal(3.0, Range{0.0, 1.0, true}), "gamma: got 3, must be > 0 and <= 1");
    EXPECT_EQ(refusal(3.0, Range{-kInfinity, 1.0, false}), "gamma: got 3, must be finite and <= 1");
    EXPECT_EQ(refusal(0.5, Range::within(0.0, 1.0)), "");
}

TEST(Range, RefusalsHaveTheirParts) {
    try {
        require_in_range("gap_tolerance", -1.0, Range::positive());
        FAIL();
    } catch (const InvalidArgument& error) {
        ASSERT_NE(error.fault(), nullptr);
        EXPECT_EQ(error.fault()->option, "gap_tolerance");
        EXPECT_EQ(error.fault()->value, "-1");
        EXPECT_EQ(error.fault()->reason, "must be finite and > 0");
    }
    try {
        require_choice("scale", "log", {"none", "standard"});
        FAIL();
    } catch (const InvalidArgument& error) {
        const InvalidArgument copy = error;
        ASSERT_NE(copy.fault(), nullptr);
        EXPECT_EQ(copy.fault()->option, "scale");
        EXPECT_EQ(copy.fault()->value, "'log'");
        EXPECT_EQ(copy.fault()->reason, "must be one of none, standard");
        EXPECT_STREQ(copy.what(), "scale: got 'log', must be one of none, standard");
    }
    EXPECT_EQ(InvalidArgument("rows: none").fault(), nullptr);
}

struct SampleOptions {
    double width = 1.0;
    index_t folds = 5;
    bool shuffle = true;
    std::string name = "x";
    std::string scale = "none";

    template <typename Visitor>
    static void describe(Visitor& visitor, SampleOptions& options) {
        visitor.number("width", options.width, Range::positive(), "width of the kernel");
        visitor.integer("folds", options.folds, Range::at_least(2), "folds");
        visitor.flag("shuffle", options.shuffle, "shuffle first");
        visitor.text("name", options.name, "name");
        visitor.choice("scale", options.scale, {"none", "standard", "minmax"}, "scaling");
    }
};

std::string refusal(const SampleOptions& options) {
    try {
        validate(options);
    } catch (const InvalidArgument& error) {
        return error.what();
    }
    return "";
}

TEST(Options, ValidationWalksTheDescription) {
    EXPECT_EQ(refusal(SampleOptions{}), "");
    SampleOptions options;
    options.folds = 1;
    EXPECT_EQ(refusal(options), "folds: got 1, must be finite and >= 2");
    options.width = kNaN;
    EXPECT_EQ(refusal(options), "width: got nan, must be finite and > 0");
    options = {};
    options.scale = "max";
    EXPECT_EQ(refusal(options), "scale: got 'max', must be one of none, standard, minmax");
}

}  // namespace
}  // namespace mercer

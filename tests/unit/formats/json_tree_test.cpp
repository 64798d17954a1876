// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/formats/json_tree_test.cpp - trees to text and back.
#include "formats/json_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "mercer/base/random.hpp"

namespace mercer {
namespace {

TEST(json_tree, is_written_with_sorted_keys_and_read_back) {
    JsonTree list = JsonTree::array();
    list.push_back(1);
    list.push_back(-2);
    list.push_back({{"b", nullptr}, {"a", true}});
    const JsonTree tree = {{"z", list}, {"text", "a\"b\\c\n\xc3\xa9"}, {"half", 0.5}};
    const std::string text = tree.dump();
    EXPECT_EQ(text,
              "{\"half\":0.5,\"text\":\"a\\\"b\\\\c\\u000a\xc3\xa9\",\"z\":[1,-2,{\"a\":true,\"b\":"
              "null}]}");
    EXPECT_EQ(parse_json(text, 8), tree);
    EXPECT_EQ(parse_json(" { } ", 8).object().size(), 0U);
    EXPECT_EQ(parse_json("[]", 8).list().size(), 0U);
    EXPECT_TRUE(parse_json("null", 8).is_null());
}

TEST(json_tree, numbers_read_back_to_the_bit) {
    Random random(51);
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t bits = random.bits();
        double value = 0.0;
        static_assert(sizeof value == sizeof bits);
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) {
            continue;
        }
        const double again = parse_json(JsonTree(value).dump(), 8).number();
        ASSERT_EQ(std::memcmp(&again, &value, sizeof value), 0) << value;
    }
    const double minus_zero = parse_json(JsonTree(-0.0).dump(), 8).number();
    EXPECT_TRUE(std::signbit(minus_zero));
    const auto most = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(parse_json(JsonTree(most).dump(), 8).whole(), most);
    EXPECT_FALSE(parse_json("1.0", 8).is_number_unsigned());
}

TEST(json_tree, copies_are_deep) {
    JsonTree a = JsonTree::array();
    a.push_back("one");
    JsonTree b = a;
    b.push_back("two");
    EXPECT_EQ(a.list().size(), 1U);
    EXPECT_NE(a, b);
    a = b;
    EXPECT_EQ(a, b);
}

TEST(json_tree, bad_text_is_refused) {
    for (const char* text : {"", "{", "[1,]", "{\"a\":1,\"a\":2}", "nul", "1e999", "[[[[1]]]]",
                             "\"\xff\"", "{} x", "{\"a\" 1}"}) {
        EXPECT_THROW(static_cast<void>(parse_json(text, 3)), BadJson) << text;
    }
    EXPECT_THROW(static_cast<void>(JsonTree("\xed\xa0\x80").dump()), BadJson);
    EXPECT_THROW(static_cast<void>(JsonTree(std::nan("")).dump()), BadJson);
}

TEST(json_tree, utf8_has_no_long_forms_and_no_surrogates) {
    for (const char* good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                             "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
        EXPECT_TRUE(is_utf8(good)) << good;
    }
    for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
        EXPECT_FALSE(is_utf8(bad)) << bad;
    }
}

}  // namespace
}  // namespace mercer

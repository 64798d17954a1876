// SPDX-License-Identifier: Apache-2.0
//
// tests/support/facts.hpp - a test asserts the number that the table of facts states.
//
// The numbers stand in tests/facts/*.json and nowhere else: a test looks up what it must find, so
// the table cannot say one thing and the test another. Each assertion is logged where
// MERCER_FACTS_LOG names a file; tools/facts reads the log to see that every number of the table is
// asserted by the tests it names, and that each of them fails when the number is changed.
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// EXPECTs that `actual` is the number `key` of the fact `id`: equal within its tolerance, or on
/// the right side of its bound. A fact or key that the table does not have is a failure too.
void expect_fact(std::string_view id, std::string_view key, double actual);
void expect_fact(std::string_view id, std::string_view key, bool actual);
void expect_fact(std::string_view id, std::string_view key, const std::string& actual);
void expect_fact(std::string_view id, std::string_view key, const std::vector<double>& actual);

inline void expect_fact(std::string_view id, std::string_view key, const char* actual) {
    expect_fact(id, key, std::string(actual));
}

template <std::integral Integer>
requires(!std::same_as<Integer, bool>) void expect_fact(std::string_view id, std::string_view key,
                                                        Integer actual) {
    expect_fact(id, key, static_cast<double>(actual));
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/base/error_test.cpp - a refused argument has parts, and each surface phrases them.
#include "mercer/base/error.hpp"

#include <gtest/gtest.h>

namespace mercer {
namespace {

TEST(ArgumentFault, is_phrased_by_the_surface) {
    const ArgumentFault fault{"gap_tolerance", "-1", "must be > 0", "`max_iterations` 5 stops too"};
    EXPECT_EQ(fault.message(), "gap_tolerance: got -1, must be > 0; max_iterations 5 stops too");
    EXPECT_EQ(fault.message(kCommandLineStyle),
              "gap_tolerance: got -1, must be > 0; --max-iterations 5 stops too");
    EXPECT_EQ(fault.message(kPythonStyle),
              "gap_tolerance: got -1, must be > 0; max_iterations= 5 stops too");
    EXPECT_EQ(kCommandLineStyle.name("gap_tolerance"), "--gap-tolerance");
    EXPECT_EQ(kPythonStyle.name("gap_tolerance"), "gap_tolerance=");
}

TEST(ArgumentFault, says_only_what_it_has) {
    EXPECT_STREQ(InvalidArgument("nu", "", "svc does not take it").what(),
                 "nu: svc does not take it");
    EXPECT_STREQ(InvalidArgument("nu", "2", "must be <= 1").what(), "nu: got 2, must be <= 1");
    EXPECT_STREQ(InvalidArgument("order", "", "a ` alone stays").what(), "order: a ` alone stays");
}

TEST(InvalidArgument, has_the_fields_it_was_made_of) {
    const InvalidArgument error("model", "'svm'", "there is none", "use `model` svc");
    const InvalidArgument copy = error;
    ASSERT_NE(copy.fault(), nullptr);
    EXPECT_EQ(copy.fault()->option, "model");
    EXPECT_EQ(copy.fault()->value, "'svm'");
    EXPECT_EQ(copy.fault()->reason, "there is none");
    EXPECT_EQ(copy.fault()->hint, "use `model` svc");
    EXPECT_EQ(InvalidArgument("rows: none").fault(), nullptr);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/fingerprint_test.cpp - equal data have equal fingerprints, others do not.
#include "mercer/data/fingerprint.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

TEST(fingerprint, storage_does_not_matter_and_content_does) {
    const std::vector<double> values = {0, 1.5, 0, -2, 0, 0.25};
    const auto hash = [](Dataset rows, double target, double weight) {
        rows.targets = {1, target};
        rows.weights = {1, weight};
        return fingerprint_of(rows).hash;
    };
    const std::uint64_t reference = hash(dense_rows(values, 3), 2, 1);
    EXPECT_EQ(hash(sparse_rows(values, 3), 2, 1), reference);
    EXPECT_EQ(hash(dense_rows(std::vector<float>(values.begin(), values.end()), 3), 2, 1),
              reference);
    std::vector<double> signed_zero = values;
    signed_zero[0] = -0.0;
    EXPECT_EQ(hash(dense_rows(signed_zero, 3), 2, 1), reference);
    EXPECT_NE(hash(dense_rows(values, 3), 3, 1), reference);
    EXPECT_NE(hash(dense_rows(values, 3), 2, 2), reference);
    EXPECT_NE(hash(dense_rows(values, 2), 2, 1), reference);
    std::vector<double> moved = values;
    std::swap(moved[0], moved[1]);
    EXPECT_NE(hash(dense_rows(moved, 3), 2, 1), reference);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/comm/communicator_test.cpp - a group of one.
#include "mercer/comm/communicator.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mercer/base/error.hpp"

namespace mercer {
namespace {

TEST(single_rank, is_rank_0_of_1_and_keeps_what_it_has) {
    const std::shared_ptr<Communicator> alone = single_rank();
    EXPECT_EQ(alone->rank(), 0);
    EXPECT_EQ(alone->size(), 1);
    std::vector<double> values{1.0, -2.5};
    alone->sum(values);
    alone->broadcast(values, 0);
    EXPECT_EQ(values, (std::vector<double>{1.0, -2.5}));
    EXPECT_THROW(alone->broadcast(values, 1), InvalidArgument);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/hardware_test.cpp - the machine's figures are sane and follow the affinity.
#include "mercer/runtime/hardware.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <vector>

namespace mercer {
namespace {

TEST(Hardware, ThreadsAreBetweenOneAndTheCpusOfTheMachine) {
    EXPECT_GE(usable_threads(), 1);
    EXPECT_LE(usable_threads(), sysconf(_SC_NPROCESSORS_CONF));
}

TEST(Hardware, ThreadsFollowTheAffinityMask) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) {
        ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(usable_threads(), 1);
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(Hardware, UsableMemoryIsPositiveAndNotMoreThanTheMachineHas) {
    const index_t machine =
        static_cast<index_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<index_t>(sysconf(_SC_PAGESIZE));
    EXPECT_GT(usable_memory(), index_t{1} << 20);
    EXPECT_LE(usable_memory(), machine);
}

TEST(Hardware, PeakResidentBytesGrowWithWhatIsTouched) {
    const index_t before = peak_resident_bytes();
    EXPECT_GT(before, index_t{1} << 20);
    std::vector<char> touched(std::size_t{256} << 20);
    volatile char* bytes = touched.data();  // volatile: the compiler may not drop the writes
    for (std::size_t page = 0; page < touched.size(); page += 4096) {
        bytes[page] = 1;
    }
    EXPECT_GE(peak_resident_bytes(), before);
    EXPECT_GE(peak_resident_bytes(), index_t{256} << 20);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/memory_files_test.cpp - files in memory behave as files on a disk do.
#include "mercer/runtime/memory_files.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "mercer/base/error.hpp"

namespace mercer {
namespace {

std::span<const char> bytes_of(std::string_view text) { return {text.data(), text.size()}; }

std::string rest_of(ReadFile& file) {
    std::string text;
    std::array<char, 3> block{};
    while (const index_t count = file.read(block)) {
        text.append(block.data(), static_cast<std::size_t>(count));
    }
    return text;
}

TEST(MemoryFiles, what_is_put_in_is_read) {
    MemoryFiles files;
    files.contents["a"] = "seven b";
    const auto file = files.open("a");
    EXPECT_EQ(file->size(), 7);
    EXPECT_EQ(rest_of(*file), "seven b");
    std::array<char, 1> more{};
    EXPECT_EQ(file->read(more), 0);
}

TEST(MemoryFiles, a_file_that_is_not_there_cannot_be_opened) {
    MemoryFiles files;
    EXPECT_FALSE(files.exists("a"));
    try {
        (void)files.open("a");
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "a: cannot open: No such file or directory");
    }
}

TEST(MemoryFiles, nothing_shows_before_the_commit) {
    MemoryFiles files;
    files.contents["a"] = "old";
    {
        const auto abandoned = files.create("a");
        abandoned->write(bytes_of("half of"));
    }
    EXPECT_EQ(files.contents.at("a"), "old");
    const auto file = files.create("a");
    file->write(bytes_of("n"));
    file->write(bytes_of("ew"));
    EXPECT_EQ(files.contents.at("a"), "old");
    file->commit();
    EXPECT_EQ(files.contents.at("a"), "new");
    EXPECT_EQ(files.contents.size(), 1U);
}

TEST(MemoryFiles, bytes_that_were_written_can_be_overwritten_and_no_others) {
    MemoryFiles files;
    const auto file = files.create("a");
    file->write(bytes_of("0000 rows"));
    file->write_at(2, bytes_of("12"));
    EXPECT_THROW(file->write_at(8, bytes_of("12")), InvalidArgument);
    EXPECT_THROW(file->write_at(-1, bytes_of("1")), InvalidArgument);
    file->commit();
    EXPECT_EQ(files.contents.at("a"), "0012 rows");
}

TEST(MemoryFiles, an_open_file_does_not_see_its_replacement) {
    MemoryFiles files;
    files.contents["a"] = "old";
    const auto reading = files.open("a");
    files.contents["a"] = "replaced";
    EXPECT_EQ(rest_of(*reading), "old");
    files.remove("a");
    EXPECT_FALSE(files.exists("a"));
    EXPECT_NO_THROW(files.remove("a"));
}

}  // namespace
}  // namespace mercer

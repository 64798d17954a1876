// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/compression_test.cpp - compressed files: round trips, damage, bombs.
#include <fmt/format.h>

#include "data/output.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::read_text;

const std::vector<std::string> kSuffixes{".gz", ".xz", ".bz2", ".zst"};

std::string compressed(const std::string& text, const std::string& suffix) {
    MemoryFiles files;
    data::Output output("a" + suffix, files);
    output.write(text);
    output.finish();
    return files.contents["a" + suffix];
}

std::string sample(int rows) {
    std::string text;
    for (int i = 0; i < rows; ++i) {
        text += fmt::format("{} 1:{} {}:{}\n", i % 2, i * 0.37, 2 + i % 50, i);
    }
    return text;
}

TEST(Compression, every_format_reads_back_whatever_the_name_says) {
    const std::string text = sample(3000);
    const Dataset plain = read_text(text).value();
    for (const std::string& suffix : kSuffixes) {
        const std::string bytes = compressed(text, suffix);
        EXPECT_LT(bytes.size(), text.size());
        EXPECT_TRUE(testing::same_data(read_text(bytes, "a.svm" + suffix).value(), plain))
            << suffix;
        EXPECT_TRUE(testing::same_data(read_text(bytes, "a.svm").value(), plain)) << suffix;
        EXPECT_TRUE(testing::same_data(read_text(bytes, "-").value(), plain)) << suffix;
    }
    EXPECT_TRUE(testing::same_data(read_text(text, "a.svm.gz").value(), plain));
}

TEST(Compression, empty_content_is_read) {
    for (const std::string& suffix : kSuffixes) {
        EXPECT_EQ(read_text(compressed("", suffix), "a.svm" + suffix).value().rows(), 0) << suffix;
    }
}

TEST(Compression, several_streams_in_one_file_are_joined) {
    for (const std::string& suffix : kSuffixes) {
        const std::string bytes =
            compressed("1 1:1\n-1 2", suffix) + compressed(":2\n1 3:3\n", suffix);
        const Dataset data = read_text(bytes, "a.svm" + suffix).value();
        EXPECT_EQ(data.rows(), 3) << suffix;
        EXPECT_EQ(data.columns(), 3) << suffix;
    }
}

TEST(Compression, every_truncation_is_refused) {
    for (const std::string& suffix : kSuffixes) {
        const std::string bytes = compressed(sample(20), suffix);
        for (std::size_t size = 6; size < bytes.size(); ++size) {
            const auto result = read_text(bytes.substr(0, size), "a.svm");
            ASSERT_FALSE(result.ok()) << suffix << " " << size;
        }
    }
}

TEST(Compression, damage_never_crashes_and_checksums_find_it) {
    for (const std::string& suffix : kSuffixes) {
        const std::string bytes = compressed(sample(20), suffix);
        const Dataset whole = read_text(bytes, "a.svm").value();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ 0x10);
            const auto result = read_text(changed, "a.svm");
            if (result.ok() && suffix != ".zst") {  // zstd frames may have no checksum
                EXPECT_TRUE(testing::same_data(result.value(), whole)) << suffix << " " << i;
            }
        }
        const auto garbage = read_text(bytes + "garbage after the end", "a.svm");
        EXPECT_FALSE(garbage.ok()) << suffix;
    }
    EXPECT_EQ(testing::refusal("\x1F\x8B garbage"), "a.svm: gzip: unknown compression method");
}

TEST(Compression, a_bomb_is_stopped_by_the_budget) {
    const std::string blanks(std::size_t{8} << 20, ' ');
    std::string rows;
    for (int i = 0; i < 200000; ++i) {
        rows += "1 1:1\n";
    }
    for (const std::string& suffix : kSuffixes) {
        for (const std::string& text : {blanks, rows}) {
            MemoryFiles files;
            files.contents["a.svm"] = compressed(text, suffix);
            Context context(ContextOptions{.memory = 2 << 20});
            EXPECT_THROW((void)read_dataset("a.svm", {}, context, files), ResourceError) << suffix;
            EXPECT_EQ(context.memory()->used(), 0) << suffix;
            EXPECT_LE(context.memory()->peak(), 2 << 20) << suffix;
        }
    }
}

TEST(Compression, a_decoder_that_finds_no_memory_says_so) {
    for (const std::string& suffix : kSuffixes) {
        MemoryFiles files;
        files.contents["a.svm"] = compressed(sample(10), suffix);
        Context context(ContextOptions{.memory = 1000});
        EXPECT_THROW((void)read_dataset("a.svm", {}, context, files), ResourceError) << suffix;
    }
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/files_test.cpp - whatever happens, a file is the old one or the new one.
#include "mercer/runtime/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

std::span<const char> bytes_of(std::string_view text) { return {text.data(), text.size()}; }

class FilesTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "mercer-files-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(folder_)) {
            found.push_back(entry.path().filename());
        }
        return found;
    }

    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static void put(const std::string& path, std::string_view text) {
        const auto file = system_files().create(path);
        file->write(bytes_of(text));
        file->commit();
    }

    static std::string get(const std::string& path) {
        const auto file = system_files().open(path);
        std::string text;
        std::vector<char> block(7);  // small, so that a file takes several reads
        while (const index_t got = file->read(block)) {
            text.append(block.data(), static_cast<std::size_t>(got));
        }
        return text;
    }

    template <typename Expected, typename Action>
    static std::string message_of(Action action) {
        try {
            action();
        } catch (const Expected& error) {
            return error.what();
        }
        return "nothing was thrown";
    }

    fs::path folder_;
};

TEST_F(FilesTest, WhatIsWrittenIsRead) {
    const std::string text("line one\nline \0 two", 19);
    put(path("a"), text);
    EXPECT_EQ(get(path("a")), text);
    EXPECT_EQ(system_files().open(path("a"))->size(), 19);
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, NothingIsVisibleBeforeCommit) {
    put(path("a"), "old");
    {
        const auto file = system_files().create(path("a"));
        file->write(bytes_of("new"));
        EXPECT_EQ(content(path("a")), "old");
        EXPECT_EQ(names().size(), 2U) << "the temporary stands beside the file";
    }
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(names(), std::vector<std::string>{"a"}) << "without commit the temporary is removed";
}

TEST_F(FilesTest, CommitReplacesTheOldFile) {
    put(path("a"), "a longer old text");
    put(path("a"), "new");
    EXPECT_EQ(content(path("a")), "new");
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, WriteAtOverwritesInPlace) {
    const auto file = system_files().create(path("a"));
    file->write(bytes_of("????: body"));
    file->write_at(0, bytes_of("head"));
    file->write(bytes_of("!"));
    file->commit();
    EXPECT_EQ(content(path("a")), "head: body!");
}

TEST_F(FilesTest, TwoWritersOfOneNameDoNotMix) {
    const auto first = system_files().create(path("a"));
    const auto second = system_files().create(path("a"));
    first->write(bytes_of("first"));
    second->write(bytes_of("second"));
    second->commit();
    EXPECT_EQ(content(path("a")), "second");
    first->commit();
    EXPECT_EQ(content(path("a")), "first");
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, FailedCommitLeavesTheOldFile) {
    put(path("a"), "old");
    {
        const auto file = system_files().create(path("a"));
        file->write(bytes_of("new"));
        for (const std::string& name : names()) {
            if (name != "a") {
                fs::remove(folder_ / name);  // someone cleans up the temporary
            }
        }
        EXPECT_THROW(file->commit(), ResourceError);
    }
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, FailedRenameRemovesTheTemporary) {
    {
        const auto file = system_files().create(path("a"));
        file->write(bytes_of("new"));
        fs::create_directory(path("a"));
        EXPECT_NE(message_of<ResourceError>([&] { file->commit(); }).find("cannot rename"),
                  std::string::npos);
    }
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, FullDiskLeavesTheOldFile) {
    put(path("a"), "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    {
        const auto file = system_files().create(path("a"));
        EXPECT_THROW(file->write(std::vector<char>(100000, 'x')), ResourceError);
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(FilesTest, FullDeviceIsAResourceError) {
    const auto file = system_files().create("/dev/full");
    EXPECT_EQ(message_of<ResourceError>([&] { file->write(bytes_of("x")); }),
              "/dev/full: cannot write: No space left on device");
    EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device is written to, not replaced";
}

TEST_F(FilesTest, ADeviceOrPipeCannotBeRewound) {
    const auto file = system_files().create("/dev/null");
    file->write(bytes_of("x"));
    EXPECT_THROW(file->write_at(0, bytes_of("y")), ResourceError);
    file->commit();
}

TEST_F(FilesTest, KeepsTheModeOfTheOldFile) {
    put(path("a"), "old");
    fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
    put(path("a"), "new");
    EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FilesTest, ANewFileHasTheUsualMode) {
    const mode_t mask = ::umask(022);
    put(path("a"), "new");
    ::umask(mask);
    EXPECT_EQ(static_cast<int>(fs::status(path("a")).permissions()), 0644);
}

TEST_F(FilesTest, WritesThroughASymbolicLink) {
    put(path("target"), "old");
    fs::create_symlink("target", path("link"));
    put(path("link"), "new");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(content(path("target")), "new");
    EXPECT_EQ(names().size(), 2U);
}

TEST_F(FilesTest, AMissingFileIsADataErrorThatNamesIt) {
    EXPECT_EQ(message_of<DataError>([&] { (void)system_files().open(path("absent")); }),
              path("absent") + ": cannot open: No such file or directory");
}

TEST_F(FilesTest, AFolderIsNoFile) {
    EXPECT_EQ(message_of<DataError>([&] { (void)system_files().open(folder_); }),
              folder_.string() + ": is a folder, not a file");
    EXPECT_EQ(message_of<ResourceError>([&] { (void)system_files().create(folder_); }),
              folder_.string() + ": is a folder, not a file");
}

TEST_F(FilesTest, AMissingFolderIsAResourceError) {
    EXPECT_EQ(message_of<ResourceError>([&] { (void)system_files().create(path("no/a")); }),
              path("no/a") + ": cannot write: No such file or directory");
}

TEST_F(FilesTest, APipeHasNoSize) {
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    const int keep_open = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(keep_open, 0);
    EXPECT_EQ(system_files().open(path("pipe"))->size(), -1);
    ::close(keep_open);
}

TEST_F(FilesTest, DashIsStandardInputAndOutput) {
    put(path("in"), "from stdin");
    const int old_in = ::dup(STDIN_FILENO);
    const int old_out = ::dup(STDOUT_FILENO);
    const int in = ::open(path("in").c_str(), O_RDONLY | O_CLOEXEC);
    const int out = ::open(path("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    const std::string text = get("-");
    put("-", "to stdout");
    put("-", " twice");  // still open after the first
    ::dup2(old_in, STDIN_FILENO);
    ::dup2(old_out, STDOUT_FILENO);
    for (const int descriptor : {old_in, old_out, in, out}) {
        ::close(descriptor);
    }
    EXPECT_EQ(text, "from stdin");
    EXPECT_EQ(content(path("out")), "to stdout twice");
    EXPECT_FALSE(fs::exists("-"));
}

}  // namespace
}  // namespace mercer

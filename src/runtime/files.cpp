// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/files.cpp - POSIX files: atomic replacement, every return value checked.
#include "mercer/runtime/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "mercer/base/error.hpp"

namespace mercer {

namespace {

std::string reason() { return std::generic_category().message(errno); }

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) {
        return ".";
    }
    return slash == 0 ? "/" : path.substr(0, slash);
}

class PosixReadFile final : public ReadFile {
public:
    PosixReadFile(int descriptor, bool owned, std::string path)
        : descriptor_(descriptor), owned_(owned), path_(std::move(path)) {}
    ~PosixReadFile() override {
        if (owned_) {
            ::close(descriptor_);
        }
    }

    index_t read(std::span<char> bytes) override {
        while (true) {
            const ssize_t got = ::read(descriptor_, bytes.data(), bytes.size());
            if (got >= 0) {
                return got;
            }
            if (errno != EINTR) {
                throw ResourceError(fmt::format("{}: cannot read: {}", path_, reason()));
            }
        }
    }

    [[nodiscard]] index_t size() const override {
        struct stat info {};
        return ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : -1;
    }

private:
    int descriptor_;
    bool owned_;
    std::string path_;
};

void write_all(int descriptor, std::span<const char> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            throw ResourceError(fmt::format("{}: cannot write: {}", path, reason()));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
}

/// Output that cannot be replaced atomically: standard output, a pipe, a device.
class StreamWriteFile final : public WriteFile {
public:
    StreamWriteFile(int descriptor, bool owned, std::string path)
        : descriptor_(descriptor), owned_(owned), path_(std::move(path)) {}
    ~StreamWriteFile() override {
        if (owned_) {
            ::close(descriptor_);
        }
    }

    void write(std::span<const char> bytes) override { write_all(descriptor_, bytes, path_); }
    void write_at(index_t, std::span<const char>) override {
        throw ResourceError(fmt::format("{}: this output cannot be rewound; give a file", path_));
    }
    void commit() override {}

private:
    int descriptor_;
    bool owned_;
    std::string path_;
};

class PosixWriteFile final : public WriteFile {
public:
    PosixWriteFile(int descriptor, std::string path, std::string temporary)
        : descriptor_(descriptor), path_(std::move(path)), temporary_(std::move(temporary)) {}
    ~PosixWriteFile() override {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        if (!temporary_.empty()) {
            ::unlink(temporary_.c_str());
        }
    }

    void write(std::span<const char> bytes) override { write_all(descriptor_, bytes, path_); }

    void write_at(index_t offset, std::span<const char> bytes) override {
        while (!bytes.empty()) {
            const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
            if (put < 0) {
                if (errno == EINTR) {
                    continue;
                }
                throw ResourceError(fmt::format("{}: cannot write: {}", path_, reason()));
            }
            bytes = bytes.subspan(static_cast<std::size_t>(put));
            offset += put;
        }
    }

    void commit() override {
        if (::fsync(descriptor_) != 0) {
            throw ResourceError(fmt::format("{}: cannot sync: {}", path_, reason()));
        }
        const int descriptor = std::exchange(descriptor_, -1);
        if (::close(descriptor) != 0) {
            throw ResourceError(fmt::format("{}: cannot close: {}", path_, reason()));
        }
        if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
            throw ResourceError(fmt::format("{}: cannot rename: {}", path_, reason()));
        }
        temporary_.clear();
        sync_folder();
    }

private:
    /// Makes the rename itself durable. Some file systems refuse to sync a folder; the data is
    /// already safe then, so that refusal is not an error.
    void sync_folder() const {
        const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0) {
            ::fsync(folder);
            ::close(folder);
        }
    }

    int descriptor_;
    std::string path_;
    std::string temporary_;
};

/// A new, empty file in the folder of `path` under an unused name, with the user's usual mode.
std::pair<int, std::string> create_temporary(const std::string& path) {
    constexpr int kAttempts = 1000;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::string temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
        const int descriptor =
            ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return {descriptor, std::move(temporary)};
        }
        if (errno != EEXIST) {
            break;
        }
    }
    throw ResourceError(fmt::format("{}: cannot write: {}", path, reason()));
}

/// Where a symbolic link points to: a rename would replace the link, not the file behind it.
std::string resolve_link(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) {
        return path;
    }
    const std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr),
                                                             &std::free);
    if (target == nullptr) {
        throw ResourceError(fmt::format("{}: cannot follow the link: {}", path, reason()));
    }
    return target.get();
}

/// True for `<name>.<process>-<attempt>.tmp` of a process that has ended.
bool is_abandoned(std::string_view entry, std::string_view name) {
    constexpr std::string_view kSuffix = ".tmp";
    if (entry.size() <= name.size() + kSuffix.size() || !entry.starts_with(name) ||
        entry[name.size()] != '.' || !entry.ends_with(kSuffix)) {
        return false;
    }
    entry.remove_prefix(name.size() + 1);
    entry.remove_suffix(kSuffix.size());
    const char* end = entry.data() + entry.size();
    pid_t process = 0;
    int attempt = 0;
    const auto first = std::from_chars(entry.data(), end, process);
    if (first.ec != std::errc() || process <= 0 || first.ptr == end || *first.ptr != '-') {
        return false;
    }
    const auto second = std::from_chars(first.ptr + 1, end, attempt);
    return second.ec == std::errc() && second.ptr == end && process != ::getpid() &&
           ::kill(process, 0) != 0 && errno == ESRCH;
}

class PosixFiles final : public Files {
public:
    bool exists(const std::string& path) override {
        struct stat info {};
        return ::stat(path.c_str(), &info) == 0;
    }

    void remove(const std::string& path) override {
        if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
            throw ResourceError(fmt::format("{}: cannot remove: {}", path, reason()));
        }
    }

    void remove_abandoned(const std::string& path) override {
        const std::string folder = folder_of(path);
        const std::string name = path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
        const auto close = [](DIR* entries) { ::closedir(entries); };
        const std::unique_ptr<DIR, decltype(close)> entries(::opendir(folder.c_str()), close);
        while (entries != nullptr) {
            const dirent* entry = ::readdir(entries.get());
            if (entry == nullptr) {
                break;
            }
            if (is_abandoned(entry->d_name, name)) {
                ::unlink(fmt::format("{}/{}", folder, entry->d_name).c_str());
            }
        }
    }

    std::unique_ptr<ReadFile> open(const std::string& path) override {
        if (path == "-") {
            return std::make_unique<PosixReadFile>(STDIN_FILENO, false, "<stdin>");
        }
        const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) {
            throw DataError(fmt::format("{}: cannot open: {}", path, reason()));
        }
        auto file = std::make_unique<PosixReadFile>(descriptor, true, path);
        struct stat info {};
        if (::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
            throw DataError(fmt::format("{}: is a folder, not a file", path));
        }
        return file;
    }

    std::unique_ptr<WriteFile> create(const std::string& path) override {
        if (path == "-") {
            return std::make_unique<StreamWriteFile>(STDOUT_FILENO, false, "<stdout>");
        }
        struct stat info {};
        const bool exists = ::stat(path.c_str(), &info) == 0;
        if (exists && S_ISDIR(info.st_mode)) {
            throw ResourceError(fmt::format("{}: is a folder, not a file", path));
        }
        if (exists && !S_ISREG(info.st_mode)) {  // a device or pipe cannot be replaced by a rename
            const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
            if (descriptor < 0) {
                throw ResourceError(fmt::format("{}: cannot write: {}", path, reason()));
            }
            return std::make_unique<StreamWriteFile>(descriptor, true, path);
        }
        const std::string target = exists ? resolve_link(path) : path;
        auto [descriptor, temporary] = create_temporary(target);
        auto file = std::make_unique<PosixWriteFile>(descriptor, target, std::move(temporary));
        if (exists && ::fchmod(descriptor, info.st_mode & 07777) != 0) {  // keep the old mode
            throw ResourceError(fmt::format("{}: cannot set its mode: {}", path, reason()));
        }
        return file;
    }
};

}  // namespace

bool Files::exists(const std::string&) { return false; }

void Files::remove(const std::string& path) {
    throw ResourceError(fmt::format("{}: these files cannot be removed", path));
}

void Files::remove_abandoned(const std::string&) {}

Files& system_files() {
    static PosixFiles files;
    return files;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/support/memory_files.hpp - a file system in memory that can be told to fail.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "mercer/base/error.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer::testing {

/// Files as strings. Operation number `fail_at` (from 0; -1: none) and, with `fail_forever`, all
/// later ones throw ResourceError. Reads hand out at most `read_size` bytes at a time.
class MemoryFiles final : public Files {
public:
    std::map<std::string, std::string> contents;
    index_t fail_at = -1;
    bool fail_forever = false;
    index_t operations = 0;
    index_t read_size = index_t{1} << 40;
    bool sizes_known = true;

    [[nodiscard]] std::unique_ptr<ReadFile> open(const std::string& path) override {
        operate("open");
        if (contents.find(path) == contents.end()) {
            throw DataError(path + ": cannot open: No such file or directory");
        }
        return std::make_unique<Reader>(*this, contents[path]);
    }
    [[nodiscard]] std::unique_ptr<WriteFile> create(const std::string& path) override {
        operate("create");
        return std::make_unique<Writer>(*this, path);
    }
    [[nodiscard]] bool exists(const std::string& path) override {
        return contents.find(path) != contents.end();
    }
    void remove(const std::string& path) override {
        operate("remove");
        contents.erase(path);
    }

private:
    void operate(const char* what) {
        const index_t number = operations++;
        if (fail_at >= 0 && (number == fail_at || (fail_forever && number > fail_at))) {
            throw ResourceError(std::string("injected failure of ") + what);
        }
    }

    class Reader final : public ReadFile {
    public:
        Reader(MemoryFiles& files, const std::string& bytes) : files_(files), bytes_(bytes) {}
        [[nodiscard]] index_t read(std::span<char> out) override {
            files_.operate("read");
            const std::size_t count = std::min({out.size(), bytes_.size() - position_,
                                                static_cast<std::size_t>(files_.read_size)});
            if (count > 0) {
                std::memcpy(out.data(), bytes_.data() + position_, count);
            }
            position_ += count;
            return static_cast<index_t>(count);
        }
        [[nodiscard]] index_t size() const override {
            return files_.sizes_known ? static_cast<index_t>(bytes_.size()) : -1;
        }

    private:
        MemoryFiles& files_;
        const std::string& bytes_;
        std::size_t position_ = 0;
    };

    class Writer final : public WriteFile {
    public:
        Writer(MemoryFiles& files, std::string path) : files_(files), path_(std::move(path)) {}
        void write(std::span<const char> bytes) override {
            files_.operate("write");
            pending_.append(bytes.data(), bytes.size());
        }
        void write_at(index_t offset, std::span<const char> bytes) override {
            files_.operate("write_at");
            pending_.replace(static_cast<std::size_t>(offset), bytes.size(), bytes.data(),
                             bytes.size());
        }
        void commit() override {
            files_.operate("commit");
            files_.contents[path_] = pending_;
        }

    private:
        MemoryFiles& files_;
        std::string path_;
        std::string pending_;
    };
};

}  // namespace mercer::testing

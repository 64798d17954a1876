// SPDX-License-Identifier: Apache-2.0
//
// tests/support/faulty_files.hpp - files in memory that can be told to fail.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/runtime/memory_files.hpp"

namespace mercer::testing {

/// The end of a process, as far as a test can have one: an exception that no code of ours handles.
class Killed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Operation number `fail_at` (from 0; -1: none) and, with `fail_forever`, all later ones throw
/// ResourceError, or Killed with `kills`. Reads hand out at most `read_size` bytes at a time.
class FaultyFiles final : public MemoryFiles {
public:
    index_t fail_at = -1;
    bool fail_forever = false;
    bool kills = false;
    index_t operations = 0;
    index_t read_size = index_t{1} << 40;
    bool sizes_known = true;

    [[nodiscard]] std::unique_ptr<ReadFile> open(const std::string& path) override {
        operate("open");
        return std::make_unique<Reader>(*this, MemoryFiles::open(path));
    }
    [[nodiscard]] std::unique_ptr<WriteFile> create(const std::string& path) override {
        operate("create");
        return std::make_unique<Writer>(*this, MemoryFiles::create(path));
    }
    void remove(const std::string& path) override {
        operate("remove");
        MemoryFiles::remove(path);
    }

private:
    void operate(const char* what) {
        const index_t number = operations++;
        if (fail_at >= 0 && (number == fail_at || (fail_forever && number > fail_at))) {
            const std::string text = std::string("injected failure of ") + what;
            if (kills) {
                throw Killed(text);
            }
            throw ResourceError(text);
        }
    }

    class Reader final : public ReadFile {
    public:
        Reader(FaultyFiles& files, std::unique_ptr<ReadFile> file)
            : files_(files), file_(std::move(file)) {}
        [[nodiscard]] index_t read(std::span<char> bytes) override {
            files_.operate("read");
            return file_->read(
                bytes.first(std::min(bytes.size(), static_cast<std::size_t>(files_.read_size))));
        }
        [[nodiscard]] index_t size() const override {
            return files_.sizes_known ? file_->size() : -1;
        }

    private:
        FaultyFiles& files_;
        std::unique_ptr<ReadFile> file_;
    };

    class Writer final : public WriteFile {
    public:
        Writer(FaultyFiles& files, std::unique_ptr<WriteFile> file)
            : files_(files), file_(std::move(file)) {}
        void write(std::span<const char> bytes) override {
            files_.operate("write");
            file_->write(bytes);
        }
        void write_at(index_t offset, std::span<const char> bytes) override {
            files_.operate("write_at");
            file_->write_at(offset, bytes);
        }
        void commit() override {
            files_.operate("commit");
            file_->commit();
        }

    private:
        FaultyFiles& files_;
        std::unique_ptr<WriteFile> file_;
    };
};

}  // namespace mercer::testing

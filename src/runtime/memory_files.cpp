// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/memory_files.cpp - reading from and writing to strings.
#include "mercer/runtime/memory_files.hpp"

#include <algorithm>
#include <utility>

#include "mercer/base/error.hpp"

namespace mercer {

namespace {

class StringReader final : public ReadFile {
public:
    explicit StringReader(std::string bytes) : bytes_(std::move(bytes)) {}

    [[nodiscard]] index_t read(std::span<char> bytes) override {
        const std::size_t count = bytes_.copy(bytes.data(), bytes.size(), position_);
        position_ += count;
        return static_cast<index_t>(count);
    }
    [[nodiscard]] index_t size() const override { return static_cast<index_t>(bytes_.size()); }

private:
    std::string bytes_;
    std::size_t position_ = 0;
};

class StringWriter final : public WriteFile {
public:
    StringWriter(MemoryFiles& files, std::string path) : files_(files), path_(std::move(path)) {}

    void write(std::span<const char> bytes) override {
        pending_.append(bytes.data(), bytes.size());
    }
    void write_at(index_t offset, std::span<const char> bytes) override {
        const auto from = static_cast<std::size_t>(offset);
        if (offset < 0 || from > pending_.size() || bytes.size() > pending_.size() - from) {
            throw InvalidArgument(path_ + ": only bytes that were written can be overwritten");
        }
        pending_.replace(from, bytes.size(), bytes.data(), bytes.size());
    }
    void commit() override { files_.contents.insert_or_assign(path_, std::move(pending_)); }

private:
    MemoryFiles& files_;
    std::string path_;
    std::string pending_;
};

}  // namespace

std::unique_ptr<ReadFile> MemoryFiles::open(const std::string& path) {
    const auto found = contents.find(path);
    if (found == contents.end()) {
        throw DataError(path + ": cannot open: No such file or directory");
    }
    return std::make_unique<StringReader>(found->second);
}

std::unique_ptr<WriteFile> MemoryFiles::create(const std::string& path) {
    return std::make_unique<StringWriter>(*this, path);
}

bool MemoryFiles::exists(const std::string& path) { return contents.count(path) > 0; }

void MemoryFiles::remove(const std::string& path) { contents.erase(path); }

}  // namespace mercer

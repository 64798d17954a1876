// SPDX-License-Identifier: Apache-2.0
//
// src/formats/model_bytes.cpp - writing and reading bytes with a running checksum.
#include "formats/model_bytes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "formats/header.hpp"
#include "formats/layout.hpp"

namespace mercer {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{64} << 10;
constexpr index_t kFirstPipeBytes = index_t{1} << 16;
constexpr index_t kChecksumBytes = sizeof(std::uint64_t);

/// The content of a pipe, as a file of known size.
class PipeCopy final : public ReadFile {
public:
    PipeCopy(ReadFile& pipe, Context& context) {
        bytes_ = context.allocate<char>(kFirstPipeBytes, "the model file");
        while (const index_t count =
                   pipe.read(bytes_.span().subspan(static_cast<std::size_t>(size_)))) {
            size_ += count;
            if (size_ == bytes_.size()) {
                Buffer<char> larger = context.allocate<char>(2 * size_, "the model file");
                std::memcpy(larger.data(), bytes_.data(), static_cast<std::size_t>(size_));
                bytes_ = std::move(larger);
            }
        }
    }
    [[nodiscard]] index_t read(std::span<char> out) override {
        const index_t count = std::min(static_cast<index_t>(out.size()), size_ - position_);
        std::copy_n(bytes_.data() + position_, count, out.data());
        position_ += count;
        return count;
    }
    [[nodiscard]] index_t size() const override { return size_; }

private:
    Buffer<char> bytes_;
    index_t size_ = 0;
    index_t position_ = 0;
};

}  // namespace

void BlockWriter::write(std::span<const char> bytes) {
    hash_.add(bytes);
    position_ += static_cast<index_t>(bytes.size());
    if (waiting_.size() + bytes.size() > kWriteBytes) {
        flush();
    }
    if (bytes.size() > kWriteBytes) {
        file_.write(bytes);
    } else {
        waiting_.reserve(kWriteBytes);
        waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    }
}

void BlockWriter::align() {
    const std::array<char, kBlockAlignment> zeros{};
    write(std::span(zeros).first(static_cast<std::size_t>(aligned(position_) - position_)));
}

void BlockWriter::finish() {
    const std::uint64_t checksum = hash_.value();
    write(bytes_of(std::span<const std::uint64_t>(&checksum, 1)));
    flush();
}

void BlockWriter::flush() {
    if (!waiting_.empty()) {
        file_.write(waiting_);
        waiting_.clear();
    }
}

ByteReader::ByteReader(ReadFile& file, Context& context) : file_(&file) {
    if (file.size() < 0) {
        copy_ = std::make_unique<PipeCopy>(file, context);
        file_ = copy_.get();
    }
    end_ = file_->size() - kChecksumBytes;
}

void ByteReader::read(std::span<char> bytes) {
    if (static_cast<index_t>(bytes.size()) > remaining()) {
        throw BadModel(fmt::format("byte {}: the file ends too early", position_));
    }
    fill(bytes);
    hash_.add(bytes);
}

void ByteReader::skip_padding() {
    std::array<char, kBlockAlignment> bytes{};
    const index_t start = position_;
    const auto padding = std::span(bytes).first(static_cast<std::size_t>(aligned(start) - start));
    read(padding);
    if (std::any_of(padding.begin(), padding.end(), [](char c) { return c != '\0'; })) {
        throw BadModel(fmt::format("byte {}: the space before a block must be zeros", start));
    }
}

void ByteReader::finish() {
    const std::uint64_t computed = hash_.value();
    std::uint64_t stated = 0;
    fill(writable_bytes_of(std::span(&stated, 1)));
    if (stated != computed) {
        throw BadModel(fmt::format("byte {}: the checksum is {:016x}, the content has {:016x}",
                                   end_, stated, computed));
    }
    char extra = '\0';
    if (file_->read({&extra, 1}) != 0) {
        throw BadModel(fmt::format("byte {}: there are bytes after the end", position_));
    }
}

void ByteReader::fill(std::span<char> bytes) {
    while (!bytes.empty()) {
        const index_t count = file_->read(bytes);
        if (count <= 0) {
            throw BadModel(fmt::format("byte {}: the file ends too early", position_));
        }
        position_ += count;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

}  // namespace mercer

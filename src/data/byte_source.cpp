// SPDX-License-Identifier: Apache-2.0
//
// src/data/byte_source.cpp - files as byte sources, and the choice of a decompressor.
#include "data/byte_source.hpp"

#include <algorithm>
#include <cstring>

#include "data/decompress.hpp"

namespace mercer::data {

namespace {

class FileSource final : public ByteSource {
public:
    explicit FileSource(std::unique_ptr<ReadFile> file)
        : file_(std::move(file)), size_(file_->size()) {}

    index_t read(std::span<char> bytes) override {
        const index_t got = bytes.empty() ? 0 : file_->read(bytes);
        done_ += got;
        return got;
    }
    [[nodiscard]] index_t remaining() const override {
        return size_ < 0 ? -1 : std::max<index_t>(0, size_ - done_);
    }

private:
    std::unique_ptr<ReadFile> file_;
    index_t size_;
    index_t done_ = 0;
};

}  // namespace

index_t ByteSource::read_fully(std::span<char> bytes) {
    index_t done = 0;
    while (done < static_cast<index_t>(bytes.size())) {
        const index_t got = read(bytes.subspan(static_cast<std::size_t>(done)));
        if (got == 0) {
            break;
        }
        done += got;
    }
    return done;
}

std::string_view PeekSource::peek(index_t count) {
    if (held() < count) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + position_);
        position_ = 0;
        const std::size_t before = bytes_.size();
        bytes_.resize(static_cast<std::size_t>(count));
        const index_t got = inner_->read_fully(std::span(bytes_).subspan(before));
        bytes_.resize(before + static_cast<std::size_t>(got));
    }
    return {bytes_.data() + position_, static_cast<std::size_t>(std::min(count, held()))};
}

std::string_view PeekSource::window() {
    constexpr std::size_t kWindow = std::size_t{64} << 10;
    if (held() == 0) {
        position_ = 0;
        bytes_.resize(kWindow);
        bytes_.resize(static_cast<std::size_t>(inner_->read(bytes_)));
    }
    return {bytes_.data() + position_, static_cast<std::size_t>(held())};
}

index_t PeekSource::read(std::span<char> bytes) {
    if (held() == 0) {
        return inner_->read(bytes);
    }
    const index_t count = std::min(held(), static_cast<index_t>(bytes.size()));
    std::memcpy(bytes.data(), bytes_.data() + position_, static_cast<std::size_t>(count));
    position_ += count;
    return count;
}

index_t PeekSource::remaining() const {
    const index_t inner = inner_->remaining();
    return inner < 0 ? -1 : inner + held();
}

std::unique_ptr<PeekSource> open_source(const std::string& path, const std::string& name,
                                        Context& context, Files& files) {
    auto plain = std::make_unique<PeekSource>(std::make_unique<FileSource>(files.open(path)));
    const Compression compression = compression_of(plain->peek(kCompressionMagic));
    if (compression == Compression::none) {
        return plain;
    }
    return std::make_unique<PeekSource>(
        make_decompressor(compression, std::move(plain), name, context));
}

}  // namespace mercer::data

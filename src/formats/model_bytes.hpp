// SPDX-License-Identifier: Apache-2.0
//
// src/formats/model_bytes.hpp - writing and reading the bytes of a model file, with a checksum.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

/// Buffers small pieces, hashes everything and tracks the position.
class BlockWriter {
public:
    explicit BlockWriter(WriteFile& file) : file_(file) {}

    void write(std::span<const char> bytes);

    /// Writes zeros up to the start of the next block.
    void align();

    template <typename T>
    void block(std::span<const T> numbers) {
        align();
        write(bytes_of(numbers));
    }

    /// Writes the buffered bytes and the checksum.
    void finish();

private:
    void flush();

    WriteFile& file_;
    Hash hash_;
    std::vector<char> waiting_;
    index_t position_ = 0;
};

/// Reads and hashes the bytes before the checksum. Failures throw BadModel.
class ByteReader {
public:
    /// Pipes are first read to their end, within the context's budget.
    ByteReader(ReadFile& file, Context& context);

    [[nodiscard]] index_t position() const noexcept { return position_; }
    /// Unread bytes before the checksum.
    [[nodiscard]] index_t remaining() const noexcept { return end_ - position_; }

    void read(std::span<char> bytes);

    /// Skips to the start of the next block; the skipped bytes must be zero.
    void skip_padding();

    /// Compares the checksum and refuses trailing bytes.
    void finish();

private:
    void fill(std::span<char> bytes);

    std::unique_ptr<ReadFile> copy_;  ///< only for a pipe
    ReadFile* file_;
    Hash hash_;
    index_t position_ = 0;
    index_t end_ = 0;
};

}  // namespace mercer

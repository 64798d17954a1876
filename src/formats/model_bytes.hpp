// SPDX-License-Identifier: Apache-2.0
//
// src/formats/model_bytes.hpp - the bytes of a model file going out and coming in, with checksum.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

/// Collects small pieces, hashes everything and knows where it is.
class BlockWriter {
public:
    explicit BlockWriter(WriteFile& file) : file_(file) {}

    void write(std::span<const char> bytes);

    /// Zeros up to the next block's start.
    void align();

    template <typename T>
    void block(std::span<const T> numbers) {
        align();
        write(bytes_of(numbers));
    }

    /// The checksum, and whatever is still waiting.
    void finish();

private:
    void flush();

    WriteFile& file_;
    Hash hash_;
    std::vector<char> waiting_;
    index_t position_ = 0;
};

/// Reads bytes up to the checksum and hashes them. Failures throw BadModel.
class ByteReader {
public:
    /// Pipes are read to their end first, within the context's budget.
    ByteReader(ReadFile& file, Context& context);

    [[nodiscard]] index_t position() const noexcept { return position_; }
    /// Bytes before the checksum that are still to come.
    [[nodiscard]] index_t remaining() const noexcept { return end_ - position_; }

    void read(std::span<char> bytes);

    /// To the next block's start; what is skipped must be zeros.
    void skip_padding();

    /// Compares the checksum, and refuses bytes after it.
    void finish();

private:
    void fill(std::span<char> bytes);

    std::unique_ptr<ReadFile> copy_;  ///< of a pipe
    ReadFile* file_;
    Hash hash_;
    index_t position_ = 0;
    index_t end_ = 0;
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/data/byte_source.hpp - a stream of plain bytes from any file, compressed or not.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer::data {

/// A sequential stream of bytes.
class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Reads up to bytes.size() bytes; 0 only at the end. Throws BadInput for corrupt content and
    /// ResourceError when reading fails or memory runs out.
    [[nodiscard]] virtual index_t read(std::span<char> bytes) = 0;

    /// Bytes still to come, or -1 when their number is unknown (a pipe, a compressed stream).
    [[nodiscard]] virtual index_t remaining() const { return -1; }

    /// Reads until `bytes` is full or the end; returns the count.
    [[nodiscard]] index_t read_fully(std::span<char> bytes);
};

/// A source whose first bytes can be looked at before they are read.
class PeekSource final : public ByteSource {
public:
    explicit PeekSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}

    /// The next bytes, at most `count`, fewer only at the end. Valid until the next call.
    [[nodiscard]] std::string_view peek(index_t count);

    /// The buffered bytes; reads more when there are none; empty only at the end.
    [[nodiscard]] std::string_view window();

    /// Skips `count` bytes that peek() or window() have returned.
    void skip(index_t count) { position_ += count; }

    [[nodiscard]] index_t read(std::span<char> bytes) override;
    [[nodiscard]] index_t remaining() const override;

private:
    [[nodiscard]] index_t held() const { return static_cast<index_t>(bytes_.size()) - position_; }

    std::unique_ptr<ByteSource> inner_;
    std::vector<char> bytes_;
    index_t position_ = 0;
};

/// The plain content of `path`, decompressed when its first bytes are those of a known compression.
/// `name` is what diagnostics call the file. Throws DataError when it cannot be opened.
[[nodiscard]] std::unique_ptr<PeekSource> open_source(const std::string& path,
                                                      const std::string& name, Context& context,
                                                      Files& files);

/// What diagnostics call a path.
[[nodiscard]] inline std::string source_name(const std::string& path) {
    return path == "-" ? "<stdin>" : path;
}

}  // namespace mercer::data

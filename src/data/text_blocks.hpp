// SPDX-License-Identifier: Apache-2.0
//
// src/data/text_blocks.hpp - text in blocks of whole lines, so that parsers see no incomplete line.
#pragma once

#include <string>
#include <string_view>

#include "data/byte_source.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::data {

/// Cuts a byte source into blocks that end in a line end.
///
/// Every block ends with `\n` (one is added to a last line without), which parsers use as a
/// sentinel. A NUL byte ends the text: it is the last character before that `\n`, and the parser
/// refuses it with its place. A leading UTF-8 byte order mark is dropped.
class TextBlocks {
public:
    static constexpr index_t kLongestLine = index_t{1} << 30;

    TextBlocks(ByteSource& source, std::string name, Context& context,
               index_t longest_line = kLongestLine);

    /// Moves on to a block that starts `consumed` bytes into the current one and has at least one
    /// line beyond it. False when nothing is left.
    [[nodiscard]] bool next(index_t consumed);
    /// Moves on to the block after the current one.
    [[nodiscard]] bool next() { return next(block_end_); }

    [[nodiscard]] std::string_view block() const {
        return {buffer_.data(), static_cast<std::size_t>(block_end_)};
    }
    /// True when no bytes follow the current block.
    [[nodiscard]] bool at_end() const { return at_end_; }
    [[nodiscard]] const std::string& name() const { return name_; }

    /// Number of the line being parsed, from 1. The parser counts the lines.
    index_t line = 1;

private:
    void fill(index_t least);
    [[nodiscard]] bool drop_byte_order_mark();
    void grow();

    ByteSource& source_;
    std::string name_;
    Context& context_;
    index_t longest_line_;
    index_t total_;
    index_t done_ = 0;
    Buffer<char> buffer_;
    index_t filled_ = 0;
    index_t block_end_ = 0;
    bool at_end_ = false;
};

}  // namespace mercer::data

// SPDX-License-Identifier: Apache-2.0
//
// src/data/text_blocks.cpp - filling blocks, carrying over incomplete lines, growing for long ones.
#include "data/text_blocks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "data/bad_input.hpp"
#include "data/number.hpp"

namespace mercer::data {

namespace {

// Large enough that calls cost nothing, small enough to stay in the L2 cache.
constexpr index_t kBlock = index_t{64} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string quoted(std::string_view token) {
    constexpr std::size_t kShown = 40;
    std::string text = "'";
    for (const char c : token.substr(0, kShown)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02X}", byte) : std::string(1, c);
    }
    return text + (token.size() > kShown ? "...'" : "'");
}

TextBlocks::TextBlocks(ByteSource& source, std::string name, Context& context, index_t longest_line)
    : source_(source),
      name_(std::move(name)),
      context_(context),
      longest_line_(longest_line),
      total_(std::max<index_t>(0, source.remaining())) {
    const index_t known = source.remaining();
    // Two spare bytes: one so that the end of the file is seen without growing, one for the '\n'.
    const index_t size = known < 0 ? kBlock : std::min(kBlock, known + 2);
    buffer_ = context.allocate<char>(std::max<index_t>(size, 16), "text buffer");
}

bool TextBlocks::next(index_t consumed) {
    context_.throw_if_stopped("read");
    context_.report({"read", done_, total_, kNaN, context_.memory()->used()});
    std::memmove(buffer_.data(), buffer_.data() + consumed,
                 static_cast<std::size_t>(filled_ - consumed));
    filled_ -= consumed;
    // A parser that could use nothing of the block needs a longer one: doubling keeps the cost of
    // its retries linear in the length of the text that it waits for.
    fill(consumed == 0 ? 2 * block_end_ : 0);
    return block_end_ > 0;
}

/// False when there is too little text to tell whether it starts with a mark.
bool TextBlocks::drop_byte_order_mark() {
    const std::string_view text(buffer_.data(), static_cast<std::size_t>(filled_));
    if (text.starts_with(kByteOrderMark)) {
        filled_ -= static_cast<index_t>(kByteOrderMark.size());
        std::memmove(buffer_.data(), buffer_.data() + kByteOrderMark.size(),
                     static_cast<std::size_t>(filled_));
    }
    return text.size() >= kByteOrderMark.size() || at_end_;
}

/// Reads until another line is complete and `least` bytes are buffered, or until the text ends.
void TextBlocks::fill(index_t least) {
    while (!at_end_) {
        if (filled_ + 1 >= buffer_.size()) {
            grow();
        }
        const index_t room = buffer_.size() - 1 - filled_;
        char* fresh = buffer_.data() + filled_;
        index_t got = source_.read({fresh, static_cast<std::size_t>(room)});
        at_end_ = got == 0;
        if (const void* nul = std::memchr(fresh, '\0', static_cast<std::size_t>(got))) {
            got = static_cast<const char*>(nul) - fresh + 1;
            at_end_ = true;
        }
        const bool first = done_ == 0;
        done_ += got;
        filled_ += got;
        if (first && !drop_byte_order_mark()) {
            done_ = 0;
            continue;
        }
        // The bytes carried over hold no further line end: look at the new ones only.
        const std::string_view text(buffer_.data(), static_cast<std::size_t>(filled_));
        const index_t from = std::max<index_t>(0, filled_ - got);
        const std::size_t end = text.substr(static_cast<std::size_t>(from)).rfind('\n');
        if (!at_end_ && end != std::string_view::npos && filled_ >= least) {
            block_end_ = from + static_cast<index_t>(end) + 1;
            return;
        }
    }
    if (filled_ > 0 && buffer_[filled_ - 1] != '\n') {
        buffer_[filled_++] = '\n';
    }
    block_end_ = filled_;
}

void TextBlocks::grow() {
    if (buffer_.size() >= longest_line_) {
        refuse(name_, fmt::format("line is longer than {}", format_byte_size(longest_line_)), line);
    }
    Buffer<char> larger = context_.allocate<char>(buffer_.size() * 2, "text buffer");
    std::memcpy(larger.data(), buffer_.data(), static_cast<std::size_t>(filled_));
    buffer_ = std::move(larger);
}

}  // namespace mercer::data

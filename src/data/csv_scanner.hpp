// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_scanner.hpp - cutting CSV text into records and fields.
#pragma once

#include <string>
#include <string_view>

#include "data/bad_input.hpp"
#include "data/number.hpp"
#include "data/text_blocks.hpp"

namespace mercer::data {

/// A field and its place. `text` lives until the next field is taken.
struct Field {
    std::string_view text;
    index_t line = 0;
    index_t column = 0;
};

/// Cuts a block of text into fields.
class CsvScanner {
public:
    CsvScanner(TextBlocks& blocks, char separator) : blocks_(blocks), separator_(separator) {}

    void start_block() {
        p_ = blocks_.block().data();
        end_ = p_ + blocks_.block().size();
        line_begin_ = p_;
    }

    /// Skips empty lines; false at the end of the block.
    [[nodiscard]] bool find_record() {
        while (p_ != end_) {
            const char* q = p_;
            while (is_blank(*q) || (*q == '\r' && q[1] == '\n')) {
                ++q;
            }
            if (*q != '\n') {
                record_begin_ = p_;
                record_line_ = blocks_.line;
                record_done_ = false;
                return true;
            }
            p_ = q;
            end_line();
        }
        return false;
    }

    /// True after the last field of a record has been taken.
    [[nodiscard]] bool record_done() const { return record_done_; }

    /// Takes the next field. False when the block ends inside it: more text is needed.
    [[nodiscard]] bool next_field(Field& field) {
        while (is_blank(*p_)) {
            ++p_;
        }
        field.line = blocks_.line;
        field.column = p_ - line_begin_ + 1;
        if (*p_ == '"') {
            return quoted_field(field);
        }
        const char* begin = p_;
        while (*p_ != separator_ && *p_ != '\n') {
            if (*p_ == '\0') {
                fail(field.line, p_ - line_begin_ + 1, "NUL byte in the text");
            }
            ++p_;
        }
        const char* last = p_;
        while (last != begin && (is_blank(last[-1]) || (last[-1] == '\r' && *p_ == '\n'))) {
            --last;
        }
        field.text = {begin, static_cast<std::size_t>(last - begin)};
        end_field();
        return true;
    }

    /// Takes a plain number, the usual case, without looking at its characters twice.
    [[nodiscard]] bool next_number(double& value) {
        const ParsedNumber number = parse_number(p_, end_);
        if (number.status != NumberStatus::ok) {
            return false;
        }
        const char* after = number.end;
        after += *after == '\r' && after[1] == '\n' ? 1 : 0;
        if (*after != separator_ && *after != '\n') {
            return false;
        }
        value = number.value;
        p_ = after;
        end_field();
        return true;
    }

    /// Goes back to the start of an incomplete record; returns its offset in the block.
    [[nodiscard]] index_t rewind() {
        blocks_.line = record_line_;
        return record_begin_ - blocks_.block().data();
    }

    [[nodiscard]] index_t line() const { return blocks_.line; }
    [[nodiscard]] index_t column() const { return p_ - line_begin_ + 1; }

    [[noreturn]] void fail(index_t line, index_t column, std::string message) const {
        refuse(blocks_.name(), std::move(message), line, column);
    }

private:
    [[nodiscard]] bool is_blank(char c) const { return c == ' ' || (c == '\t' && c != separator_); }

    void end_line() {
        ++p_;
        ++blocks_.line;
        line_begin_ = p_;
    }

    void end_field() {
        record_done_ = *p_ == '\n';
        if (record_done_) {
            end_line();
        } else {
            ++p_;
        }
    }

    [[nodiscard]] bool quoted_field(Field& field);

    TextBlocks& blocks_;
    char separator_;
    const char* p_ = nullptr;
    const char* end_ = nullptr;
    const char* line_begin_ = nullptr;
    const char* record_begin_ = nullptr;
    index_t record_line_ = 1;
    bool record_done_ = false;
    std::string unquoted_;
};

}  // namespace mercer::data

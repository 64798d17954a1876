// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_scanner.cpp - quoted fields.
#include "data/csv_scanner.hpp"

namespace mercer::data {

/// Quotes inside a field are doubled, line ends belong to it; between the closing quote and the
/// separator there may only be blanks.
bool CsvScanner::quoted_field(Field& field) {
    unquoted_.clear();
    ++p_;
    while (true) {
        const char* begin = p_;
        while (p_ != end_ && *p_ != '"' && *p_ != '\n' && *p_ != '\0') {
            ++p_;
        }
        unquoted_.append(begin, p_);
        if (p_ == end_) {
            if (blocks_.at_end()) {
                fail(field.line, field.column, "quote is not closed");
            }
            return false;
        }
        if (*p_ == '\0') {
            fail(blocks_.line, p_ - line_begin_ + 1, "NUL byte in the text");
        }
        if (*p_ == '\n') {
            unquoted_ += '\n';
            end_line();
        } else if (p_[1] == '"') {
            unquoted_ += '"';
            p_ += 2;
        } else {
            ++p_;
            break;
        }
    }
    while (is_blank(*p_) || (*p_ == '\r' && p_[1] == '\n')) {
        ++p_;
    }
    if (*p_ != separator_ && *p_ != '\n') {
        fail(blocks_.line, p_ - line_begin_ + 1, "unexpected text after a closing quote");
    }
    field.text = unquoted_;
    end_field();
    return true;
}

}  // namespace mercer::data

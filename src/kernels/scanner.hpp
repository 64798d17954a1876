// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/scanner.hpp - the words, numbers and signs of a kernel expression.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/result.hpp"

namespace mercer {

/// Thrown while parsing and caught by parse_kernel(), which turns it into a Result.
struct ParseFailure {
    Diagnostic diagnostic;
};

/// Reads a text from left to right. Positions are byte offsets.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    /// Position of the next character that is not white space.
    [[nodiscard]] std::size_t position();
    /// That character, or NUL at the end of the text.
    [[nodiscard]] char peek();
    [[nodiscard]] bool at_end();
    /// True when a number starts here: a digit, or a point before a digit.
    [[nodiscard]] bool at_number();
    /// True when a name starts here.
    [[nodiscard]] bool at_name();

    /// Consumes the next character when it is `sign`.
    bool accept(char sign);
    /// Consumes `sign` or fails: "expected ')' after the parameters".
    void expect(char sign, std::string_view where);

    /// A decimal number without sign; fails when it does not fit a double.
    double number();
    /// A number after an optional sign; also nan and inf, which the range check will refuse.
    double signed_number();
    /// An integer of digits only.
    index_t integer(std::string_view what);
    /// Letters, digits and underscores; with `hyphens` also those before a letter. In a row
    /// function a hyphen is a minus.
    std::string_view name(bool hyphens = true);
    /// A file name, bare or in double quotes with backslash escapes.
    std::string file_name();

    /// Fails at a position, which becomes line and column (in characters, from 1).
    [[noreturn]] void fail(std::size_t position, std::string message) const;
    /// Fails here, saying what was expected and what was found.
    [[noreturn]] void fail_expected(std::string_view what);

private:
    void skip_space();
    [[nodiscard]] std::string describe_next();

    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace mercer

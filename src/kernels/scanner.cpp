// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/scanner.cpp - reading words, numbers and signs, and reporting where it failed.
#include "kernels/scanner.hpp"

#include <fast_float/fast_float.h>
#include <fmt/core.h>

#include <cmath>

#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
/// True for the continuation bytes of a UTF-8 character, which take no column of their own.
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void Scanner::skip_space() {
    while (position_ < text_.size() && is_space(text_[position_])) {
        ++position_;
    }
}

std::size_t Scanner::position() {
    skip_space();
    return position_;
}

char Scanner::peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
}

bool Scanner::at_end() { return position() == text_.size(); }

bool Scanner::at_number() {
    const char first = peek();
    const char second = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
    return is_digit(first) || (first == '.' && is_digit(second));
}

bool Scanner::at_name() { return is_letter(peek()); }

bool Scanner::accept(char sign) {
    if (at_end() || text_[position_] != sign) {
        return false;
    }
    ++position_;
    return true;
}

void Scanner::expect(char sign, std::string_view where) {
    if (!accept(sign)) {
        fail_expected(fmt::format("'{}' {}", sign, where));
    }
}

double Scanner::number() {
    if (!at_number()) {
        fail_expected("a number");
    }
    const std::size_t start = position_;
    double value = 0.0;
    const auto [end, error] =
        fast_float::from_chars(text_.data() + start, text_.data() + text_.size(), value);
    const std::string_view digits =
        text_.substr(start, static_cast<std::size_t>(end - (text_.data() + start)));
    if (error == std::errc::invalid_argument) {
        fail_expected("a number");
    }
    const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
    const bool vanished =
        value == 0.0 && mantissa.find_first_of("123456789") != std::string_view::npos;
    if (std::isinf(value) || vanished || error != std::errc()) {
        fail(start, fmt::format("the number {} is too {} for a double", digits.substr(0, 40),
                                vanished ? "small" : "large"));
    }
    position_ += digits.size();
    return value;
}

double Scanner::signed_number() {
    const bool negative = accept('-');
    if (!negative) {
        accept('+');
    }
    if (at_name()) {
        const std::size_t start = position_;
        const std::string_view word = name();
        if (word == "nan" || word == "inf" || word == "infinity") {
            return word == "nan" ? kNaN : std::copysign(kInfinity, negative ? -1.0 : 1.0);
        }
        position_ = start;
    }
    const double value = number();
    return negative ? -value : value;
}

index_t Scanner::integer(std::string_view what) {
    const std::size_t start = position();
    index_t value = 0;
    while (position_ < text_.size() && is_digit(text_[position_])) {
        if (__builtin_mul_overflow(value, index_t{10}, &value) ||
            __builtin_add_overflow(value, index_t{text_[position_] - '0'}, &value)) {
            fail(start, fmt::format("{} does not fit 64 bits", what));
        }
        ++position_;
    }
    const char next = position_ < text_.size() ? text_[position_] : '\0';
    if (position_ == start || next == '.' || is_letter(next)) {
        position_ = start;
        fail_expected(what);
    }
    return value;
}

std::string_view Scanner::name(bool hyphens) {
    const std::size_t start = position();
    while (position_ < text_.size()) {
        const char c = text_[position_];
        const bool joins = hyphens && c == '-' && position_ > start &&
                           position_ + 1 < text_.size() && is_letter(text_[position_ + 1]);
        if (!is_letter(c) && !is_digit(c) && c != '_' && !joins) {
            break;
        }
        ++position_;
    }
    return text_.substr(start, position_ - start);
}

std::string Scanner::file_name() {
    const std::size_t start = position();
    std::string file;
    if (accept('"')) {
        while (position_ < text_.size() && text_[position_] != '"') {
            if (text_[position_] == '\\' && position_ + 1 < text_.size()) {
                ++position_;
            }
            file += text_[position_];
            ++position_;
        }
        if (position_ == text_.size()) {
            fail(start, "this quote is never closed");
        }
        ++position_;
    } else {
        while (position_ < text_.size() && !is_space(text_[position_]) &&
               std::string_view("(),;\"").find(text_[position_]) == std::string_view::npos) {
            file += text_[position_];
            ++position_;
        }
    }
    if (file.empty()) {
        position_ = start;
        fail_expected("a file name");
    }
    for (const char c : file) {
        if (is_control(c)) {
            fail(start, "the file name has a control character");
        }
    }
    return file;
}

std::string Scanner::describe_next() {
    if (at_end()) {
        return "the end";
    }
    if (at_name()) {
        const std::size_t start = position_;
        const std::string word(name().substr(0, 40));
        position_ = start;
        return "'" + word + "'";
    }
    const char c = text_[position_];
    if (is_control(c) || static_cast<unsigned char>(c) >= 0x80) {
        return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
    }
    return fmt::format("'{}'", c);
}

void Scanner::fail(std::size_t position, std::string message) const {
    Diagnostic diagnostic{std::move(message), "kernel expression", 1, 1};
    for (std::size_t i = 0; i < position && i < text_.size(); ++i) {
        if (text_[i] == '\n') {
            ++diagnostic.line;
            diagnostic.column = 1;
        } else if (!is_continuation(text_[i])) {
            ++diagnostic.column;
        }
    }
    throw ParseFailure{std::move(diagnostic)};
}

void Scanner::fail_expected(std::string_view what) {
    const std::string found = describe_next();
    fail(position_, fmt::format("expected {}, found {}", what, found));
}

std::string point_at(std::string_view text, const Diagnostic& diagnostic) {
    for (index_t line = 1; line < diagnostic.line; ++line) {
        const std::size_t end = text.find('\n');
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    std::string caret;
    index_t column = 1;
    for (std::size_t i = 0; i < text.size() && column < diagnostic.column; ++i) {
        if (i + 1 < text.size() && is_continuation(text[i + 1])) {
            continue;  // only the last byte of a character counts
        }
        caret += text[i] == '\t' ? '\t' : ' ';  // as wide as the tab in the line above
        ++column;
    }
    std::string shown(text);
    for (char& c : shown) {
        c = is_control(c) && c != '\t' ? '?' : c;  // the text must not control the terminal
    }
    return shown + "\n" + caret + "^";
}

}  // namespace mercer

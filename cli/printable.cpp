// SPDX-License-Identifier: Apache-2.0
//
// cli/printable.cpp - decodes UTF-8 one character at a time.
#include "printable.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <iterator>

namespace mercer::cli {

namespace {

/// A character of a text: its code point and its length in bytes.
struct Character {
    char32_t number = 0;
    std::size_t bytes = 1;
    bool valid = false;
};

/// The character at the start of `text`, which is not empty.
Character first_character(std::string_view text) {
    struct Form {
        unsigned mask, mark;
        std::size_t bytes;
        char32_t least;  ///< smaller code points have a shorter form
    };
    constexpr std::array<Form, 4> kForms{{{0x80, 0x00, 1, 0},
                                          {0xe0, 0xc0, 2, 0x80},
                                          {0xf0, 0xe0, 3, 0x800},
                                          {0xf8, 0xf0, 4, 0x10000}}};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (const Form& form : kForms) {
        if ((byte(0) & form.mask) != form.mark) {
            continue;
        }
        char32_t number = byte(0) & ~form.mask & 0xffU;
        for (std::size_t i = 1; i < form.bytes; ++i) {
            if (i >= text.size() || (byte(i) & 0xc0U) != 0x80U) {
                return {};
            }
            number = (number << 6U) | (byte(i) & 0x3fU);
        }
        const bool surrogate = number >= 0xd800 && number <= 0xdfff;
        if (number < form.least || number > 0x10ffff || surrogate) {
            return {};
        }
        return {number, form.bytes, true};
    }
    return {};
}

/// True for characters that control a terminal, or change the order of a line.
bool is_obeyed(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || c == 0x061c ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

enum class Style { word, lines, json };

std::string shown(std::string_view text, Style style) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character c = first_character(text);
        const bool structure =
            style != Style::word && c.valid && (c.number == '\n' || c.number == '\t');
        if (!c.valid || (c.number < 0x80 && is_obeyed(c.number) && style != Style::json)) {
            if (structure) {
                out += text.front();
            } else {
                fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                               static_cast<unsigned>(static_cast<unsigned char>(text.front())));
            }
        } else if (is_obeyed(c.number) && !structure) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c.number));
        } else {
            out += text.substr(0, c.bytes);
        }
        text.remove_prefix(c.bytes);
    }
    return out;
}

/// Writes text in printable form, line by line.
class ShownFile final : public WriteFile {
public:
    explicit ShownFile(std::unique_ptr<WriteFile> file) : file_(std::move(file)) {}

    void write(std::span<const char> bytes) override {
        rest_.append(bytes.data(), bytes.size());
        const std::size_t whole = rest_.rfind('\n') + 1;  // npos + 1 is 0
        file_->write(printable_lines(std::string_view(rest_).substr(0, whole)));
        rest_.erase(0, whole);
    }
    void write_at(index_t offset, std::span<const char> bytes) override {
        file_->write_at(offset, bytes);  // refused by standard output
    }
    void commit() override {
        file_->write(printable_lines(rest_));
        file_->commit();
    }

private:
    std::unique_ptr<WriteFile> file_;
    std::string rest_;  ///< of an incomplete line
};

}  // namespace

std::string printable(std::string_view word) { return shown(word, Style::word); }

std::vector<std::string> printable(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    out.reserve(words.size());
    for (const std::string& word : words) {
        out.push_back(printable(word));
    }
    return out;
}

std::string printable_lines(std::string_view text) { return shown(text, Style::lines); }

std::string printable_json(std::string_view text) { return shown(text, Style::json); }

std::unique_ptr<WriteFile> create_shown(const std::string& path, Files& files) {
    std::unique_ptr<WriteFile> file = files.create(path);
    if (path != "-" || ::isatty(STDOUT_FILENO) != 1) {
        return file;
    }
    return std::make_unique<ShownFile>(std::move(file));
}

}  // namespace mercer::cli

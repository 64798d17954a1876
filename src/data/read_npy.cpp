// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_npy.cpp - NumPy's .npy: a magic, a version, a Python dictionary, raw numbers.
//
// The dictionary is parsed by a few strict rules, not evaluated; pickled objects are refused.
#include <fmt/core.h>

#include <charconv>

#include "data/array_stream.hpp"
#include "data/bad_input.hpp"
#include "data/number.hpp"

namespace mercer::data {

namespace {

// NumPy itself refuses longer headers by default.
constexpr index_t kLongestHeader = 10000;

/// Parses {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

    [[nodiscard]] ArrayHeader parse() {
        ArrayHeader header;
        bool has_type = false;
        bool has_order = false;
        bool has_shape = false;
        expect('{');
        while (!accept('}')) {
            const std::string_view key = quoted_text();
            expect(':');
            if (key == "descr" && !std::exchange(has_type, true)) {
                header.type = element_type(quoted_text());
            } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
                header.fortran_order = boolean();
            } else if (key == "shape" && !std::exchange(has_shape, true)) {
                header.shape = shape();
            } else {
                fail(fmt::format("unexpected key {}", quoted(key)));
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_blanks();
        if (!rest_.empty() || !has_type || !has_order || !has_shape) {
            fail("it must hold descr, fortran_order and shape, and nothing else");
        }
        return header;
    }

private:
    [[noreturn]] void fail(std::string_view why) const {
        refuse(name_, fmt::format("npy header: {}", why));
    }

    void skip_blanks() {
        const std::size_t first = rest_.find_first_not_of(" \t\n");
        rest_.remove_prefix(std::min(first, rest_.size()));
    }

    [[nodiscard]] bool accept(char c) {
        skip_blanks();
        if (!rest_.starts_with(c)) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char c) {
        if (!accept(c)) {
            fail(fmt::format("expected '{}' before {}", c, quoted(rest_)));
        }
    }

    [[nodiscard]] std::string_view quoted_text() {
        skip_blanks();
        if (rest_.starts_with('[')) {
            fail("structured arrays are not supported");
        }
        const char quote = rest_.empty() ? '\0' : rest_.front();
        const std::size_t end = rest_.find(quote, 1);
        if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
            fail(fmt::format("expected a quoted word before {}", quoted(rest_)));
        }
        const std::string_view text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }

    [[nodiscard]] bool boolean() {
        skip_blanks();
        for (const std::string_view word : {"False", "True"}) {
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return word == "True";
            }
        }
        fail(fmt::format("expected True or False before {}", quoted(rest_)));
    }

    [[nodiscard]] std::vector<index_t> shape() {
        constexpr std::size_t kMostDimensions = 32;
        std::vector<index_t> sizes;
        expect('(');
        while (!accept(')')) {
            skip_blanks();
            index_t size = 0;
            const auto parsed = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
            if (parsed.ec != std::errc() || size < 0 || sizes.size() == kMostDimensions) {
                fail(fmt::format("bad shape before {}", quoted(rest_)));
            }
            rest_.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest_.data()));
            sizes.push_back(size);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }

    [[nodiscard]] ElementType element_type(std::string_view text) const {
        const bool ordered =
            !text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos;
        const std::string_view code = text.substr(ordered ? 1 : 0);
        ElementType type;
        type.big_endian = text.starts_with('>');
        if (code == "f4" || code == "f8") {
            type.kind = ElementKind::floating;
        } else if (code == "b1" || code == "u1" || code == "u2" || code == "u4" || code == "u8") {
            type.kind = ElementKind::unsigned_integer;
        } else if (code == "i1" || code == "i2" || code == "i4" || code == "i8") {
            type.kind = ElementKind::signed_integer;
        } else if (code.starts_with('O')) {
            fail("pickled objects are not read; save numbers, or labels as text: y.astype(str)");
        } else if (code.starts_with('U') || code.starts_with('S')) {
            return text_type(code, type.big_endian);
        } else {
            fail(
                fmt::format("numbers of type {} are not supported; use float32, float64, an "
                            "integer type or bool",
                            quoted(text)));
        }
        type.width = code[1] - '0';
        return type;
    }

    /// `U5`: five code points of four bytes; `S5`: five bytes.
    [[nodiscard]] ElementType text_type(std::string_view code, bool big_endian) const {
        constexpr index_t kLongest = 1 << 20;
        index_t length = 0;
        const char* end = code.data() + code.size();
        const auto parsed = std::from_chars(code.data() + 1, end, length);
        if (parsed.ec != std::errc() || parsed.ptr != end || length < 0 || length > kLongest) {
            fail(fmt::format("texts of type {} are not supported", quoted(code)));
        }
        const bool unicode = code[0] == 'U';
        return {unicode ? ElementKind::unicode : ElementKind::bytes, unicode ? 4 * length : length,
                big_endian};
    }

    std::string_view rest_;
    const std::string& name_;
};

}  // namespace

ArrayHeader read_npy_header(ByteSource& source, const std::string& name) {
    constexpr std::string_view kMagic = "\x93NUMPY";
    std::array<char, 8> start{};
    if (source.read_fully(start) != 8 || std::string_view(start.data(), 6) != kMagic) {
        refuse(name, "npy: it does not start as a .npy file");
    }
    const int version = start[6];
    if (version < 1 || version > 3) {
        refuse(name, fmt::format("npy: version {} is not known", version));
    }
    std::array<unsigned char, 4> length{};
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const auto length_span = std::span(reinterpret_cast<char*>(length.data()), length_bytes);
    if (source.read_fully(length_span) != static_cast<index_t>(length_bytes)) {
        refuse(name, "npy: the file ends in its header");
    }
    const index_t size = length[0] + (index_t{length[1]} << 8) + (index_t{length[2]} << 16) +
                         (index_t{length[3]} << 24);
    if (size > kLongestHeader) {
        refuse(name, fmt::format("npy: a header of {} bytes is too long", size));
    }
    std::string text(static_cast<std::size_t>(size), '\0');
    if (source.read_fully(text) != size) {
        refuse(name, "npy: the file ends in its header");
    }
    return HeaderParser(text, name).parse();
}

Dataset read_npy(Reading& reading) {
    const ArrayHeader header = read_npy_header(reading.source, reading.name);
    ArrayValues array = read_array(header, reading.source, reading.name, reading.context);
    expect_end(reading.source, reading.name);
    return make_dataset(std::move(array), reading);
}

}  // namespace mercer::data

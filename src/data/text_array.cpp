// SPDX-License-Identifier: Apache-2.0
//
// src/data/text_array.cpp - NumPy's arrays of text, as labels.
#include <fmt/core.h>

#include <algorithm>

#include "data/array_stream.hpp"
#include "data/bad_input.hpp"
#include "data/csv_columns.hpp"
#include "data/number.hpp"

namespace mercer::data {

namespace {

/// Appends the code point; false when it is invalid.
bool append_utf8(std::uint32_t point, std::string& text) {
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
        return false;
    }
    const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
    if (point < 0x80) {
        byte(point);
    } else if (point < 0x800) {
        byte(0xC0 | point >> 6);
        byte(0x80 | (point & 0x3F));
    } else {
        if (point < 0x10000) {
            byte(0xE0 | point >> 12);
        } else {
            byte(0xF0 | point >> 18);
            byte(0x80 | (point >> 12 & 0x3F));
        }
        byte(0x80 | (point >> 6 & 0x3F));
        byte(0x80 | (point & 0x3F));
    }
    return true;
}

/// The text of one element, without the zeros that pad it; false when it is invalid.
bool decode_text(std::span<const char> bytes, const ElementType& type, std::string& text) {
    text.clear();
    if (type.kind == ElementKind::bytes) {
        text.assign(bytes.begin(), bytes.end());
    } else {
        for (std::size_t i = 0; i < bytes.size(); i += 4) {
            std::uint32_t point = 0;
            for (std::size_t k = 0; k < 4; ++k) {
                const std::size_t place = i + (type.big_endian ? k : 3 - k);
                point = point << 8 | static_cast<unsigned char>(bytes[place]);
            }
            if (!append_utf8(point, text)) {
                return false;
            }
        }
    }
    text.erase(text.find_last_not_of('\0') + 1);
    return true;
}

}  // namespace

TargetColumn read_text_labels(const ArrayHeader& header, ByteSource& source,
                              const std::string& name, const Reading& reading) {
    const bool column =
        header.shape.size() == 1 || (header.shape.size() == 2 && header.shape.back() == 1);
    if (!column) {
        refuse(name, "array: labels must be one per row");
    }
    TargetColumn labels(reading.context.memory());
    std::vector<char> bytes(static_cast<std::size_t>(header.type.width));
    std::string text;
    for (index_t row = 1; row <= header.shape.front(); ++row) {
        if (row % 4096 == 1) {
            reading.context.throw_if_stopped("read");
        }
        if (source.read_fully(bytes) < header.type.width) {
            refuse(name, fmt::format("array: the file ends after {} of {} labels", row - 1,
                                     header.shape.front()));
        }
        if (!decode_text(bytes, header.type, text)) {
            refuse(name, "y: not Unicode", row, 1);
        }
        double number = 0.0;
        if (is_missing(text)) {
            refuse(name, fmt::format("y: {} is a missing value", quoted(text)), row, 1);
        } else if (parse_whole_number(text, number)) {
            labels.add_number(number);
        } else if (reading.options.task == "regression") {
            refuse(name, fmt::format("y: {} is not a number", quoted(text)), row, 1);
        } else {
            labels.add_text(text);
        }
    }
    return labels;
}

}  // namespace mercer::data

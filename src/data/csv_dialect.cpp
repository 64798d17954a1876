// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_dialect.cpp - detecting the dialect from the fields of the first lines.
#include "data/csv_dialect.hpp"

#include <algorithm>
#include <string>

#include "data/number.hpp"

namespace mercer::data {

namespace {

/// What the fields of some text look like for a given separator.
struct Look {
    bool decimal_commas = false;  ///< some field is a number with a decimal comma
    bool decimal_points = false;
    bool other_commas = false;  ///< some field has a comma and is not a number
};

void look_at(std::string_view field, Look& look) {
    const std::size_t begin = std::min(field.find_first_not_of(" \t\r"), field.size());
    field = field.substr(begin, field.find_last_not_of(" \t\r") + 1 - begin);
    const bool comma = field.find(',') != std::string_view::npos;
    if (!comma && field.find('.') == std::string_view::npos) {
        return;
    }
    std::string text(field);
    std::replace(text.begin(), text.end(), ',', '.');
    double value = 0.0;
    const bool number =
        parse_whole_number(text, value) && text.front() != '.' && text.back() != '.';
    look.decimal_commas |= comma && number;
    look.decimal_points |= !comma && number;
    look.other_commas |= comma && !number;
}

/// Quoted fields are text and are ignored.
Look look_at_fields(std::string_view text, char separator) {
    Look look;
    bool inside = false;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        inside ^= text[i] == '"';
        quoted |= text[i] == '"';
        if (!inside && (text[i] == separator || text[i] == '\n')) {
            if (!quoted) {
                look_at(text.substr(begin, i - begin), look);
            }
            begin = i + 1;
            quoted = false;
        }
    }
    return look;
}

std::string_view first_line(std::string_view text) {
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        inside ^= text[i] == '"';
        if (!inside && text[i] == '\n') {
            return text.substr(0, i + 1);
        }
    }
    return text;
}

char find_separator(std::string_view line) {
    constexpr std::string_view kCandidates = ",;\t";
    int counts[3] = {0, 0, 0};
    bool inside = false;
    for (const char c : line) {
        inside ^= c == '"';
        const std::size_t which = kCandidates.find(c);
        if (!inside && which != std::string_view::npos) {
            ++counts[which];
        }
    }
    for (const std::size_t which : {1, 2}) {
        const Look look = look_at_fields(std::string(line) + "\n", kCandidates[which]);
        if (counts[which] > 0 && look.decimal_commas && !look.other_commas) {
            return kCandidates[which];
        }
    }
    return kCandidates[static_cast<std::size_t>(std::max_element(counts, counts + 3) - counts)];
}

}  // namespace

CsvDialect find_dialect(std::string_view text, char separator) {
    CsvDialect dialect;
    dialect.separator = separator == '\0' ? find_separator(first_line(text)) : separator;
    if (dialect.separator != ',') {
        const Look look = look_at_fields(text, dialect.separator);
        dialect.decimal_comma = look.decimal_commas && !look.decimal_points;
    }
    return dialect;
}

}  // namespace mercer::data

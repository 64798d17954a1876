// SPDX-License-Identifier: Apache-2.0
//
// src/data/number.hpp - numbers in text, the same under every locale.
#pragma once

#include <fast_float/fast_float.h>

#include <cmath>
#include <string>
#include <string_view>

namespace mercer::data {

enum class NumberStatus { ok, not_a_number, not_finite };

struct ParsedNumber {
    double value = 0.0;
    const char* end = nullptr;  ///< first character that is not part of the number
    NumberStatus status = NumberStatus::not_a_number;
};

/// Reads the number that starts at `first`. A single leading `+` is allowed; subnormal numbers are
/// read exactly and smaller ones become 0; numbers too large for a double are not finite.
[[nodiscard]] inline ParsedNumber parse_number(const char* first, const char* last) {
    const char* begin = first;
    if (begin != last && *begin == '+') {
        ++begin;
        if (begin != last && (*begin == '-' || *begin == '+')) {
            return {0.0, first, NumberStatus::not_a_number};
        }
    }
    ParsedNumber number;
    const auto parsed = fast_float::from_chars(begin, last, number.value);
    if (parsed.ptr == begin || parsed.ec == std::errc::invalid_argument) {
        return {0.0, first, NumberStatus::not_a_number};
    }
    number.end = parsed.ptr;
    number.status = std::isfinite(number.value) ? NumberStatus::ok : NumberStatus::not_finite;
    return number;
}

/// The text of a message: at most 40 characters of `token`, control characters as `\xNN`.
[[nodiscard]] std::string quoted(std::string_view token);

/// Reads all of `text` as a finite number.
[[nodiscard]] inline bool parse_whole_number(std::string_view text, double& value) {
    const char* last = text.data() + text.size();
    const ParsedNumber number = parse_number(text.data(), last);
    value = number.value;
    return number.status == NumberStatus::ok && number.end == last;
}

}  // namespace mercer::data

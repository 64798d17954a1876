// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/options.cpp - range messages, in one form everywhere.
#include "mercer/runtime/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.hpp"

namespace mercer {

std::string Range::text() const {
    const bool has_lower = std::isfinite(lower);
    const bool has_upper = std::isfinite(upper);
    if (has_lower && has_upper) {
        return fmt::format("must be {} {} and <= {}", lower_open ? ">" : ">=", lower, upper);
    }
    if (has_lower && infinite) {
        return fmt::format("must be {} {} or inf", lower_open ? ">" : ">=", lower);
    }
    if (has_lower) {
        return fmt::format("must be finite and {} {}", lower_open ? ">" : ">=", lower);
    }
    return has_upper ? fmt::format("must be finite and <= {}", upper) : "must be finite";
}

void require_in_range(std::string_view name, double value, const Range& range) {
    if (!range.contains(value)) {
        throw InvalidArgument(std::string(name), fmt::format("{}", value), range.text());
    }
}

void require_choice(std::string_view name, std::string_view value,
                    const std::vector<std::string>& choices) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        throw InvalidArgument(std::string(name), fmt::format("'{}'", value),
                              fmt::format("must be one of {}", fmt::join(choices, ", ")));
    }
}

}  // namespace mercer

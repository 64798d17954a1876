// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/options.hpp - an option is described once and feeds every surface.
//
// A struct of options has one static function
//
//     template <typename Visitor>
//     static void describe(Visitor& visitor, ScaleOptions& options) {
//         visitor.number("lower", options.lower, Range::any(), "value the least entry maps to");
//     }
//
// The command line, Python and the reference pages walk it with visitors of their own; validate()
// walks it to check ranges. Names are words with underscores: `gap_tolerance` is the C++ and Python
// name, `--gap-tolerance` the command line's.
#pragma once

#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// The values a number may take. All ranges demand a finite number.
struct Range {
    double lower = -kInfinity;
    double upper = kInfinity;
    bool lower_open = false;
    bool infinite = false;  ///< plus infinity is allowed, too

    [[nodiscard]] static Range any() { return {}; }
    [[nodiscard]] static Range positive() { return {0.0, kInfinity, true}; }
    [[nodiscard]] static Range positive_or_infinite() { return {0.0, kInfinity, true, true}; }
    [[nodiscard]] static Range non_negative() { return {0.0, kInfinity, false}; }
    [[nodiscard]] static Range at_least(double lower) { return {lower, kInfinity, false}; }
    [[nodiscard]] static Range within(double lower, double upper) { return {lower, upper, false}; }

    /// False for NaN, and for infinities unless the range includes one.
    [[nodiscard]] bool contains(double value) const noexcept {
        return (std::isfinite(value) || (infinite && value == kInfinity)) &&
               (lower_open ? value > lower : value >= lower) && value <= upper;
    }
    /// "must be finite and > 0", for messages and help.
    [[nodiscard]] std::string text() const;
};

/// Throws InvalidArgument `name: got value, must be ...`, with its fields, unless the range
/// contains the value.
void require_in_range(std::string_view name, double value, const Range& range);

/// Throws InvalidArgument, with its fields, naming the choices unless `value` is one of them.
void require_choice(std::string_view name, std::string_view value,
                    const std::vector<std::string>& choices);

/// Visitor that checks ranges.
class OptionValidator {
public:
    void number(std::string_view name, double value, const Range& range, std::string_view) {
        require_in_range(name, value, range);
    }
    void number(std::string_view name, const std::optional<double>& value, const Range& range,
                std::string_view) {
        if (value) {
            require_in_range(name, *value, range);
        }
    }
    void integer(std::string_view name, index_t value, const Range& range, std::string_view) {
        require_in_range(name, static_cast<double>(value), range);
    }
    void integer(std::string_view name, const std::optional<index_t>& value, const Range& range,
                 std::string_view) {
        if (value) {
            require_in_range(name, static_cast<double>(*value), range);
        }
    }
    void flag(std::string_view, bool, std::string_view) {}
    void text(std::string_view, const std::string&, std::string_view) {}
    /// A name that is checked where it is used.
    template <typename Word>
    void word(std::string_view, const Word&, std::string_view) {}
    void choice(std::string_view name, const std::string& value,
                const std::vector<std::string>& choices, std::string_view) {
        require_choice(name, value, choices);
    }
};

/// Throws InvalidArgument for the first option out of its range.
template <typename Options>
void validate(const Options& options) {
    OptionValidator validator;
    Options::describe(validator, const_cast<Options&>(options));
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// cli/option_registrar.cpp - parses numbers itself, so that errors have Mercer's messages.
#include "option_registrar.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/base/nearest_word.hpp"

namespace mercer::cli {

namespace {

/// `gap_tolerance` -> `--gap-tolerance`.
std::string dashed(std::string_view name) {
    std::string text = "--" + std::string(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

/// An integer, also in the form 1e6.
std::optional<index_t> read_integer(std::string_view text) {
    index_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) {
        return value;
    }
    constexpr double kLargestExact = 0x1.0p53;
    const std::optional<double> number = read_number(text);
    if (!number || !(std::abs(*number) <= kLargestExact) || *number != std::trunc(*number)) {
        return std::nullopt;
    }
    return static_cast<index_t>(*number);
}

/// Throws InvalidArgument unless the text is a number in the range.
double number_within(const std::string& text, const Range& range) {
    const std::optional<double> number = read_number(text);
    if (!number || !range.contains(*number)) {
        throw InvalidArgument(
            fmt::format("got {}, {}", text, number ? range.text() : "must be a number"));
    }
    return *number;
}

/// Throws InvalidArgument unless the text is an integer in the range.
index_t integer_within(const std::string& text, const Range& range) {
    const std::optional<index_t> number = read_integer(text);
    if (!number || !range.contains(static_cast<double>(*number))) {
        throw InvalidArgument(
            fmt::format("got {}, {}", text, number ? range.text() : "must be an integer"));
    }
    return *number;
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
    }
    double value = 0.0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::string choice_fault(const std::string& text, const std::vector<std::string>& choices) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
        return "";
    }
    const std::string nearest = nearest_word(text, choices);
    return fmt::format("got '{}', must be one of {}{}", text, fmt::join(choices, ", "),
                       nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

std::string OptionRegistrar::names(std::string_view name, std::string_view alias) const {
    const auto renamed = renames_.find(name);
    if (renamed != renames_.end()) {
        return renamed->second.empty() || renamed->second.starts_with('-')
                   ? renamed->second
                   : dashed(renamed->second);
    }
    return alias.empty() ? dashed(name) : fmt::format("{},{}", alias, dashed(name));
}

void OptionRegistrar::add_value(const std::string& option_names,
                                const std::function<void(const std::string&)>& read,
                                std::string_view help, const std::string& default_text,
                                const std::string& type_name) {
    if (option_names.empty()) {
        return;
    }
    const std::string shown = option_names.substr(option_names.find("--"));
    app_.add_option_function<std::string>(
            option_names,
            [read, shown](const std::string& text) {
                try {
                    read(text);
                } catch (const InvalidArgument& fault) {
                    throw CLI::ValidationError(shown, fault.what());
                }
            },
            std::string(help))
        ->default_str(default_text)
        ->type_name(type_name)
        ->group(group_);
}

void OptionRegistrar::number(std::string_view name, double& value, const Range& range,
                             std::string_view help, std::string_view alias) {
    add_value(
        names(name, alias),
        [&value, range](const std::string& text) { value = number_within(text, range); }, help,
        std::isnan(value) ? "" : fmt::format("{}", value), "R");  // NaN: not given
}

void OptionRegistrar::number(std::string_view name, std::optional<double>& value,
                             const Range& range, std::string_view help, std::string_view alias) {
    add_value(
        names(name, alias),
        [&value, range](const std::string& text) { value = number_within(text, range); }, help,
        value ? fmt::format("{}", *value) : "", "R");
}

void OptionRegistrar::integer(std::string_view name, index_t& value, const Range& range,
                              std::string_view help, std::string_view alias) {
    add_value(
        names(name, alias),
        [&value, range](const std::string& text) { value = integer_within(text, range); }, help,
        fmt::format("{}", value), "N");
}

void OptionRegistrar::integer(std::string_view name, std::optional<index_t>& value,
                              const Range& range, std::string_view help, std::string_view alias) {
    add_value(
        names(name, alias),
        [&value, range](const std::string& text) { value = integer_within(text, range); }, help,
        value ? fmt::format("{}", *value) : "", "N");
}

void OptionRegistrar::flag(std::string_view name, bool& value, std::string_view help,
                           std::string_view alias) {
    const std::string option_names = names(name, alias);
    if (option_names.empty()) {
        return;
    }
    if (value) {
        app_.add_flag_callback(
                "--no-" + option_names.substr(option_names.find("--") + 2),
                [&value] { value = false; }, fmt::format("do not {}", help))
            ->group(group_);
        return;
    }
    app_.add_flag(option_names, value, std::string(help))->group(group_);
}

void OptionRegistrar::text(std::string_view name, std::string& value, std::string_view help,
                           std::string_view alias) {
    add_value(
        names(name, alias), [&value](const std::string& text) { value = text; }, help, value,
        "TEXT");
}

void OptionRegistrar::word(std::string_view name, SolverChoice& value, std::string_view help,
                           std::string_view alias) {
    add_value(
        names(name, alias), [&value](const std::string& text) { value = text; }, help, value.name(),
        "NAME");
}

void OptionRegistrar::choice(std::string_view name, std::string& value,
                             const std::vector<std::string>& choices, std::string_view help,
                             std::string_view alias) {
    // A long list goes into the description, which is wrapped.
    constexpr std::size_t kLongest = 60;
    const std::string listed = fmt::format("{}", fmt::join(choices, "|"));
    const bool wide = listed.size() > kLongest;
    const std::string words =
        wide ? fmt::format("{}: {}", help, fmt::join(choices, ", ")) : std::string(help);
    add_value(
        names(name, alias),
        [&value, choices](const std::string& text) {
            if (const std::string fault = choice_fault(text, choices); !fault.empty()) {
                throw InvalidArgument(fault);
            }
            value = text;
        },
        words, value, wide ? "NAME" : listed);
}

}  // namespace mercer::cli

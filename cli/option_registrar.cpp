// SPDX-License-Identifier: Apache-2.0
//
// cli/option_registrar.cpp - numbers are read here, so that a wrong one is answered in our words.
#include "option_registrar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "nearest_word.hpp"

namespace mercer::cli {

namespace {

/// `gap_tolerance` -> `--gap-tolerance`.
std::string dashed(std::string_view name) {
    std::string text = "--" + std::string(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string names(std::string_view name, std::string_view alias) {
    return alias.empty() ? dashed(name) : fmt::format("{},{}", alias, dashed(name));
}

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

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& rule) {
    throw CLI::ValidationError(option, fmt::format("got {}, {}", text, rule));
}

/// Empty when `text` is one of the choices, else why not.
std::string choice_fault(const std::string& text, const std::vector<std::string>& choices) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
        return "";
    }
    const std::string nearest = nearest_word(text, choices);
    return fmt::format("got '{}', must be one of {}{}", text, fmt::join(choices, ", "),
                       nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

}  // namespace

CLI::Validator is_one_of(std::vector<std::string> choices) {
    return {[choices = std::move(choices)](const std::string& text) {
                return choice_fault(text, choices);
            },
            ""};
}

void OptionRegistrar::number(std::string_view name, double& value, const Range& range,
                             std::string_view help, std::string_view alias) {
    const std::string option = dashed(name);
    app_.add_option_function<std::string>(
            names(name, alias),
            [&value, range, option](const std::string& text) {
                const std::optional<double> number = read_number(text);
                if (!number || !range.contains(*number)) {
                    refuse(option, text, number ? range.text() : "must be a number");
                }
                value = *number;
            },
            std::string(help))
        ->default_str(fmt::format("{}", value))
        ->type_name("R")
        ->group(group_);
}

void OptionRegistrar::integer(std::string_view name, index_t& value, const Range& range,
                              std::string_view help, std::string_view alias) {
    const std::string option = dashed(name);
    app_.add_option_function<std::string>(
            names(name, alias),
            [&value, range, option](const std::string& text) {
                const std::optional<index_t> number = read_integer(text);
                if (!number || !range.contains(static_cast<double>(*number))) {
                    refuse(option, text, number ? range.text() : "must be an integer");
                }
                value = *number;
            },
            std::string(help))
        ->default_str(fmt::format("{}", value))
        ->type_name("N")
        ->group(group_);
}

void OptionRegistrar::flag(std::string_view name, bool& value, std::string_view help,
                           std::string_view alias) {
    if (value) {
        app_.add_flag_callback("--no-" + dashed(name).substr(2), [&value] { value = false; },
                               fmt::format("not: {}", help))
            ->group(group_);
        return;
    }
    app_.add_flag(names(name, alias), value, std::string(help))->group(group_);
}

void OptionRegistrar::text(std::string_view name, std::string& value, std::string_view help,
                           std::string_view alias) {
    app_.add_option(names(name, alias), value, std::string(help))
        ->default_str(value)
        ->type_name("TEXT")
        ->group(group_);
}

void OptionRegistrar::choice(std::string_view name, std::string& value,
                             const std::vector<std::string>& choices, std::string_view help,
                             std::string_view alias) {
    const std::string option = dashed(name);
    app_.add_option_function<std::string>(
            names(name, alias),
            [&value, choices, option](const std::string& text) {
                if (const std::string fault = choice_fault(text, choices); !fault.empty()) {
                    throw CLI::ValidationError(option, fault);
                }
                value = text;
            },
            std::string(help))
        ->default_str(value)
        ->type_name(fmt::format("{}", fmt::join(choices, "|")))
        ->group(group_);
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// src/base/error.cpp - the message of a refused argument.
#include "mercer/base/error.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// The text with each name in backticks rewritten in the style.
std::string with_names(std::string_view text, const OptionStyle& style) {
    std::string out;
    for (std::size_t open = text.find('`'); open != text.npos; open = text.find('`')) {
        const std::size_t close = text.find('`', open + 1);
        if (close == text.npos) {
            break;
        }
        out += text.substr(0, open);
        out += style.name(text.substr(open + 1, close - open - 1));
        text.remove_prefix(close + 1);
    }
    return out += text;
}

}  // namespace

std::string OptionStyle::name(std::string_view option) const {
    std::string name(option);
    std::replace(name.begin(), name.end(), '_', joint);
    return std::string(before) + name + std::string(after);
}

std::string ArgumentFault::message(const OptionStyle& style) const {
    std::string text = option + ": ";
    if (!value.empty()) {
        text += "got " + value + ", ";
    }
    text += with_names(reason, style);
    if (!hint.empty()) {
        text += "; " + with_names(hint, style);
    }
    return text;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/printer.cpp - the canonical text of a kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/lookup.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

/// How tightly the outermost operator of the text binds.
int precedence(KernelType type) {
    switch (type) {
        case KernelType::sum:
            return 1;
        case KernelType::scale:
        case KernelType::product:
            return 2;
        case KernelType::power:
            return 3;
        default:
            return 4;
    }
}

std::string print_child(const Kernel& child, int least_precedence) {
    const std::string text = to_string(child);
    return precedence(child.type()) < least_precedence ? "(" + text + ")" : text;
}

std::string join(const std::vector<Kernel>& children, std::string_view separator,
                 int least_precedence) {
    std::string text;
    for (const Kernel& child : children) {
        if (!text.empty()) {
            text += separator;
        }
        text += print_child(child, least_precedence);
    }
    return text;
}

std::string print_number(double value) {
    return std::isnan(value) ? "scale" : fmt::format("{}", value);
}

std::string print_leaf(const KernelNode& node) {
    const CatalogueEntry& entry = entry_of(node.type);
    std::string arguments;
    for (std::size_t i = 0; i < node.parameters.size(); ++i) {
        const std::string number = print_number(node.parameters[i]);
        const bool obvious = node.type == KernelType::constant;
        arguments +=
            fmt::format("{}{}{}{}", i == 0 ? "" : ", ", obvious ? "" : entry.parameters[i].name,
                        obvious ? "" : "=", number);
    }
    return arguments.empty() ? std::string(entry.name)
                             : fmt::format("{}({})", entry.name, arguments);
}

/// Unquoted when every character is usual in a file name, quoted otherwise.
std::string print_file(const std::string& file) {
    const bool plain = std::all_of(file.begin(), file.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-' || c == '/' || c == '+' || c == '~';
    });
    if (plain) {
        return file;
    }
    std::string quoted = "\"";
    for (const char c : file) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
        }
        quoted += c;
    }
    return quoted + '"';
}

std::string print_selection(const std::vector<ColumnRange>& selection) {
    std::string text;
    for (const ColumnRange& range : selection) {
        const std::string_view comma = text.empty() ? "" : ", ";
        text += range.end == range.begin + 1
                    ? fmt::format("{}{}", comma, range.begin)
                    : fmt::format("{}{}:{}", comma, range.begin, range.end);
    }
    return text;
}

}  // namespace

std::string to_string(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::scale:
            return fmt::format("{} * {}", print_number(node.parameters.front()),
                               print_child(node.children.front(), 2));
        case KernelType::sum:
            return join(node.children, " + ", 1);
        case KernelType::product:
            return join(node.children, " * ", 2);
        case KernelType::power:
            return fmt::format("{} ^ {:.0f}", print_child(node.children.front(), 4),
                               node.parameters.front());
        case KernelType::exponential:
        case KernelType::normalized:
            return fmt::format("{}({})", entry_of(node.type).name,
                               to_string(node.children.front()));
        case KernelType::polynomial:
            return fmt::format("polynomial({}; {})", to_string(node.children.front()),
                               fmt::join(node.parameters, ", "));
        case KernelType::row_scaled:
            return fmt::format("scaled({}; {})", to_string(node.children.front()),
                               to_string(*node.row_function));
        case KernelType::columns:
            return fmt::format("columns({}; {})", to_string(node.children.front()),
                               print_selection(node.selection));
        case KernelType::quadratic_form:
        case KernelType::mixture:
            return fmt::format("{}({})", entry_of(node.type).name, print_file(node.matrix->file));
        case KernelType::custom:
            return node.custom->name();
        default:
            return print_leaf(node);
    }
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/row_function.cpp - building, evaluating and printing functions of one row.
#include "mercer/kernels/row_function.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/limits.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

using RowFunctionPointer = std::shared_ptr<const RowFunction>;

bool is_integer_within(double value, double upper) {
    return value >= 0.0 && value <= upper && std::floor(value) == value;
}

void require_children(const RowFunction& function) {
    std::size_t least = 0;
    std::size_t most = 0;
    switch (function.type) {
        case RowFunctionType::exponential:
        case RowFunctionType::power:
            least = most = 1;
            break;
        case RowFunctionType::sum:
        case RowFunctionType::product:
            least = 2;
            most = std::numeric_limits<std::size_t>::max();
            break;
        default:
            break;
    }
    const std::size_t count = function.children.size();
    if (count < least || count > most ||
        std::count(function.children.begin(), function.children.end(), nullptr) != 0) {
        throw InvalidArgument("row function: a node has the wrong number of children");
    }
}

void require_value(const RowFunction& function) {
    if (function.type == RowFunctionType::number && !std::isfinite(function.value)) {
        throw InvalidArgument(
            fmt::format("row function: got the number {}, must be finite", function.value));
    }
    if (function.type == RowFunctionType::power &&
        !is_integer_within(function.value, std::numeric_limits<int>::max())) {
        throw InvalidArgument(fmt::format(
            "row function: got the exponent {}, must be an integer >= 0", function.value));
    }
    if (function.type == RowFunctionType::column && !is_integer_within(function.value, 0x1.0p53)) {
        throw InvalidArgument(
            fmt::format("row function: got column {}, must be an integer >= 0", function.value));
    }
}

/// Splices children of the node's own type, so that a + (b + c) and (a + b) + c are one tree.
void flatten(RowFunction& function) {
    std::vector<RowFunctionPointer> flat;
    for (const RowFunctionPointer& child : function.children) {
        if (child->type == function.type) {
            flat.insert(flat.end(), child->children.begin(), child->children.end());
        } else {
            flat.push_back(child);
        }
    }
    function.children = std::move(flat);
}

int precedence(const RowFunction& function) {
    switch (function.type) {
        case RowFunctionType::sum:
            return 1;
        case RowFunctionType::product:
            return 2;
        case RowFunctionType::power:
            return 3;
        case RowFunctionType::number:
            return function.value < 0.0 ? 2 : 4;  // (-2) ^ 2 needs its parentheses
        default:
            return 4;
    }
}

std::string print_child(const RowFunction& child, int least_precedence) {
    const std::string text = to_string(child);
    return precedence(child) < least_precedence ? "(" + text + ")" : text;
}

std::string join(const RowFunction& function, std::string_view separator, int least_precedence) {
    std::string text;
    for (const RowFunctionPointer& child : function.children) {
        if (!text.empty()) {
            text += separator;
        }
        text += print_child(*child, least_precedence);
    }
    return text;
}

}  // namespace

RowFunctionExtent extent_of(const RowFunction& function) {
    RowFunctionExtent extent{1, 1};
    for (const RowFunctionPointer& child : function.children) {
        const RowFunctionExtent inner = extent_of(*child);
        extent.depth = std::max(extent.depth, inner.depth + 1);
        extent.size += inner.size;
    }
    return extent;
}

std::shared_ptr<const RowFunction> make_row_function(RowFunction function) {
    require_children(function);
    require_value(function);
    function.value += 0.0;  // turns -0 into 0, which prints without a sign
    if (function.type == RowFunctionType::sum || function.type == RowFunctionType::product) {
        flatten(function);
    }
    const RowFunctionExtent extent = extent_of(function);
    if (extent.depth > kMaxRowFunctionDepth || extent.size > kMaxRowFunctionSize) {
        throw InvalidArgument(fmt::format(
            "row function: it has {} levels and {} parts, at most {} and {} are allowed",
            extent.depth, extent.size, kMaxRowFunctionDepth, kMaxRowFunctionSize));
    }
    return std::make_shared<const RowFunction>(std::move(function));
}

double RowFunction::operator()(std::span<const double> x) const {
    const auto n = static_cast<index_t>(x.size());
    switch (type) {
        case RowFunctionType::number:
            return value;
        case RowFunctionType::norm2:
            return formulas::squared_norm(x.data(), n);
        case RowFunctionType::norm:
            return std::sqrt(formulas::squared_norm(x.data(), n));
        case RowFunctionType::column:
            if (value >= static_cast<double>(n)) {
                throw InvalidArgument("column", fmt::format("{}", value),
                                      fmt::format("the row has {} columns, counted from 0", n));
            }
            return x[static_cast<std::size_t>(value)];
        case RowFunctionType::exponential:
            return std::exp((*children.front())(x));
        case RowFunctionType::power:
            return formulas::integer_power((*children.front())(x), static_cast<index_t>(value));
        case RowFunctionType::sum:
        case RowFunctionType::product:
            break;
    }
    double result = (*children.front())(x);
    for (std::size_t i = 1; i < children.size(); ++i) {
        const double next = (*children[i])(x);
        result = type == RowFunctionType::sum ? result + next : result * next;
    }
    return result;
}

bool operator==(const RowFunction& a, const RowFunction& b) {
    const bool has_value = a.type == RowFunctionType::number || a.type == RowFunctionType::column ||
                           a.type == RowFunctionType::power;
    return a.type == b.type && (!has_value || a.value == b.value) &&
           std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                      [](const RowFunctionPointer& left, const RowFunctionPointer& right) {
                          return left == right || *left == *right;
                      });
}

std::string to_string(const RowFunction& function) {
    switch (function.type) {
        case RowFunctionType::number:
            return fmt::format("{}", function.value);
        case RowFunctionType::norm2:
            return "norm2";
        case RowFunctionType::norm:
            return "norm";
        case RowFunctionType::column:
            return fmt::format("column({})", static_cast<index_t>(function.value));
        case RowFunctionType::exponential:
            return "exp(" + to_string(*function.children.front()) + ")";
        case RowFunctionType::power:
            return fmt::format("{} ^ {}", print_child(*function.children.front(), 4),
                               static_cast<index_t>(function.value));
        case RowFunctionType::sum:
            return join(function, " + ", 1);
        case RowFunctionType::product:
            return join(function, " * ", 2);
    }
    return {};
}

}  // namespace mercer

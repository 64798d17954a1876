// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/kernel.cpp - queries of a kernel tree, and its resolution against data.
#include "mercer/kernels/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "kernels/lookup.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

/// NaN means `scale`, and two `scale` are equal.
bool equal_parameters(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double left, double right) {
        return left == right || (std::isnan(left) && std::isnan(right));
    });
}

bool equal_matrices(const KernelMatrix* a, const KernelMatrix* b) {
    if (a == b || a == nullptr || b == nullptr) {
        return a == b;
    }
    return a->file == b->file && a->rows == b->rows && a->columns == b->columns &&
           a->values == b->values;
}

bool equal_functions(const RowFunction* a, const RowFunction* b) {
    return a == nullptr || b == nullptr ? a == b : *a == *b;
}

index_t selected_count(const std::vector<ColumnRange>& selection) {
    index_t count = 0;
    for (const ColumnRange& range : selection) {
        const std::optional<index_t> sum = try_add(count, range.end - range.begin);
        if (!sum) {
            throw InvalidArgument("columns: names more columns than can be counted");
        }
        count = *sum;
    }
    return count;
}

void require_one_column(const KernelNode& node, index_t columns) {
    if (columns != 1) {
        throw InvalidArgument(
            fmt::format("{}: the rows have {} columns, must have 1; choose one with columns({}; 0)",
                        entry_of(node.type).name, columns, entry_of(node.type).name));
    }
}

void require_columns(const RowFunction& function, index_t columns) {
    if (function.type == RowFunctionType::column &&
        function.value >= static_cast<double>(columns)) {
        throw InvalidArgument(fmt::format(
            "scaled: column({}) does not exist, the rows have {} columns, counted from 0",
            function.value, columns));
    }
    for (const auto& child : function.children) {
        require_columns(*child, columns);
    }
}

void require_selection(const std::vector<ColumnRange>& selection, index_t columns) {
    for (const ColumnRange& range : selection) {
        if (range.end > columns) {
            throw InvalidArgument(
                fmt::format("columns: got {}:{}, the rows have {} columns, counted from 0",
                            range.begin, range.end, columns));
        }
    }
}

/// Why an entry is outside the domain of a leaf; empty when it is inside.
std::string entry_violation(const KernelNode& node, double value) {
    switch (node.type) {
        case KernelType::chi2:
        case KernelType::intersection:
            return value >= 0.0 ? ""
                                : fmt::format("{} needs entries >= 0", entry_of(node.type).name);
        case KernelType::brownian_bridge:
            return value >= 0.0 && value <= 1.0 ? "" : "brownian-bridge needs entries in [0, 1]";
        case KernelType::mixture: {
            const auto symbols = static_cast<double>(node.matrix->rows);
            const bool known = value >= 0.0 && value < symbols && std::floor(value) == value;
            return known
                       ? ""
                       : fmt::format("mixture needs a symbol 0, 1, ..., {}", node.matrix->rows - 1);
        }
        default:
            return {};
    }
}

/// `places` gives the column of each entry of `row` in the user's data.
std::string violation(const KernelNode& node, std::span<const double> row,
                      std::span<const index_t> places) {
    if (node.type == KernelType::columns) {
        std::vector<double> chosen;
        std::vector<index_t> chosen_places;
        for (const ColumnRange& range : node.selection) {
            for (index_t j = range.begin; j < range.end; ++j) {
                chosen.push_back(row[static_cast<std::size_t>(j)]);
                chosen_places.push_back(places[static_cast<std::size_t>(j)]);
            }
        }
        return violation(node.children.front().node(), chosen, chosen_places);
    }
    for (const Kernel& child : node.children) {
        std::string message = violation(child.node(), row, places);
        if (!message.empty()) {
            return message;
        }
    }
    if (entry_of(node.type).domain.empty()) {
        return {};
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
        const std::string message = entry_violation(node, row[j]);
        if (!message.empty()) {
            return fmt::format("column {}: got {}, {}", places[j], row[j], message);
        }
    }
    return {};
}

/// Whether a part of the kernel restricts the entries of a row.
bool restricts_entries(const KernelNode& node) {
    return !entry_of(node.type).domain.empty() ||
           std::any_of(node.children.begin(), node.children.end(),
                       [](const Kernel& child) { return restricts_entries(child.node()); });
}

Kernel change_parameter(const Kernel& kernel, std::string_view name, double value, bool& found,
                        std::set<std::string_view>& known) {
    KernelNode node = kernel.node();
    const CatalogueEntry& entry = kernel_catalogue()[static_cast<std::size_t>(node.type)];
    for (std::size_t i = 0; i < entry.parameters.size() && i < node.parameters.size(); ++i) {
        known.insert(entry.parameters[i].name);
        if (entry.parameters[i].name == name) {
            node.parameters[i] = value;
            found = true;
        }
    }
    for (Kernel& child : node.children) {
        child = change_parameter(child, name, value, found, known);
    }
    return make_kernel(std::move(node));
}

}  // namespace

KernelType Kernel::type() const noexcept { return node_->type; }

bool operator==(const Kernel& a, const Kernel& b) {
    const KernelNode& left = a.node();
    const KernelNode& right = b.node();
    return &left == &right || (left.type == right.type && left.custom == right.custom &&
                               equal_parameters(left.parameters, right.parameters) &&
                               left.selection == right.selection &&
                               equal_functions(left.row_function.get(), right.row_function.get()) &&
                               equal_matrices(left.matrix.get(), right.matrix.get()) &&
                               left.children == right.children);
}

bool Kernel::is_resolved() const {
    const std::vector<double>& parameters = node_->parameters;
    return std::none_of(parameters.begin(), parameters.end(),
                        [](double value) { return std::isnan(value); }) &&
           std::all_of(node_->children.begin(), node_->children.end(),
                       [](const Kernel& child) { return child.is_resolved(); });
}

bool reads_table(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    return node.type == KernelType::precomputed ||
           (node.type == KernelType::custom && node.custom->reads_table()) ||
           std::any_of(node.children.begin(), node.children.end(), reads_table);
}

bool is_precomputed(const Kernel& kernel) {
    const std::vector<Kernel>& children = kernel.node().children;
    return kernel.type() == KernelType::precomputed ||
           std::any_of(children.begin(), children.end(), is_precomputed);
}

Kernel resolve_kernel(const Kernel& kernel, double scale_gamma) {
    if (kernel.is_resolved()) {
        return kernel;  // so that checked matrices are not checked again
    }
    require_in_range("scale", scale_gamma, Range::positive());
    KernelNode node = kernel.node();
    for (double& value : node.parameters) {
        value = std::isnan(value) ? scale_gamma : value;
    }
    for (Kernel& child : node.children) {
        child = resolve_kernel(child, scale_gamma);
    }
    return make_kernel(std::move(node));
}

Kernel with_parameter(const Kernel& kernel, std::string_view name, double value) {
    bool found = false;
    std::set<std::string_view> known;
    const Kernel changed = change_parameter(kernel, name, value, found, known);
    if (!found) {
        throw InvalidArgument(
            std::string(name), "",
            fmt::format("{} has no such parameter{}{}", to_string(kernel),
                        known.empty() ? "" : "; it has ", fmt::join(known, ", ")));
    }
    return changed;
}

void require_columns(const Kernel& kernel, index_t columns) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::brownian_bridge:
        case KernelType::sinc:
        case KernelType::mixture:
            require_one_column(node, columns);
            break;
        case KernelType::quadratic_form:
            if (columns != node.matrix->rows) {
                throw InvalidArgument(fmt::format(
                    "quadratic-form: the rows have {} columns, '{}' is {} by {}", columns,
                    node.matrix->file, node.matrix->rows, node.matrix->columns));
            }
            break;
        case KernelType::row_scaled:
            require_columns(*node.row_function, columns);
            break;
        case KernelType::columns:
            require_selection(node.selection, columns);
            columns = selected_count(node.selection);
            break;
        default:
            break;
    }
    for (const Kernel& child : node.children) {
        require_columns(child, columns);
    }
}

std::string domain_violation(const Kernel& kernel, std::span<const double> row) {
    if (!restricts_entries(kernel.node())) {
        return {};
    }
    std::vector<index_t> places(row.size());
    std::iota(places.begin(), places.end(), index_t{0});
    return violation(kernel.node(), row, places);
}

}  // namespace mercer

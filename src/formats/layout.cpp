// SPDX-License-Identifier: Apache-2.0
//
// src/formats/layout.cpp - the block table of a model file, with checked arithmetic.
#include "formats/layout.hpp"

#include <fmt/core.h>

#include <limits>

#include "formats/kernel_matrices.hpp"
#include "mercer/base/checked.hpp"

namespace mercer {

namespace {

// Far above any disk, and far enough below 2^63 that rounding up to a block boundary cannot
// overflow.
constexpr index_t kLargestFile = std::numeric_limits<index_t>::max() / 4;

/// Appends blocks to the table until a size does not fit.
class Table {
public:
    void add(std::string name, BlockType type, std::optional<index_t> count) {
        const std::optional<index_t> bytes =
            count && *count >= 0 ? try_multiply(*count, bytes_per_entry(type)) : std::nullopt;
        if (!bytes || *bytes > kLargestFile - end_) {
            fits_ = false;
            return;
        }
        blocks_.push_back({std::move(name), type, *count, aligned(end_)});
        end_ = aligned(end_) + *bytes;
    }
    void add(std::string name, BlockType type, index_t rows, index_t columns) {
        const bool positive = rows >= 0 && columns >= 0;
        add(std::move(name), type, positive ? try_multiply(rows, columns) : std::nullopt);
    }
    [[nodiscard]] std::optional<std::vector<Block>> release() && {
        return fits_ ? std::optional(std::move(blocks_)) : std::nullopt;
    }

private:
    std::vector<Block> blocks_;
    index_t end_ = 0;
    bool fits_ = true;
};

}  // namespace

std::string_view name_of(BlockType type) noexcept {
    switch (type) {
        case BlockType::f32:
            return "f32";
        case BlockType::i64:
            return "i64";
        case BlockType::f64:
            break;
    }
    return "f64";
}

index_t bytes_per_entry(BlockType type) noexcept { return type == BlockType::f32 ? 4 : 8; }

index_t aligned(index_t position) noexcept {
    return (position + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

Layout layout_of(const Model& model) {
    Layout layout;
    const bool columns = model.on_columns || !model.row_multipliers.empty();
    layout.version = !model.names.empty()    ? 7
                     : columns               ? 6
                     : model.is_comparison() ? 5
                     : model.is_sparse()     ? 4
                     : model.is_joint()      ? 3
                                             : 2;
    for (const auto& matrix : matrices_of(model.kernel)) {
        layout.kernel_matrices.push_back({matrix->rows, matrix->columns});
    }
    const bool narrow = std::holds_alternative<MatrixView<const float>>(model.support.storage());
    layout.storage = model.support.is_sparse() ? "csr" : narrow ? "f32" : "f64";
    layout.rows = model.support.rows();
    layout.columns = model.support.columns();
    layout.stored = model.support.is_sparse() ? model.support.stored() : 0;
    layout.outputs = model.outputs();
    layout.certificates = model.problems();
    layout.coefficient_columns = model.coefficient_columns();
    layout.class_counts = static_cast<index_t>(model.class_support.size());
    layout.link_a = static_cast<index_t>(model.link.a.size());
    layout.link_b = static_cast<index_t>(model.link.b.size());
    layout.thresholds = static_cast<index_t>(model.thresholds.size());
    layout.comparisons = model.compared.size();
    layout.multipliers = static_cast<index_t>(model.row_multipliers.size());
    if (model.scaling) {
        layout.scaling_columns = static_cast<index_t>(model.scaling->columns.size());
        layout.scaling_entries = static_cast<index_t>(model.scaling->factor.size());
    }
    return layout;
}

std::optional<std::vector<Block>> blocks_of(const Layout& layout) {
    Table table;
    for (std::size_t k = 0; k < layout.kernel_matrices.size(); ++k) {
        const Layout::Shape& shape = layout.kernel_matrices[k];
        table.add(fmt::format("kernel_matrix_{}", k), BlockType::f64, shape.rows, shape.columns);
    }
    if (layout.storage == "csr") {
        table.add("support_offsets", BlockType::i64, try_add(layout.rows, 1));
        table.add("support_columns", BlockType::i64, layout.stored);
        table.add("support_values", BlockType::f64, layout.stored);
    } else {
        const BlockType type = layout.storage == "f32" ? BlockType::f32 : BlockType::f64;
        table.add("support_values", type, layout.rows, layout.columns);
    }
    table.add("support_rows", BlockType::i64, layout.rows);
    table.add("coefficients", BlockType::f64, layout.rows, layout.coefficient_columns);
    table.add("intercepts", BlockType::f64, layout.outputs);
    if (layout.version >= 2) {
        table.add("certificates", BlockType::f64, layout.certificates, kCertificateNumbers);
        table.add("class_support", BlockType::i64, layout.class_counts);
        table.add("link_a", BlockType::f64, layout.link_a);
        table.add("link_b", BlockType::f64, layout.link_b);
    }
    if (holds_multipliers(layout.version)) {
        table.add("row_multipliers", BlockType::f64, layout.multipliers);
    }
    if (holds_comparisons(layout.version)) {
        table.add("thresholds", BlockType::f64, layout.thresholds);
        table.add("compared_uppers", BlockType::i64, layout.comparisons);
        table.add("compared_lowers", BlockType::i64, layout.comparisons);
        table.add("multipliers", BlockType::f64, layout.comparisons);
    }
    table.add("scaling_columns", BlockType::i64, layout.scaling_columns);
    table.add("scaling_offsets", BlockType::f64, layout.scaling_entries);
    table.add("scaling_factors", BlockType::f64, layout.scaling_entries);
    return std::move(table).release();
}

index_t end_of(const std::vector<Block>& blocks) {
    return blocks.empty()
               ? 0
               : blocks.back().offset + blocks.back().count * bytes_per_entry(blocks.back().type);
}

}  // namespace mercer

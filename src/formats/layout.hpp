// SPDX-License-Identifier: Apache-2.0
//
// src/formats/layout.hpp - the blocks of a model file, which reader and writer derive from its
// sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

enum class BlockType { f64, f32, i64 };

[[nodiscard]] std::string_view name_of(BlockType type) noexcept;
[[nodiscard]] index_t bytes_per_entry(BlockType type) noexcept;

/// Blocks start at multiples of this number of bytes from the start of the file.
inline constexpr index_t kBlockAlignment = 64;

/// One entry of the block table.
struct Block {
    std::string name;
    BlockType type = BlockType::f64;
    index_t count = 0;
    index_t offset = 0;  ///< from the start of the first block
};

/// Number of values that the block stores per certificate: primal, dual, gap, violation,
/// infeasibility, squared norm, intercept, both ends of its interval, worst sample, exact (0 or 1),
/// width.
inline constexpr index_t kCertificateNumbers = 12;

/// The newest version; all versions from 1 on are read. Version 2 added multiclass models and
/// links, and moved the certificates from the header to a block; 3 one certificate for all outputs
/// (softmax); 4 penalties on the coefficients; 5 thresholds and comparisons; 6 weights of columns
/// and the multipliers of rows; 7 column names, and it includes everything before. A model is
/// written in the oldest version that can represent it.
inline constexpr std::uint32_t kNewestVersion = 7;

// What files of a version contain.
[[nodiscard]] constexpr bool holds_penalty(std::uint32_t version) noexcept {
    return version == 4 || version >= 6;
}
[[nodiscard]] constexpr bool holds_comparisons(std::uint32_t version) noexcept {
    return version == 5 || version >= 7;
}
[[nodiscard]] constexpr bool holds_multipliers(std::uint32_t version) noexcept {
    return version >= 6;
}
[[nodiscard]] constexpr bool holds_names(std::uint32_t version) noexcept { return version >= 7; }

/// The sizes that determine all blocks.
struct Layout {
    std::uint32_t version = 2;
    struct Shape {
        index_t rows = 0;
        index_t columns = 0;
    };
    std::vector<Shape> kernel_matrices;
    std::string storage;  ///< of the support rows: "f64", "f32" or "csr"
    index_t rows = 0;
    index_t columns = 0;  ///< of the support rows
    index_t stored = 0;   ///< entries of csr rows
    index_t outputs = 0;
    index_t certificates = 0;         ///< before version 3 the number of outputs
    index_t coefficient_columns = 0;  ///< outputs, or classes - 1 with ovo
    index_t class_counts = 0;         ///< the number of classes with ovo, otherwise 0
    index_t link_a = 0;
    index_t link_b = 0;
    index_t thresholds = 0;   ///< if holds_comparisons()
    index_t comparisons = 0;  ///< if holds_comparisons()
    index_t multipliers = 0;  ///< if holds_multipliers()
    index_t scaling_columns = 0;
    index_t scaling_entries = 0;
};

[[nodiscard]] Layout layout_of(const Model& model);

/// The table in file order; empty if a size is negative or does not fit into 64 bits.
[[nodiscard]] std::optional<std::vector<Block>> blocks_of(const Layout& layout);

/// Where the blocks end, counted from the start of the first block.
[[nodiscard]] index_t end_of(const std::vector<Block>& blocks);

/// The next multiple of kBlockAlignment.
[[nodiscard]] index_t aligned(index_t position) noexcept;

}  // namespace mercer

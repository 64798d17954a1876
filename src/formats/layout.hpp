// SPDX-License-Identifier: Apache-2.0
//
// src/formats/layout.hpp - which blocks a model file has: derived from its sizes, on both sides.
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

/// Blocks start at multiples of this, counted from the start of the file.
inline constexpr index_t kBlockAlignment = 64;

/// One line of the block table.
struct Block {
    std::string name;
    BlockType type = BlockType::f64;
    index_t count = 0;
    index_t offset = 0;  ///< from the first block's start
};

/// Numbers of a certificate in its block: primal, dual, gap, violation, infeasibility, squared
/// norm, intercept, the interval's two ends, worst sample, exact (0 or 1), width.
inline constexpr index_t kCertificateNumbers = 12;

/// The newest version; every one since 1 is read. 2 added many classes and links, and moved the
/// certificates from the header to a block; 3 added one certificate for all outputs (softmax); 4
/// penalties on the coefficients; 5 thresholds and comparisons; 6 weights of columns, and the
/// multipliers of rows; 7 names of columns, and it holds all that the others do. A model is written
/// in the oldest version that holds it.
inline constexpr std::uint32_t kNewestVersion = 7;

// What files of a version hold.
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

/// The sizes all blocks follow from.
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
    index_t certificates = 0;         ///< outputs before version 3
    index_t coefficient_columns = 0;  ///< outputs, or classes - 1 with ovo
    index_t class_counts = 0;         ///< classes with ovo, else 0
    index_t link_a = 0;
    index_t link_b = 0;
    index_t thresholds = 0;   ///< where holds_comparisons()
    index_t comparisons = 0;  ///< where holds_comparisons()
    index_t multipliers = 0;  ///< where holds_multipliers()
    index_t scaling_columns = 0;
    index_t scaling_entries = 0;
};

[[nodiscard]] Layout layout_of(const Model& model);

/// The table, in file order; nothing when some size is negative or does not fit 64 bits.
[[nodiscard]] std::optional<std::vector<Block>> blocks_of(const Layout& layout);

/// Where the blocks end, from the first one's start. The table comes from blocks_of().
[[nodiscard]] index_t end_of(const std::vector<Block>& blocks);

/// The next multiple of kBlockAlignment.
[[nodiscard]] index_t aligned(index_t position) noexcept;

}  // namespace mercer

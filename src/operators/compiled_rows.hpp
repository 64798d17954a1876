// SPDX-License-Identifier: Apache-2.0
//
// src/operators/compiled_rows.hpp - a kernel compiled for the rows of one dataset.
//
// One-against-one solves k(k-1)/2 problems on the rows of two classes each. The kernel is compiled
// once for all of them, and the rows are not copied: a block prepares the rows that it needs.
// Kernel rows within a class may be retained for all problems that need them.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "operators/held_values.hpp"
#include "operators/part_rows.hpp"

namespace mercer {

class Context;

/// 0, 1, ..., count - 1.
[[nodiscard]] std::vector<index_t> all_rows(index_t count);

/// True when the list is 0, 1, ..., count - 1.
[[nodiscard]] bool is_everything(std::span<const index_t> list, index_t count);

/// A dataset and its engines of both precisions, compiled on first use. Safe to share between
/// threads after retain_rows_within() and hold_values().
class CompiledRows {
public:
    /// Borrowed rows must outlive it.
    CompiledRows(const Kernel& kernel, const Dataset& rows);

    [[nodiscard]] const Kernel& kernel() const noexcept { return kernel_; }
    [[nodiscard]] const Dataset& rows() const noexcept { return rows_; }

    /// Throws as make_engine() does.
    [[nodiscard]] std::shared_ptr<const KernelEngine> engine(Precision precision,
                                                             Context& context) const;

    /// The rows at these places, prepared. Throws as KernelEngine::prepare() does.
    [[nodiscard]] std::shared_ptr<const PreparedRows> prepare(std::span<const index_t> places,
                                                              Precision precision,
                                                              Context& context) const;

    /// K(i, i) of the rows at these places, float64 by the scalar formulas.
    [[nodiscard]] std::vector<double> diagonal(std::span<const index_t> places) const;
    [[nodiscard]] const std::vector<double>& diagonal() const;

    /// Computed on first use.
    [[nodiscard]] GramRounding rounding() const;

    /// For each of these rows the first row of the dataset that equals it; empty when few rows of
    /// the dataset are equal. Computed on first use.
    [[nodiscard]] std::vector<index_t> kinds(std::span<const index_t> places) const;

    /// See TiledGram.
    void retain_rows_within(std::vector<std::vector<index_t>> parts, index_t bytes,
                            Context& context);

    /// See TiledGram. Throws ResourceError, and Interrupted.
    void hold_values(Context& context);
    [[nodiscard]] bool holds_values() const noexcept { return held_ != nullptr; }
    /// Null unless hold_values() was called.
    [[nodiscard]] const std::shared_ptr<const HeldValues>& held() const noexcept { return held_; }

    /// The part whose rows these rows begin with, in its order; null when there is none.
    [[nodiscard]] std::shared_ptr<PartRows> leading_part(std::span<const index_t> places) const;

private:
    Kernel kernel_;
    Dataset rows_;
    mutable std::mutex compiling_;
    mutable std::array<std::shared_ptr<const KernelEngine>, 2> engines_;
    mutable std::once_flag diagonal_made_;
    mutable std::vector<double> diagonal_;
    mutable std::once_flag rounding_made_;
    mutable GramRounding rounding_;
    mutable std::once_flag kinds_made_;
    mutable std::vector<index_t> kinds_;
    std::vector<std::shared_ptr<PartRows>> parts_;
    std::shared_ptr<const HeldValues> held_;
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/operators/shared_rows.cpp - both layouts, and one block of K for each part.
#include "mercer/operators/shared_rows.hpp"

#include <algorithm>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

SharedRows::SharedRows(const Kernel& kernel, const Dataset& rows, Context& context)
    : narrow_engine_(make_engine(kernel, rows, {.precision = Precision::float32}, context)),
      wide_engine_(make_engine(kernel, rows, {.precision = Precision::float64}, context)),
      narrow_(narrow_engine_->prepare(rows, context)),
      wide_(wide_engine_->prepare(rows, context)),
      diagonal_(static_cast<std::size_t>(rows.rows())) {
    kernel_diagonal(kernel, rows, diagonal_);
}

const std::shared_ptr<const KernelEngine>& SharedRows::engine(Precision precision) const {
    return precision == Precision::float32 ? narrow_engine_ : wide_engine_;
}

const PreparedRows& SharedRows::rows(Precision precision) const {
    return precision == Precision::float32 ? *narrow_ : *wide_;
}

index_t SharedRows::layout_bytes(const Dataset& rows) {
    // Dense panels at worst, or entries with their columns in lists.
    constexpr index_t kBytesPerEntry = 2 * (sizeof(float) + sizeof(double));
    const std::optional<index_t> dense = try_multiply(rows.rows(), rows.columns());
    const index_t entries =
        rows.is_sparse() ? std::min(dense.value_or(rows.stored()), 4 * rows.stored()) : *dense;
    return checked_multiply(kBytesPerEntry, entries);
}

void SharedRows::keep_parts(std::vector<std::vector<index_t>> parts, Context& context) {
    if (!narrow_engine_->is_symmetric()) {
        return;
    }
    for (std::vector<index_t>& rows : parts) {
        const auto size = static_cast<index_t>(rows.size());
        Part part{std::move(rows),
                  context.allocate<float>(checked_multiply(size, size),
                                          "kernel values within a class", Contents::any)};
        GramMatrix(*this, part.rows, Precision::float32, context)
            .copy_rows(0, MatrixView<float>(part.values.data(), size, size), context);
        parts_.push_back(std::move(part));
    }
}

MatrixView<const float> SharedRows::leading_part(std::span<const index_t> rows) const {
    for (const Part& part : parts_) {
        if (!part.rows.empty() && part.rows.size() <= rows.size() &&
            std::equal(part.rows.begin(), part.rows.end(), rows.begin())) {
            const auto size = static_cast<index_t>(part.rows.size());
            return {part.values.data(), size, size};
        }
    }
    return {};
}

}  // namespace mercer

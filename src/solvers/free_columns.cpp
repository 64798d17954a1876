// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/free_columns.cpp - slots, and the product with what is in them.
#include "solvers/free_columns.hpp"

#include <algorithm>
#include <numeric>

#include "mercer/base/checked.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kFirstSlots = 64;
constexpr index_t kTile = 256;              // rows a thread takes at a time
constexpr index_t kWorthThreads = 1 << 18;  // products below this are over before a thread wakes

GramMatrix whole_gram(const Problem& problem, Context& context) {
    std::vector<index_t> all(static_cast<std::size_t>(problem.size()));
    std::iota(all.begin(), all.end(), index_t{0});
    return gram_among(problem, all, Precision::float64, context);
}

}  // namespace

FreeColumns::FreeColumns(const Problem& problem, Context& context)
    : rows_(problem.size()),
      gram_(whole_gram(problem, context)),
      diagonal_(diagonal_of(problem)),
      slot_of_(static_cast<std::size_t>(rows_), -1) {}

void FreeColumns::copy(index_t row, std::span<double> out, Context& context) {
    if (slot_of_[static_cast<std::size_t>(row)] >= 0) {
        for (index_t i = 0; i < rows_; ++i) {
            out[static_cast<std::size_t>(i)] = value(i, row);
        }
        return;
    }
    gram_.copy_rows(row, MatrixView<double>(out.data(), 1, rows_), context);
    ++computed_;
}

void FreeColumns::reserve(Context& context) {
    if (!empty_.empty()) {
        return;
    }
    const index_t slots = std::min(std::max(kFirstSlots, slots_ + slots_ / 2), rows_ + 1);
    Buffer<double> larger =
        context.allocate<double>(checked_multiply(rows_, slots), "the columns of the free rows");
    for (index_t i = 0; i < rows_; ++i) {
        std::copy_n(store_.data() + i * slots_, slots_, larger.data() + i * slots);
    }
    for (index_t slot = slots - 1; slot >= slots_; --slot) {
        empty_.push_back(slot);
    }
    store_ = std::move(larger);
    slots_ = slots;
}

void FreeColumns::insert(index_t row, std::span<const double> column, Context& context) {
    reserve(context);
    const index_t slot = empty_.back();
    empty_.pop_back();
    slot_of_[static_cast<std::size_t>(row)] = slot;
    for (index_t i = 0; i < rows_; ++i) {
        store_[i * slots_ + slot] = column[static_cast<std::size_t>(i)];
    }
}

void FreeColumns::remove(index_t row) {
    empty_.push_back(slot_of_[static_cast<std::size_t>(row)]);
    slot_of_[static_cast<std::size_t>(row)] = -1;
}

void FreeColumns::multiply(std::span<const index_t> list, std::span<const double> x,
                           std::span<double> out, Context& context) const {
    std::vector<double> by_slot(static_cast<std::size_t>(slots_), 0.0);
    index_t used = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const index_t slot = slot_of_[static_cast<std::size_t>(list[k])];
        by_slot[static_cast<std::size_t>(slot)] = x[k];
        used = std::max(used, slot + 1);
    }
    std::fill(out.begin(), out.end(), 0.0);
    if (used == 0) {
        return;
    }
    context.count_products(1);
    const auto product_of = [&](index_t begin, index_t count) {
        accumulate_product(
            MatrixView<const double>(store_.data() + begin * slots_, count, used, slots_),
            MatrixView<const double>(by_slot.data(), used, 1),
            MatrixView<double>(out.data() + begin, count, 1));
    };
    if (rows_ * used < kWorthThreads) {
        product_of(0, rows_);
        return;
    }
    parallel_for(context, (rows_ + kTile - 1) / kTile, [&](index_t tile, int /*worker*/) {
        product_of(tile * kTile, std::min(kTile, rows_ - tile * kTile));
    });
}

}  // namespace mercer

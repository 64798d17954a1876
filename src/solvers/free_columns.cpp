// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/free_columns.cpp - slots of columns, and products with them.
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
constexpr index_t kWorthThreads = 1 << 18;  // smaller products end before a thread wakes
// Up to this many rows K is computed at once, in at most 32 MiB, if that is a small part of the
// free memory. The paths of german.numer_scale and of 1,000 rows of a9a take 0.17 and 0.15 s of CPU
// time this way, 0.20 and 0.22 s when each row is computed as it becomes free.
constexpr index_t kWholeRows = 2048;
constexpr index_t kWholePart = 4;
// Columns that are computed together. The solution of a path with 1,447 free rows of 3,186 takes
// 0.65 s this way, 1.5 s when every column and its row of the factor are computed one by one.
constexpr index_t kTogether = 256;
constexpr index_t kTransposed = 64;  // rows of these that are copied to their slots together
constexpr index_t kPadding = 32;     // entries that a dot product processes at a time

/// product_of(first row, rows) for all rows, by several threads when that is worth it.
template <typename Product>
void by_tiles(index_t rows, index_t columns, const Product& product_of, Context& context) {
    if (rows * columns < kWorthThreads) {
        product_of(index_t{0}, rows);
        return;
    }
    parallel_for(context, (rows + kTile - 1) / kTile, [&](index_t tile, int /*worker*/) {
        product_of(tile * kTile, std::min(kTile, rows - tile * kTile));
    });
}

}  // namespace

FreeColumns::FreeColumns(const Problem& problem, Context& context)
    : problem_(&problem),
      rows_(problem.size()),
      gram_(problem.gram->whole(Precision::float64, context)),
      diagonal_(problem.gram->diagonal()),
      slot_of_(static_cast<std::size_t>(rows_), -1) {
    const auto bytes = static_cast<index_t>(sizeof(double));
    if (rows_ <= kWholeRows && rows_ * rows_ * bytes <= context.memory()->left() / kWholePart) {
        whole_ = context.allocate<double>(rows_ * rows_, "kernel values");
        gram_->copy_rows(0, MatrixView<double>(whole_.data(), rows_, rows_), context);
        computed_ = rows_;
    }
}

void FreeColumns::copy(index_t row, std::span<double> out, Context& context) {
    if (has_whole()) {
        std::copy_n(whole_.data() + row * rows_, rows_, out.begin());
        return;
    }
    if (slot_of_[static_cast<std::size_t>(row)] >= 0) {
        for (index_t i = 0; i < rows_; ++i) {
            out[static_cast<std::size_t>(i)] = value(i, row);
        }
        return;
    }
    gram_->copy_rows(row, MatrixView<double>(out.data(), 1, rows_), context);
    ++computed_;
}

void FreeColumns::reserve(index_t count, Context& context) {
    if (static_cast<index_t>(empty_.size()) >= count) {
        return;
    }
    const index_t grown = std::min(std::max(kFirstSlots, slots_ + slots_ / 2), rows_ + 1);
    const index_t wanted = std::max(grown, slots_ + count);
    const index_t slots = (wanted + kPadding - 1) / kPadding * kPadding;
    Buffer<double> larger =
        context.allocate<double>(checked_multiply(rows_, slots), "the columns of the free rows");
    for (index_t i = 0; i < rows_; ++i) {
        double* end = std::copy_n(store_.data() + i * slots_, slots_, larger.data() + i * slots);
        std::fill_n(end, slots - slots_, 0.0);
    }
    for (index_t slot = slots - 1; slot >= slots_; --slot) {
        empty_.push_back(slot);
    }
    store_ = std::move(larger);
    slots_ = slots;
}

void FreeColumns::insert(index_t row, std::span<const double> column, Context& context) {
    reserve(1, context);
    const index_t slot = take_slot(row);
    for (index_t i = 0; i < rows_; ++i) {
        store_[i * slots_ + slot] = column[static_cast<std::size_t>(i)];
    }
}

index_t FreeColumns::take_slot(index_t row) {
    const index_t slot = empty_.back();
    empty_.pop_back();
    slot_of_[static_cast<std::size_t>(row)] = slot;
    return slot;
}

void FreeColumns::insert(std::span<const index_t> list, Context& context) {
    reserve(static_cast<index_t>(list.size()), context);
    const index_t most = std::min<index_t>(kTogether, static_cast<index_t>(list.size()));
    Buffer<double> block =
        context.allocate<double>(checked_multiply(rows_, most), "columns of K computed together");
    while (!list.empty()) {
        const std::span<const index_t> now =
            list.first(std::min<std::size_t>(kTogether, list.size()));
        list = list.subspan(now.size());
        const auto count = static_cast<index_t>(now.size());
        copy_together(now, MatrixView<double>(block.data(), count, rows_), context);
        std::vector<index_t> slots;
        for (const index_t row : now) {
            slots.push_back(take_slot(row));
        }
        for (index_t first = 0; first < rows_; first += kTransposed) {
            const index_t end = std::min(rows_, first + kTransposed);
            for (index_t k = 0; k < count; ++k) {
                for (index_t i = first; i < end; ++i) {
                    store_[i * slots_ + slots[static_cast<std::size_t>(k)]] = block[k * rows_ + i];
                }
            }
        }
    }
}

void FreeColumns::copy_together(std::span<const index_t> list, MatrixView<double> out,
                                Context& context) {
    if (!has_whole()) {
        gram_->beside(list, context)->copy_rows(0, out, context);
        computed_ += out.rows;
        return;
    }
    for (index_t k = 0; k < out.rows; ++k) {
        copy(list[static_cast<std::size_t>(k)], {out.row(k), static_cast<std::size_t>(rows_)},
             context);
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
    used = (used + kPadding - 1) / kPadding * kPadding;
    const auto product_of = [&](index_t begin, index_t count) {
        accumulate_product(
            MatrixView<const double>(store_.data() + begin * slots_, count, used, slots_),
            MatrixView<const double>(by_slot.data(), used, 1),
            MatrixView<double>(out.data() + begin, count, 1), context.device());
    };
    by_tiles(rows_, used, product_of, context);
}

std::vector<double> FreeColumns::product(std::span<const double> x, Context& context) const {
    if (!has_whole()) {
        return decision_values(*problem_, x, context);
    }
    context.count_products(1);
    std::vector<double> out(x.size(), 0.0);
    const auto product_of = [&](index_t begin, index_t count) {
        accumulate_product(MatrixView<const double>(whole_.data() + begin * rows_, count, rows_),
                           MatrixView<const double>(x.data(), rows_, 1),
                           MatrixView<double>(out.data() + begin, count, 1), context.device());
    };
    by_tiles(rows_, rows_, product_of, context);
    return out;
}

}  // namespace mercer

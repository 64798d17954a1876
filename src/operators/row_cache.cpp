// SPDX-License-Identifier: Apache-2.0
//
// src/operators/row_cache.cpp - slots of equal length, a list in order of use, missing rows as one
// block.
//
// All slots live in one budgeted block, so the cache never exceeds its bytes and never fragments.
// When the active set shrinks, rows get shorter and the same block holds more of them: cached rows
// are shortened in place, in slot order, which always moves data towards the front. When columns
// are added at the end, rows retain their entries; the rest is computed when the row is fetched
// again.
#include "mercer/operators/row_cache.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <numeric>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kAbsent = -1;

/// Rows start on cache lines.
index_t padded(index_t length) { return std::max<index_t>(16, (length + 15) / 16 * 16); }

}  // namespace

class RowCache::State {
public:
    State(std::unique_ptr<GramRows> source, index_t bytes, Context& context)
        : source_(std::move(source)) {
        make_slots(bytes, context);
    }

    void make_slots(index_t bytes, Context& context) {
        if (bytes < 0) {
            throw InvalidArgument(fmt::format("bytes: got {}, must be >= 0", bytes));
        }
        slot_of_row_.resize(static_cast<std::size_t>(rows()));
        const index_t row = padded(rows());
        const index_t most = checked_multiply(row, std::max<index_t>(2, rows()));
        const index_t entries =
            std::clamp(bytes / static_cast<index_t>(sizeof(float)), 2 * row, most);
        block_ = context.allocate<float>(entries, "the row cache", Contents::any);
        start_again();
    }

    /// All columns, no rows.
    void start_again() {
        source_->set_all_columns();
        active_.resize(static_cast<std::size_t>(rows()));
        std::iota(active_.begin(), active_.end(), index_t{0});
        std::fill(slot_of_row_.begin(), slot_of_row_.end(), kAbsent);
        lay_slots();
    }

    [[nodiscard]] index_t rows() const { return source_->size(); }
    [[nodiscard]] index_t row_length() const { return static_cast<index_t>(active_.size()); }
    [[nodiscard]] index_t capacity() const { return static_cast<index_t>(row_of_slot_.size()); }
    [[nodiscard]] std::span<const double> diagonal() const { return source_->diagonal(); }
    [[nodiscard]] const Counters& counters() const { return counters_; }

    [[nodiscard]] bool contains(index_t row) const {
        if (row < 0 || row >= rows()) {
            return false;
        }
        const index_t slot = slot_of_row_[static_cast<std::size_t>(row)];
        return slot != kAbsent && valid_[static_cast<std::size_t>(slot)] == row_length();
    }

    void fetch(std::span<const index_t> wanted, std::span<const float*> out, Context& context) {
        if (wanted.size() != out.size() || static_cast<index_t>(wanted.size()) > capacity()) {
            throw InvalidArgument(
                fmt::format("wanted: got {} rows, the cache holds {}", wanted.size(), capacity()));
        }
        for (const index_t row : wanted) {
            if (row < 0 || row >= rows()) {
                throw InvalidArgument(
                    fmt::format("wanted: got row {}, must be 0 .. {}", row, rows() - 1));
            }
        }
        counters_.requested += static_cast<index_t>(wanted.size());
        // First all hits move to the recent end, so that no row of this request is evicted for
        // another one.
        std::vector<index_t> missing;
        for (const index_t row : wanted) {
            if (slot_of(row) != kAbsent) {
                touch(slot_of(row));
            }
        }
        for (const index_t row : wanted) {
            if (slot_of(row) == kAbsent) {
                take_slot(row);
            }
            if (!contains(row) && std::find(missing.begin(), missing.end(), row) == missing.end()) {
                missing.push_back(row);
            }
        }
        compute_missing(std::move(missing), context);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            out[i] = slot_data(slot_of(wanted[i]));
        }
    }

    void compute_block(std::span<const index_t> left, std::span<const index_t> right,
                       MatrixView<float> values, Context& context) {
        context.count_rows(values.rows);
        source_->block(left, right, values, context);
    }

    void set_active(std::span<const index_t> active, Context& context) {
        std::vector<index_t> position(static_cast<std::size_t>(rows()), kAbsent);
        for (std::size_t j = 0; j < active_.size(); ++j) {
            position[static_cast<std::size_t>(active_[j])] = static_cast<index_t>(j);
        }
        std::vector<bool> seen(static_cast<std::size_t>(rows()), false);
        std::vector<index_t> from;
        bool contained = true;
        bool prefix = active.size() >= active_.size();
        for (const index_t column : active) {
            if (column < 0 || column >= rows() || seen[static_cast<std::size_t>(column)]) {
                throw InvalidArgument(
                    fmt::format("active: column {} is out of range or named twice", column));
            }
            seen[static_cast<std::size_t>(column)] = true;
            from.push_back(position[static_cast<std::size_t>(column)]);
            contained = contained && from.back() != kAbsent;
            const std::size_t j = from.size() - 1;
            prefix = prefix && (j >= active_.size() || active_[j] == column);
        }
        const bool whole = static_cast<index_t>(active.size()) == rows() &&
                           std::is_sorted(active.begin(), active.end());
        try {
            source_->set_all_columns();  // first: two copies of the rows are enough
            if (!whole) {
                source_->set_columns(active, context);
            }
            if (prefix) {
                lengthen_rows(static_cast<index_t>(active.size()));
            } else {
                cut_rows(from, contained, context);
            }
            active_.assign(active.begin(), active.end());
        } catch (...) {
            start_again();
            throw;
        }
    }

private:
    [[nodiscard]] index_t& slot_of(index_t row) {
        return slot_of_row_[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] index_t valid_of(index_t row) {
        return valid_[static_cast<std::size_t>(slot_of(row))];
    }
    [[nodiscard]] float* slot_data(index_t slot) { return block_.data() + slot * slot_length_; }

    /// Divides the block into empty slots of the current row length.
    void lay_slots() {
        slot_length_ = padded(row_length());
        const index_t slots = std::min(block_.size() / slot_length_, std::max<index_t>(2, rows()));
        row_of_slot_.assign(static_cast<std::size_t>(slots), kAbsent);
        valid_.assign(static_cast<std::size_t>(slots), 0);
        recent_.clear();
        place_.clear();
        for (index_t slot = 0; slot < slots; ++slot) {
            recent_.push_back(slot);
            place_.push_back(std::prev(recent_.end()));
        }
    }

    void touch(index_t slot) {
        recent_.splice(recent_.end(), recent_, place_[static_cast<std::size_t>(slot)]);
    }

    /// Gives `row` the least recently used slot.
    void take_slot(index_t row) {
        const index_t slot = recent_.front();
        index_t& tenant = row_of_slot_[static_cast<std::size_t>(slot)];
        if (tenant != kAbsent) {
            slot_of(tenant) = kAbsent;
        }
        tenant = row;
        valid_[static_cast<std::size_t>(slot)] = 0;
        slot_of(row) = slot;
        touch(slot);
    }

    /// Computes the missing entries of these rows; rows that lack the same columns form one block.
    void compute_missing(std::vector<index_t> missing, Context& context) {
        while (!missing.empty()) {
            const index_t have = valid_of(missing.front());
            const auto rest = std::stable_partition(
                missing.begin(), missing.end(), [&](index_t row) { return valid_of(row) == have; });
            compute(std::vector<index_t>(missing.begin(), rest), have, context);
            missing.erase(missing.begin(), rest);
        }
    }

    /// Completes rows whose first `have` entries are valid.
    void compute(const std::vector<index_t>& missing, index_t have, Context& context) {
        std::vector<float*> targets;
        for (const index_t row : missing) {
            targets.push_back(slot_data(slot_of(row)));
        }
        try {
            counters_.blocks += source_->fill(missing, have, row_length(), targets, context);
        } catch (...) {
            for (const index_t row : missing) {  // never serve a half-computed row later
                row_of_slot_[static_cast<std::size_t>(slot_of(row))] = kAbsent;
                slot_of(row) = kAbsent;
            }
            throw;
        }
        for (const index_t row : missing) {
            valid_[static_cast<std::size_t>(slot_of(row))] = row_length();
            float* data = slot_data(slot_of(row));
            std::fill(data + row_length(), data + slot_length_, 0.0F);  // lanes read in vain
        }
        counters_.computed += static_cast<index_t>(missing.size());
        context.count_rows(static_cast<index_t>(missing.size()));
    }

    struct CachedRow {
        index_t slot;
        index_t row;
        index_t valid;
    };

    /// The cached rows, least recently used first.
    [[nodiscard]] std::vector<CachedRow> cached_rows() {
        std::vector<CachedRow> cached;
        for (const index_t slot : recent_) {
            const index_t row = row_of_slot_[static_cast<std::size_t>(slot)];
            if (row != kAbsent) {
                cached.push_back({slot, row, valid_[static_cast<std::size_t>(slot)]});
            }
        }
        return cached;
    }

    /// Registers rows that now lie in slots 0, 1, ... in the order of their old slots.
    void enter(const std::vector<CachedRow>& by_slot, const std::vector<CachedRow>& by_use) {
        for (std::size_t next = 0; next < by_slot.size(); ++next) {
            row_of_slot_[next] = by_slot[next].row;
            valid_[next] = by_slot[next].valid;
            slot_of(by_slot[next].row) = static_cast<index_t>(next);
        }
        for (const CachedRow& cached : by_use) {
            touch(slot_of(cached.row));
        }
    }

    [[nodiscard]] static std::vector<CachedRow> in_slot_order(std::vector<CachedRow> cached) {
        std::sort(cached.begin(), cached.end(),
                  [](const CachedRow& a, const CachedRow& b) { return a.slot < b.slot; });
        return cached;
    }

    /// Rewrites the cached rows for the new columns: entry j comes from entry from[j].
    void cut_rows(const std::vector<index_t>& from, bool contained, Context& context) {
        std::vector<CachedRow> cached;
        if (contained) {
            cached = cached_rows();
        }
        const bool in_order = std::is_sorted(from.begin(), from.end());
        const index_t old_length = slot_length_;
        std::fill(slot_of_row_.begin(), slot_of_row_.end(), kAbsent);
        active_.resize(from.size());
        lay_slots();
        std::vector<CachedRow> by_slot = in_slot_order(cached);
        // First within each slot: if `from` ascends, from[j] >= j, so no entry is overwritten
        // before it is read.
        const std::unique_ptr<Context> uninterruptible = Context::unstoppable(context);
        parallel_for(*uninterruptible, static_cast<index_t>(by_slot.size()), [&](index_t k, int) {
            CachedRow& cut = by_slot[static_cast<std::size_t>(k)];
            float* row = block_.data() + cut.slot * old_length;
            const float* source = row;
            std::vector<float> copy;
            if (!in_order) {
                copy.assign(row, row + cut.valid);
                source = copy.data();
            }
            const auto end = std::find_if(from.begin(), from.end(),
                                          [&](index_t column) { return column >= cut.valid; });
            cut.valid = end - from.begin();
            for (index_t j = 0; j < cut.valid; ++j) {
                row[j] = source[from[static_cast<std::size_t>(j)]];
            }
        });
        for (std::size_t next = 0; next < by_slot.size(); ++next) {
            std::memmove(slot_data(static_cast<index_t>(next)),
                         block_.data() + by_slot[next].slot * old_length,
                         static_cast<std::size_t>(by_slot[next].valid) * sizeof(float));
        }
        enter(by_slot, cached);
    }

    /// Makes room for columns added at the end: as many rows as still fit move apart.
    void lengthen_rows(index_t length) {
        std::vector<CachedRow> cached = cached_rows();
        const index_t old_length = slot_length_;
        std::fill(slot_of_row_.begin(), slot_of_row_.end(), kAbsent);
        active_.resize(static_cast<std::size_t>(length));
        lay_slots();
        if (static_cast<index_t>(cached.size()) > capacity()) {
            cached.erase(cached.begin(), cached.end() - capacity());
        }
        const std::vector<CachedRow> by_slot = in_slot_order(cached);
        const auto move = [&](std::size_t k, const float* source, index_t stride) {
            std::memmove(block_.data() + static_cast<index_t>(k) * stride, source,
                         static_cast<std::size_t>(by_slot[k].valid) * sizeof(float));
        };
        for (std::size_t k = 0; k < by_slot.size(); ++k) {  // compact, then spread from the back
            move(k, block_.data() + by_slot[k].slot * old_length, old_length);
        }
        for (std::size_t k = by_slot.size(); k-- > 0;) {
            move(k, block_.data() + static_cast<index_t>(k) * old_length, slot_length_);
        }
        enter(by_slot, cached);
    }

    std::unique_ptr<GramRows> source_;
    std::vector<index_t> slot_of_row_;
    std::vector<index_t> active_;
    Buffer<float> block_;
    index_t slot_length_ = 0;
    std::vector<index_t> row_of_slot_;
    std::vector<index_t> valid_;  ///< per slot: number of computed entries
    std::list<index_t> recent_;   ///< slots, least recently used first
    std::vector<std::list<index_t>::iterator> place_;
    Counters counters_;
};

RowCache::RowCache(const GramOperator& gram, index_t bytes, Precision precision, Context& context)
    : state_(std::make_unique<State>(gram.rows(precision, context), bytes, context)) {}
RowCache::~RowCache() = default;
RowCache::RowCache(RowCache&&) noexcept = default;
RowCache& RowCache::operator=(RowCache&&) noexcept = default;

index_t RowCache::rows() const noexcept { return state_->rows(); }
index_t RowCache::row_length() const noexcept { return state_->row_length(); }
index_t RowCache::capacity() const noexcept { return state_->capacity(); }
std::span<const double> RowCache::diagonal() const noexcept { return state_->diagonal(); }
const RowCache::Counters& RowCache::counters() const noexcept { return state_->counters(); }

bool RowCache::contains(index_t row) const noexcept { return state_->contains(row); }

void RowCache::fetch(std::span<const index_t> wanted, std::span<const float*> out,
                     Context& context) {
    state_->fetch(wanted, out, context);
}

void RowCache::compute_block(std::span<const index_t> left, std::span<const index_t> right,
                             MatrixView<float> values, Context& context) {
    state_->compute_block(left, right, values, context);
}

void RowCache::set_active(std::span<const index_t> active, Context& context) {
    state_->set_active(active, context);
}

}  // namespace mercer

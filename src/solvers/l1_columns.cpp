// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_columns.cpp - retaining columns from one working set to the next.
#include "solvers/l1_columns.hpp"

#include <algorithm>

#include "mercer/base/checked.hpp"
#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kColumnsAtOnce = 64;
constexpr index_t kFewestColumns = 16;  // together they cost little more than one

}  // namespace

ColumnCache::ColumnCache(const L1Basis& basis, index_t bytes)
    : basis_(basis),
      capacity_(std::max(kFewestColumns, bytes / (8 * std::max<index_t>(1, basis.risk().size())))),
      slot_of_(at(basis.size()), -1) {}

/// The wanted columns that no slot holds; the slots of the others are retained.
std::vector<index_t> ColumnCache::find_missing(std::span<const index_t> wanted,
                                               Retained& retained) const {
    std::vector<index_t> missing;
    for (const index_t j : wanted) {
        if (slot_of_[at(j)] >= 0) {
            retained.slots[at(slot_of_[at(j)])] = true;
        } else {
            missing.push_back(j);
        }
    }
    return missing;
}

/// A slot for one more column: a new one if possible, otherwise that of a column not wanted.
index_t ColumnCache::make_room(Retained& retained, Context& context) {
    if (static_cast<index_t>(slots_.size()) < capacity_) {
        slots_.push_back(
            context.allocate<double>(basis_.risk().size(), "columns worked on", Contents::any));
        column_in_.push_back(-1);
        retained.slots.push_back(true);
        return static_cast<index_t>(slots_.size()) - 1;
    }
    while (retained.slots[retained.next]) {
        ++retained.next;
    }
    retained.slots[retained.next] = true;
    slot_of_[at(column_in_[retained.next])] = -1;
    return static_cast<index_t>(retained.next);
}

/// Computes columns together and gives each its slot.
void ColumnCache::load(std::span<const index_t> columns, Retained& retained, Context& context) {
    const index_t n = basis_.risk().size();
    const auto count = static_cast<index_t>(columns.size());
    Buffer<double> block =
        context.allocate<double>(checked_multiply(n, count), "columns worked on", Contents::any);
    const MatrixView<double> view(block.data(), count, n);
    basis_.load(columns, view, context);
    for (index_t k = 0; k < count; ++k) {
        const index_t slot = make_room(retained, context);
        slot_of_[at(columns[at(k)])] = slot;
        column_in_[at(slot)] = columns[at(k)];
        std::copy_n(view.row(k), n, slots_[at(slot)].data());
    }
}

void ColumnCache::fetch(std::span<const index_t> wanted, std::vector<const double*>& out,
                        Context& context) {
    Retained retained{std::vector<bool>(slots_.size(), false)};
    const std::vector<index_t> missing = find_missing(wanted, retained);
    for (std::size_t begin = 0; begin < missing.size(); begin += at(kColumnsAtOnce)) {
        const std::size_t count = std::min(missing.size() - begin, at(kColumnsAtOnce));
        load(std::span(missing).subspan(begin, count), retained, context);
    }
    out.clear();
    for (const index_t j : wanted) {
        out.push_back(slots_[at(slot_of_[at(j)])].data());
    }
}

}  // namespace mercer

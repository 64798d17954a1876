// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_columns.cpp - keeping columns from one working set to the next.
#include "solvers/l1_columns.hpp"

#include <algorithm>

#include "mercer/base/checked.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kColumnsAtOnce = 64;
constexpr index_t kFewestColumns = 16;  // computed together, they cost little more than one

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

}  // namespace

ColumnCache::ColumnCache(const L1Basis& basis, index_t bytes)
    : basis_(basis),
      capacity_(std::max(kFewestColumns, bytes / (8 * std::max<index_t>(1, basis.risk().size())))),
      slot_of_(at(basis.size()), -1) {}

void ColumnCache::fetch(std::span<const index_t> wanted, std::vector<const double*>& out,
                        Context& context) {
    std::vector<bool> keep(slots_.size(), false);
    std::vector<index_t> missing;
    for (const index_t j : wanted) {
        if (slot_of_[at(j)] >= 0) {
            keep[at(slot_of_[at(j)])] = true;
        } else {
            missing.push_back(j);
        }
    }
    const index_t n = basis_.risk().size();
    std::size_t slot = 0;
    for (std::size_t begin = 0; begin < missing.size(); begin += at(kColumnsAtOnce)) {
        const std::size_t count = std::min(missing.size() - begin, at(kColumnsAtOnce));
        const std::span<const index_t> part(missing.data() + begin, count);
        Buffer<double> block = context.allocate<double>(
            checked_multiply(n, static_cast<index_t>(count)), "columns worked on", Contents::any);
        const MatrixView<double> view(block.data(), static_cast<index_t>(count), n);
        basis_.load(part, view, context);
        for (std::size_t k = 0; k < count; ++k) {
            index_t& place = slot_of_[at(part[k])];
            if (static_cast<index_t>(slots_.size()) < capacity_) {  // new room first
                place = static_cast<index_t>(slots_.size());
                slots_.push_back(context.allocate<double>(n, "columns worked on", Contents::any));
                column_in_.push_back(-1);
                keep.push_back(true);
            } else {
                while (keep[slot]) {
                    ++slot;
                }
                place = static_cast<index_t>(slot);
                keep[slot] = true;
                slot_of_[at(column_in_[slot])] = -1;
            }
            column_in_[at(place)] = part[k];
            std::copy_n(view.row(static_cast<index_t>(k)), n, slots_[at(place)].data());
        }
    }
    out.clear();
    for (const index_t j : wanted) {
        out.push_back(slots_[at(slot_of_[at(j)])].data());
    }
}

}  // namespace mercer

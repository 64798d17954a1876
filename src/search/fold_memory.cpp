// SPDX-License-Identifier: Apache-2.0
//
// src/search/fold_memory.cpp - fold results as bytes in the slots of a checkpoint.
#include "search/fold_memory.hpp"

#include "mercer/runtime/state_keeper.hpp"

namespace mercer::search {

void FoldMemory::begin_list(index_t folds) {
    begin_ = end_;
    end_ += folds;
    if (folds > 0) {
        static_cast<void>(checkpoint_.slot(end_ - 1));  // before several threads request theirs
    }
}

std::optional<FoundFold> FoldMemory::find(index_t number) {
    const std::optional<std::string_view> bytes = checkpoint_.slot(begin_ + number).result();
    if (!bytes) {
        return std::nullopt;
    }
    StateReader in(*bytes);
    const auto sums = in.array<char>();
    FoundFold found{sums_from({sums.data(), sums.size()}), std::nullopt};
    if (in.integer(0, 1) == 1) {
        StartPoint start;
        start.cost = in.number<double>();
        start.rows = in.array<index_t>();
        start.class_support = in.array<index_t>();
        start.coefficients = in.array<double>();
        start.intercepts = in.array<double>();
        found.start = std::move(start);
    }
    StateReader::require(in.at_end());
    return found;
}

void FoldMemory::keep(index_t number, const FoundFold& found) {
    StateWriter out;
    const std::string sums = to_bytes(found.sums);
    out.array(std::span<const char>(sums.data(), sums.size()));
    out.number(static_cast<index_t>(found.start.has_value()));
    if (found.start) {
        out.number(found.start->cost);
        out.array(found.start->rows);
        out.array(found.start->class_support);
        out.array(found.start->coefficients);
        out.array(found.start->intercepts);
    }
    checkpoint_.slot(begin_ + number).finish(out.take());
}

}  // namespace mercer::search

// SPDX-License-Identifier: Apache-2.0
//
// src/search/fold_memory.hpp - what folds have found, kept in a checkpoint while a search runs.
//
// A search tries lists of combinations one after the other. Each fold of each combination has a
// place of its own, numbered in the order of the lists, which depends on the options and the data
// alone; so a search that goes on finds what was found before and ends with the same table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mercer/fit/checkpoint.hpp"
#include "search/judge.hpp"

namespace mercer::search {

/// The coefficients of a fold's machine, from which the next one starts.
struct StartPoint {
    double cost = kNaN;
    std::vector<index_t> rows;
    std::vector<index_t> class_support;
    std::vector<double> coefficients;
    std::vector<double> intercepts;
};

/// What is kept of a fold that was judged.
struct FoundFold {
    PartSums sums;
    std::optional<StartPoint> start;
};

class FoldMemory {
public:
    explicit FoldMemory(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    /// The next list has so many folds in all.
    void begin_list(index_t folds);

    /// Fold `number` of the list, when it was judged before. Throws DataError for bytes that are none.
    [[nodiscard]] std::optional<FoundFold> find(index_t number);
    void keep(index_t number, const FoundFold& found);

private:
    Checkpoint& checkpoint_;
    index_t begin_ = 0;
    index_t end_ = 0;
};

}  // namespace mercer::search

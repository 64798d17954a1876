// SPDX-License-Identifier: Apache-2.0
//
// src/search/fold_memory.hpp - the results of folds, stored in a checkpoint while a search runs.
//
// A search tries lists of combinations one after the other. Each fold of each combination has its
// own slot, numbered in the order of the lists, which depends only on the options and the data; so
// a resumed search finds the earlier results and ends with the same table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mercer/fit/checkpoint.hpp"
#include "search/judge.hpp"

namespace mercer::search {

/// The coefficients of a fold's machine, for the warm start of the next one.
struct StartPoint {
    double cost = kNaN;
    std::vector<index_t> rows;
    std::vector<index_t> class_support;
    std::vector<double> coefficients;
    std::vector<double> intercepts;
};

/// The stored result of an evaluated fold.
struct FoundFold {
    PartSums sums;
    std::optional<StartPoint> start;
};

class FoldMemory {
public:
    explicit FoldMemory(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    /// Starts the next list, which has that many folds in total.
    void begin_list(index_t folds);

    /// Fold `number` of the list, if it was evaluated before. Throws DataError for malformed bytes.
    [[nodiscard]] std::optional<FoundFold> find(index_t number);
    void keep(index_t number, const FoundFold& found);

private:
    Checkpoint& checkpoint_;
    index_t begin_ = 0;
    index_t end_ = 0;
};

}  // namespace mercer::search

// SPDX-License-Identifier: Apache-2.0
//
// src/search/fold_search.hpp - evaluates candidates on folds, those of one kernel together.
//
// Candidates that differ only in the weight of the losses form a chain: the machine of a fold
// starts from the previous one, and all of them share the kernel matrix. Folds, and as many chains
// as the threads need and the memory allows, run concurrently.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/data/split.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/train.hpp"
#include "search/fold_memory.hpp"
#include "search/judge.hpp"

namespace mercer::search {

/// Candidates of one kernel, in the order of their warm starts.
using Chain = std::vector<std::size_t>;

/// The task of a search on folds.
struct FoldSearchTask {
    std::span<const TrainOptions> candidates;
    std::span<const Chain> chains;
    std::span<const Split> folds;
    bool warm_start = true;
    /// Called once for each candidate when all its folds are evaluated, by one thread at a time.
    std::function<void(std::size_t candidate, std::vector<PartSums> parts)> judged;
    FoldMemory* memory = nullptr;  ///< earlier results and new ones; may be null
};

/// Throws what train() throws, and Interrupted; candidates evaluated before that are reported.
void search_folds(const Dataset& data, const FoldSearchTask& task, Context& context);

}  // namespace mercer::search

// SPDX-License-Identifier: Apache-2.0
//
// src/search/fold_search.hpp - candidates judged by folds, those of one kernel together.
//
// Candidates that differ by the weight of the losses alone are a chain: the machine of a fold starts
// from the one before, and all of them share the kernel matrix. Folds, and as many chains as the
// threads want and the memory holds, run side by side.
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

/// Candidates of one kernel, in the order in which one starts from the other.
using Chain = std::vector<std::size_t>;

/// What a search asks of its folds.
struct FoldSearchTask {
    std::span<const TrainOptions> candidates;
    std::span<const Chain> chains;
    std::span<const Split> folds;
    bool warm_start = true;
    /// Called once for each candidate whose folds are all judged, by one thread at a time.
    std::function<void(std::size_t candidate, std::vector<PartSums> parts)> judged;
    FoldMemory* memory = nullptr;  ///< what was found before, and what is found now; may be null
};

/// Throws what train() throws, and Interrupted; candidates that were judged before are told of.
void search_folds(const Dataset& data, const FoldSearchTask& task, Context& context);

}  // namespace mercer::search

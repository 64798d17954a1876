// SPDX-License-Identifier: Apache-2.0
//
// src/search/shared_grams.cpp - which kernels are held, and for how long.
#include "search/shared_grams.hpp"

#include <algorithm>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::search {

bool is_solved_by_its_dual(const TrainOptions& options) {
    const Machine& machine = machine_of(options.model);
    return machine.has_box_dual() && smooth_solvers(machine.loss).empty();
}

bool may_share(const TrainOptions& options) {
    const Machine& machine = machine_of(options.model);
    return is_solved_by_its_dual(options) && machine.task != Task::inliers &&
           options.objective.penalty == kRkhs && options.basis.size == 0 &&
           !options.outputs.probability && options.scale.method == "none" &&
           options.kernel.is_resolved() && !reads_table(options.kernel) &&
           linear_factor(options.kernel) == 0.0;
}

index_t SharedGrams::fitting(const Dataset& data, const Context& context) {
    constexpr index_t kShare = 2;  // the rest is for row caches, working sets and the last fit
    constexpr index_t kMostBytes = index_t{4} << 30;
    const index_t bytes = std::min(context.memory()->left() / kShare, kMostBytes);
    return bytes / std::max<index_t>(1, TiledGram::held_bytes(data.rows()));
}

std::shared_ptr<const GramOperator> SharedGrams::get(std::size_t kernel,
                                                     const TrainOptions& options,
                                                     Context& context) {
    if (most_ == 0) {
        return nullptr;
    }
    std::shared_ptr<Entry> entry;
    {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<Entry>& place = entries_[kernel];
        if (place == nullptr) {
            place = std::make_shared<Entry>();
        }
        entry = place;
    }
    std::call_once(entry->made, [&] {
        const std::shared_ptr<TiledGram> gram = make_tiled_gram(options.kernel, data_);
        try {
            gram->hold_values(context);
        } catch (const ResourceError&) {  // machines compute their own, as without a search
        }
        if (gram->holds_values()) {
            entry->gram = gram;
        }
    });
    return entry->gram;
}

void SharedGrams::drop(std::size_t kernel) {
    const std::lock_guard lock(mutex_);
    entries_.erase(kernel);
}

}  // namespace mercer::search

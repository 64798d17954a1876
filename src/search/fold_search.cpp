// SPDX-License-Identifier: Apache-2.0
//
// src/search/fold_search.cpp - rounds of folds, one for each candidate, with concurrent chains.
#include "search/fold_search.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/numbered_rows.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/precomputed.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/status.hpp"
#include "search/last_fit.hpp"
#include "search/shared_grams.hpp"

namespace mercer::search {

namespace {

/// True if the machine supports a warm start.
bool takes_start(const TrainOptions& options) {
    return machine_of(options.model).starts && is_solved_by_its_dual(options) &&
           options.objective.penalty == kRkhs && options.basis.size == 0 &&
           options.run.solver == kAuto && !options.outputs.leave_one_out;
}

/// One candidate of a chain.
struct Step {
    std::size_t candidate;
    std::size_t chain;
    std::size_t before;  ///< the candidate whose machines it starts from; itself: none
    bool last;
};

/// The part of a model that the next machine of the fold needs.
StartPoint start_point(const Model& model) {
    return {model.cost, model.support_rows, model.class_support, model.coefficients,
            model.intercepts};
}

/// A model with these coefficients, equivalent to their source for a warm start.
Model model_at(const StartPoint& point, const Dataset& seen, const TrainOptions& options) {
    const fit::Prepared prepared = fit::prepare(seen, options);
    Model model;
    model.machine = options.model;
    model.columns = seen.columns();
    model.labels = seen.label_names;
    model.multiclass =
        point.class_support.empty() ? (seen.label_names.size() > 2 ? "ovr" : "") : "ovo";
    model.class_weights = fit::named_class_weights(options, seen.label_names);
    model.row_weights = !seen.weights.empty();
    model.scaling = prepared.scaling;
    model.cost = point.cost;
    model.support_rows = point.rows;
    model.class_support = point.class_support;
    model.coefficients = point.coefficients;
    model.intercepts = point.intercepts;
    model.support = seen.select(point.rows);
    if (model.scaling) {
        model.support = model.scaling->apply(model.support);
    }
    return model;
}

class FoldSearch {
public:
    FoldSearch(const Dataset& data, const FoldSearchTask& task, Context& context)
        : data_(data), task_(task), context_(context) {
        const TrainOptions& first = task.candidates[task.chains.front().front()];
        const auto folds = static_cast<index_t>(task.folds.size());
        // This many chains keep all threads busy; one more may begin while the last folds end.
        beside_ = std::max<index_t>(1, (context.threads() + folds - 1) / folds);
        const index_t fitting = may_share(first) ? SharedGrams::fitting(data, context) : 0;
        whole_ = fitting == 0 || fitting > beside_;
        if (!whole_) {
            beside_ = std::min(beside_, fitting);
        }
        starts_ = takes_start(first) && task.warm_start;
        shared_.emplace(data, fitting);
    }

    /// Runs all chains at once, or as many at a time as have their kernel matrices in memory.
    void run() {
        if (task_.memory != nullptr) {
            task_.memory->begin_list(
                static_cast<index_t>(task_.candidates.size() * task_.folds.size()));
        }
        const LargeBlockReuse reuse(context_.memory());  // by the row caches of all machines
        const std::size_t step = whole_ ? task_.chains.size() : static_cast<std::size_t>(beside_);
        for (std::size_t begin = 0; begin < task_.chains.size(); begin += step) {
            run(begin, std::min(task_.chains.size(), begin + step));
        }
    }

private:
    /// A chain in progress.
    struct ChainState {
        std::vector<std::optional<Model>> starts;  ///< of each fold
        std::vector<std::uint8_t> cut_short;  ///< by fold: a stop may have changed its machines
        std::size_t left = 0;                 ///< candidates not yet evaluated
    };
    /// A candidate in progress.
    struct CandidateState {
        std::vector<PartSums> parts;
        std::size_t left = 0;  ///< folds not yet evaluated
    };

    void run(std::size_t begin, std::size_t end) {
        steps_.clear();
        chains_ = std::vector<ChainState>(task_.chains.size());
        states_ = std::vector<CandidateState>(task_.candidates.size());
        const auto lanes = static_cast<std::size_t>(beside_);
        for (std::size_t block = begin; block < end; block += lanes) {
            add_steps(block, std::min(end, block + lanes));
        }
        fit::run_folds(
            task_.folds,
            {.name = "select",
             .tells_fold = true,
             .rounds = static_cast<index_t>(steps_.size()),
             .rounds_beside = beside_},
            [&](const fit::FoldRun& fold) { judge(fold); }, context_);
    }

    /// Adds the steps of concurrent chains, one step of each in turn.
    void add_steps(std::size_t begin, std::size_t end) {
        std::size_t longest = 0;
        for (std::size_t c = begin; c < end; ++c) {
            longest = std::max(longest, task_.chains[c].size());
            chains_[c].starts.resize(task_.folds.size());
            chains_[c].cut_short.resize(task_.folds.size(), 0);
            chains_[c].left = task_.chains[c].size();
        }
        for (std::size_t s = 0; s < longest; ++s) {
            for (std::size_t c = begin; c < end; ++c) {
                const Chain& chain = task_.chains[c];
                if (s < chain.size()) {
                    steps_.push_back(
                        {chain[s], c, chain[s > 0 ? s - 1 : 0], s + 1 == chain.size()});
                    states_[chain[s]].parts.resize(task_.folds.size());
                    states_[chain[s]].left = task_.folds.size();
                }
            }
        }
    }

    void judge(const fit::FoldRun& fold) {
        const Step& step = steps_[static_cast<std::size_t>(fold.round)];
        const auto k = static_cast<std::size_t>(fold.number);
        const TrainOptions& asked = task_.candidates[step.candidate];
        if (take_found(step, k)) {
            return;
        }
        const std::shared_ptr<const GramOperator> gram =
            shared_->get(step.chain, asked, fold.context);
        const Dataset seen = fit::rows_at(data_, fold.rows.train);
        TrainOptions wanted = fold.within_limit(asked, seen);
        if (gram != nullptr) {
            wanted.run.gram = subset(gram, fold.rows.train);
            wanted.run.cache_bytes = cache_of(asked, seen);
        }
        std::optional<Model>& start = chains_[step.chain].starts[k];
        if (std::optional<StartPoint> point = found_start(step, k)) {
            start = model_at(*point, seen, asked);
        }
        if (starts_ && start) {
            wanted.run.start = &*start;
        }
        Model model = finished(train(seen, wanted, fold.context)).model;
        PartSums sums = judge_model(model, fit::rows_at(data_, fold.rows.test),
                                    {gram.get(), fold.rows.train, fold.rows.test}, fold.context);
        sums.converged = model.status == to_string(SolveStatus::converged);
        const bool goes_on = starts_ && !step.last && !model.support_rows.empty();
        // A machine stopped after reaching its goal is as good, but not identical to the last bit, and
        // neither are those that start from it. They may still be trained: a stop that reserves time
        // for a certificate comes before the limit.
        std::uint8_t& cut_short = chains_[step.chain].cut_short[k];
        cut_short |= fold.context.has_asked_to_stop() ? 1 : 0;
        if (task_.memory != nullptr && cut_short == 0) {
            task_.memory->keep(place(step.candidate, k),
                               {sums, goes_on ? std::optional(start_point(model)) : std::nullopt});
            forget_start(step, k);
        }
        start = goes_on ? std::optional(std::move(model)) : std::nullopt;
        note(step, k, std::move(sums));
    }

    /// With a matrix in memory the cache takes all rows: each is gathered once, not once per round.
    [[nodiscard]] index_t cache_of(const TrainOptions& asked, const Dataset& seen) const {
        const index_t share = context_.memory()->left() / 4 / context_.threads();
        return asked.run.cache_bytes > 0 ? asked.run.cache_bytes
                                         : std::clamp<index_t>(TiledGram::held_bytes(seen.rows()),
                                                               1, std::max<index_t>(1, share));
    }

    [[nodiscard]] index_t place(std::size_t candidate, std::size_t fold) const {
        return static_cast<index_t>(candidate * task_.folds.size() + fold);
    }

    /// True if an earlier run evaluated the fold.
    bool take_found(const Step& step, std::size_t fold) {
        if (task_.memory == nullptr) {
            return false;
        }
        std::optional<FoundFold> found = task_.memory->find(place(step.candidate, fold));
        if (found) {
            note(step, fold, std::move(found->sums));
        }
        return found.has_value();
    }

    /// The coefficients of the previous machine if an earlier run trained it.
    [[nodiscard]] std::optional<StartPoint> found_start(const Step& step, std::size_t fold) {
        if (task_.memory == nullptr || !starts_ || step.before == step.candidate ||
            chains_[step.chain].starts[fold]) {
            return std::nullopt;
        }
        std::optional<FoundFold> found = task_.memory->find(place(step.before, fold));
        return found ? std::move(found->start) : std::nullopt;
    }

    /// The next machine exists, so the start of the one before is no longer needed.
    void forget_start(const Step& step, std::size_t fold) {
        if (step.before == step.candidate) {
            return;
        }
        if (std::optional<FoundFold> found = task_.memory->find(place(step.before, fold));
            found && found->start) {
            found->start.reset();
            task_.memory->keep(place(step.before, fold), *found);
        }
    }

    void note(const Step& step, std::size_t fold, PartSums sums) {
        const std::lock_guard lock(mutex_);
        CandidateState& state = states_[step.candidate];
        state.parts[fold] = std::move(sums);
        if (--state.left > 0) {
            return;
        }
        if (--chains_[step.chain].left == 0) {
            shared_->drop(step.chain);
        }
        task_.judged(step.candidate, std::move(state.parts));
    }

    const Dataset& data_;
    const FoldSearchTask& task_;
    Context& context_;
    index_t beside_ = 1;  ///< concurrent chains
    bool whole_ = true;   ///< all chains at once
    bool starts_ = false;
    std::optional<SharedGrams> shared_;
    std::vector<Step> steps_;
    std::vector<ChainState> chains_;
    std::vector<CandidateState> states_;
    std::mutex mutex_;
};

/// The rows in the order of their classes and, within a class, of the first fold that holds them
/// out. A fold then needs few stretches of a row of a held matrix, and a pair of classes four,
/// instead of one value in every line of the CPU cache. 45 classifiers of `letter` (26 classes,
/// 4,000 rows each) take 12.7 CPU seconds with the members of a class together, and 19.8 with the
/// rows as they come; 60 of a9a (two classes, 4,000 rows) 3.1 and 3.4.
std::vector<index_t> order_of(const Dataset& data, std::span<const Split> folds) {
    std::vector<std::size_t> held_out(static_cast<std::size_t>(data.rows()), folds.size());
    for (std::size_t k = folds.size(); k-- > 0;) {
        for (const index_t row : folds[k].test) {
            held_out[static_cast<std::size_t>(row)] = k;
        }
    }
    std::vector<index_t> order(held_out.size());
    std::iota(order.begin(), order.end(), index_t{0});
    const bool classes = !data.label_names.empty();
    std::ranges::stable_sort(order, {}, [&](index_t row) {
        const auto i = static_cast<std::size_t>(row);
        return std::pair(classes ? data.targets[i] : 0.0, held_out[i]);
    });
    return order;
}

/// The same search on the rows in that order.
void search_in_order(const Dataset& data, const FoldSearchTask& task, Context& context) {
    const std::vector<index_t> order = order_of(data, task.folds);
    std::vector<index_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[static_cast<std::size_t>(order[k])] = static_cast<index_t>(k);
    }
    std::vector<Split> folds(task.folds.begin(), task.folds.end());
    for (Split& fold : folds) {
        for (std::vector<index_t>* rows : {&fold.train, &fold.test}) {
            for (index_t& row : *rows) {
                row = place[static_cast<std::size_t>(row)];
            }
            std::ranges::sort(*rows);
        }
    }
    FoldSearchTask same = task;
    same.folds = folds;
    FoldSearch(fit::rows_at(data, order), same, context).run();
}

}  // namespace

void search_folds(const Dataset& data, const FoldSearchTask& task, Context& context) {
    const TrainOptions& first = task.candidates[task.chains.front().front()];
    if (!is_precomputed(first.kernel)) {
        if (may_share(first)) {
            search_in_order(data, task, context);
        } else {
            FoldSearch(data, task, context).run();
        }
        return;
    }
    const fit::NumberedRows numbered = fit::number_rows(data, first, context);
    std::vector<TrainOptions> candidates(task.candidates.begin(), task.candidates.end());
    for (TrainOptions& one : candidates) {
        one.kernel = with_values_from(one.kernel, trusted_lookup_kernel());
    }
    FoldSearchTask same = task;
    same.candidates = candidates;
    FoldSearch(numbered.rows, same, context).run();
}

}  // namespace mercer::search

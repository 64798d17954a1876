// SPDX-License-Identifier: Apache-2.0
//
// src/fit/folds.cpp - folds run one after the other or concurrently, and their predictions.
#include "mercer/fit/folds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "mercer/base/error.hpp"
#include "mercer/fit/numbered_rows.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

namespace {

constexpr std::uint64_t kLargestSeed = 0x7fffffffffffffff;

/// The entries of the given rows; empty if there are no entries.
template <typename Number>
std::vector<Number> numbers_at(const std::vector<Number>& all, std::span<const index_t> rows) {
    std::vector<Number> some;
    if (!all.empty()) {
        some.reserve(rows.size());
        for (const index_t row : rows) {
            some.push_back(all[static_cast<std::size_t>(row)]);
        }
    }
    return some;
}

bool counts(std::span<const double> weights, std::size_t row) {
    return weights.empty() || weights[row] > 0.0;
}

/// The loop itself.
class FoldLoop {
public:
    FoldLoop(std::span<const Split> folds, const FoldTask& task,
             const std::function<void(const FoldRun&)>& body, Context& context)
        : folds_(folds),
          task_(task),
          body_(body),
          context_(context),
          count_(static_cast<index_t>(folds.size()) * task.rounds),
          window_(static_cast<index_t>(folds.size()) * task.rounds_beside),
          first_fault_(count_),
          done_(static_cast<std::size_t>(count_), 0),
          faults_(static_cast<std::size_t>(count_)) {}

    void run() {
        if (context_.threads() > 1 && count_ >= index_t{2} * context_.threads() &&
            (window_ >= count_ || window_ >= context_.threads())) {
            run_side_by_side();
        }
        for (std::size_t k = 0; k < done_.size(); ++k) {
            if (faults_[k]) {
                std::rethrow_exception(faults_[k]);
            }
            if (done_[k] == 0) {
                context_.throw_if_stopped(task_.name);
                run_one(static_cast<index_t>(k), context_, 0);
            }
        }
    }

private:
    void run_side_by_side() {
        const index_t share = context_.memory()->left() / 2 / context_.threads() + 1;
        context_.note(fmt::format("{} folds, {} at a time", count_, context_.threads()));
        parallel_for(context_, count_, [&](index_t k, int) {
            if (k < first_fault_.load() && wait_for(k - window_)) {
                // A new context each time: the time reserved may have changed since the last fold.
                try_one(k, *Context::single_threaded(context_), share);
            }
            const std::lock_guard lock(mutex_);
            ended_.resize(done_.size(), 0);
            ended_[static_cast<std::size_t>(k)] = 1;
            one_ended_.notify_all();
        });
    }

    /// True once fold k, whose results are needed, is done. False if it failed: then the fold that
    /// needs it does not run either, or runs after it alone. Folds are started in order: fold k has
    /// ended, or another thread is running it.
    bool wait_for(index_t k) {
        std::unique_lock lock(mutex_);
        constexpr std::chrono::milliseconds kLook(50);  // polls for a stop: then no fold ends
        ended_.resize(done_.size(), 0);
        while (k >= 0 && ended_[static_cast<std::size_t>(k)] == 0) {
            context_.throw_if_stopped(task_.name);
            one_ended_.wait_for(lock, kLook);
        }
        return k < 0 || done_[static_cast<std::size_t>(k)] != 0;
    }

    /// Stores an exception for the thread that started the loop.
    void try_one(index_t k, Context& context, index_t cache_limit) {
        try {
            run_one(k, context, cache_limit);
        } catch (const ResourceError&) {  // it may fit when it runs alone
        } catch (...) {
            faults_[static_cast<std::size_t>(k)] = std::current_exception();
            index_t first = first_fault_.load();
            while (k < first && !first_fault_.compare_exchange_weak(first, k)) {
            }
        }
    }

    void run_one(index_t k, Context& context, index_t cache_limit) {
        const auto place = static_cast<std::size_t>(k);
        const index_t fold = k % static_cast<index_t>(folds_.size());
        try {
            body_({fold, folds_[static_cast<std::size_t>(fold)], context, cache_limit,
                   k / static_cast<index_t>(folds_.size())});
        } catch (const InvalidArgument& fault) {
            if (!task_.tells_fold) {
                throw;
            }
            const std::string where = fmt::format("fold {} of {}", fold + 1, folds_.size());
            if (fault.fault() == nullptr) {
                throw InvalidArgument(where + ": " + fault.what());
            }
            ArgumentFault same = *fault.fault();  // the option comes first
            same.reason += " (" + where + ")";
            throw InvalidArgument(std::move(same));
        }
        done_[place] = 1;
        if (task_.rounds == 1) {  // a search reports its rounds itself
            context_.report({.stage = "fold", .done = finished_.fetch_add(1) + 1, .total = count_});
        }
    }

    std::span<const Split> folds_;
    const FoldTask& task_;
    const std::function<void(const FoldRun&)>& body_;
    Context& context_;
    index_t count_;                     ///< folds times rounds
    index_t window_;                    ///< this many consecutive folds are independent
    std::atomic<index_t> first_fault_;  ///< later folds need not run
    std::atomic<index_t> finished_{0};
    std::vector<char> done_;  ///< not bool: threads write neighbouring entries
    std::vector<std::exception_ptr> faults_;
    std::mutex mutex_;
    std::condition_variable one_ended_;
    std::vector<char> ended_;  ///< finished or failed
};

/// The rows with only the classes of positive-weight rows, renumbered; `present` receives these
/// classes.
Dataset with_present_classes(Dataset rows, std::vector<index_t>& present) {
    std::vector<index_t> place(rows.label_names.size(), -1);
    for (std::size_t i = 0; i < rows.targets.size(); ++i) {
        if (counts(rows.weights, i)) {
            place[static_cast<std::size_t>(rows.targets[i])] = 0;
        }
    }
    std::vector<std::string> names;
    for (std::size_t c = 0; c < place.size(); ++c) {
        if (place[c] == 0) {
            place[c] = static_cast<index_t>(present.size());
            present.push_back(static_cast<index_t>(c));
            names.push_back(rows.label_names[c]);
        }
    }
    if (present.size() < place.size()) {
        std::vector<index_t> chosen;
        for (std::size_t i = 0; i < rows.targets.size(); ++i) {
            if (place[static_cast<std::size_t>(rows.targets[i])] >= 0) {
                chosen.push_back(static_cast<index_t>(i));
            }
        }
        rows = rows_at(rows, chosen);
        for (double& target : rows.targets) {
            target = static_cast<double>(place[static_cast<std::size_t>(target)]);
        }
        rows.label_names = names;
    }
    return rows;
}

/// The options for rows that may lack a class: without the weights of missing classes.
TrainOptions options_for(const TrainOptions& options, const Dataset& all, const Dataset& rows) {
    TrainOptions out = options;
    out.outputs.probability = false;
    out.outputs.leave_one_out = false;
    out.run.checkpoint = nullptr;  // it belongs to the machine of all rows
    out.run.start = nullptr;
    if (rows.label_names.size() < all.label_names.size()) {
        out.objective.class_weights.clear();
        for (const auto& [label, weight] : named_class_weights(options, all.label_names)) {
            if (std::find(rows.label_names.begin(), rows.label_names.end(), label) !=
                rows.label_names.end()) {
                out.objective.class_weights.emplace(label, weight);
            }
        }
    }
    return out;
}

std::vector<double> predict_fold(const Dataset& data, const TrainOptions& options,
                                 const FoldRun& fold, const FoldListener& listener) {
    Dataset seen = rows_at(data, fold.rows.train);
    const Dataset held = rows_at(data, fold.rows.test);
    const bool classes = !data.label_names.empty();
    const std::optional<double> only =
        classes ? only_class(seen.targets, seen.weights) : std::nullopt;
    if (only) {
        return std::vector<double>(fold.rows.test.size(), *only);
    }
    std::vector<index_t> present;
    if (classes) {
        seen = with_present_classes(std::move(seen), present);
    }
    const TrainOptions wanted = fold.within_limit(options_for(options, data, seen), seen);
    const TrainResult result = train(seen, wanted, fold.context);
    if (listener) {
        listener(fold.number, result);
    }
    const Model& model = result.model;
    std::vector<double> values = decision_function(model, held, fold.context);
    if (!classes) {
        return values;
    }
    std::vector<double> out;
    for (const index_t c : predict_classes(model, values)) {
        out.push_back(static_cast<double>(present[static_cast<std::size_t>(c)]));
    }
    return out;
}

}  // namespace

index_t fold_seed(const Context& context, index_t repeat) {
    constexpr std::uint64_t kApart = 0x9e3779b97f4a7c15;  // separates neighbouring seeds
    return static_cast<index_t>((context.seed() + static_cast<std::uint64_t>(repeat) * kApart) &
                                kLargestSeed);
}

std::vector<Split> seeded_folds(const Dataset& data, index_t folds, const Context& context,
                                const Dealing& dealing) {
    FoldOptions division;
    division.folds = folds;
    division.stratify = dealing.stratify && !data.label_names.empty();
    division.seed = fold_seed(context, dealing.repeat);
    return make_folds(data, division);
}

std::vector<Split> folds_of_parts(std::span<const index_t> part, index_t parts) {
    std::vector<Split> folds;
    for (index_t p = 0; p < parts; ++p) {
        Split split;
        for (std::size_t i = 0; i < part.size(); ++i) {
            (part[i] == p ? split.test : split.train).push_back(static_cast<index_t>(i));
        }
        if (!split.test.empty()) {
            folds.push_back(std::move(split));
        }
    }
    return folds;
}

Dataset rows_at(const Dataset& data, std::span<const index_t> rows) {
    Dataset some = data.view(rows);
    some.targets = numbers_at(data.targets, rows);
    some.weights = numbers_at(data.weights, rows);
    some.queries = numbers_at(data.queries, rows);
    return some;
}

std::optional<double> only_class(std::span<const double> targets, std::span<const double> weights) {
    std::optional<double> first;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (!counts(weights, i)) {
            continue;
        }
        if (first && *first != targets[i]) {
            return std::nullopt;
        }
        first = targets[i];
    }
    return first.value_or(0.0);
}

TrainOptions FoldRun::within_limit(TrainOptions options, const Dataset& seen) const {
    options.run.cache_bytes = cache_bytes(options.run.cache_bytes, cost_of(seen));
    return options;
}

index_t FoldRun::cache_bytes(index_t asked, const GramCost& seen) const {
    return cache_limit == 0 ? asked
                            : std::min(asked > 0 ? asked : largest_cache(seen), cache_limit);
}

void FoldRun::put(std::span<const double> values, std::span<double> out) const {
    for (std::size_t i = 0; i < rows.test.size(); ++i) {
        out[static_cast<std::size_t>(rows.test[i])] = values[i];
    }
}

void run_folds(std::span<const Split> folds, const FoldTask& task,
               const std::function<void(const FoldRun&)>& body, Context& context) {
    FoldLoop(folds, task, body, context).run();
}

std::vector<double> held_out_predictions(const Dataset& data, std::span<const Split> folds,
                                         const TrainOptions& options, Context& context,
                                         const FoldListener& listener) {
    if (is_precomputed(options.kernel)) {
        const NumberedRows numbered = number_rows(data, options, context);
        return held_out_predictions(numbered.rows, folds, numbered.options, context, listener);
    }
    std::vector<double> out(static_cast<std::size_t>(data.rows()), 0.0);
    run_folds(
        folds, {},
        [&](const FoldRun& fold) { fold.put(predict_fold(data, options, fold, listener), out); },
        context);
    return out;
}

}  // namespace mercer::fit

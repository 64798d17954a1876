// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/folds.hpp - the only loop over folds: machines trained without some of the rows.
//
// It serves cross-validation, selection, paths, and the links that training itself learns from
// held-out rows; so it is here and not in search. A fold refers to its rows without copying them.
// With at least two folds per thread the folds run concurrently, one thread each; otherwise one
// after the other on all threads. The results have the same bits either way. A search runs the
// folds in several rounds, one for each of its candidates: a fold of one round may begin while
// other folds of the previous round are still running.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/data/split.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;
struct GramCost;

}  // namespace mercer

namespace mercer::fit {

/// How the context's seed divides the rows into folds.
struct Dealing {
    bool stratify = true;  ///< every fold has the class proportions of the data
    index_t repeat = 0;    ///< a different division for each number
};

/// The seed of that division.
[[nodiscard]] index_t fold_seed(const Context& context, index_t repeat = 0);

/// The folds defined by the context's seed. Throws InvalidArgument if there are more folds than
/// rows.
[[nodiscard]] std::vector<Split> seeded_folds(const Dataset& data, index_t folds,
                                              const Context& context, const Dealing& dealing = {});

/// The folds of rows that are assigned to parts 0 .. parts - 1; an empty part makes no fold.
[[nodiscard]] std::vector<Split> folds_of_parts(std::span<const index_t> part, index_t parts);

/// The rows with these numbers, not copied, with their targets, weights and queries.
[[nodiscard]] Dataset rows_at(const Dataset& data, std::span<const index_t> rows);

/// The only class among the rows of positive weight (empty weights: all 1), or 0 if there is no
/// such row; nothing if there are several classes, so that a machine can be trained.
[[nodiscard]] std::optional<double> only_class(std::span<const double> targets,
                                               std::span<const double> weights);

/// A running fold.
struct FoldRun {
    index_t number;  ///< from 0
    const Split& rows;
    Context& context;     ///< that of the worker thread if folds run concurrently
    index_t cache_limit;  ///< bytes of kernel rows it may cache; 0: limited by the memory budget
                          ///< only
    index_t round = 0;    ///< from 0

    /// The options for the rows of this fold: the given ones, limited to its share of the memory.
    [[nodiscard]] TrainOptions within_limit(TrainOptions options, const Dataset& seen) const;
    /// Bytes of the row cache if `asked` bytes are requested (0: as many as are useful).
    [[nodiscard]] index_t cache_bytes(index_t asked, const GramCost& seen) const;
    /// Writes one value for each held-out row to the position of that row.
    void put(std::span<const double> values, std::span<double> out) const;
};

/// What a loop over folds reports about itself.
struct FoldTask {
    std::string_view name = "cross-validation";  ///< named in the message of a stop
    bool tells_fold = false;  ///< an InvalidArgument states the fold in which it was thrown
    index_t rounds = 1;       ///< how many times all folds run
    /// A fold begins when the same fold of the round this many rounds earlier has ended: its
    /// results are then available, and at most this many rounds plus one are in progress.
    index_t rounds_beside = 1;
};

/// Calls body() once for each fold of each round. A body may write only to data of its own fold and
/// round. Throws the exception of the first fold that throws, for any number of threads, and
/// Interrupted if the context asks to stop. A fold that runs out of memory next to others runs
/// again alone.
void run_folds(std::span<const Split> folds, const FoldTask& task,
               const std::function<void(const FoldRun&)>& body, Context& context);

/// Called with the machine of each fold that trained one, numbered from 0; by several threads at
/// once if folds run concurrently.
using FoldListener = std::function<void(index_t fold, const TrainResult& result)>;

/// For each held-out row the prediction of the machine trained on the other rows of its fold: the
/// class index, or the value of a regression. 0 for rows that no fold holds out. A class without
/// training rows in a fold is left out of its machine; if only one class is left, it is the
/// prediction. Throws what train() throws.
[[nodiscard]] std::vector<double> held_out_predictions(const Dataset& data,
                                                       std::span<const Split> folds,
                                                       const TrainOptions& options,
                                                       Context& context,
                                                       const FoldListener& listener = {});

}  // namespace mercer::fit

// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/folds.hpp - the one loop over folds: machines that have not seen some of the rows.
//
// It is under cross-validation, selection, paths, and the links that training itself learns from
// rows held out; so it is here and not in search. A fold reads its rows where they lie. When there
// are at least two folds for each thread they run side by side, one thread each; else one after the
// other on all threads. What a fold finds has the same bits either way. A search runs the folds in
// many rounds, one for each of its candidates: a fold of a round may begin while others of the round
// before still run.
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

/// How the context's seed deals rows out.
struct Dealing {
    bool stratify = true;  ///< folds of classes keep their shares
    index_t repeat = 0;    ///< another division for each number
};

/// The seed of that division.
[[nodiscard]] index_t fold_seed(const Context& context, index_t repeat = 0);

/// The folds that the context's seed deals out. Throws InvalidArgument when there are more folds than
/// rows.
[[nodiscard]] std::vector<Split> seeded_folds(const Dataset& data, index_t folds,
                                              const Context& context, const Dealing& dealing = {});

/// The folds of rows that were dealt out to parts 0 .. parts - 1; a part without rows makes none.
[[nodiscard]] std::vector<Split> folds_of_parts(std::span<const index_t> part, index_t parts);

/// The rows of these numbers where they lie, with their targets, weights and queries.
[[nodiscard]] Dataset rows_at(const Dataset& data, std::span<const index_t> rows);

/// The one class of these rows with a weight > 0 (empty weights: all 1), 0 when there is no such
/// row; nothing when they are of several classes, so that a machine can be trained.
[[nodiscard]] std::optional<double> only_class(std::span<const double> targets,
                                               std::span<const double> weights);

/// A fold while it runs.
struct FoldRun {
    index_t number;  ///< from 0
    const Split& rows;
    Context& context;     ///< of its own thread when folds run side by side
    index_t cache_limit;  ///< bytes of kernel rows it may retain; 0: as the memory allows
    index_t round = 0;    ///< from 0

    /// The options for the rows of this fold: those asked for, within its share of the memory.
    [[nodiscard]] TrainOptions within_limit(TrainOptions options, const Dataset& seen) const;
    /// Bytes of kernel rows, when so many are asked for (0: as many as are worth it).
    [[nodiscard]] index_t cache_bytes(index_t asked, const GramCost& seen) const;
    /// Puts one value for each row held out where that row is.
    void put(std::span<const double> values, std::span<double> out) const;
};

/// How a loop over folds speaks of itself.
struct FoldTask {
    std::string_view name = "cross-validation";  ///< what was stopped, when it is
    bool tells_fold = false;  ///< an InvalidArgument says in which fold it was thrown
    index_t rounds = 1;       ///< times that all folds run
    /// A fold of a round begins when the same fold has ended so many rounds before: what it leaves
    /// behind is there, and no more than these and one more round are under way.
    index_t rounds_beside = 1;
};

/// Calls body() for each fold of each round, once. A body writes to places of its own fold and round
/// only. Throws what the first fold that throws does, whatever the number of threads, and
/// Interrupted when the context asks to stop. A fold that lacks memory beside others runs again on
/// its own.
void run_folds(std::span<const Split> folds, const FoldTask& task,
               const std::function<void(const FoldRun&)>& body, Context& context);

/// Told of the machine of each fold that has one, numbered from 0; by several threads at once when folds
/// run side by side.
using FoldListener = std::function<void(index_t fold, const TrainResult& result)>;

/// For each row held out the prediction of the machine trained on the other rows of its fold: the
/// class index, or the value of a regression. 0 for rows that no fold holds out. A class that the
/// training rows of a fold lack is left out of its machine; when only one class is left it is the
/// prediction. Throws what train() throws.
[[nodiscard]] std::vector<double> held_out_predictions(const Dataset& data,
                                                       std::span<const Split> folds,
                                                       const TrainOptions& options,
                                                       Context& context,
                                                       const FoldListener& listener = {});

}  // namespace mercer::fit

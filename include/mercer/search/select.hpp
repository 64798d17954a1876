// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/select.hpp - selection of hyperparameters by held-out rows, with grid refinement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Checkpoint;
class Context;

/// A hyperparameter and its values.
struct GridAxis {
    std::string name;  ///< C, lambda, alpha, or a hyperparameter of the kernel: gamma, length, ...
    std::vector<double> values;
};

/// `C=0.1,1,10` or `C=0.1:100:log10`, with steps `log10`, `log2`, `lin` and an optional count:
/// without one, a step is a factor 10, a factor 2, or 1. The ends are included.
[[nodiscard]] Result<GridAxis> parse_grid_axis(std::string_view text);

/// A hyperparameter that takes all values of an interval.
struct PathAxis {
    std::string name;    ///< C, epsilon or nu, if the machine has an exact path over it
    double from = kNaN;  ///< NaN: as for mercer path
    double to = kNaN;
};

/// `C` or `C=0.1:100`.
[[nodiscard]] Result<PathAxis> parse_path_axis(std::string_view text);

/// Training rows and held-out rows, by number.
struct GivenFold {
    std::vector<index_t> train;
    std::vector<index_t> test;
};

/// How rows are divided, in addition to the number of folds.
struct FoldChoices {
    index_t repeats = 1;             ///< divisions, each a new random one; their scores are pooled
    std::vector<index_t> groups{};   ///< a number for each row: rows with the same number stay in
                                     ///< one fold
    bool time_ordered = false;       ///< rows are ordered by time: train only on earlier rows
    std::vector<GivenFold> given{};  ///< use exactly these folds
};

enum class SearchKind : std::uint8_t {
    grid,     ///< every combination
    random,   ///< `draws` random points between the ends of each axis
    halving,  ///< successive halving: many on few rows, the best third on three times as many, ...
};

enum class SelectionRule : std::uint8_t {
    best,                ///< the best measure
    one_standard_error,  ///< the simplest within one standard error of the best
};

/// Which combinations are tried, and which is selected.
struct SearchChoices {
    SearchKind kind = SearchKind::grid;
    index_t draws = 0;  ///< of random and, if not 0, of halving
    SelectionRule rule = SelectionRule::best;
    index_t extensions = 0;  ///< at most this many values may be added beyond the edges of the grid
    Checkpoint* checkpoint =
        nullptr;  ///< not owned: stores the results of folds, and restores them
};

struct SelectOptions {
    TrainOptions train{};
    std::vector<GridAxis> grid{};    ///< every combination is tried, the last name varies fastest
    std::optional<PathAxis> path{};  ///< for each of them every value of this, by exact paths
    index_t folds = 5;
    bool leave_one_out = false;           ///< instead of folds
    std::optional<Dataset> validation{};  ///< instead of folds: held-out rows
    std::string metric{};                 ///< empty: accuracy for classes, rmse for numbers
    bool warm_start = true;  ///< each fold starts from its machine at the previous C, if the
                             ///< machine can: faster, and the same within the tolerance
    bool refit = true;       ///< train on all rows with the best hyperparameters
    FoldChoices division{};
    SearchChoices search{};
};

/// One combination and its measures, by name: `cv_accuracy`, `loo_rmse`, `validation_mae`, ...
struct SelectRow {
    std::vector<double> values;  ///< in the order of the grid; then the best value on the path
    std::vector<std::pair<std::string, double>> measures;
    double from = kNaN;  ///< of a path: all values from here to `to` are equally good
    double to = kNaN;
    bool complete = true;          ///< false: a path ended before the end of its range
    bool converged = true;         ///< false: a machine of a fold did not reach its tolerance
    std::vector<double> scores;    ///< of the deciding measure, by fold; empty: unknown
    double standard_error = kNaN;  ///< of the measure, from the scores
    index_t rows = 0;              ///< halving: rows used, in all folds; 0: all rows
};

/// A mean with its confidence interval.
struct MeanEstimate {
    double mean = kNaN;
    double standard_error = kNaN;  ///< corrected
    double lower = kNaN;           ///< of the interval with that level
    double upper = kNaN;
};

/// A paired comparison of two lists of fold scores.
struct PairedComparison {
    MeanEstimate difference;  ///< first minus second
    double p_value = kNaN;    ///< of no difference, two-sided; 1 if all scores are equal
};

/// The best combination compared with the next one, by fold scores.
struct RunnerUp {
    std::size_t row = 0;          ///< of the table
    PairedComparison comparison;  ///< best minus this one, in the units of the measure
};

struct SelectResult {
    std::vector<std::string> names;  ///< of the grid, then of the path
    std::vector<SelectRow> table;
    std::size_t best = 0;  ///< the selected row of the table; among equals the first
    std::size_t top = 0;   ///< the row with the best measure: equals `best` unless the rule selects
                           ///< another
    std::string measure;   ///< the deciding measure
    std::optional<RunnerUp> runner_up;
    double share = kNaN;             ///< held-out rows per training row; NaN: no folds
    bool one_decomposition = false;  ///< krr: the whole path came from one decomposition of K
    index_t unjudged = 0;            ///< combinations that a stop left out of the table
    std::optional<TrainResult> refit;
};

/// True if greater values of the measure are better.
[[nodiscard]] bool greater_is_better(std::string_view measure);

/// Tries every combination. The folds come from the context's seed, are stratified by class, and
/// are the same for every combination. krr over C, lambda or alpha takes one decomposition of K per
/// kernel instead of refits, and adds `gcv` and `log_likelihood` to the table. With a path the
/// measure is accuracy, or rmse and mse, and each row of the table is at its best value of the
/// continuum. A stop leaves the combinations evaluated so far and a final fit, of a few tenths of a
/// second, with the best of them; part of a time limit is reserved for it. Throws InvalidArgument
/// with the parameter, Interrupted if no combination was evaluated; otherwise what train() throws.
[[nodiscard]] SelectResult select_model(const Dataset& data, const SelectOptions& options,
                                        Context& context);

/// A hyperparameter with its best value at an end of its grid: a better one may lie beyond.
struct GridEdge {
    std::string name;
    double value = kNaN;
    bool greatest = false;  ///< false: it is the smallest
    double beyond = kNaN;   ///< the next value in that direction, by the step of the grid
};

/// The grid edges at which the best combination lies. A grid of one value has none.
[[nodiscard]] std::vector<GridEdge> edges_of_best(const SelectResult& result,
                                                  const std::vector<GridAxis>& grid);

/// A grid around the values: for each hyperparameter its neighbours in `grid` (beyond an edge the
/// next value by the step of the grid), and the two values half way to them. Half way is the
/// geometric mean if the steps of the grid are factors, and a whole number for `degree`.
[[nodiscard]] std::vector<GridAxis> grid_around(const std::vector<double>& values,
                                                const std::vector<GridAxis>& grid);

/// select_model(), followed by that many rounds on a grid around the best. The table has every
/// combination once, in the order of evaluation. A stop leaves the best of the last complete grid,
/// and counts the missing combinations.
[[nodiscard]] SelectResult select_refined(const Dataset& data, const SelectOptions& options,
                                          index_t rounds, Context& context);

/// The performance of a whole selection on rows used neither for training nor for the choice: the
/// measure of the best of many combinations is too optimistic, since it was chosen for it.
struct NestedResult {
    std::string measure;                       ///< without a prefix
    std::vector<double> scores;                ///< of the outer folds
    std::vector<std::vector<double>> choices;  ///< the values selected in each of them
    MeanEstimate estimate;                     ///< corrected_interval() of the scores, 95 %
};

/// Runs the selection, including refinements, in each of that many outer folds. Outer folds are
/// divided like the inner ones: stratified by class, by group, or by time. Throws InvalidArgument
/// for validation rows and given folds, and Interrupted if stopped: there is no estimate then.
[[nodiscard]] NestedResult nested_estimate(const Dataset& data, const SelectOptions& options,
                                           index_t outer, index_t rounds, Context& context);

}  // namespace mercer

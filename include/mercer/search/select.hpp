// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/select.hpp - the choice of constants by rows the machine did not see; finer grids.
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

/// One name and the values it runs through.
struct GridAxis {
    std::string name;  ///< C, lambda, alpha, or a parameter of the kernel: gamma, length, ...
    std::vector<double> values;
};

/// `C=0.1,1,10` or `C=0.1:100:log10`, with steps `log10`, `log2`, `lin` and an optional count:
/// without one, a step is a factor 10, a factor 2, or 1. Ends are included.
[[nodiscard]] Result<GridAxis> parse_grid_axis(std::string_view text);

/// A hyperparameter that takes all values between two.
struct PathAxis {
    std::string name;    ///< C, epsilon or nu, where the machine has an exact path over it
    double from = kNaN;  ///< NaN: as for mercer path
    double to = kNaN;
};

/// `C` or `C=0.1:100`.
[[nodiscard]] Result<PathAxis> parse_path_axis(std::string_view text);

/// Rows that train and rows that judge, by their numbers.
struct GivenFold {
    std::vector<index_t> train;
    std::vector<index_t> test;
};

/// How rows are divided, beside the number of folds.
struct FoldChoices {
    index_t repeats = 1;            ///< divisions, each dealt anew; their scores stand side by side
    std::vector<index_t> groups{};  ///< a number for each row: rows of one are never divided
    bool time_ordered = false;  ///< rows stand in the order of time: trained on what came before
    std::vector<GivenFold> given{};  ///< these folds, as they are
};

enum class SearchKind : std::uint8_t {
    grid,    ///< every combination
    random,  ///< so many draws between the ends of each axis
    halving,  ///< successive halving: many on few rows, the best third of them on three times as many
};

enum class SelectionRule : std::uint8_t {
    best,                ///< the best measure
    one_standard_error,  ///< the simplest within one standard error of the best
};

/// Which combinations are tried, and which is taken.
struct SearchChoices {
    SearchKind kind = SearchKind::grid;
    index_t draws = 0;  ///< of random and, when not 0, of halving
    SelectionRule rule = SelectionRule::best;
    index_t extensions = 0;  ///< so many values may be added beyond edges of the grid
    Checkpoint* checkpoint =
        nullptr;  ///< not owned: keeps what folds have found, and gives it back
};

struct SelectOptions {
    TrainOptions train{};
    std::vector<GridAxis> grid{};    ///< every combination is tried, the last name fastest
    std::optional<PathAxis> path{};  ///< and for each of them every value of this, by exact paths
    index_t folds = 5;
    bool leave_one_out = false;           ///< instead of folds
    std::optional<Dataset> validation{};  ///< instead of folds: rows to be judged by
    std::string metric{};                 ///< empty: accuracy for classes, rmse for numbers
    bool warm_start = true;  ///< each fold goes on from its machine at the C before, where the
                             ///< machine can: sooner done, and the same within the tolerance
    bool refit = true;       ///< train on all rows with the best constants
    FoldChoices division{};
    SearchChoices search{};
};

/// One combination and its measures, by name: `cv_accuracy`, `loo_rmse`, `validation_mae`, ...
struct SelectRow {
    std::vector<double> values;  ///< in the order of the grid; then the best value on the path
    std::vector<std::pair<std::string, double>> measures;
    double from = kNaN;  ///< of a path: from here to there all values are as good
    double to = kNaN;
    bool complete = true;          ///< false: a path ended before its range did
    bool converged = true;         ///< false: a machine of a fold did not reach its tolerance
    std::vector<double> scores;    ///< by the measure that decides, fold by fold; empty: not known
    double standard_error = kNaN;  ///< of the measure, by the scores
    index_t rows = 0;              ///< halving: rows it was judged on, folds and all; 0: all
};

/// A mean and how sure it is.
struct MeanEstimate {
    double mean = kNaN;
    double standard_error = kNaN;  ///< corrected
    double lower = kNaN;           ///< of the interval of that level
    double upper = kNaN;
};

/// Two lists of scores, fold by fold.
struct PairedComparison {
    MeanEstimate difference;  ///< of the first less the second
    double p_value = kNaN;    ///< of no difference, two-sided; 1 when all scores are equal
};

/// The best combination beside the next one, by the scores of the folds.
struct RunnerUp {
    std::size_t row = 0;          ///< of the table
    PairedComparison comparison;  ///< the best less this one; the sign of the measure
};

struct SelectResult {
    std::vector<std::string> names;  ///< of the grid, then of the path
    std::vector<SelectRow> table;
    std::size_t best = 0;  ///< row of the table that is taken; among equals the first
    std::size_t top = 0;   ///< row of the best measure: the same unless a rule says otherwise
    std::string measure;   ///< by which it is the best
    std::optional<RunnerUp> runner_up;
    double share = kNaN;             ///< rows held out for each training row; NaN: no folds
    bool one_decomposition = false;  ///< krr: the whole path came from one reduction of K
    index_t unjudged = 0;            ///< combinations that a stop left out of the table
    std::optional<TrainResult> refit;
};

/// True when greater values of the measure are better ones.
[[nodiscard]] bool greater_is_better(std::string_view measure);

/// Tries every combination. Folds are seeded by the context and stratified for classes, the same
/// for every combination. krr over C, lambda or alpha takes one reduction of K per kernel
/// instead of refits, and adds `gcv` and `log_likelihood` to the table. With a path the measure is
/// accuracy, or rmse and mse, and each row of the table is at its best value of the continuum.
/// A stop leaves the combinations judged so far, and a last fit with the best of them of a few
/// tenths of a second; some of a time limit is kept back for it.
/// Throws InvalidArgument naming the parameter, Interrupted when no combination was judged; what
/// train() throws otherwise.
[[nodiscard]] SelectResult select_model(const Dataset& data, const SelectOptions& options,
                                        Context& context);

/// A name whose best value is the least or the greatest of its grid: a better one may lie beyond.
struct GridEdge {
    std::string name;
    double value = kNaN;
    bool greatest = false;  ///< false: it is the least
    double beyond = kNaN;   ///< the next value in that direction, by the step of the grid
};

/// The edges that the best combination lies on. A grid of one value has none.
[[nodiscard]] std::vector<GridEdge> edges_of_best(const SelectResult& result,
                                                  const std::vector<GridAxis>& grid);

/// A grid around the values: of each name its neighbours in `grid` (beyond an edge the value that
/// follows by the step of the grid), and the two values half way to them. Half way is the geometric
/// mean where the grid's steps are factors, and a whole number for `degree`.
[[nodiscard]] std::vector<GridAxis> grid_around(const std::vector<double>& values,
                                                const std::vector<GridAxis>& grid);

/// select_model(), and then so many times again on a grid around the best. The table holds every
/// combination once, in the order of their trial. A stop leaves the best of the last grid that was
/// tried as a whole, and counts what it left out.
[[nodiscard]] SelectResult select_refined(const Dataset& data, const SelectOptions& options,
                                          index_t rounds, Context& context);

/// What a whole selection is worth on rows that neither trained nor chose: the measure of the best of
/// many combinations is too good, as it was chosen for it.
struct NestedResult {
    std::string measure;                       ///< without a prefix
    std::vector<double> scores;                ///< of the outer folds
    std::vector<std::vector<double>> choices;  ///< the values that each of them chose
    MeanEstimate estimate;                     ///< corrected_interval() of the scores, 95 %
};

/// The selection of the options in each of so many outer folds, refinements and all. Outer folds are
/// divided as the inner ones are: stratified for classes, whole groups, or in the order of time.
/// Throws InvalidArgument for validation rows and given folds, Interrupted when stopped: there is no
/// estimate then.
[[nodiscard]] NestedResult nested_estimate(const Dataset& data, const SelectOptions& options,
                                           index_t outer, index_t rounds, Context& context);

}  // namespace mercer

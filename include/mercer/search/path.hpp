// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/path.hpp - the solution for every value of a hyperparameter.
//
//     Path path = trace(data, {.machine = options, .over = "C", .from = 0.01, .to = 100}, context);
//     for (const PathKnot& knot : path.knots()) ...
//     TrainResult machine = path.at(3.7, context);      // with its certificate
//     std::vector<double> f = path.predict(rows, 3.7, context);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/solvers/solution_path.hpp"

namespace mercer {

class Context;

/// The options of `mercer path`.
struct PathOptions {
    TrainOptions machine{};  ///< without the hyperparameter that varies
    std::string over = "C";  ///< "C", "epsilon", "nu" or "weight"
    double from = kNaN;      ///< NaN: 0.01 (C, weight, nu), half the range of the targets (epsilon)
    double to = kNaN;        ///< NaN: 100 (C, weight), 0 (epsilon), the greatest feasible nu
    std::string weight_class{};  ///< over weight: of which class; default the second
};

/// The possible values of `over` for the machine; empty: it has no such path.
[[nodiscard]] std::vector<std::string> path_parameters(const std::string& model);

/// A validation measure along the path: its values where it changes, and where it is best. Where
/// the optimal intercept is not unique (no row is free) it is the measure of one of them.
struct PathScore {
    struct Point {
        double value = 0.0;  ///< of the hyperparameter, from here to the next point
        double score = 0.0;
    };
    std::string measure;        ///< "error" (share of wrong rows) or "rmse"
    std::vector<Point> points;  ///< ascending
    double best_value = kNaN;   ///< the middle of the best interval
    double best_score = kNaN;
    double best_from = kNaN;  ///< that interval
    double best_to = kNaN;
};

/// A path, and everything needed to obtain a machine at any point of it.
class Path {
public:
    Path(Dataset data, PathOptions options, SolutionPath solution);

    [[nodiscard]] const std::vector<PathKnot>& knots() const noexcept { return solution_.knots; }
    [[nodiscard]] const SolutionPath& solution() const noexcept { return solution_; }
    [[nodiscard]] const PathOptions& options() const noexcept { return options_; }
    [[nodiscard]] const Dataset& data() const noexcept { return data_; }

    /// The machine at a value, certified like a trained one. Throws InvalidArgument if the path
    /// does not reach it.
    [[nodiscard]] TrainResult at(double value, Context& context) const;

    /// The coefficients of the positive-weight rows at a value.
    [[nodiscard]] std::vector<double> coefficients(double value, Context& context) const;

    /// f + b of other rows at a value.
    [[nodiscard]] std::vector<double> predict(const Dataset& rows, double value,
                                              Context& context) const;

    std::optional<PathScore> score;  ///< on other rows, if requested

private:
    Dataset data_;
    PathOptions options_;
    SolutionPath solution_;
};

/// Traces the path. Throws InvalidArgument for a machine without such a path, more than two
/// classes, or if the varying hyperparameter is given. Not converging is not an error: the status
/// reports it.
[[nodiscard]] Path trace(const Dataset& data, const PathOptions& options, Context& context);

/// The same, with the score of other rows along the path.
[[nodiscard]] Path trace(const Dataset& data, const PathOptions& options, const Dataset& validation,
                         Context& context);

/// The same, with the cross-validated score: one path for each fold. No score if the context asked
/// to stop before all paths were traced.
[[nodiscard]] Path cross_validate(const Dataset& data, const PathOptions& options, index_t folds,
                                  Context& context);

/// Writes atomically. Throws ResourceError, and InvalidArgument for a kernel with matrices.
void save_path(const Path& path, const std::string& file_name, Files& files = system_files());

/// Reads and checks everything.
[[nodiscard]] Result<Path> load_path(const std::string& file_name, Context& context,
                                     Files& files = system_files());

}  // namespace mercer

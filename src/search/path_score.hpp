// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_score.hpp - the prediction error of other rows along a path.
//
// Between two events f(x) + b is linear in the hyperparameter. So the share of wrong rows is a step
// function with exactly known steps, and the mean square is a parabola on every interval: the best
// value is found among all values, not on a grid.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/fit/prepared.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/search/path.hpp"
#include "mercer/solvers/path.hpp"

namespace mercer::search {

/// The summed loss on an interval of the hyperparameter: a parabola through three values, or a
/// constant.
struct LossPiece {
    double from = 0.0;
    double to = 0.0;
    double start = 0.0;
    double middle = 0.0;
    double end = 0.0;

    [[nodiscard]] double at(double value) const;
};

/// The summed loss along a path, ascending, and the total weight of its rows.
struct LossCurve {
    std::vector<LossPiece> pieces;
    double weight = 0.0;
};

/// Observes a path while it is traced.
class PathScorer {
public:
    /// `validation` has targets, with the same classes if there are classes.
    PathScorer(const fit::Prepared& prepared, const PathOptions& options, const Dataset& validation,
               Context& context);

    void add(const PathStretch& stretch);

    /// The observed losses.
    [[nodiscard]] LossCurve finish();

private:
    void evaluate();
    void walk(double from, double to, std::span<const double> f, std::span<const double> g);
    void walk_steps(double from, double to, std::span<const double> f, std::span<const double> g);

    Context& context_;
    bool classes_;
    std::vector<double> targets_;
    std::vector<double> weights_;
    Dataset rows_;
    std::unique_ptr<GramMatrix> gram_;
    index_t train_rows_;

    // Coefficients at the ends of intervals that are not yet evaluated, one column each.
    std::vector<double> columns_;
    std::vector<double> ends_;
    std::vector<double> intercepts_;
    std::vector<double> last_;  ///< f at the last evaluated end
    double last_end_ = kNaN;
    LossCurve curve_;
};

/// The score of one curve, or of several folds together on their common range.
[[nodiscard]] PathScore score_of(const std::vector<LossCurve>& curves, const PathOptions& options);

}  // namespace mercer::search

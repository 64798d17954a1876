// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_score.hpp - how well other rows are predicted along a path.
//
// On a stretch of the path f(x) + b is linear in the hyperparameter. So the share of wrong rows is
// a step function whose steps are known exactly, and the mean square is a parabola on every
// stretch: the best value is found over all values, not over a grid.
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

/// The summed loss along a path, ascending, and the weight of its rows.
struct LossCurve {
    std::vector<LossPiece> pieces;
    double weight = 0.0;
};

/// Watches a path being traced.
class PathScorer {
public:
    /// `validation` has targets, of the same classes where there are some.
    PathScorer(const fit::Prepared& prepared, const PathOptions& options, const Dataset& validation,
               Context& context);

    void add(const PathStretch& stretch);

    /// What was seen.
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

    // Coefficients at the ends of stretches that are not evaluated yet, one column each.
    std::vector<double> columns_;
    std::vector<double> ends_;
    std::vector<double> intercepts_;
    std::vector<double> last_;  ///< f at the last end that was evaluated
    double last_end_ = kNaN;
    LossCurve curve_;
};

/// The score of one curve, or of those of several folds together: where all of them are.
[[nodiscard]] PathScore score_of(const std::vector<LossCurve>& curves, const PathOptions& options);

}  // namespace mercer::search

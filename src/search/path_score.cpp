// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_score.cpp - step functions of the error, parabolas of the mean square, minima.
#include "search/path_score.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::search {

namespace {

// Ends of intervals that are evaluated together, with one pass over the kernel values.
constexpr index_t kTogether = 64;

/// The classes of the validation rows as -1 and +1, by the names in the training data.
std::vector<double> signs_of(const Dataset& validation, const std::vector<std::string>& labels) {
    std::vector<double> out;
    for (std::size_t i = 0; i < validation.targets.size(); ++i) {
        const std::string& name =
            validation.label_names[static_cast<std::size_t>(validation.targets[i])];
        const auto found = std::find(labels.begin(), labels.end(), name);
        if (found == labels.end()) {
            throw InvalidArgument(
                "validation", "",
                fmt::format("row {} is of class {}, which the training data lacks", i + 1, name));
        }
        out.push_back(found == labels.begin() ? -1.0 : 1.0);
    }
    return out;
}

}  // namespace

double LossPiece::at(double value) const {
    if (!(to > from) || (start == middle && middle == end)) {
        return end;  // a constant count, without the parabola's rounding
    }
    const double u = (value - from) / (to - from);
    return start * (1.0 - u) * (1.0 - 2.0 * u) + 4.0 * middle * u * (1.0 - u) +
           end * u * (2.0 * u - 1.0);
}

PathScorer::PathScorer(const fit::Prepared& prepared, const PathOptions& options,
                       const Dataset& validation, Context& context)
    : context_(context),
      classes_(is_classifier(options.machine.model)),
      train_rows_(prepared.rows.rows()) {
    if (is_machine(options.machine.model, MachineId::one_class)) {
        throw InvalidArgument("validation", "", "one-class has no targets to be compared with");
    }
    if (validation.rows() == 0 ||
        static_cast<index_t>(validation.targets.size()) != validation.rows()) {
        throw InvalidArgument("validation", "", "it needs rows with targets");
    }
    if (validation.columns() > prepared.rows.columns()) {
        throw InvalidArgument("validation", "",
                              fmt::format("it has {} columns, the training data {}",
                                          validation.columns(), prepared.rows.columns()));
    }
    targets_ = classes_ ? signs_of(validation, prepared.rows.label_names) : validation.targets;
    weights_ = validation.weights;
    weights_.resize(targets_.size(), 1.0);
    for (const double weight : weights_) {
        curve_.weight += weight;
    }
    rows_ = prepared.scaling ? prepared.scaling->apply(validation) : validation;
    gram_ = std::make_unique<GramMatrix>(prepared.kernel, rows_, prepared.rows, Precision::float64,
                                         context);
}

void PathScorer::add(const PathStretch& stretch) {
    const auto take = [this](double end, std::span<const double> beta, double intercept) {
        columns_.insert(columns_.end(), beta.begin(), beta.end());
        ends_.push_back(end);
        intercepts_.push_back(intercept);
    };
    if (ends_.empty() && last_.empty()) {
        take(stretch.from, stretch.start, stretch.start_intercept);
    }
    take(stretch.to, stretch.end, stretch.end_intercept);
    if (static_cast<index_t>(ends_.size()) >= kTogether) {
        evaluate();
    }
}

/// Computes f at all pending ends, and the loss between them.
void PathScorer::evaluate() {
    const auto count = static_cast<index_t>(ends_.size());
    const auto n = static_cast<index_t>(targets_.size());
    std::vector<double> wide(static_cast<std::size_t>(train_rows_ * count));
    for (index_t k = 0; k < count; ++k) {
        for (index_t i = 0; i < train_rows_; ++i) {
            wide[static_cast<std::size_t>(i * count + k)] =
                columns_[static_cast<std::size_t>(k * train_rows_ + i)];
        }
    }
    std::vector<double> f(static_cast<std::size_t>(n * count), 0.0);
    gram_->multiply(MatrixView<const double>(wide.data(), train_rows_, count),
                    MatrixView<double>(f.data(), n, count), context_);
    std::vector<double> now(static_cast<std::size_t>(n));
    for (index_t k = 0; k < count; ++k) {
        for (index_t i = 0; i < n; ++i) {
            now[static_cast<std::size_t>(i)] = f[static_cast<std::size_t>(i * count + k)] +
                                               intercepts_[static_cast<std::size_t>(k)];
        }
        const double end = ends_[static_cast<std::size_t>(k)];
        if (!last_.empty()) {
            const bool rises = end >= last_end_;
            walk(rises ? last_end_ : end, rises ? end : last_end_, rises ? last_ : now,
                 rises ? now : last_);
        }
        last_ = now;
        last_end_ = end;
    }
    columns_.clear();
    ends_.clear();
    intercepts_.clear();
}

/// The loss while f moves linearly from `f` to `g`, from < to.
void PathScorer::walk(double from, double to, std::span<const double> f,
                      std::span<const double> g) {
    if (classes_) {
        walk_steps(from, to, f, g);
        return;
    }
    LossPiece piece{from, to, 0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double a = f[i] - targets_[i];
        const double c = g[i] - targets_[i];
        const double b = 0.5 * (a + c);
        piece.start += weights_[i] * a * a;
        piece.middle += weights_[i] * b * b;
        piece.end += weights_[i] * c * c;
    }
    curve_.pieces.push_back(piece);
}

void PathScorer::walk_steps(double from, double to, std::span<const double> f,
                            std::span<const double> g) {
    std::vector<std::pair<double, double>> steps;
    double loss = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const bool before = (f[i] >= 0.0) == (targets_[i] > 0.0);
        const bool after = (g[i] >= 0.0) == (targets_[i] > 0.0);
        loss += before ? 0.0 : weights_[i];
        if (before != after) {
            const double part = std::clamp(f[i] / (f[i] - g[i]), 0.0, 1.0);
            steps.emplace_back(from + part * (to - from), before ? weights_[i] : -weights_[i]);
        }
    }
    std::sort(steps.begin(), steps.end());
    double begin = from;
    for (const auto& [place, step] : steps) {
        if (place > begin) {
            curve_.pieces.push_back({begin, place, loss, loss, loss});
            begin = place;
        }
        loss += step;
    }
    if (to > begin) {
        curve_.pieces.push_back({begin, to, loss, loss, loss});
    }
}

LossCurve PathScorer::finish() {
    if (!ends_.empty()) {
        evaluate();
    }
    std::stable_sort(curve_.pieces.begin(), curve_.pieces.end(),
                     [](const LossPiece& a, const LossPiece& b) { return a.from < b.from; });
    return std::move(curve_);
}

namespace {

/// The values at which some curve starts a new piece, where all curves are defined.
std::vector<double> common_knots(const std::vector<LossCurve>& curves) {
    double low = -kInfinity;
    double high = kInfinity;
    std::vector<double> knots;
    for (const LossCurve& curve : curves) {
        if (curve.pieces.empty()) {
            return {};
        }
        low = std::max(low, curve.pieces.front().from);
        high = std::min(high, curve.pieces.back().to);
        for (const LossPiece& piece : curve.pieces) {
            knots.push_back(piece.from);
            knots.push_back(piece.to);
        }
    }
    knots.erase(std::remove_if(knots.begin(), knots.end(),
                               [&](double knot) { return knot < low || knot > high; }),
                knots.end());
    std::sort(knots.begin(), knots.end());
    knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
    return knots;
}

/// An interval with its least summed loss, and where it is attained.
struct Stretch {
    double from = 0.0;
    double to = 0.0;
    double best = 0.0;  ///< where the loss is least, if that is one point
    double loss = 0.0;
    double start = 0.0;
};

Stretch stretch_between(const std::vector<LossCurve>& curves, std::vector<std::size_t>& places,
                        double from, double to) {
    LossPiece sum{from, to, 0.0, 0.0, 0.0};
    const double middle = 0.5 * (from + to);
    for (std::size_t c = 0; c < curves.size(); ++c) {
        const std::vector<LossPiece>& pieces = curves[c].pieces;
        while (places[c] + 1 < pieces.size() && pieces[places[c]].to <= from) {
            ++places[c];
        }
        const LossPiece& piece = pieces[places[c]];
        sum.start += piece.at(from);
        sum.middle += piece.at(middle);
        sum.end += piece.at(to);
    }
    Stretch out{from, to, from, sum.start, sum.start};
    if (sum.end < out.loss) {
        out.best = to;
        out.loss = sum.end;
    }
    const double curvature = 2.0 * (sum.start - 2.0 * sum.middle + sum.end);
    const double least =
        curvature > 0.0 ? 0.25 * (3.0 * sum.start - 4.0 * sum.middle + sum.end) / (0.5 * curvature)
                        : -1.0;
    if (least > 0.0 && least < 1.0) {
        const double place = from + least * (to - from);
        if (sum.at(place) < out.loss) {
            out.best = place;
            out.loss = std::max(0.0, sum.at(place));
        }
    }
    return out;
}

}  // namespace

PathScore score_of(const std::vector<LossCurve>& curves, const PathOptions& options) {
    const bool classes = is_classifier(options.machine.model);
    const std::vector<double> knots = common_knots(curves);
    PathScore score;
    score.measure = classes ? "error" : "rmse";
    double weight = 0.0;
    for (const LossCurve& curve : curves) {
        weight += curve.weight;
    }
    const auto measured = [&](double loss) {
        return classes ? loss / weight : std::sqrt(std::max(0.0, loss) / weight);
    };
    const bool multiplicative = options.over == "C" || options.over == "weight";
    const auto length = [&](double from, double to) {
        return multiplicative ? std::log(to / from) : to - from;
    };
    std::vector<std::size_t> places(curves.size(), 0);
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
        const Stretch stretch = stretch_between(curves, places, knots[k], knots[k + 1]);
        const double value = measured(stretch.loss);
        if (!classes || score.points.empty() || score.points.back().score != value) {
            score.points.push_back({stretch.from, measured(stretch.start)});
        }
        // The count is constant from the last point to here.
        const double from = classes ? score.points.back().value : stretch.best;
        const double to = classes ? stretch.to : stretch.best;
        if (std::isnan(score.best_score) || value < score.best_score ||
            (value == score.best_score &&
             length(from, to) > length(score.best_from, score.best_to))) {
            score.best_score = value;
            score.best_from = from;
            score.best_to = to;
        }
    }
    score.best_value = multiplicative ? std::sqrt(score.best_from * score.best_to)
                                      : 0.5 * (score.best_from + score.best_to);
    return score;
}

}  // namespace mercer::search

// SPDX-License-Identifier: Apache-2.0
//
// src/report/measure_rows.cpp - the measures of one set of rows, with their intervals.
//
// The values come from evaluate_*(); only intervals, curves and counts are computed here.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "mercer/data/labels.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/report/intervals.hpp"
#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer::report {

namespace {

constexpr int kBins = 36;
constexpr index_t kPairs = 500;         // points of a scatter plot
constexpr std::size_t kMostCurves = 7;  // one for each colour

BootstrapOptions bootstrap_of(index_t rows, const ReportOptions& options, const Context& context) {
    constexpr index_t kMostDraws = 20'000'000;
    const index_t samples = std::min(options.samples, kMostDraws / std::max<index_t>(1, rows));
    return {std::max<index_t>(200, samples), options.level, context.seed()};
}

void set_interval(MeasuredValue& estimate, const Interval& interval, const char* method) {
    estimate.low = interval.lower;
    estimate.high = interval.upper;
    estimate.method = std::isnan(interval.lower) ? "" : method;
}

/// Measures of resampled rows with known classes, from values computed once for each row.
class ClassSample {
public:
    ClassSample(const Model& model, const std::vector<double>& targets,
                const std::vector<double>& decisions)
        : classes_(model.labels.size()),
          targets_(targets),
          predicted_(predict_classes(model, decisions)),
          decisions_(decisions),
          two_(model.labels.size() == 2 && model.outputs() == 1) {
        if (two_) {
            order_.resize(targets.size());
            std::iota(order_.begin(), order_.end(), std::size_t{0});
            std::sort(order_.begin(), order_.end(),
                      [&](std::size_t a, std::size_t b) { return decisions[a] < decisions[b]; });
        }
        if (model.link.gives_probabilities()) {
            add_probabilities(class_probabilities(model, decisions));
        }
    }

    /// balanced_accuracy, auc, log_loss, brier, mean distance between class indices.
    [[nodiscard]] std::vector<double> measures(std::span<const index_t> counts) const {
        std::vector<double> rows(classes_, 0.0);
        std::vector<double> found(classes_, 0.0);
        double logarithms = 0.0;
        double squares = 0.0;
        double ranks = 0.0;
        double all = 0.0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto count = static_cast<double>(counts[i]);
            const auto truth = static_cast<std::size_t>(targets_[i]);
            const auto said = static_cast<std::size_t>(predicted_[i]);
            rows[truth] += count;
            found[truth] += truth == said ? count : 0.0;
            ranks += count * std::abs(static_cast<double>(said) - targets_[i]);
            all += count;
            if (!logarithms_.empty()) {
                logarithms += count * logarithms_[i];
                squares += count * squares_[i];
            }
        }
        double recalls = 0.0;
        double present = 0.0;
        for (std::size_t c = 0; c < classes_; ++c) {
            recalls += rows[c] > 0.0 ? found[c] / rows[c] : 0.0;
            present += rows[c] > 0.0 ? 1.0 : 0.0;
        }
        const bool probabilities = !logarithms_.empty();
        return {recalls / present, two_ ? area(counts) : kNaN,
                probabilities ? logarithms / all : kNaN, probabilities ? squares / all : kNaN,
                ranks / all};
    }

private:
    void add_probabilities(const std::vector<double>& p) {
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            const auto truth = static_cast<std::size_t>(targets_[i]);
            logarithms_.push_back(
                -std::log(std::max(p[i * classes_ + truth], std::numeric_limits<double>::min())));
            double sum = 0.0;
            for (std::size_t c = classes_ == 2 ? 1 : 0; c < classes_; ++c) {
                const double error = p[i * classes_ + c] - (c == truth ? 1.0 : 0.0);
                sum += error * error;
            }
            squares_.push_back(sum);
        }
    }

    /// Pairs in the right order, ties counting half, over all pairs of the two classes.
    [[nodiscard]] double area(std::span<const index_t> counts) const {
        double below = 0.0;  // rows of the first class seen so far
        double ordered = 0.0;
        double positives = 0.0;
        for (std::size_t begin = 0; begin < order_.size();) {
            double first = 0.0;
            double second = 0.0;
            std::size_t end = begin;
            for (; end < order_.size() && decisions_[order_[end]] == decisions_[order_[begin]];
                 ++end) {
                (targets_[order_[end]] > 0.5 ? second : first) +=
                    static_cast<double>(counts[order_[end]]);
            }
            ordered += second * (below + 0.5 * first);
            below += first;
            positives += second;
            begin = end;
        }
        return positives > 0.0 && below > 0.0 ? ordered / (positives * below) : kNaN;
    }

    std::size_t classes_;
    const std::vector<double>& targets_;
    std::vector<index_t> predicted_;
    const std::vector<double>& decisions_;
    bool two_;
    std::vector<std::size_t> order_;
    std::vector<double> logarithms_;
    std::vector<double> squares_;
};

void measure_classes(const Model& model, const Dataset& rows, const std::vector<double>& decisions,
                     const ReportOptions& options, ReportRows& out, Context& context) {
    const ClassificationReport report = evaluate_classes(model, rows, context);
    out.confusion = report.confusion;
    index_t hits = 0;
    for (std::size_t c = 0; c < report.confusion.size(); ++c) {
        hits += report.confusion[c][c];
    }
    out.measures.push_back({.name = "accuracy", .value = report.accuracy});
    set_interval(out.measures.back(), exact_interval(hits, report.rows, options.level), "exact");
    const ClassSample sample(model, rows.targets, decisions);
    const std::vector<Interval> intervals = bootstrap_intervals(
        rows.rows(), [&](std::span<const index_t> counts) { return sample.measures(counts); },
        bootstrap_of(rows.rows(), options, context));
    const std::vector<std::pair<const char*, double>> named{
        {"balanced_accuracy", report.balanced_accuracy},
        {"auc", report.auc},
        {"log_loss", report.log_loss},
        {"brier", report.brier},
        {"mae", report.rank_error}};
    for (std::size_t m = 0; m < named.size() && !intervals.empty(); ++m) {
        if (!std::isnan(named[m].second)) {
            out.measures.push_back({.name = named[m].first, .value = named[m].second});
            set_interval(out.measures.back(), intervals[m], "bootstrap");
        }
    }
}

/// Curves of each class against the others; with two classes that of the second.
void add_curves(const Model& model, const Dataset& rows, const std::vector<double>& decisions,
                ReportRows& out) {
    if (model.is_ordinal()) {
        return;
    }
    const std::size_t k = model.labels.size();
    const std::vector<double> scores =
        k == 2 ? std::vector<double>{} : class_scores(model, decisions);
    for (std::size_t c = k == 2 ? 1 : 0; c < k; ++c) {
        std::vector<double> own;
        std::vector<bool> truth;
        for (std::size_t i = 0; i < rows.targets.size(); ++i) {
            own.push_back(k == 2 ? decisions[i] : scores[i * k + c]);
            truth.push_back(rows.targets[i] == static_cast<double>(c));
        }
        ClassCurve curve = class_curve(own, truth);
        curve.name = model.labels[c];
        out.curves.push_back(std::move(curve));
    }
    // With many classes all have their areas; the most difficult ones are drawn.
    if (out.curves.size() > kMostCurves) {
        std::stable_sort(out.curves.begin(), out.curves.end(),
                         [](const ClassCurve& a, const ClassCurve& b) { return a.auc < b.auc; });
        for (std::size_t c = kMostCurves; c < out.curves.size(); ++c) {
            out.curves[c].roc.clear();
            out.curves[c].recall.clear();
        }
    }
}

void add_calibration(const Model& model, const Dataset& rows, const std::vector<double>& decisions,
                     double level, ReportRows& out) {
    if (!model.link.gives_probabilities()) {
        return;
    }
    const std::size_t k = model.labels.size();
    const std::vector<double> p = class_probabilities(model, decisions);
    const std::vector<index_t> most = most_probable_classes(model, p);
    std::vector<double> probabilities;
    std::vector<bool> truth;
    for (std::size_t i = 0; i < rows.targets.size(); ++i) {
        const std::size_t c = k == 2 ? 1 : static_cast<std::size_t>(most[i]);
        probabilities.push_back(p[i * k + c]);
        truth.push_back(rows.targets[i] == static_cast<double>(c));
    }
    out.calibrated = k == 2 ? "class " + model.labels[1] : "the most probable class";
    out.calibration = calibration_of(probabilities, truth, level);
}

void measure_values(const Model& model, const Dataset& rows, const std::vector<double>& values,
                    const ReportOptions& options, ReportRows& out, Context& context) {
    const RegressionReport report = evaluate_values(model, rows, context);
    out.measures = {{.name = "rmse", .value = report.rmse},
                    {.name = "mae", .value = report.mae},
                    {.name = "r2", .value = report.r2},
                    {.name = "max_error", .value = report.max_error}};
    if (model.outputs() != 1) {
        return;
    }
    const auto measure = [&](std::span<const index_t> counts) -> std::vector<double> {
        double all = 0.0;
        double sum = 0.0;
        double squares = 0.0;
        double absolutes = 0.0;
        double target_squares = 0.0;
        const double shift = rows.targets.front();  // reduces cancellation
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const auto count = static_cast<double>(counts[i]);
            const double error = std::abs(rows.targets[i] - values[i]);
            const double target = rows.targets[i] - shift;
            all += count;
            sum += count * target;
            squares += count * error * error;
            absolutes += count * error;
            target_squares += count * target * target;
        }
        const double total = target_squares - sum * sum / all;
        return {std::sqrt(squares / all), absolutes / all,
                total > 0.0 ? 1.0 - squares / total : kNaN};
    };
    const std::vector<Interval> intervals =
        bootstrap_intervals(rows.rows(), measure, bootstrap_of(rows.rows(), options, context));
    for (std::size_t m = 0; m < intervals.size(); ++m) {
        set_interval(out.measures[m], intervals[m], "bootstrap");
    }
}

/// Pairs of a query with different targets, and the number in order minus the number reversed.
struct QueryPairs {
    double pairs = 0.0;
    double difference = 0.0;
};

std::vector<QueryPairs> pairs_by_query(const Dataset& rows, const std::vector<double>& values) {
    std::map<index_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < rows.queries.size(); ++i) {
        members[rows.queries[i]].push_back(i);
    }
    std::vector<QueryPairs> out;
    for (const auto& [query, own] : members) {
        QueryPairs sums;
        for (const std::size_t i : own) {
            for (const std::size_t k : own) {
                if (rows.targets[i] > rows.targets[k]) {
                    sums.pairs += 1.0;
                    sums.difference += values[i] > values[k]   ? 1.0
                                       : values[i] < values[k] ? -1.0
                                                               : 0.0;
                }
            }
        }
        out.push_back(sums);
    }
    return out;
}

/// The bootstrap draws queries: rows of one query are not independent of each other.
void measure_order(const Model& model, const Dataset& rows, const std::vector<double>& values,
                   const ReportOptions& options, ReportRows& out, Context& context) {
    const RankingReport report = evaluate_ranking(model, rows, context);
    out.measures = {{.name = "pair_accuracy", .value = report.pair_accuracy},
                    {.name = "kendall_tau", .value = report.kendall_tau}};
    const std::vector<QueryPairs> queries = pairs_by_query(rows, values);
    if (queries.size() < 2) {
        return;
    }
    const auto measure = [&](std::span<const index_t> counts) -> std::vector<double> {
        QueryPairs sums;
        for (std::size_t q = 0; q < counts.size(); ++q) {
            sums.pairs += static_cast<double>(counts[q]) * queries[q].pairs;
            sums.difference += static_cast<double>(counts[q]) * queries[q].difference;
        }
        const double tau = sums.pairs > 0.0 ? sums.difference / sums.pairs : kNaN;
        return {0.5 * (1.0 + tau), tau};
    };
    const auto count = static_cast<index_t>(queries.size());
    const std::vector<Interval> intervals =
        bootstrap_intervals(count, measure, bootstrap_of(count, options, context));
    for (std::size_t m = 0; m < intervals.size(); ++m) {
        set_interval(out.measures[m], intervals[m], "bootstrap");
    }
}

/// For a one-class machine, or without known targets: the number of rows in each class.
void measure_shares(const Model& model, const std::vector<double>& decisions,
                    const ReportOptions& options, ReportRows& out) {
    const std::vector<index_t> classes = predict_classes(model, decisions);
    const auto inside = std::count(classes.begin(), classes.end(), 1);
    out.measures.push_back({.name = "share_inside",
                            .value = static_cast<double>(inside) /
                                     static_cast<double>(std::max<index_t>(1, out.rows))});
    set_interval(out.measures.back(), exact_interval(inside, out.rows, options.level), "exact");
}

std::vector<std::string> class_names(const Model& model, const Dataset& rows) {
    std::vector<std::string> out;
    for (const double target : rows.targets) {
        out.push_back(model.labels[static_cast<std::size_t>(target)]);
    }
    return out;
}

}  // namespace

std::string task_of(const Model& model) {
    return model.machine == kOneClass ? kOneClass
           : model.is_ranking()       ? "ranking"
           : model.is_ordinal()       ? "ordinal"
           : model.labels.empty()     ? "regression"
           : model.labels.size() == 2 ? "two-class"
                                      : "many-class";
}

bool has_targets(const Model& model, const Dataset& rows) {
    if (rows.rows() == 0 || rows.targets.empty()) {
        return false;
    }
    return model.labels.empty() || std::all_of(rows.targets.begin(), rows.targets.end(),
                                               [](double target) { return target >= 0.0; });
}

std::string score_name(const Model& model, bool targets) {
    if (!targets || model.machine == kOneClass || model.is_ranking()) {
        return "f(x)";
    }
    return model.labels.empty()        ? "residual y − f(x)"
           : model.is_ordinal()        ? "distance to the nearest threshold"
           : model.labels.size() == 2  ? "margin y f(x)"
           : model.multiclass == "ovo" ? "votes of the true class less the best other"
                                       : "value of the true class less the best other";
}

std::vector<double> row_scores(const Model& model, const Dataset& rows,
                               const std::vector<double>& decisions) {
    if (!has_targets(model, rows) || model.machine == kOneClass || model.is_ranking()) {
        return decisions;
    }
    const std::size_t k = model.labels.size();
    const bool many = k > 2 && !model.is_ordinal();
    const std::vector<double> scores =
        many ? class_scores(model, decisions) : std::vector<double>{};
    const auto outputs = static_cast<std::size_t>(model.outputs());
    std::vector<double> out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
        const double target = rows.targets[i * (model.labels.empty() ? outputs : 1)];
        const auto truth = static_cast<std::size_t>(std::max(0.0, target));
        if (model.labels.empty()) {
            out.push_back(target - decisions[i * outputs]);
        } else if (model.is_ordinal()) {
            const double below = truth == 0 ? -kInfinity : model.thresholds[truth - 1];
            const double above = truth + 1 == k ? kInfinity : model.thresholds[truth];
            out.push_back(std::min(decisions[i] - below, above - decisions[i]));
        } else if (many) {
            double other = -kInfinity;
            for (std::size_t c = 0; c < k; ++c) {
                other = c == truth ? other : std::max(other, scores[i * k + c]);
            }
            out.push_back(scores[i * k + truth] - other);
        } else {
            out.push_back(truth == 1 ? decisions[i] : -decisions[i]);
        }
    }
    return out;
}

ReportRows measure_rows(const Model& model, const Dataset& rows, const std::string& name,
                        const ReportOptions& options, Context& context) {
    ReportRows out{.name = name, .rows = rows.rows()};
    if (rows.rows() == 0) {
        return out;
    }
    const std::vector<double> decisions = decision_function(model, rows, context);
    const bool known = has_targets(model, rows);
    std::vector<std::string> classes;
    if (model.machine == kOneClass) {
        measure_shares(model, decisions, options, out);
    }
    if (!model.labels.empty() && known) {
        measure_classes(model, rows, decisions, options, out, context);
        add_curves(model, rows, decisions, out);
        add_calibration(model, rows, decisions, options.level, out);
        classes = class_names(model, rows);
    } else if (known && model.is_ranking()) {
        measure_order(model, rows, decisions, options, out, context);
    } else if (known) {
        measure_values(model, rows, decisions, options, out, context);
    }
    const bool by_class = model.labels.size() == 2 && !classes.empty();
    out.histogram = histogram_of(row_scores(model, rows, decisions),
                                 by_class ? classes : std::vector<std::string>{}, kBins);
    out.histogram.label = score_name(model, known);
    if (known && model.labels.empty()) {
        const auto outputs = static_cast<std::size_t>(model.outputs());
        for (const index_t i : some_of(rows.rows(), kPairs, context)) {
            const std::size_t at = static_cast<std::size_t>(i) * outputs;
            out.pairs.emplace_back(decisions[at], rows.targets[at]);
        }
    }
    return out;
}

}  // namespace mercer::report

// SPDX-License-Identifier: Apache-2.0
//
// src/models/evaluate.cpp - measures of predictions against known targets.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/models/predict.hpp"

namespace mercer {

namespace {

/// The probability that a row of class 1 has a greater value than a row of class 0; ties count
/// half. Computed from the sum of ranks (Mann and Whitney). NaN unless both classes occur.
double area_under_curve(const std::vector<double>& values, const std::vector<double>& classes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes[i] >= 0.0) {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    double positives = 0.0;
    double rank_sum = 0.0;
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        double tied_positives = 0.0;
        for (; end < order.size() && values[order[end]] == values[order[begin]]; ++end) {
            tied_positives += classes[order[end]];
        }
        // Tied values share the ranks begin + 1 .. end.
        rank_sum += tied_positives * 0.5 * static_cast<double>(begin + 1 + end);
        positives += tied_positives;
        begin = end;
    }
    const double negatives = static_cast<double>(order.size()) - positives;
    return (rank_sum - 0.5 * positives * (positives + 1.0)) / (positives * negatives);
}

/// 1 - residual / total sum of squares of one output. For a constant target 1 if it is predicted
/// exactly, otherwise 0, as in scikit-learn.
double determination(const std::vector<double>& targets, const std::vector<double>& values,
                     std::size_t output, std::size_t outputs) {
    double sum = 0.0;
    for (std::size_t i = output; i < targets.size(); i += outputs) {
        sum += targets[i];
    }
    const double mean = sum * static_cast<double>(outputs) / static_cast<double>(targets.size());
    double residual = 0.0;
    double total = 0.0;
    for (std::size_t i = output; i < targets.size(); i += outputs) {
        residual += (targets[i] - values[i]) * (targets[i] - values[i]);
        total += (targets[i] - mean) * (targets[i] - mean);
    }
    if (total == 0.0) {
        return residual == 0.0 ? 1.0 : 0.0;
    }
    return 1.0 - residual / total;
}

/// Over the rows with a class that the model knows.
void measure_probabilities(const std::vector<double>& p, const std::vector<double>& classes,
                           ClassificationReport& report) {
    const std::size_t k = report.confusion.size();
    double logarithms = 0.0;
    double squares = 0.0;
    double known = 0.0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes[i] < 0.0) {
            continue;
        }
        const auto truth = static_cast<std::size_t>(classes[i]);
        known += 1.0;
        // Single probabilities are bounded away from 0, but the product of many may still
        // underflow.
        logarithms -= std::log(std::max(p[i * k + truth], std::numeric_limits<double>::min()));
        for (std::size_t c = k == 2 ? 1 : 0; c < k; ++c) {
            const double error = p[i * k + c] - (c == truth ? 1.0 : 0.0);
            squares += error * error;
        }
    }
    report.log_loss = logarithms / known;
    report.brier = squares / known;
}

/// Counts the values below a given rank while values are added.
class RankCounts {
public:
    explicit RankCounts(std::size_t places) : counts_(places + 1, 0) {}

    void add(std::size_t place) {
        for (std::size_t i = place + 1; i < counts_.size(); i += i & (~i + 1)) {
            ++counts_[i];
        }
    }
    /// How many values were added at ranks < `place`.
    [[nodiscard]] index_t below(std::size_t place) const {
        index_t sum = 0;
        for (std::size_t i = place; i > 0; i -= i & (~i + 1)) {
            sum += counts_[i];
        }
        return sum;
    }

private:
    std::vector<index_t> counts_;  ///< a Fenwick tree
};

/// Counts the pairs of one query, given its rows in any order.
void count_pairs(std::vector<std::pair<double, double>> targets_and_values, RankingReport& report) {
    std::sort(targets_and_values.begin(), targets_and_values.end());
    std::vector<double> values;
    for (const auto& [target, value] : targets_and_values) {
        values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto place = [&values](double value) {
        return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) -
                                        values.begin());
    };
    RankCounts seen(values.size());
    const std::size_t n = targets_and_values.size();
    for (std::size_t begin = 0; begin < n;) {
        std::size_t end = begin;
        for (; end < n && targets_and_values[end].first == targets_and_values[begin].first; ++end) {
            const std::size_t own = place(targets_and_values[end].second);
            const auto lower = static_cast<index_t>(begin);  // rows with lower targets
            report.pairs += lower;
            report.concordant += seen.below(own);
            report.discordant += lower - seen.below(own + 1);
        }
        for (; begin < end; ++begin) {
            seen.add(place(targets_and_values[begin].second));
        }
    }
}

void require_targets(const Dataset& rows, index_t outputs) {
    const index_t wanted = checked_multiply(rows.rows(), outputs);
    if (static_cast<index_t>(rows.targets.size()) != wanted) {
        throw InvalidArgument(
            fmt::format("targets: got {}, must be {}", rows.targets.size(), wanted));
    }
}

}  // namespace

double balanced_accuracy(const std::vector<std::vector<index_t>>& confusion) {
    double sum = 0.0;
    double present = 0.0;
    for (std::size_t c = 0; c < confusion.size(); ++c) {
        const index_t rows = std::accumulate(confusion[c].begin(), confusion[c].end(), index_t{0});
        if (rows > 0) {
            sum += static_cast<double>(confusion[c][c]) / static_cast<double>(rows);
            present += 1.0;
        }
    }
    return sum / present;
}

ClassificationReport evaluate_classes(const PredictionRule& rule, const Dataset& rows,
                                      Context& context) {
    require_targets(rows, 1);
    return evaluate_classes(rule, rows, decision_function(rule, rows, context));
}

ClassificationReport evaluate_classes(const PredictionRule& rule, const Dataset& rows,
                                      const std::vector<double>& decisions) {
    require_targets(rows, 1);
    const std::vector<double> classes = align_classes(rows, rule.labels).targets;
    const std::vector<index_t> predicted = predict_classes(rule, decisions);
    ClassificationReport report;
    report.rows = rows.rows();
    report.confusion.assign(rule.labels.size(), std::vector<index_t>(rule.labels.size(), 0));
    index_t right = 0;
    index_t apart = 0;
    index_t known = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes[i] < 0.0) {  // a row with an unknown label counts as misclassified
            continue;
        }
        const auto truth = static_cast<std::size_t>(classes[i]);
        const auto guess = static_cast<std::size_t>(predicted[i]);
        ++report.confusion[truth][guess];
        right += truth == guess;
        apart += std::abs(predicted[i] - static_cast<index_t>(truth));
        ++known;
    }
    report.accuracy = static_cast<double>(right) / static_cast<double>(report.rows);
    report.balanced_accuracy = mercer::balanced_accuracy(report.confusion);
    if (rule.is_ordinal()) {
        report.rank_error = static_cast<double>(apart) / static_cast<double>(known);
    }
    if (rule.labels.size() == 2) {
        report.auc = area_under_curve(decisions, classes);
    }
    if (rule.link.gives_probabilities()) {
        measure_probabilities(class_probabilities(rule, decisions), classes, report);
    }
    return report;
}

RegressionReport evaluate_values(const PredictionRule& rule, const Dataset& rows,
                                 Context& context) {
    require_targets(rows, rule.outputs());
    return evaluate_values(rule, rows, decision_function(rule, rows, context));
}

RegressionReport evaluate_values(const PredictionRule& rule, const Dataset& rows,
                                 const std::vector<double>& values) {
    require_targets(rows, rule.outputs());
    RegressionReport report;
    report.rows = rows.rows();
    if (report.rows == 0) {
        return report;
    }
    double squares = 0.0;
    double absolutes = 0.0;
    report.max_error = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double error = std::abs(values[i] - rows.targets[i]);
        squares += error * error;
        absolutes += error;
        report.max_error = std::max(report.max_error, error);
    }
    const auto count = static_cast<double>(values.size());
    report.rmse = std::sqrt(squares / count);
    report.mae = absolutes / count;
    const auto outputs = static_cast<std::size_t>(rule.outputs());
    double sum = 0.0;
    for (std::size_t t = 0; t < outputs; ++t) {
        sum += determination(rows.targets, values, t, outputs);
    }
    report.r2 = sum / static_cast<double>(outputs);
    return report;
}

RankingReport evaluate_ranking(const PredictionRule& rule, const Dataset& rows, Context& context) {
    require_targets(rows, 1);
    const std::vector<double> values = decision_function(rule, rows, context);
    std::map<index_t, std::vector<std::pair<double, double>>> queries;
    for (std::size_t i = 0; i < values.size(); ++i) {
        queries[rows.queries.empty() ? 0 : rows.queries[i]].emplace_back(rows.targets[i],
                                                                         values[i]);
    }
    RankingReport report;
    report.rows = rows.rows();
    report.queries = static_cast<index_t>(queries.size());
    for (auto& [query, members] : queries) {
        count_pairs(std::move(members), report);
    }
    const auto pairs = static_cast<double>(report.pairs);
    const auto difference = static_cast<double>(report.concordant - report.discordant);
    report.kendall_tau = difference / pairs;
    report.pair_accuracy = 0.5 * (1.0 + report.kendall_tau);
    return report;
}

}  // namespace mercer

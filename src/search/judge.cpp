// SPDX-License-Identifier: Apache-2.0
//
// src/search/judge.cpp - sums over parts, and what they make of all rows.
#include "search/judge.hpp"

#include <cmath>
#include <numeric>

#include "mercer/runtime/context.hpp"

namespace mercer::search {

PartReport report_of(const Model& model, const Dataset& rows, Context& context) {
    if (model.is_ranking()) {
        return {evaluate_ranking(model, rows, context), rows.targets};
    }
    if (model.labels.empty()) {
        return {evaluate_values(model, rows, context), rows.targets};
    }
    return {evaluate_classes(model, rows, context), rows.targets};
}

void Judge::add(const PartReport& part) {
    std::visit([&](const auto& report) { add(report, part.targets); }, part.report);
}

Measures Judge::measures(const std::string& prefix) const {
    std::vector<std::pair<std::string, double>> out;
    const auto put = [&](const char* name, double value) {
        out.emplace_back(prefix + name, value);
    };
    if (!confusion_.empty()) {
        put("accuracy", right_ / rows_);
        put("balanced_accuracy", mean_recall());
        put("auc", auc_ / rows_);
        if (!std::isnan(apart_)) {
            put("mae", apart_ / rows_);
        }
        return out;
    }
    if (ranks_) {
        put("pair_accuracy", 0.5 * (1.0 + ordered_ / pairs_));
        put("kendall_tau", ordered_ / pairs_);
        return out;
    }
    put("rmse", std::sqrt(squares_ / rows_));
    put("mse", squares_ / rows_);
    put("mae", absolutes_ / rows_);
    put("r2", 1.0 - squares_ / (target_squares_ - target_sum_ * target_sum_ / rows_));
    return out;
}

void Judge::add(const RegressionReport& report, const std::vector<double>& targets) {
    const auto count = static_cast<double>(report.rows);
    rows_ += count;
    squares_ += report.rmse * report.rmse * count;
    absolutes_ += report.mae * count;
    for (const double target : targets) {
        target_sum_ += target;
        target_squares_ += target * target;
    }
}

void Judge::add(const RankingReport& report, const std::vector<double>& /*targets*/) {
    ranks_ = true;
    pairs_ += static_cast<double>(report.pairs);
    ordered_ += static_cast<double>(report.concordant - report.discordant);
}

void Judge::add(const ClassificationReport& report, const std::vector<double>& /*targets*/) {
    const auto count = static_cast<double>(report.rows);
    apart_ += report.rank_error * count;
    rows_ += count;
    right_ += report.accuracy * count;
    auc_ += report.auc * count;
    confusion_.resize(report.confusion.size(), std::vector<index_t>(report.confusion.size(), 0));
    for (std::size_t i = 0; i < report.confusion.size(); ++i) {
        for (std::size_t j = 0; j < report.confusion.size(); ++j) {
            confusion_[i][j] += report.confusion[i][j];
        }
    }
}

double Judge::mean_recall() const {
    double sum = 0.0;
    double present = 0.0;
    for (std::size_t i = 0; i < confusion_.size(); ++i) {
        const index_t all = std::accumulate(confusion_[i].begin(), confusion_[i].end(), index_t{0});
        if (all > 0) {
            sum += static_cast<double>(confusion_[i][i]) / static_cast<double>(all);
            present += 1.0;
        }
    }
    return sum / present;
}

bool greater_is_better(std::string_view measure) {
    for (const std::string_view name : {"accuracy", "auc", "r2", "log_likelihood", "tau"}) {
        if (measure.ends_with(name)) {
            return true;
        }
    }
    return false;
}

double measure_of(const Measures& measures, const std::string& name) {
    for (const auto& [known, value] : measures) {
        if (known == name) {
            return value;
        }
    }
    return kNaN;
}

}  // namespace mercer::search

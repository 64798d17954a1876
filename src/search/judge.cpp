// SPDX-License-Identifier: Apache-2.0
//
// src/search/judge.cpp - sums over parts, and the measures computed from them.
#include "search/judge.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/models/class_pairs.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"

namespace mercer::search {

namespace {

PartSums sums_of(const RegressionReport& report, const std::vector<double>& targets) {
    PartSums out;
    out.rows = static_cast<double>(report.rows);
    out.squares = report.rmse * report.rmse * out.rows;
    out.absolutes = report.mae * out.rows;
    for (const double target : targets) {
        out.target_sum += target;
        out.target_squares += target * target;
    }
    return out;
}

PartSums sums_of(const RankingReport& report) {
    PartSums out;
    out.ranks = true;
    out.rows = static_cast<double>(report.rows);
    out.pairs = static_cast<double>(report.pairs);
    out.ordered = static_cast<double>(report.concordant - report.discordant);
    return out;
}

PartSums sums_of(const ClassificationReport& report) {
    PartSums out;
    out.rows = static_cast<double>(report.rows);
    out.apart = report.rank_error * out.rows;
    out.right = report.accuracy * out.rows;
    out.auc = report.auc * out.rows;
    out.confusion = report.confusion;
    return out;
}

}  // namespace

PartSums judge_model(const Model& model, const Dataset& rows, const HeldOut& held,
                     Context& context) {
    if (model.is_ranking()) {
        return sums_of(evaluate_ranking(model, rows, context));
    }
    std::vector<double> values;
    if (held.gram != nullptr) {
        std::vector<index_t> support;
        for (const index_t row : model.support_rows) {
            support.push_back(held.train[static_cast<std::size_t>(row)]);
        }
        values = decision_function(model, {*held.gram, support, held.rows}, context);
    } else {
        values = decision_function(model, rows, context);
    }
    return model.labels.empty() ? sums_of(evaluate_values(model, rows, values), rows.targets)
                                : sums_of(evaluate_classes(model, rows, values));
}

PartSums sums_of_residuals(std::span<const double> residuals, std::span<const double> targets) {
    PartSums out;
    out.rows = static_cast<double>(residuals.size());
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        out.squares += residuals[i] * residuals[i];
        out.absolutes += std::abs(residuals[i]);
        out.target_sum += targets[i];
        out.target_squares += targets[i] * targets[i];
    }
    return out;
}

void PartSums::add(const PartSums& other) {
    ranks = ranks || other.ranks;
    converged = converged && other.converged;
    rows += other.rows;
    squares += other.squares;
    absolutes += other.absolutes;
    target_sum += other.target_sum;
    target_squares += other.target_squares;
    right += other.right;
    auc += other.auc;
    apart += other.apart;
    pairs += other.pairs;
    ordered += other.ordered;
    confusion.resize(std::max(confusion.size(), other.confusion.size()),
                     std::vector<index_t>(other.confusion.size(), 0));
    for (std::size_t i = 0; i < other.confusion.size(); ++i) {
        for (std::size_t j = 0; j < other.confusion.size(); ++j) {
            confusion[i][j] += other.confusion[i][j];
        }
    }
}

Measures PartSums::measures(const std::string& prefix) const {
    std::vector<std::pair<std::string, double>> out;
    const auto put = [&](const char* name, double value) {
        out.emplace_back(prefix + name, value);
    };
    if (!confusion.empty()) {
        put("accuracy", right / rows);
        put("balanced_accuracy", balanced_accuracy(confusion));
        put("auc", auc / rows);
        if (!std::isnan(apart)) {
            put("mae", apart / rows);
        }
        return out;
    }
    if (ranks) {
        put("pair_accuracy", 0.5 * (1.0 + ordered / pairs));
        put("kendall_tau", ordered / pairs);
        return out;
    }
    put("rmse", std::sqrt(squares / rows));
    put("mse", squares / rows);
    put("mae", absolutes / rows);
    put("r2", 1.0 - squares / (target_squares - target_sum * target_sum / rows));
    return out;
}

std::string to_bytes(const PartSums& sums) {
    StateWriter out;
    out.number(static_cast<index_t>(sums.ranks));
    out.number(static_cast<index_t>(sums.converged));
    for (const double value :
         {sums.rows, sums.squares, sums.absolutes, sums.target_sum, sums.target_squares, sums.right,
          sums.auc, sums.apart, sums.pairs, sums.ordered}) {
        out.number(value);
    }
    std::vector<index_t> counts;
    for (const std::vector<index_t>& row : sums.confusion) {
        counts.insert(counts.end(), row.begin(), row.end());
    }
    out.number(static_cast<index_t>(sums.confusion.size()));
    out.array(counts);
    return out.take();
}

PartSums sums_from(std::string_view bytes) {
    StateReader in(bytes);
    PartSums sums;
    sums.ranks = in.integer(0, 1) == 1;
    sums.converged = in.integer(0, 1) == 1;
    for (double* value :
         {&sums.rows, &sums.squares, &sums.absolutes, &sums.target_sum, &sums.target_squares,
          &sums.right, &sums.auc, &sums.apart, &sums.pairs, &sums.ordered}) {
        *value = in.number<double>();
    }
    const index_t classes = in.integer(0, kMostClasses);
    const auto counts = in.array<index_t>(classes * classes);
    for (index_t c = 0; c < classes; ++c) {
        sums.confusion.emplace_back(counts.begin() + c * classes,
                                    counts.begin() + (c + 1) * classes);
    }
    StateReader::require(in.at_end());
    return sums;
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

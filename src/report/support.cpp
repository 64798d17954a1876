// SPDX-License-Identifier: Apache-2.0
//
// src/report/support.cpp - support rows, those at their bound, and the most difficult rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/data/labels.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/models/inliers.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer::report {

namespace {

constexpr std::size_t kHardest = 20;
constexpr index_t kShownColumns = 8;
constexpr double kAtBound = 1.0 - 1e-9;

/// The bound of a multiplier in units of the row's cost; infinite if there is none.
double multiplier_bound(const Model& model) {
    if (model.is_sparse() || model.is_comparison() || model.is_joint()) {
        return kInfinity;
    }
    return model.loss == "hinge" || model.loss == "epsilon" || model.loss == "absolute" ? 1.0
           : model.loss == "modified-huber"                                             ? 2.0
                                                                                        : kInfinity;
}

/// The coefficient of each support row that is largest in absolute value, with its sign.
std::vector<double> greatest_coefficients(const Model& model) {
    const std::vector<double> all = coefficients_by_output(model);
    const auto outputs = static_cast<std::size_t>(model.outputs());
    std::vector<double> out;
    for (std::size_t j = 0; j + outputs <= all.size(); j += outputs) {
        out.push_back(
            *std::max_element(all.begin() + static_cast<std::ptrdiff_t>(j),
                              all.begin() + static_cast<std::ptrdiff_t>(j + outputs),
                              [](double a, double b) { return std::abs(a) < std::abs(b); }));
    }
    return out;
}

/// Coefficient and bound of each training row.
struct TrainingRow {
    double coefficient = 0.0;
    bool bounded = false;
};

std::vector<TrainingRow> training_rows(const Model& model, const Dataset& data) {
    std::vector<TrainingRow> out(static_cast<std::size_t>(data.rows()));
    const std::vector<double> costs =
        row_costs(model, model.machine == kOneClass ? as_inliers(data) : data);
    const double bound = multiplier_bound(model);
    const std::vector<double> coefficients = greatest_coefficients(model);
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        const auto i = static_cast<std::size_t>(model.support_rows[j]);
        out[i].coefficient = coefficients[j];
        out[i].bounded =
            coefficients[j] != 0.0 && std::abs(coefficients[j]) >= bound * costs[i] * kAtBound;
    }
    return out;
}

std::string value_text(double value) { return fmt::format("{:.6g}", value); }

/// Indices of the rows with the smallest scores or the largest residuals, most difficult first.
std::vector<std::size_t> hardest_rows(const std::vector<double>& keys) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t kept = std::min(kHardest, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                      [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    order.resize(kept);
    return order;
}

void add_hardest(const Model& model, const Dataset& data, const std::vector<TrainingRow>& training,
                 Report& report, Context& context) {
    const std::vector<double> decisions = decision_function(model, data, context);
    const bool known = has_targets(model, data);
    const bool residuals = model.labels.empty() && known && !model.is_ranking();
    const auto outputs = static_cast<std::size_t>(model.outputs());
    const std::vector<double> scores = row_scores(model, data, decisions);
    const std::size_t stride = scores.size() / static_cast<std::size_t>(data.rows());
    std::vector<double> keys;
    for (std::size_t i = 0; i < scores.size(); i += stride) {
        keys.push_back(residuals ? -std::abs(scores[i]) : scores[i]);
    }
    const std::vector<index_t> classes =
        model.labels.empty() ? std::vector<index_t>{} : predict_classes(model, decisions);
    std::vector<double> row(static_cast<std::size_t>(data.columns()));
    for (const std::size_t i : hardest_rows(keys)) {
        HardRow hard{.row = static_cast<index_t>(i), .score = scores[i * stride]};
        if (known) {
            hard.target = model.labels.empty()
                              ? value_text(data.targets[i * outputs])
                              : model.labels[static_cast<std::size_t>(data.targets[i])];
        }
        hard.predicted = model.labels.empty() ? value_text(decisions[i * outputs])
                                              : model.labels[static_cast<std::size_t>(classes[i])];
        if (!training.empty()) {
            hard.coefficient = training[i].coefficient;
            hard.bounded = training[i].bounded;
        }
        data.copy_row(hard.row, row);
        hard.cells.assign(row.begin(), row.begin() + std::min(kShownColumns, data.columns()));
        report.hardest.push_back(std::move(hard));
    }
}

}  // namespace

std::string column_name(const Model& model, index_t column) {
    return model.names.empty() ? fmt::format("column {}", column + 1)
                               : model.names.features[static_cast<std::size_t>(column)];
}

void gather_support(const Model& model, const Dataset* data, Report& report, Context& context) {
    report.support = model.support.rows();
    report.margin = margin_width(model);
    const std::vector<index_t> counts =
        model.class_support.empty() ? support_by_class(model) : model.class_support;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        report.support_by_class.emplace_back(model.labels[c], counts[c]);
    }
    if (data == nullptr) {
        return;
    }
    std::vector<TrainingRow> training;
    const bool fits = model.machine == kOneClass || has_targets(model, *data);
    const bool on_rows = !model.on_columns && !model.is_comparison();
    const Dataset own = model.machine == kOneClass ? as_inliers(*data) : *data;
    if (fits && on_rows && is_training_data(model, own)) {
        training = training_rows(model, own);
        if (std::isfinite(multiplier_bound(model))) {
            report.bounded = std::count_if(training.begin(), training.end(),
                                           [](const TrainingRow& row) { return row.bounded; });
        }
    }
    report.score_name = score_name(model, has_targets(model, *data));
    for (index_t j = 0; j < std::min(kShownColumns, data->columns()); ++j) {
        report.shown_columns.push_back(column_name(model, j));
    }
    if (data->rows() > 0) {
        add_hardest(model, *data, training, report, context);
    }
}

}  // namespace mercer::report

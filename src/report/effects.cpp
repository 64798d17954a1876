// SPDX-License-Identifier: Apache-2.0
//
// src/report/effects.cpp - which columns matter: weights of linear machines, permutation
// importance.
//
// Method   Permutation importance (Breiman, 2001): how much worse a measure gets if the values of
//          one column are shuffled among the rows. Ten shuffles, and Student's interval of their
//          mean: it covers the variation of the shuffles, not of another sample of rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer::report {

namespace {

constexpr index_t kMostRows = 1000;
constexpr index_t kMostEffects = 400;
constexpr int kShuffles = 10;
constexpr double kStudent = 2.2621571628540993;  // 97.5 % of t with 9 degrees of freedom
constexpr double kMostValues = 4e9;              // kernel values, in total

constexpr std::uint64_t kShuffleStream = 0x73687566;

/// Some rows as dense numbers, with columns that can be shuffled.
class ShuffledRows {
public:
    ShuffledRows(const Dataset& rows, const std::vector<index_t>& chosen)
        : count_(static_cast<index_t>(chosen.size())),
          columns_(rows.columns()),
          cells_(static_cast<std::size_t>(count_ * columns_)) {
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto width = static_cast<std::size_t>(columns_);
            rows.copy_row(chosen[i], std::span<double>(cells_).subspan(i * width, width));
            targets_.push_back(rows.targets[static_cast<std::size_t>(chosen[i])]);
        }
        rows_ = Dataset(MatrixView<const double>(cells_.data(), count_, columns_));
    }
    ShuffledRows(const ShuffledRows&) = delete;
    ShuffledRows& operator=(const ShuffledRows&) = delete;

    [[nodiscard]] const Dataset& rows() const noexcept { return rows_; }
    [[nodiscard]] const std::vector<double>& targets() const noexcept { return targets_; }
    [[nodiscard]] std::vector<double> column(index_t j) const {
        std::vector<double> out;
        for (index_t i = 0; i < count_; ++i) {
            out.push_back(cells_[static_cast<std::size_t>(i * columns_ + j)]);
        }
        return out;
    }
    /// Row i gets the value of row order[i]; its own value if there is no order.
    void set_column(index_t j, const std::vector<double>& values,
                    const std::vector<index_t>& order) {
        for (index_t i = 0; i < count_; ++i) {
            const index_t from = order.empty() ? i : order[static_cast<std::size_t>(i)];
            cells_[static_cast<std::size_t>(i * columns_ + j)] =
                values[static_cast<std::size_t>(from)];
        }
    }

private:
    index_t count_;
    index_t columns_;
    std::vector<double> cells_;
    std::vector<double> targets_;
    Dataset rows_;
};

/// Accuracy of classes, root mean square error of numbers.
double measure_of(const Model& model, const Dataset& rows, const std::vector<double>& targets,
                  Context& context) {
    const std::vector<double> decisions = decision_function(model, rows, context);
    double sum = 0.0;
    if (!model.labels.empty()) {
        const std::vector<index_t> classes = predict_classes(model, decisions);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            sum += static_cast<double>(classes[i]) == targets[i] ? 1.0 : 0.0;
        }
        return sum / static_cast<double>(targets.size());
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        sum += (decisions[i] - targets[i]) * (decisions[i] - targets[i]);
    }
    return std::sqrt(sum / static_cast<double>(targets.size()));
}

std::string why_not_shuffled(const Model& model, const Dataset& rows) {
    return is_precomputed(model.kernel) ? "the rows are kernel values, not columns."
           : rows.columns() > kMostEffects
               ? fmt::format("the rows have {} columns, and {} is the limit.", rows.columns(),
                             kMostEffects)
               : "";
}

ColumnEffect effect_of(const std::vector<double>& losses) {
    const auto n = static_cast<double>(losses.size());
    double mean = 0.0;
    for (const double loss : losses) {
        mean += loss / n;
    }
    double squares = 0.0;
    for (const double loss : losses) {
        squares += (loss - mean) * (loss - mean);
    }
    const double half = kStudent * std::sqrt(squares / (n - 1.0) / n);
    return {"", mean, mean - half, mean + half};
}

}  // namespace

void gather_weights(const Model& model, Report& report, Context& context) {
    constexpr index_t kMost = 2000;
    if (to_string(model.kernel) != "linear" || model.outputs() != 1 || model.columns > kMost) {
        return;
    }
    // f of the zero row and of each unit row give the weights in the units of the data.
    std::vector<double> rows(static_cast<std::size_t>((model.columns + 1) * model.columns), 0.0);
    for (index_t j = 0; j < model.columns; ++j) {
        rows[static_cast<std::size_t>((j + 1) * model.columns + j)] = 1.0;
    }
    const Dataset units(MatrixView<const double>(rows.data(), model.columns + 1, model.columns));
    const std::vector<double> f = decision_function(model, units, context);
    for (index_t j = 0; j < model.columns; ++j) {
        report.weights.push_back(
            {column_name(model, j), f[static_cast<std::size_t>(j + 1)] - f.front(), kNaN, kNaN});
    }
    std::stable_sort(report.weights.begin(), report.weights.end(),
                     [](const ColumnEffect& a, const ColumnEffect& b) {
                         return std::abs(a.value) > std::abs(b.value);
                     });
}

void gather_importance(const Model& model, const Dataset& rows, Report& report, Context& context) {
    if (!has_targets(model, rows) || model.is_ranking() ||
        (model.labels.empty() && model.outputs() != 1)) {
        return;
    }
    if (const std::string why = why_not_shuffled(model, rows); !why.empty()) {
        report.remarks.push_back("Permutation importance is left out: " + why);
        return;
    }
    const double each = static_cast<double>(kShuffles * rows.columns()) *
                        static_cast<double>(std::max<index_t>(1, model.support.rows()));
    const auto affordable = static_cast<index_t>(std::max(100.0, kMostValues / each));
    ShuffledRows sample(rows, some_of(rows.rows(), std::min(kMostRows, affordable), context));
    const double before = measure_of(model, sample.rows(), sample.targets(), context);
    const double sign = model.labels.empty() ? -1.0 : 1.0;
    for (index_t j = 0; j < rows.columns(); ++j) {
        const std::vector<double> column = sample.column(j);
        Random random = context.random(kShuffleStream + static_cast<std::uint64_t>(j));
        std::vector<double> losses;
        for (int shuffle = 0; shuffle < kShuffles; ++shuffle) {
            context.throw_if_stopped("permutation importance");
            sample.set_column(j, column, random.permutation(sample.rows().rows()));
            losses.push_back(
                sign * (before - measure_of(model, sample.rows(), sample.targets(), context)));
        }
        sample.set_column(j, column, {});
        report.importance.push_back(effect_of(losses));
        report.importance.back().column = column_name(model, j);
    }
    report.importance_of = model.labels.empty() ? "rmse" : "accuracy";
    report.importance_rows = sample.rows().rows();
    std::stable_sort(
        report.importance.begin(), report.importance.end(),
        [](const ColumnEffect& a, const ColumnEffect& b) { return a.value > b.value; });
}

}  // namespace mercer::report

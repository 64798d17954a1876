// SPDX-License-Identifier: Apache-2.0
//
// src/models/linear_weights.cpp - the sum of the support rows, then one product for each row.
#include "models/linear_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsAtATime = 256;

// A linear model with fewer weights than this is always collapsed; a larger one only if the weight
// vector is not much longer than the support rows themselves (wide sparse data).
constexpr index_t kFewWeights = index_t{1} << 16;

/// The class of each support row for ovo, otherwise empty.
std::vector<index_t> classes_of_support(const PredictionRule& rule) {
    std::vector<index_t> classes;
    for (std::size_t c = 0; c < rule.class_support.size(); ++c) {
        classes.insert(classes.end(), static_cast<std::size_t>(rule.class_support[c]),
                       static_cast<index_t>(c));
    }
    return classes;
}

/// The output that coefficient column t of support row i belongs to.
index_t output_of(const PredictionRule& rule, const std::vector<index_t>& classes, index_t i,
                  index_t t) {
    if (classes.empty()) {
        return t;
    }
    const index_t own = classes[static_cast<std::size_t>(i)];
    return pair_place(own, class_against(own, t), static_cast<index_t>(rule.labels.size()));
}

/// Four partial sums, selected by column: zeros add nothing, so dense and sparse rows agree.
template <typename Rows>
double product(const Rows& rows, index_t i, const double* w) {
    std::array<double, 4> sums{};
    data::for_each_entry(rows, i, [&](index_t j, double value) {
        sums[static_cast<std::size_t>(j) % 4] += w[j] * value;
    });
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

bool collapses(const PredictionRule& rule) {
    if (linear_factor(rule.kernel) == 0.0 || rule.support.rows() <= rule.outputs()) {
        return false;
    }
    const std::optional<index_t> weights = try_multiply(rule.columns, rule.outputs());
    return weights && *weights <= std::max(kFewWeights, 4 * rule.support.stored());
}

LinearWeights::LinearWeights(const PredictionRule& rule, Context& context)
    : columns_(rule.columns),
      weights_(context.allocate<double>(checked_multiply(rule.outputs(), rule.columns),
                                        "weights of the linear model")) {
    Buffer<double> lost = context.allocate<double>(weights_.size(), "rounding errors");
    std::visit([&](const auto& rows) { add_rows(rule, rows, lost); }, rule.support.storage());
    const double factor = linear_factor(rule.kernel);
    for (index_t j = 0; j < weights_.size(); ++j) {
        weights_[j] = factor * (weights_[j] + lost[j]);
    }
}

void LinearWeights::decide(const Dataset& batch, MatrixView<double> out, Context& context) const {
    const index_t tiles = (batch.rows() + kRowsAtATime - 1) / kRowsAtATime;
    parallel_for(context, tiles, [&](index_t tile, int) {
        const index_t end = std::min(batch.rows(), (tile + 1) * kRowsAtATime);
        std::visit(
            [&](const auto& rows) {
                for (index_t i = tile * kRowsAtATime; i < end; ++i) {
                    for (index_t t = 0; t < out.columns; ++t) {
                        out(i, t) = product(rows, i, weights_.data() + t * columns_);
                    }
                }
            },
            batch.storage());
    });
}

/// w += coefficient * row for all rows in order, with Neumaier's correction in `lost`.
template <typename Rows>
void LinearWeights::add_rows(const PredictionRule& rule, const Rows& rows, Buffer<double>& lost) {
    const std::vector<index_t> classes = classes_of_support(rule);
    const index_t width = rule.coefficient_columns();
    for (index_t i = 0; i < rule.support.rows(); ++i) {
        for (index_t t = 0; t < width; ++t) {
            const double c = rule.coefficients[static_cast<std::size_t>(i * width + t)];
            const index_t start = output_of(rule, classes, i, t) * columns_;
            data::for_each_entry(rows, i, [&](index_t j, double value) {
                const double term = c * value;
                double& sum = weights_[start + j];
                const double next = sum + term;
                lost[start + j] +=
                    std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
                sum = next;
            });
        }
    }
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/search/judge.hpp - measures of models by rows they have not seen, several parts together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/predict.hpp"

namespace mercer {

class GramOperator;

}  // namespace mercer

namespace mercer::search {

using Measures = std::vector<std::pair<std::string, double>>;

/// What the rows of one part say of its model: sums over rows, which add up over parts.
struct PartSums {
    bool ranks = false;
    bool converged = true;  ///< the model's certificate is as good as was asked for
    double rows = 0.0;
    double squares = 0.0;
    double absolutes = 0.0;
    double target_sum = 0.0;
    double target_squares = 0.0;
    double right = 0.0;
    double auc = 0.0;    ///< times the rows
    double apart = 0.0;  ///< ordinal: sum of the classes' distances; NaN for others
    double pairs = 0.0;
    double ordered = 0.0;  ///< concordant pairs less the discordant ones
    std::vector<std::vector<index_t>> confusion;

    void add(const PartSums& other);
    /// By name, each with the prefix.
    [[nodiscard]] Measures measures(const std::string& prefix) const;
};

/// The rows that a model is judged by, where an operator has their kernel values.
struct HeldOut {
    const GramOperator* gram = nullptr;  ///< null: the model computes its own
    std::span<const index_t> train;      ///< the model's training rows there
    std::span<const index_t> rows;       ///< the rows held out
};

[[nodiscard]] PartSums judge_model(const Model& model, const Dataset& rows, const HeldOut& held,
                                   Context& context);

/// Of residuals: what a regression's rows say.
[[nodiscard]] PartSums sums_of_residuals(std::span<const double> residuals,
                                         std::span<const double> targets);

/// The sums as bytes, and back; throws DataError for bytes that are none.
[[nodiscard]] std::string to_bytes(const PartSums& sums);
[[nodiscard]] PartSums sums_from(std::string_view bytes);

/// NaN when the row has no such measure.
[[nodiscard]] double measure_of(const Measures& measures, const std::string& name);

}  // namespace mercer::search

// SPDX-License-Identifier: Apache-2.0
//
// src/search/judge.hpp - measures of models on held-out rows, over several parts.
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

/// Sums over the held-out rows of one part, which add up over parts.
struct PartSums {
    bool ranks = false;
    bool converged = true;  ///< the model's certificate meets the requested tolerance
    double rows = 0.0;
    double squares = 0.0;
    double absolutes = 0.0;
    double target_sum = 0.0;
    double target_squares = 0.0;
    double right = 0.0;
    double auc = 0.0;    ///< times the number of rows
    double apart = 0.0;  ///< ordinal: sum of the distances between classes; NaN for others
    double pairs = 0.0;
    double ordered = 0.0;  ///< concordant minus discordant pairs
    std::vector<std::vector<index_t>> confusion;

    void add(const PartSums& other);
    /// The measures by name, each with the prefix.
    [[nodiscard]] Measures measures(const std::string& prefix) const;
};

/// The held-out rows of a model, with an operator that may have their kernel values.
struct HeldOut {
    const GramOperator* gram = nullptr;  ///< null: the model computes its own
    std::span<const index_t> train;      ///< indices of the model's training rows
    std::span<const index_t> rows;       ///< indices of the held-out rows
};

[[nodiscard]] PartSums judge_model(const Model& model, const Dataset& rows, const HeldOut& held,
                                   Context& context);

/// The sums for a regression, from residuals.
[[nodiscard]] PartSums sums_of_residuals(std::span<const double> residuals,
                                         std::span<const double> targets);

/// Conversion of the sums to and from bytes; throws DataError for malformed bytes.
[[nodiscard]] std::string to_bytes(const PartSums& sums);
[[nodiscard]] PartSums sums_from(std::string_view bytes);

/// NaN if the row has no such measure.
[[nodiscard]] double measure_of(const Measures& measures, const std::string& name);

}  // namespace mercer::search

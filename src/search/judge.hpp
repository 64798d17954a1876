// SPDX-License-Identifier: Apache-2.0
//
// src/search/judge.hpp - measures of models by rows they have not seen, several parts together.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/predict.hpp"

namespace mercer::search {

using Measures = std::vector<std::pair<std::string, double>>;

/// What the rows of one part say of its model.
struct PartReport {
    std::variant<RegressionReport, RankingReport, ClassificationReport> report;
    std::vector<double> targets;
};

[[nodiscard]] PartReport report_of(const Model& model, const Dataset& rows, Context& context);

/// Measures of several parts, put together row by row.
class Judge {
public:
    void add(const PartReport& part);

    /// By name, each with the prefix.
    [[nodiscard]] Measures measures(const std::string& prefix) const;

private:
    void add(const RegressionReport& report, const std::vector<double>& targets);
    void add(const RankingReport& report, const std::vector<double>& targets);
    void add(const ClassificationReport& report, const std::vector<double>& targets);
    [[nodiscard]] double mean_recall() const;

    double rows_ = 0.0;
    double squares_ = 0.0;
    double absolutes_ = 0.0;
    double target_sum_ = 0.0;
    double target_squares_ = 0.0;
    double right_ = 0.0;
    double auc_ = 0.0;    // mean over the parts, by rows
    double apart_ = 0.0;  // ordinal: sum of the classes' distances; NaN for others
    bool ranks_ = false;
    double pairs_ = 0.0;
    double ordered_ = 0.0;  // concordant pairs less the discordant ones
    std::vector<std::vector<index_t>> confusion_;
};

[[nodiscard]] bool greater_is_better(std::string_view measure);

/// NaN when the row has no such measure.
[[nodiscard]] double measure_of(const Measures& measures, const std::string& name);

}  // namespace mercer::search

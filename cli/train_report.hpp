// SPDX-License-Identifier: Apache-2.0
//
// cli/train_report.hpp - the output of mercer train: the result and the plan, as JSON and in words.
#pragma once

#include <string>

#include "mercer/fit/plan.hpp"
#include "mercer/fit/train.hpp"
#include "session.hpp"

namespace mercer::cli {

/// Size of the training data.
struct TrainingSize {
    index_t rows = 0;
    index_t columns = 0;
};

/// Reports missing results, and a model without its proof; returns the exit status.
[[nodiscard]] ExitStatus say_how_it_ended(Session& session, const TrainResult& result);

/// Adds the members of the contract to `json`, without the seconds.
[[nodiscard]] Json train_json(Json json, const TrainResult& result, const TrainingSize& size);
[[nodiscard]] std::string train_text(const TrainResult& result, const TrainingSize& size);

/// A line for each mistake of a perceptron: its number, the row, and both sides of the bound.
[[nodiscard]] std::string trace_table(const MistakeBound& run);

/// A line for each size of a basis: the objective, the errors, the seconds.
[[nodiscard]] std::string curve_table(const BasisReport& basis);

[[nodiscard]] Json plan_json(Json json, const std::string& machine, const TrainPlan& plan);
[[nodiscard]] std::string plan_text(const std::string& machine, const TrainPlan& plan);

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/data_advice.cpp - findings by name, then the advice in the order in which one would act on
// it.
#include "data_advice.hpp"

#include <fmt/core.h>

#include <cmath>

namespace mercer::cli {

namespace {

Json from_one(const std::vector<index_t>& numbers) {
    Json out = Json::array();
    for (const index_t number : numbers) {
        out.push_back(number + 1);
    }
    return out;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

void add_advice(Json& json, const DataAdvice& advice) {
    json["column_spread"] = advice.column_spread;
    json["duplicate_columns"] = Json::array();
    for (const auto& [copy, original] : advice.duplicate_columns) {
        json["duplicate_columns"].push_back(Json::array({copy + 1, original + 1}));
    }
    json["target_columns"] = from_one(advice.target_columns);
    json["near_duplicates"] = advice.near_duplicates;
    json["accuracy_bound"] = number_or_null(advice.accuracy_bound);
    json["imbalance"] = number_or_null(advice.imbalance);
    json["outliers"] = from_one(advice.outliers);
    const SuggestedHyperparameters& suggested = advice.suggested;
    json["suggested"] = nullptr;
    if (std::isfinite(suggested.median_gamma)) {
        json["suggested"] =
            Json{{"scale", suggested.scaled ? "standard" : "none"},
                 {"gamma", suggested.median_gamma},
                 {"gamma_range",
                  Json::array({suggested.sigest[0], suggested.sigest[1], suggested.sigest[2]})},
                 {"cost_range", Json::array({suggested.least_cost, suggested.greatest_cost})}};
    }
    json["advice"] = Json::array();
    for (const Advice& one : advice.advice) {
        json["advice"].push_back(
            Json{{"topic", one.topic}, {"words", one.words}, {"command", one.command}});
    }
}

std::string advice_text(const DataAdvice& advice) {
    std::string text;
    for (const Advice& one : advice.advice) {
        text += fmt::format("\n{}: {}\n", one.topic, one.words);
        if (!one.command.empty()) {
            text += fmt::format("  {}\n", one.command);
        }
    }
    return text;
}

}  // namespace mercer::cli

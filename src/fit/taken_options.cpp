// SPDX-License-Identifier: Apache-2.0
//
// src/fit/taken_options.cpp - refuses options that a machine does not take, by the table of
// machines.
#include <fmt/core.h>

#include <array>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

namespace {

/// An option, whether it is given, and which machines take it.
struct OptionRule {
    const char* name;
    bool (*given)(const TrainOptions& options);
    bool (*taken)(const Machine& machine);
};

bool takes_cost(const Machine& machine) { return machine.takes.cost; }

constexpr std::array<OptionRule, 8> kRules{{
    {"cost", [](const TrainOptions& o) { return o.objective.cost.has_value(); }, takes_cost},
    {"lambda", [](const TrainOptions& o) { return o.objective.lambda.has_value(); }, takes_cost},
    {"alpha", [](const TrainOptions& o) { return o.objective.alpha.has_value(); },
     [](const Machine& m) { return m.takes.alpha; }},
    {"epsilon", [](const TrainOptions& o) { return o.objective.epsilon.has_value(); },
     [](const Machine& m) { return m.takes.epsilon; }},
    {"nu", [](const TrainOptions& o) { return o.objective.nu.has_value(); },
     [](const Machine& m) { return m.takes.nu; }},
    {"degree", [](const TrainOptions& o) { return o.objective.degree.has_value(); },
     [](const Machine& m) { return m.takes.degree; }},
    {"precision", [](const TrainOptions& o) { return o.run.precision == "float32"; },
     [](const Machine& m) { return m.float32; }},
    {"probability", [](const TrainOptions& o) { return o.outputs.probability; },
     [](const Machine& m) { return m.gives_probabilities(); }},
}};

}  // namespace

void require_taken(const TrainOptions& options) {
    const Machine& machine = machine_of(options.model);
    const bool weighs_loss = options.objective.penalty != kRkhs && machine.sparse;
    for (const OptionRule& rule : kRules) {
        const bool taken = rule.taken(machine) || (rule.taken == takes_cost && weighs_loss);
        if (rule.given(options) && !taken) {
            throw InvalidArgument(rule.name, "", fmt::format("{} does not take it", machine.name),
                                  fmt::format("these do: {}", machines_that(rule.taken)));
        }
    }
}

}  // namespace mercer

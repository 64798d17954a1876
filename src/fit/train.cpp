// SPDX-License-Identifier: Apache-2.0
//
// src/fit/train.cpp - the machine's name to its recipe, and the data every recipe refuses.
#include "mercer/fit/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fit/recipe.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

namespace {

void require_weights(const Dataset& data) {
    if (!data.weights.empty() && static_cast<index_t>(data.weights.size()) != data.rows()) {
        throw InvalidArgument(
            fmt::format("weights: got {} for {} rows", data.weights.size(), data.rows()));
    }
    double sum = data.weights.empty() ? 1.0 : 0.0;
    for (std::size_t i = 0; i < data.weights.size(); ++i) {
        if (!std::isfinite(data.weights[i]) || data.weights[i] < 0.0) {
            throw InvalidArgument(fmt::format("weights: row {} has {}, must be finite and >= 0",
                                              i + 1, data.weights[i]));
        }
        sum += data.weights[i];
    }
    if (!(sum > 0.0) || !std::isfinite(sum)) {
        throw InvalidArgument(fmt::format("weights: they sum to {}, must be finite and > 0", sum));
    }
}

void require_targets(const Dataset& data) {
    if (static_cast<index_t>(data.targets.size()) != data.rows()) {
        throw InvalidArgument(
            "targets: the data has none; name the column with --target, or the "
            "file with --labels");
    }
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        if (!std::isfinite(data.targets[i])) {
            throw InvalidArgument(
                fmt::format("targets: row {} has {}, must be finite", i + 1, data.targets[i]));
        }
    }
}

using Recipe = TrainResult (*)(const Dataset&, const TrainOptions&, Context&);

struct Machine {
    const char* name;
    bool classes;
    bool linear;
    Recipe recipe;
};

constexpr Machine kMachines[] = {
    {"svc", true, false, fit::train_svc},
    {"krr", false, false, fit::train_krr},
    {"klr", true, false, fit::train_smooth_classifier},
    {"l2-svc", true, false, fit::train_smooth_classifier},
    {"huber-svc", true, false, fit::train_smooth_classifier},
    {"ls-svc", true, false, fit::train_ls_svc},
    {"least-squares", false, true, fit::train_least_squares},
    {"ridge", false, true, fit::train_ridge},
    {"polynomial", false, true, fit::train_polynomial},
    {"logistic", true, true, fit::train_logistic},
};

const Machine& machine_of(const std::string& name) {
    require_choice("model", name, machine_names());
    return *std::find_if(std::begin(kMachines), std::end(kMachines),
                         [&name](const Machine& machine) { return machine.name == name; });
}

void require_two_classes(const Dataset& data, const std::string& model) {
    if (data.label_names.size() != 2) {
        const std::string shown =
            data.label_names.size() == 1 ? " (" + data.label_names.front() + ")" : "";
        throw InvalidArgument(fmt::format(
            "targets: {} needs two classes, the data has {}{}; {}", model, data.label_names.size(),
            shown,
            data.label_names.size() < 2
                ? "add rows of the other class"
                : "train on two of them, or use --model krr when the targets are numbers"));
    }
    bool present[2] = {false, false};
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        const double target = data.targets[i];
        if (target != 0.0 && target != 1.0) {
            throw InvalidArgument(
                fmt::format("targets: row {} has class index {}, must be 0 or 1", i + 1, target));
        }
        if (data.weights.empty() || data.weights[i] > 0.0) {
            present[target == 1.0 ? 1 : 0] = true;
        }
    }
    for (std::size_t k = 0; k < 2; ++k) {
        if (!present[k]) {
            throw InvalidArgument(fmt::format(
                "weights: class {} has no row of weight > 0, so there is nothing to separate",
                data.label_names[k]));
        }
    }
}

}  // namespace

std::vector<std::string> machine_names() {
    std::vector<std::string> names;
    for (const Machine& machine : kMachines) {
        names.emplace_back(machine.name);
    }
    return names;
}

bool is_classifier(const std::string& model) { return machine_of(model).classes; }

bool is_linear_machine(const std::string& model) { return machine_of(model).linear; }

void require_trainable(const Dataset& data, const std::string& model) {
    const bool classes = is_classifier(model);
    if (data.rows() == 0) {
        throw InvalidArgument("rows: the data has none");
    }
    require_targets(data);
    require_weights(data);
    if (classes) {
        require_two_classes(data, model);
    } else if (!data.label_names.empty()) {
        throw InvalidArgument(
            fmt::format("targets: {} needs numbers, got classes such as {}; use --model svc", model,
                        data.label_names.front()));
    }
}

TrainResult train(const Dataset& data, const TrainOptions& options, Context& context) {
    const Machine& machine = machine_of(options.model);
    if (!options.class_weights.empty() && !machine.classes) {
        throw InvalidArgument(
            fmt::format("weight: {} has no classes; give row weights", options.model));
    }
    for (const auto& [name, value] : {std::pair{"gap_tolerance", options.gap_tolerance},
                                      std::pair{"tolerance", options.tolerance}}) {
        if (!std::isnan(value)) {
            require_in_range(name, value, Range::positive());
        }
    }
    require_in_range("max_iterations", static_cast<double>(options.max_iterations),
                     Range::non_negative());
    return machine.recipe(data, options, context);
}

}  // namespace mercer

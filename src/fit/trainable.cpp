// SPDX-License-Identifier: Apache-2.0
//
// src/fit/trainable.cpp - checks of the training data, common to all recipes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fit/recipe.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/models/class_pairs.hpp"

namespace mercer {

namespace {

void require_weights(const Dataset& data) {
    if (!data.weights.empty() && static_cast<index_t>(data.weights.size()) != data.rows()) {
        throw InvalidArgument("weights", "",
                              fmt::format("got {} for {} rows", data.weights.size(), data.rows()));
    }
    double sum = data.weights.empty() ? 1.0 : 0.0;
    for (std::size_t i = 0; i < data.weights.size(); ++i) {
        if (!std::isfinite(data.weights[i]) || data.weights[i] < 0.0) {
            throw InvalidArgument(
                "weights", "",
                fmt::format("row {} has {}, must be finite and >= 0", i + 1, data.weights[i]));
        }
        sum += data.weights[i];
    }
    if (!(sum > 0.0) || !std::isfinite(sum)) {
        throw InvalidArgument("weights", "",
                              fmt::format("they sum to {}, must be finite and > 0", sum));
    }
}

void require_targets(const Dataset& data) {
    if (static_cast<index_t>(data.targets.size()) != data.rows()) {
        throw InvalidArgument("targets", "", "the data has none",
                              "name the column with `target`, or the file with `labels`");
    }
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        if (!std::isfinite(data.targets[i])) {
            throw InvalidArgument(
                "targets", "",
                fmt::format("row {} has {}, must be finite", i + 1, data.targets[i]));
        }
    }
}

void require_classes(const Dataset& data, const Machine& machine) {
    const auto classes = static_cast<index_t>(data.label_names.size());
    if (classes < 2 || (classes > 2 && machine.task == Task::two_classes)) {
        throw InvalidArgument(
            "targets", "",
            fmt::format("{} needs two classes, the data has {}{}", machine.name, classes,
                        classes == 1 ? " (" + data.label_names.front() + ")" : ""),
            (classes < 2 ? "add rows of the other class"
                         : "train on two of them, or use `model` svc"));
    }
    if (classes > kMostClasses) {
        throw InvalidArgument("targets", "",
                              fmt::format("the data has {} classes, {} takes at most {}", classes,
                                          machine.name, kMostClasses),
                              "use `model` krr when the targets are numbers");
    }
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        const double target = data.targets[i];
        if (!(target >= 0.0 && target < static_cast<double>(classes)) ||
            target != std::trunc(target)) {
            throw InvalidArgument("targets", "",
                                  fmt::format("row {} has class index {}, must be 0 .. {}", i + 1,
                                              target, classes - 1));
        }
    }
    const bool joint = machine.id == MachineId::klr && classes > 2;
    fit::require_weighted_classes(data, joint ? 2 : classes);
}

}  // namespace

void fit::require_weighted_classes(const Dataset& data, index_t least) {
    std::vector<bool> present(data.label_names.size(), false);
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        if (data.weights.empty() || data.weights[i] > 0.0) {
            present[static_cast<std::size_t>(data.targets[i])] = true;
        }
    }
    if (std::count(present.begin(), present.end(), true) < least) {
        const auto absent = std::find(present.begin(), present.end(), false) - present.begin();
        throw InvalidArgument(
            "weights", "",
            fmt::format("class {} has no row of weight > 0, so there is nothing to separate",
                        data.label_names[static_cast<std::size_t>(absent)]));
    }
}

void require_trainable(const Dataset& data, const std::string& model) {
    const bool classes = is_classifier(model);
    if (data.rows() == 0) {
        throw InvalidArgument("rows: the data has none");
    }
    require_weights(data);
    if (machine_of(model).task == Task::inliers) {  // every row is an inlier, whatever its label
        return;
    }
    require_targets(data);
    if (classes) {
        require_classes(data, machine_of(model));
    } else if (!data.label_names.empty()) {
        throw InvalidArgument("targets", "",
                              fmt::format("{} needs numbers, got classes such as {}", model,
                                          data.label_names.front()),
                              "use `model` svc");
    }
}

}  // namespace mercer

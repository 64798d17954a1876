// SPDX-License-Identifier: Apache-2.0
//
// src/data/labels.cpp - class names and class indices.
#include "mercer/data/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "data/number.hpp"
#include "data/targets.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

namespace {

/// Equal numbers get equal text: `+1`, `1.0` and `1` are one label; so are `true` and `True`.
std::string canonical(const std::string& name) {
    double value = 0.0;
    const std::string truth = data::truth_word(name);
    return data::parse_whole_number(name, value) ? label_text(value) : truth.empty() ? name : truth;
}

}  // namespace

std::string label_text(double value) { return value == 0.0 ? "0" : fmt::format("{}", value); }

Dataset to_classes(Dataset data) {
    if (!data.label_names.empty()) {
        return data;
    }
    if (data.targets.empty() && data.rows() > 0) {
        throw InvalidArgument("targets", "", "the data has none, so there are no classes");
    }
    std::vector<double> values = data.targets;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (double& target : data.targets) {
        target = static_cast<double>(std::lower_bound(values.begin(), values.end(), target) -
                                     values.begin());
    }
    for (const double value : values) {
        data.label_names.push_back(label_text(value));
    }
    return data;
}

std::vector<double> signed_labels(const Dataset& data) {
    if (data.label_names.empty() && data.rows() > 0) {
        throw InvalidArgument("labels", "", "the targets are numbers, not classes");
    }
    if (data.label_names.size() > 2) {
        throw InvalidArgument("labels", "",
                              fmt::format("got {} classes, must be two", data.label_names.size()));
    }
    double number = 1.0;
    const bool alone = data.label_names.size() == 1;
    const bool negative =
        alone && data::parse_whole_number(data.label_names[0], number) && number <= 0.0;
    std::vector<double> labels;
    for (const double target : data.targets) {
        labels.push_back(alone ? (negative ? -1.0 : 1.0) : 2.0 * target - 1.0);
    }
    return labels;
}

Dataset align_classes(Dataset data, const std::vector<std::string>& names) {
    data = to_classes(std::move(data));
    std::unordered_map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < names.size(); ++i) {
        place.emplace(canonical(names[i]), i);
    }
    std::vector<double> aligned;
    for (const std::string& name : data.label_names) {
        const auto found = place.find(canonical(name));
        aligned.push_back(found == place.end() ? -1.0 : static_cast<double>(found->second));
    }
    for (double& target : data.targets) {
        const bool known = target >= 0.0 && target < static_cast<double>(aligned.size());
        target = known ? aligned[static_cast<std::size_t>(target)] : -1.0;
    }
    data.label_names = names;
    return data;
}

bool are_numbers(const std::vector<std::string>& names) {
    double value = 0.0;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return data::parse_whole_number(name, value);
    });
}

std::vector<double> target_numbers(const Dataset& data) {
    if (!are_numbers(data.label_names)) {
        return data.targets;
    }
    std::vector<double> numbers(data.label_names.size());
    for (std::size_t c = 0; c < numbers.size(); ++c) {
        static_cast<void>(data::parse_whole_number(data.label_names[c], numbers[c]));
    }
    std::vector<double> targets = data.targets;
    for (double& target : targets) {
        if (target >= 0.0 && target < static_cast<double>(numbers.size())) {
            target = numbers[static_cast<std::size_t>(target)];
        }
    }
    return targets;
}

}  // namespace mercer

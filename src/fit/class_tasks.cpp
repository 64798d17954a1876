// SPDX-License-Identifier: Apache-2.0
//
// src/fit/class_tasks.cpp - pairs of classes, or each class against the rest.
#include "fit/class_tasks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/models/class_pairs.hpp"

namespace mercer::fit {

RowLists rows_by_class(const Prepared& prepared, const Model& model) {
    RowLists members(model.labels.size());
    std::vector<std::size_t> counts(members.size(), 0);
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        ++counts[static_cast<std::size_t>(class_of(prepared, i))];
    }
    for (std::size_t c = 0; c < members.size(); ++c) {
        members[c].reserve(counts[c]);
    }
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        members[static_cast<std::size_t>(class_of(prepared, i))].push_back(i);
    }
    return members;
}

std::vector<ClassTask> make_tasks(const RowLists& members, const Model& model) {
    const auto classes = static_cast<index_t>(members.size());
    std::vector<ClassTask> tasks;
    if (model.multiclass.empty()) {
        tasks.push_back({.positive = 1, .negative = 0});
        return tasks;
    }
    if (model.multiclass == "ovr") {
        for (index_t c = 0; c < classes; ++c) {
            tasks.push_back({.positive = c});
        }
        return tasks;
    }
    for (index_t place = 0; place < pair_count(classes); ++place) {
        const ClassPair pair = pair_at(place, classes);
        tasks.push_back({pair.first, pair.second, false,
                         members[static_cast<std::size_t>(pair.first)],
                         members[static_cast<std::size_t>(pair.second)]});
    }
    return tasks;
}

std::vector<double> row_costs(const Prepared& prepared, const Model& model) {
    std::vector<double> class_weight;
    for (const std::string& label : model.labels) {
        const auto found = model.class_weights.find(label);
        class_weight.push_back(found == model.class_weights.end() ? 1.0 : found->second);
    }
    std::vector<double> costs;
    costs.reserve(static_cast<std::size_t>(prepared.rows.rows()));
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        const auto own = static_cast<std::size_t>(class_of(prepared, i));
        costs.push_back(model.cost * prepared.weight(i) * class_weight[own]);  // as verify does
        if (!std::isfinite(costs.back())) {
            throw InvalidArgument("cost", "",
                                  fmt::format("row {} has C * weight = {}, must be finite",
                                              prepared.original(i) + 1, costs.back()));
        }
    }
    return costs;
}

std::vector<double> weights_of(const Prepared& prepared, const ClassTask& task) {
    std::vector<double> weights;
    if (!prepared.rows.weights.empty()) {
        const std::size_t size =
            task.all ? prepared.rows.weights.size() : static_cast<std::size_t>(task.size());
        for (std::size_t i = 0; i < size; ++i) {
            weights.push_back(prepared.weight(task.row(i)));
        }
    }
    return weights;
}

void summarise(const Problem& problem, const std::string& penalty, TaskResult& result) {
    OutputSummary& out = result.summary;
    out.iterations = result.solution.iterations;
    out.basis = result.solution.basis;
    const std::vector<double> beta = std::exchange(result.solution.beta, {});
    out.support = std::count_if(beta.begin(), beta.end(), [](double v) { return v != 0.0; });
    result.support.resize(beta.size());
    result.bounded.resize(beta.size());
    result.beta.reserve(static_cast<std::size_t>(out.support));
    for (std::size_t i = 0; i < beta.size(); ++i) {
        out.absolute_sum += std::abs(beta[i]);
        out.total_cost += problem.costs[i];
        if (beta[i] == 0.0) {
            continue;
        }
        result.support[i] = true;
        result.beta.push_back(beta[i]);
        // Penalised coefficients have no box.
        const Interval box = dual_box(problem, static_cast<index_t>(i));
        result.bounded[i] = penalty == kRkhs && (beta[i] <= box.lower || beta[i] >= box.upper);
    }
    out.bounded = std::count(result.bounded.begin(), result.bounded.end(), true);
}

}  // namespace mercer::fit

// SPDX-License-Identifier: Apache-2.0
//
// src/fit/comparisons.cpp - ordinal regression and ranking: the comparisons between values of f.
#include "mercer/solvers/comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "fit/recipe.hpp"
#include "fit/smooth.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::fit {

namespace {

std::optional<double> number_of(const std::string& label) {
    double number = 0.0;
    const char* end = label.data() + label.size();
    const auto parsed =
        std::from_chars(label.data() + (label.starts_with('+') ? 1 : 0), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

/// The labels of the option, lowest first; without the option those of the data in numeric order.
std::vector<std::string> ordered_labels(const Dataset& data, const std::string& order) {
    std::vector<std::string> names;
    if (order.empty()) {
        std::vector<std::pair<double, std::string>> numbers;
        for (const std::string& label : data.label_names) {
            const std::optional<double> number = number_of(label);
            if (!number) {
                throw InvalidArgument(
                    "order", "",
                    fmt::format(
                        "the label {} is no number, so the order of {} must be given, lowest first",
                        label, fmt::join(data.label_names, ", ")));
            }
            numbers.emplace_back(*number, label);
        }
        std::sort(numbers.begin(), numbers.end());
        for (auto& [number, label] : numbers) {
            names.push_back(std::move(label));
        }
        return names;
    }
    for (std::size_t begin = 0; begin <= order.size();) {
        const std::size_t end = std::min(order.find(',', begin), order.size());
        names.push_back(order.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

/// The data with classes from low to high.
Dataset in_order(const Dataset& data, const std::string& order) {
    const std::vector<std::string> names = ordered_labels(data, order);
    Dataset out = align_classes(data, names);
    std::vector<bool> present(names.size(), false);
    for (std::size_t i = 0; i < out.targets.size(); ++i) {
        if (out.targets[i] < 0.0) {
            throw InvalidArgument(
                fmt::format("order: {} lacks the label {} of row {}", order,
                            data.label_names[static_cast<std::size_t>(data.targets[i])], i + 1));
        }
        present[static_cast<std::size_t>(out.targets[i])] = true;
    }
    for (std::size_t c = 0; c < names.size(); ++c) {
        if (!present[c]) {
            throw InvalidArgument(
                "order", "", fmt::format("no row has the label '{}'", names[c]),
                fmt::format("the labels are {}", fmt::join(data.label_names, ", ")));
        }
    }
    return out;
}

/// The rows of each query by ascending target.
std::vector<std::vector<index_t>> rows_by_query(const Dataset& rows) {
    std::map<index_t, std::vector<index_t>> queries;
    for (index_t i = 0; i < rows.rows(); ++i) {
        queries[rows.queries.empty() ? 0 : rows.queries[static_cast<std::size_t>(i)]].push_back(i);
    }
    std::vector<std::vector<index_t>> out;
    for (auto& [query, members] : queries) {
        std::stable_sort(members.begin(), members.end(), [&](index_t a, index_t b) {
            return rows.targets[static_cast<std::size_t>(a)] <
                   rows.targets[static_cast<std::size_t>(b)];
        });
        out.push_back(std::move(members));
    }
    return out;
}

/// Calls use(upper, lower) for every pair of a query with different targets.
template <typename Use>
void each_pair(const Dataset& rows, const std::vector<std::vector<index_t>>& queries,
               const Use& use) {
    for (const std::vector<index_t>& members : queries) {
        for (const index_t upper : members) {
            for (const index_t lower : members) {
                if (rows.targets[static_cast<std::size_t>(lower)] >=
                    rows.targets[static_cast<std::size_t>(upper)]) {
                    break;  // members are sorted
                }
                use(upper, lower);
            }
        }
    }
}

/// The model's fields that are known before the solver runs.
Model describe(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
               double cost) {
    Model model = describe_smooth(data, options, prepared, HingeLoss{}, cost);
    model.has_intercept = false;
    return model;
}

void require_finite_cost(const TrainOptions& options) {
    if (options.objective.cost == kInfinity) {
        throw InvalidArgument("cost", "inf", fmt::format("must be finite for {}", options.model));
    }
}

/// The comparisons with a positive multiplier, by row of the training data.
ComparedPlaces compared_places(const Prepared& prepared, const ComparisonProblem& problem,
                               const Solution& solution, index_t rows) {
    const auto original = [&](index_t place) {
        return place < problem.size() ? prepared.original(place) : place - problem.size() + rows;
    };
    std::vector<std::tuple<index_t, index_t, double>> found;
    for (std::size_t e = 0; e < solution.multipliers.size(); ++e) {
        if (solution.multipliers[e] > 0.0) {
            found.emplace_back(original(problem.comparisons[e].upper),
                               original(problem.comparisons[e].lower), solution.multipliers[e]);
        }
    }
    std::sort(found.begin(), found.end());
    ComparedPlaces out;
    for (const auto& [upper, lower, alpha] : found) {
        out.uppers.push_back(upper);
        out.lowers.push_back(lower);
        out.multipliers.push_back(alpha);
    }
    return out;
}

void solve_into(const Prepared& prepared, const TrainOptions& options,
                const ComparisonProblem& problem, TrainResult& result, Context& context) {
    Model& model = result.model;
    const double start = context.elapsed();
    const Solution solution = solve_comparisons(problem, solve_options(options), context);
    OutputSummary summary;
    for (std::size_t e = 0; e < solution.multipliers.size(); ++e) {
        const double cost = problem.cost_of(problem.comparisons[e]);
        summary.support += static_cast<index_t>(solution.multipliers[e] > 0.0);
        summary.bounded += static_cast<index_t>(solution.multipliers[e] >= cost);
        summary.absolute_sum += solution.multipliers[e];
        summary.total_cost += cost;
    }
    summary.iterations = solution.iterations;
    result.outputs = {summary};
    result.comparisons = static_cast<index_t>(problem.comparisons.size());
    keep_support(prepared, solution.beta, 1, model);
    model.intercepts = {0.0};
    model.thresholds = solution.thresholds;
    model.compared = compared_places(prepared, problem, solution, model.fingerprint.rows);
    keep_joint_outcome(solution, prepared, start, context, result);
}

}  // namespace

index_t comparison_count(const Dataset& rows, const std::string& model) {
    if (is_machine(model, MachineId::ordinal)) {
        return checked_multiply(rows.rows(), static_cast<index_t>(rows.label_names.size()) - 1);
    }
    index_t count = 0;
    for (const std::vector<index_t>& members : rows_by_query(rows)) {
        std::size_t lower = 0;  // members with a lower target than the current one
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (i > 0 && rows.targets[static_cast<std::size_t>(members[i])] >
                             rows.targets[static_cast<std::size_t>(members[i - 1])]) {
                lower = i;
            }
            count += static_cast<index_t>(lower);
        }
    }
    return count;
}

TrainResult train_ordinal(const Dataset& data, const TrainOptions& options, Context& context) {
    require_finite_cost(options);
    if (!options.objective.intercept) {
        throw InvalidArgument("intercept", "",
                              "ordinal has thresholds in its place, which are free");
    }
    if (options.outputs.multiclass != "auto") {
        throw InvalidArgument("multiclass", "",
                              "ordinal tells its classes apart by thresholds of one function");
    }
    const Dataset ordered = in_order(data, options.order);
    const Prepared prepared = prepare(ordered, options);
    TrainResult result;
    Model& model = result.model;
    model = describe(ordered, options, prepared, svc_cost(options, prepared.total_weight));
    ComparisonProblem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.cost = model.cost;
    problem.thresholds = static_cast<index_t>(model.labels.size()) - 1;
    const index_t n = problem.size();
    const index_t count = comparison_count(prepared.rows, options.model);
    Buffer<Comparison> comparisons = context.allocate<Comparison>(
        count, fmt::format("{} comparisons of {} rows with thresholds", count, n), Contents::any);
    problem.comparisons = std::as_const(comparisons).span();
    index_t filled = 0;
    for (index_t i = 0; i < n; ++i) {
        const auto own = static_cast<index_t>(prepared.rows.targets[static_cast<std::size_t>(i)]);
        const auto weight = model.class_weights.find(model.labels[static_cast<std::size_t>(own)]);
        problem.weights.push_back(prepared.weight(i) *
                                  (weight == model.class_weights.end() ? 1.0 : weight->second));
        for (index_t k = 0; k < problem.thresholds; ++k) {
            comparisons[filled++] = own > k ? Comparison{i, n + k} : Comparison{n + k, i};
        }
    }
    solve_into(prepared, options, problem, result, context);
    return result;
}

TrainResult train_rank(const Dataset& data, const TrainOptions& options, Context& context) {
    require_finite_cost(options);
    const Prepared prepared = prepare(data, options);
    const index_t count = comparison_count(prepared.rows, options.model);
    if (count == 0) {
        throw DataError(
            "targets: no two rows of a query have different targets, so there is nothing to rank");
    }
    Buffer<Comparison> pairs = context.allocate<Comparison>(
        count, fmt::format("{} pairs of {} rows to rank", count, prepared.rows.rows()),
        Contents::any);
    ComparisonProblem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.comparisons = std::as_const(pairs).span();
    for (index_t i = 0; i < problem.size(); ++i) {
        problem.weights.push_back(prepared.weight(i));
    }
    double total = 0.0;  // pairs, weighted by the product of row weights
    index_t filled = 0;
    each_pair(prepared.rows, rows_by_query(prepared.rows), [&](index_t upper, index_t lower) {
        pairs[filled++] = {upper, lower};
        total += problem.weight(upper) * problem.weight(lower);
    });
    TrainResult result;
    problem.cost = svc_cost(options, total);
    result.model = describe(data, options, prepared, problem.cost);
    solve_into(prepared, options, problem, result, context);
    return result;
}

}  // namespace mercer::fit

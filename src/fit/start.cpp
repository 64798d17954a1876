// SPDX-License-Identifier: Apache-2.0
//
// src/fit/start.cpp - from a model's coefficients to a feasible dual point of another problem.
//
// A coefficient stays with its row. A coefficient at its bound is moved to the new bound: it mostly
// belongs there, whatever the cost. Then the side with the larger sum is scaled down to the other;
// the projection of problems/problem.hpp would shift all coefficients and make every row a support
// vector. With a prescribed mass each side has a required sum: rows that fit best give up the
// excess, rows that fit worst take what is missing, for which the support rows may not suffice.
#include "fit/start.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::fit {

namespace {

constexpr double kAtBound = 1.0 - 1e-9;

/// The class of each support row in the model, if known: with ovo they are grouped by class.
std::vector<index_t> support_classes(const Model& start) {
    std::vector<index_t> classes;
    for (std::size_t c = 0; c < start.class_support.size(); ++c) {
        classes.insert(classes.end(), static_cast<std::size_t>(start.class_support[c]),
                       static_cast<index_t>(c));
    }
    return classes;
}

index_t label_place(const Model& start, const std::string& label) {
    const auto found = std::find(start.labels.begin(), start.labels.end(), label);
    return found == start.labels.end() ? -1 : found - start.labels.begin();
}

/// The coefficients of the support rows in the machine of these two sides; empty if there is none.
std::vector<double> machine_coefficients(const Model& start, const StartSides& sides) {
    const index_t width = start.coefficient_columns();
    const index_t positive = label_place(start, sides.positive);
    const index_t negative = label_place(start, sides.negative);
    const bool classes = !sides.positive.empty();
    const bool rest = classes && sides.negative.empty();
    std::vector<double> out;
    if (classes && (start.is_joint() || positive < 0 || (!rest && negative < 0) ||
                    rest != (start.multiclass == "ovr"))) {
        return out;  // a joint problem has no two-class coefficients
    }
    const std::vector<index_t> own = support_classes(start);
    for (std::size_t j = 0; j < start.support_rows.size(); ++j) {
        const double* row = start.coefficients.data() + static_cast<index_t>(j) * width;
        if (!classes) {
            out.push_back(row[0]);
        } else if (rest) {
            out.push_back(row[positive]);
        } else if (start.multiclass.empty()) {  // f > 0 means the second label
            out.push_back(positive == 1 ? row[0] : -row[0]);
        } else if (own[j] != positive && own[j] != negative) {
            out.push_back(0.0);
        } else {  // f > 0 means the first of the pair
            const index_t other = own[j] == positive ? negative : positive;
            const double value = row[column_against(own[j], other)];
            out.push_back(positive < negative ? value : -value);
        }
    }
    return out;
}

/// The bound of the coefficient of a row in the model.
double old_bound(const Model& start, const Prepared& prepared, index_t row) {
    double bound = start.cost * (start.row_weights ? prepared.weight(row) : 1.0);
    if (!start.class_weights.empty() && !prepared.rows.label_names.empty()) {
        const auto own =
            static_cast<std::size_t>(prepared.rows.targets[static_cast<std::size_t>(row)]);
        const auto found = start.class_weights.find(prepared.rows.label_names[own]);
        bound *= found == start.class_weights.end() ? 1.0 : found->second;
    }
    return bound;
}

/// Scales the positive and the negative coefficients to the required sums. False if a side has
/// nothing to scale.
bool balance(const Problem& problem, std::vector<double>& beta) {
    if (!problem.intercept) {
        return true;
    }
    double sums[2] = {0.0, 0.0};
    for (const double value : beta) {
        sums[value > 0.0 ? 1 : 0] += std::abs(value);
    }
    if (!(sums[0] > 0.0) || !(sums[1] > 0.0)) {
        return false;
    }
    const double wanted = std::min(sums[0], sums[1]);
    double rest = 0.0;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        const double sum = sums[beta[i] > 0.0 ? 1 : 0];
        if (beta[i] != 0.0 && sum != wanted) {
            const Interval box = dual_box(problem, static_cast<index_t>(i));
            beta[i] = std::clamp(beta[i] * (wanted / sum), box.lower, box.upper);
            largest = std::abs(beta[i]) > std::abs(beta[largest]) ? i : largest;
        }
        rest += beta[i];
    }
    if (std::abs(rest) < 1e-9 * wanted) {
        beta[largest] -= rest;  // rounding, which the projection would spread over all rows
    }
    return true;
}

/// How badly a row fits on the side of this sign: larger values belong to it first.
double misfit(const Problem& problem, std::span<const double> f, double sign, index_t i) {
    const auto row = static_cast<std::size_t>(i);
    return std::holds_alternative<HingeLoss>(problem.loss) ? -sign * f[row]
                                                           : sign * (problem.targets[row] - f[row]);
}

/// Changes the coefficients of one sign so that their sum is `share`. False if the rows do not
/// suffice.
bool settle_side(const Problem& problem, std::span<const double> f, double sign, double share,
                 std::vector<double>& beta) {
    std::vector<std::pair<double, index_t>> rows;  // rows that have, or may have, this sign
    double missing = share;
    for (index_t i = 0; i < problem.size(); ++i) {
        const double value = sign * beta[static_cast<std::size_t>(i)];
        const Interval box = dual_box(problem, i);
        if (value >= 0.0 && (sign > 0.0 ? box.upper : -box.lower) > 0.0) {
            rows.emplace_back(-misfit(problem, f, sign, i), i);
            missing -= value;
        }
    }
    std::sort(rows.begin(), rows.end());  // the worst first, then by number
    if (missing < 0.0) {
        std::reverse(rows.begin(), rows.end());
    }
    for (const auto& [fit, i] : rows) {
        const auto row = static_cast<std::size_t>(i);
        const Interval box = dual_box(problem, i);
        const double most = sign > 0.0 ? box.upper : -box.lower;
        const double value = sign * beta[row];
        const double settled = std::clamp(value + missing, 0.0, most);
        beta[row] = sign * settled;
        missing -= settled - value;
        if (missing == 0.0) {
            break;
        }
    }
    return std::abs(missing) <= 1e-9 * share;
}

/// Makes the coefficients satisfy the mass constraint; false if they cannot.
bool settle_mass(const Problem& problem, std::vector<double>& beta, Context& context) {
    const std::vector<double> f = decision_values(problem, beta, context);
    const double share = problem.intercept ? 0.5 * problem.mass : problem.mass;
    return settle_side(problem, f, 1.0, share, beta) &&
           (!problem.intercept || settle_side(problem, f, -1.0, share, beta));
}

/// Throws DataError unless the support vectors of `start` are rows of `data`, at the same positions.
void require_same_rows(const Model& start, const Dataset& data) {
    for (const index_t row : start.support_rows) {
        if (row >= data.rows()) {
            throw DataError(fmt::format("start: the model has row {}, the data has only {} rows",
                                        row + 1, data.rows()));
        }
    }
    Dataset rows = data.select(start.support_rows);
    if (start.scaling) {
        rows = start.scaling->apply(rows);
    }
    std::vector<double> ours(static_cast<std::size_t>(data.columns()));
    std::vector<double> theirs(ours.size());
    for (index_t j = 0; j < rows.rows(); ++j) {
        rows.copy_row(j, ours);
        start.support.copy_row(j, theirs);
        if (ours != theirs) {
            throw DataError(fmt::format(
                "start: row {} is not the row the model was trained on; rows may be added at the "
                "end only",
                start.support_rows[static_cast<std::size_t>(j)] + 1));
        }
    }
}

}  // namespace

void require_start(const Model& start, const Dataset& data, const std::string& machine) {
    if (start.machine != machine) {
        throw InvalidArgument(
            "start", "", fmt::format("the model is of a {}, this is a {}", start.machine, machine));
    }
    if (start.columns != data.columns()) {
        throw InvalidArgument("start", "",
                              fmt::format("the model is of rows with {} columns, these have {}",
                                          start.columns, data.columns()));
    }
    if (start.status == kImported) {
        throw InvalidArgument(
            "start", "", "the model came from another program and does not know its rows' numbers");
    }
    if (start.on_columns) {
        throw InvalidArgument("start", "",
                              "the model has weights of columns, not coefficients of rows");
    }
    require_same_rows(start, data);
}

std::vector<double> joint_start(const Model& start, const Prepared& prepared,
                                std::span<const std::string> labels) {
    std::vector<index_t> columns;
    for (const std::string& label : labels) {
        columns.push_back(start.is_joint() ? label_place(start, label) : -1);
        if (columns.back() < 0) {
            return {};
        }
    }
    std::vector<double> beta;
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        const auto found = std::lower_bound(start.support_rows.begin(), start.support_rows.end(),
                                            prepared.original(i));
        const bool known = found != start.support_rows.end() && *found == prepared.original(i);
        const index_t row = (found - start.support_rows.begin()) * start.outputs();
        for (const index_t column : columns) {
            beta.push_back(known ? start.coefficients[static_cast<std::size_t>(row + column)]
                                 : 0.0);
        }
    }
    return beta;
}

std::vector<double> start_coefficients(const Model& start, const Prepared& prepared,
                                       const StartSides& sides, const StartProblem& wanted,
                                       Context& context) {
    const Problem& problem = wanted.problem;
    const std::span<const index_t> rows = wanted.rows;
    const std::vector<double> values = machine_coefficients(start, sides);
    if (values.empty()) {
        return {};
    }
    index_t last = 0;
    for (const index_t row : start.support_rows) {
        last = std::max(last, row);
    }
    std::vector<double> of_row(static_cast<std::size_t>(last) + 1, 0.0);
    for (std::size_t j = 0; j < values.size(); ++j) {
        of_row[static_cast<std::size_t>(start.support_rows[j])] = values[j];
    }
    std::vector<double> beta(static_cast<std::size_t>(problem.size()), 0.0);
    for (std::size_t i = 0; i < beta.size(); ++i) {
        const index_t row = rows.empty() ? static_cast<index_t>(i) : rows[i];
        const index_t original = prepared.original(row);
        const double value = original <= last ? of_row[static_cast<std::size_t>(original)] : 0.0;
        if (value == 0.0) {
            continue;
        }
        const Interval box = dual_box(problem, static_cast<index_t>(i));
        const double end = value > 0.0 ? box.upper : box.lower;
        const bool bounded =
            std::isfinite(end) && std::abs(value) >= kAtBound * old_bound(start, prepared, row);
        beta[i] = bounded ? end : std::clamp(value, box.lower, box.upper);
    }
    const bool settled = problem.has_mass()
                             ? settle_mass(problem, beta, *Context::unstoppable(context))
                             : balance(problem, beta);
    return settled ? beta : std::vector<double>();
}

}  // namespace mercer::fit

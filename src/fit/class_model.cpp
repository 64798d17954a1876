// SPDX-License-Identifier: Apache-2.0
//
// src/fit/class_model.cpp - one model from the solutions of all two-class problems.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "fit/class_tasks.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/solvers/basis.hpp"

namespace mercer::fit {

namespace {

/// The column of a task's coefficient among those of a row.
index_t column_of(const ClassTask& task, std::size_t number, index_t own, const Model& model) {
    if (model.multiclass != "ovo") {
        return static_cast<index_t>(number);
    }
    return column_against(own, own == task.positive ? task.negative : task.positive);
}

/// The prepared rows that at least one task has marked.
std::vector<bool> marked_rows(const Prepared& prepared, const std::vector<ClassTask>& tasks,
                              const std::vector<TaskResult>& results,
                              std::vector<bool> TaskResult::*marks) {
    std::vector<bool> rows(static_cast<std::size_t>(prepared.rows.rows()), false);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const std::vector<bool>& own = results[t].*marks;
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (own[i]) {
                rows[static_cast<std::size_t>(tasks[t].row(i))] = true;
            }
        }
    }
    return rows;
}

/// The rows with a nonzero coefficient; for pairs grouped by class, in LIBSVM's order.
std::vector<index_t> support_of(const Prepared& prepared, const RowLists& members,
                                const std::vector<bool>& used, Model& model) {
    std::vector<index_t> chosen;
    const auto choose = [&](index_t row) {
        if (used[static_cast<std::size_t>(row)]) {
            chosen.push_back(row);
        }
    };
    if (model.multiclass != "ovo") {
        for (index_t i = 0; i < prepared.rows.rows(); ++i) {
            choose(i);
        }
        return chosen;
    }
    for (const std::vector<index_t>& rows : members) {
        const std::size_t before = chosen.size();
        std::for_each(rows.begin(), rows.end(), choose);
        model.class_support.push_back(static_cast<index_t>(chosen.size() - before));
    }
    return chosen;
}

/// Joins the coefficients of all tasks for the chosen rows, `width` to a row.
void join_coefficients(const Prepared& prepared, const std::vector<index_t>& chosen, index_t width,
                       const std::vector<ClassTask>& tasks, std::vector<TaskResult>& results,
                       Model& model) {
    std::vector<index_t> place(static_cast<std::size_t>(prepared.rows.rows()), -1);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        place[static_cast<std::size_t>(chosen[i])] = static_cast<index_t>(i);
    }
    const index_t size = checked_multiply(static_cast<index_t>(chosen.size()), width);
    model.coefficients.assign(static_cast<std::size_t>(size), 0.0);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const std::vector<double> beta = std::exchange(results[t].beta, {});
        auto next = beta.begin();
        for (std::size_t i = 0; i < results[t].support.size(); ++i) {
            if (results[t].support[i]) {
                const index_t row = tasks[t].row(i);
                const index_t column = column_of(tasks[t], t, class_of(prepared, row), model);
                const index_t at = place[static_cast<std::size_t>(row)] * width + column;
                model.coefficients[static_cast<std::size_t>(at)] = *next++;
            }
        }
    }
}

/// Stores the rows that have a nonzero coefficient in any task, and all coefficients of them.
void keep_coefficients(const Prepared& prepared, const RowLists& members,
                       const std::vector<ClassTask>& tasks, std::vector<TaskResult>& results,
                       Model& model) {
    const index_t width = model.multiclass == "ovo" ? static_cast<index_t>(model.labels.size()) - 1
                                                    : static_cast<index_t>(tasks.size());
    const std::vector<index_t> chosen = support_of(
        prepared, members, marked_rows(prepared, tasks, results, &TaskResult::support), model);
    join_coefficients(prepared, chosen, width, tasks, results, model);
    take_support_rows(prepared, chosen, model);
}

/// The status of the whole model: the worst one of all tasks.
std::string combined_status(const std::vector<TaskResult>& results) {
    for (const SolveStatus status :
         {SolveStatus::interrupted, SolveStatus::iteration_limit, SolveStatus::reduced}) {
        if (std::any_of(results.begin(), results.end(), [status](const TaskResult& result) {
                return result.solution.status == status;
            })) {
            return std::string(to_string(status));
        }
    }
    return std::string(to_string(SolveStatus::converged));
}

/// Stores the dual point of the next task, if it has one, by row of the training data.
void keep_multipliers(const Prepared& prepared, const ClassTask& task,
                      const std::vector<double>& multipliers, Model& model) {
    if (multipliers.empty()) {
        return;
    }
    const std::size_t begin = model.row_multipliers.size();
    model.row_multipliers.resize(begin + static_cast<std::size_t>(model.fingerprint.rows), 0.0);
    for (std::size_t i = 0; i < multipliers.size(); ++i) {
        const index_t row = prepared.original(task.row(i));
        model.row_multipliers[begin + static_cast<std::size_t>(row)] = multipliers[i];
    }
}

}  // namespace

Model describe_machine(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
                       const ClassMachine& machine) {
    Model model;
    model.machine = machine.name;
    model.kernel = prepared.kernel;
    model.columns = data.columns();
    model.labels = data.label_names;
    model.multiclass = data.label_names.size() > 2 ? chosen_multiclass(options) : "";
    model.scaling = prepared.scaling;
    model.has_intercept = options.objective.intercept;
    model.loss = name_of(machine.loss);
    model.cost = svc_cost(options, prepared.total_weight);
    model.class_weights = named_class_weights(options, data.label_names);
    model.row_weights = !data.weights.empty();
    model.tolerance = options.run.tolerance.value_or(kNaN);
    model.gap_tolerance = !options.run.gap_tolerance && !options.run.tolerance
                              ? machine.gap_tolerance
                              : options.run.gap_tolerance.value_or(kNaN);
    model.fingerprint = fingerprint_of(data);
    return model;
}

void collect(const Prepared& prepared, const RowLists& members, const std::vector<ClassTask>& tasks,
             std::vector<TaskResult>& results, TrainResult& out) {
    Model& model = out.model;
    std::set<std::string> solvers;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const Solution& solution = results[t].solution;
        Certificate proof = solution.certificate();
        if (proof.worst_sample >= 0) {
            proof.worst_sample = tasks[t].row(static_cast<std::size_t>(proof.worst_sample));
        }
        model.certificates.push_back(with_original_row(proof, prepared));
        model.intercepts.push_back(solution.intercept());
        model.iterations += solution.iterations;
        if (!solution.solver.empty()) {  // otherwise the run stopped before this task
            solvers.insert(solution.solver);
        }
        out.certify_seconds += solution.certify_seconds;
        keep_multipliers(prepared, tasks[t], solution.multipliers, model);
        OutputSummary& summary = results[t].summary;
        for (const index_t i : summary.basis ? summary.basis->chosen : std::vector<index_t>()) {
            summary.basis_rows.push_back(
                prepared.original(tasks[t].row(static_cast<std::size_t>(i))));
        }
        out.outputs.push_back(summary);
    }
    model.solver = fmt::format("{}", fmt::join(solvers, "+"));
    model.status = combined_status(results);
    const std::vector<bool> bounded = marked_rows(prepared, tasks, results, &TaskResult::bounded);
    out.bounded_support = std::count(bounded.begin(), bounded.end(), true);
    keep_coefficients(prepared, members, tasks, results, model);
}

}  // namespace mercer::fit

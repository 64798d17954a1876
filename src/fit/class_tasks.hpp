// SPDX-License-Identifier: Apache-2.0
//
// src/fit/class_tasks.hpp - the two-class problems of a multiclass machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/calibrate.hpp"
#include "fit/recipe.hpp"

namespace mercer::fit {

using RowLists = std::vector<std::vector<index_t>>;

/// One two-class problem: the classes +1 and -1 (index -1: all others), and its rows among the
/// prepared ones.
struct ClassTask {
    index_t positive = 1;
    index_t negative = -1;
    bool all = true;  ///< all rows; otherwise those of the two classes, one class after the other
    std::span<const index_t> positive_rows;
    std::span<const index_t> negative_rows;

    [[nodiscard]] index_t row(std::size_t i) const {
        return all                        ? static_cast<index_t>(i)
               : i < positive_rows.size() ? positive_rows[i]
                                          : negative_rows[i - positive_rows.size()];
    }
    /// The rows of a pair, and their number.
    [[nodiscard]] index_t size() const {
        return static_cast<index_t>(positive_rows.size() + negative_rows.size());
    }
    [[nodiscard]] std::vector<index_t> rows() const {
        std::vector<index_t> out;
        out.reserve(static_cast<std::size_t>(size()));
        out.assign(positive_rows.begin(), positive_rows.end());
        out.insert(out.end(), negative_rows.begin(), negative_rows.end());
        return out;
    }
};

/// The result of a task. Only nonzero coefficients are stored: with many classes there are many
/// more coefficients than rows.
struct TaskResult {
    bool done = false;          ///< false at the end: the run stopped before this task
    Solution solution;          ///< without beta
    std::vector<bool> support;  ///< rows of the task with a nonzero coefficient
    std::vector<double> beta;   ///< of those, in order
    std::vector<bool> bounded;  ///< rows of the task with a coefficient at its bound
    OutputSummary summary;
    std::optional<Sigmoid> sigmoid;  ///< empty: not learned, or stopped before
};

[[nodiscard]] inline index_t class_of(const Prepared& prepared, index_t row) {
    return static_cast<index_t>(prepared.rows.targets[static_cast<std::size_t>(row)]);
}

/// The rows of each class, in order.
[[nodiscard]] RowLists rows_by_class(const Prepared& prepared, const Model& model);

/// `members`, the rows of each class, must outlive the tasks; pairs alone have use for the rows.
[[nodiscard]] std::vector<ClassTask> make_tasks(const RowLists& members, const Model& model);

/// Costs C w_class w_row of all prepared rows. Throws InvalidArgument where one is not finite.
[[nodiscard]] std::vector<double> row_costs(const Prepared& prepared, const Model& model);

/// The row weights of a task; empty: all 1.
[[nodiscard]] std::vector<double> weights_of(const Prepared& prepared, const ClassTask& task);

/// Moves the coefficients out of the solution and computes their summary.
void summarise(const Problem& problem, const std::string& penalty, TaskResult& result);

/// The model's fields that are known before the solver runs.
[[nodiscard]] Model describe_machine(const Dataset& data, const TrainOptions& options,
                                     const Prepared& prepared, const ClassMachine& machine);

/// Collects the results of all tasks into the model and its report.
void collect(const Prepared& prepared, const RowLists& members, const std::vector<ClassTask>& tasks,
             std::vector<TaskResult>& results, TrainResult& out);

}  // namespace mercer::fit

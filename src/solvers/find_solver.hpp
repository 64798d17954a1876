// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/find_solver.hpp - finds the requested solver in a table.
#pragma once

#include <string>
#include <vector>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// The rows that fit, in the order of the table.
template <typename Table, typename ProblemType>
[[nodiscard]] auto fitting(const Table& table, const ProblemType& problem) {
    std::vector<decltype(&*table.begin())> rows;
    for (const auto& row : table) {
        if (row.fits(problem)) {
            rows.push_back(&row);
        }
    }
    return rows;
}

template <typename Row>
[[nodiscard]] std::vector<std::string> names_of(const std::vector<Row*>& rows) {
    std::vector<std::string> names;
    for (const Row* row : rows) {
        names.push_back(row->facts.name);
    }
    return names;
}

/// The row of that name; null when there is none.
template <typename Row>
[[nodiscard]] Row* find_solver(const std::vector<Row*>& rows, const SolverChoice& choice) {
    for (Row* row : rows) {
        if (row->facts.name == choice.name()) {
            return row;
        }
    }
    return nullptr;
}

/// Throws InvalidArgument: `solver: got 'x', this machine is solved by: a, b`.
[[noreturn]] void refuse_solver(const SolverChoice& choice, const std::vector<std::string>& known);

/// The row of that name. Throws InvalidArgument, listing the names, when there is none.
template <typename Row>
[[nodiscard]] Row& required_solver(const std::vector<Row*>& rows, const SolverChoice& choice) {
    Row* row = find_solver(rows, choice);
    if (row == nullptr) {
        refuse_solver(choice, names_of(rows));
    }
    return *row;
}

/// The caller's registered solver of that name that fits the problem; null when there is none.
[[nodiscard]] const KernelSolver* registered_solver(const Problem& problem,
                                                    const SolveOptions& options);

/// The names of the caller's registered solvers that fit.
[[nodiscard]] std::vector<std::string> registered_names(const Problem& problem,
                                                        const SolveOptions& options);

}  // namespace mercer

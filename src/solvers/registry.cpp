// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/registry.cpp - all tables as one list, and the solvers that a caller adds.
#include "mercer/solvers/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/solvers/comparisons.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/linear.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/softmax.hpp"
#include "solvers/find_solver.hpp"

namespace mercer {

namespace {

template <typename Table>
void append_facts(const Table& table, std::vector<SolverFacts>& out) {
    for (const auto& row : table) {
        out.push_back(row.facts);
    }
}

}  // namespace

std::vector<SolverFacts> all_solvers() {
    std::vector<SolverFacts> out;
    append_facts(kernel_table(), out);
    append_facts(ridge_table(), out);
    append_facts(softmax_table(), out);
    append_facts(linear_table(), out);
    append_facts(sparse_table(), out);
    append_facts(comparison_table(), out);
    // These two forms have one solver each, with its own options.
    out.push_back({.name = std::string(name_of(SolverId::greedy_basis)),
                   .summary = "greedy choice of kernel functions, Newton steps",
                   .form = SolverForm::basis});
    out.push_back({.name = std::string(name_of(SolverId::perceptron)),
                   .summary = "Rosenblatt's corrections, row by row",
                   .form = SolverForm::corrections});
    return out;
}

std::vector<std::string> solver_names(SolverForm form) {
    std::vector<std::string> names;
    for (SolverFacts& facts : all_solvers()) {
        if (facts.form == form) {
            names.push_back(std::move(facts.name));
        }
    }
    return names;
}

std::vector<std::string> solver_words() {
    std::vector<std::string> words{std::string(name_of(SolverId::automatic))};
    for (SolverFacts& facts : all_solvers()) {
        if (std::find(words.begin(), words.end(), facts.name) == words.end()) {
            words.push_back(std::move(facts.name));
        }
    }
    return words;
}

void refuse_solver(const SolverChoice& choice, const std::vector<std::string>& known) {
    throw InvalidArgument("solver", fmt::format("'{}'", choice.name()),
                          fmt::format("this machine is solved by: {}", fmt::join(known, ", ")));
}

const KernelSolver* registered_solver(const Problem& problem, const SolveOptions& options) {
    if (options.registry == nullptr) {
        return nullptr;
    }
    return find_solver(fitting(options.registry->solvers(), problem), options.solver);
}

std::vector<std::string> registered_names(const Problem& problem, const SolveOptions& options) {
    return options.registry == nullptr ? std::vector<std::string>{}
                                       : names_of(fitting(options.registry->solvers(), problem));
}

void SolverRegistry::add(KernelSolver solver) {
    const std::string& name = solver.facts.name;
    const std::vector<SolverFacts> known = all_solvers();
    const auto has_name = [&](const auto& taken) { return taken == name; };
    if (name.empty() || parse_solver(name) != SolverId::other ||
        std::any_of(known.begin(), known.end(),
                    [&](const SolverFacts& facts) { return has_name(facts.name); }) ||
        std::any_of(solvers_.begin(), solvers_.end(),
                    [&](const KernelSolver& each) { return has_name(each.facts.name); })) {
        throw InvalidArgument(fmt::format("solver: '{}' cannot name a new solver; it {}", name,
                                          name.empty() ? "is empty" : "is taken"));
    }
    if (solver.facts.form != SolverForm::box_dual && solver.facts.form != SolverForm::smooth) {
        throw InvalidArgument(fmt::format(
            "solver: '{}' must be for kernel machines with one output (box_dual, smooth)", name));
    }
    const bool runs = solver.solve || (solver.make && solver.facts.form == SolverForm::box_dual);
    if (!solver.fits || !runs) {
        throw InvalidArgument(
            fmt::format("solver: '{}' needs `fits`, and `solve` or, for a box dual, `make`", name));
    }
    solvers_.push_back(std::move(solver));
}

}  // namespace mercer

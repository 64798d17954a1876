// SPDX-License-Identifier: Apache-2.0
//
// src/fit/solver_names.cpp - the solvers of each machine, according to the solvers themselves.
#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/comparisons.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/linear.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"

namespace mercer {

namespace {

/// A problem of the machine's form, from which the solvers decide.
Problem form_of(const Machine& machine) {
    Problem problem;
    problem.loss = machine.loss;
    if (machine.free_width) {
        problem.mass = 1.0;
    }
    return problem;
}

/// The solvers of machines that are linear in the columns.
std::vector<std::string> column_solvers(const Machine& machine) {
    if (machine.has_own_link()) {  // `dual`: an alias of smo, which solves the dual
        std::vector<std::string> names = smooth_solvers(machine.loss);
        names.emplace_back(name_of(SolverId::dual));
        return names;
    }
    return linear_solvers(machine.id == MachineId::ridge ? 1.0 : 0.0);
}

}  // namespace

std::vector<std::string> machine_solvers(const std::string& model, index_t classes,
                                         const std::string& penalty) {
    const Machine& machine = machine_of(model);
    require_choice("penalty", penalty, {kRkhs, kL1, kL1AndRkhs});
    if (penalty != kRkhs) {
        if (!takes_sparse_penalty(model, penalty)) {
            throw InvalidArgument("penalty", "", model + " does not take " + penalty);
        }
        return sparse_solvers(machine.loss);
    }
    switch (machine.form) {
        case Form::equations:
            // ls-svc uses the factorisation that also gives its leave-one-out errors.
            return machine.id == MachineId::krr
                       ? solver_names(SolverForm::equations)
                       : std::vector<std::string>{ridge_table().front().facts.name};
        case Form::corrections:
            return solver_names(SolverForm::corrections);
        case Form::comparisons:
            return solver_names(SolverForm::comparisons);
        case Form::columns:
            return column_solvers(machine);
        case Form::smooth:
            return classes > 2 ? solver_names(SolverForm::softmax)
                               : fit::primal_and_dual_solvers(form_of(machine));
        case Form::box_dual:
            break;
    }
    return fit::primal_and_dual_solvers(form_of(machine));
}

}  // namespace mercer

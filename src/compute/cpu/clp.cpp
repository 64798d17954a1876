// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/clp.cpp - loads CLP when the first linear program needs it, and calls it.
//
// CLP depends on LAPACK and OpenBLAS, whose load time other runs should not pay for. So it is
// loaded at run time, after our own BLAS, whose copy (with the right core type) then serves CLP,
// too.
#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "compute/cpu/blas.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/linear_program.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// CLP's functions, with the types that its header declares.
struct Clp {
    decltype(&Clp_newModel) new_model = nullptr;
    decltype(&Clp_deleteModel) delete_model = nullptr;
    decltype(&Clp_loadProblem) load_problem = nullptr;
    decltype(&Clp_setLogLevel) set_log_level = nullptr;
    decltype(&Clp_setPrimalTolerance) set_primal_tolerance = nullptr;
    decltype(&Clp_setDualTolerance) set_dual_tolerance = nullptr;
    decltype(&Clp_setMaximumIterations) set_maximum_iterations = nullptr;
    decltype(&Clp_numberIterations) number_iterations = nullptr;
    decltype(&Clp_dual) dual = nullptr;
    decltype(&Clp_status) status = nullptr;
    decltype(&Clp_objectiveValue) objective_value = nullptr;
    decltype(&Clp_primalColumnSolution) primal_column_solution = nullptr;
    decltype(&Clp_dualRowSolution) dual_row_solution = nullptr;
    decltype(&Clp_infeasibilityRay) infeasibility_ray = nullptr;
    decltype(&Clp_unboundedRay) unbounded_ray = nullptr;
    decltype(&Clp_freeRay) free_ray = nullptr;
};

constexpr const char* kLibrary = "libClp.so.1";

template <typename Function>
void bind(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr) {
        ::dlclose(library);
        throw ResourceError(fmt::format("CLP: {} has no {}", kLibrary, name));
    }
}

Clp load() {
    static_cast<void>(cpu::blas());
    void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw ResourceError(fmt::format(
            "CLP: {} could not be loaded; Debian's package coinor-libclp1 has it", kLibrary));
    }
    Clp clp;
    bind(library, "Clp_newModel", clp.new_model);
    bind(library, "Clp_deleteModel", clp.delete_model);
    bind(library, "Clp_loadProblem", clp.load_problem);
    bind(library, "Clp_setLogLevel", clp.set_log_level);
    bind(library, "Clp_setPrimalTolerance", clp.set_primal_tolerance);
    bind(library, "Clp_setDualTolerance", clp.set_dual_tolerance);
    bind(library, "Clp_setMaximumIterations", clp.set_maximum_iterations);
    bind(library, "Clp_numberIterations", clp.number_iterations);
    bind(library, "Clp_dual", clp.dual);
    bind(library, "Clp_status", clp.status);
    bind(library, "Clp_objectiveValue", clp.objective_value);
    bind(library, "Clp_primalColumnSolution", clp.primal_column_solution);
    bind(library, "Clp_dualRowSolution", clp.dual_row_solution);
    bind(library, "Clp_infeasibilityRay", clp.infeasibility_ray);
    bind(library, "Clp_unboundedRay", clp.unbounded_ray);
    bind(library, "Clp_freeRay", clp.free_ray);
    return clp;
}

const Clp& clp() {
    static const Clp loaded = load();
    return loaded;
}

void require_well_formed(const LinearProgram& program) {
    const std::size_t columns = program.costs.size();
    if (program.starts.size() != columns + 1 || program.lower.size() != columns ||
        program.upper.size() != columns || program.row_upper.size() != program.row_lower.size() ||
        program.indices.size() != program.values.size() ||
        program.starts.back() != static_cast<index_t>(program.indices.size())) {
        throw InvalidArgument("linear program: its parts differ in length");
    }
    for (std::size_t k = 0; k < program.values.size(); ++k) {
        if (program.indices[k] < 0 || program.indices[k] >= program.rows() ||
            !std::isfinite(program.values[k])) {
            throw InvalidArgument(fmt::format("linear program: entry {} is {} in row {} of {}", k,
                                              program.values[k], program.indices[k],
                                              program.rows()));
        }
    }
    const index_t most =
        std::max({static_cast<index_t>(program.values.size()), program.rows(), program.columns()});
    if (most > std::numeric_limits<int>::max() / 4) {
        throw ResourceError(
            fmt::format("linear program: {} entries are more than CLP can count", most));
    }
}

/// Iterations between two checks of the stop request: some tenths of a second.
int slice_for(const LinearProgram& program) {
    const auto work = static_cast<double>(program.values.size() + program.costs.size() +
                                          10 * program.row_lower.size());
    return static_cast<int>(std::clamp(1e8 / work, 20.0, 20000.0));
}

ProgramStatus status_of(int status) {
    switch (status) {
        case 0:
            return ProgramStatus::optimal;
        case 1:
            return ProgramStatus::infeasible;
        case 2:
            return ProgramStatus::unbounded;
        default:
            return ProgramStatus::stopped;
    }
}

using Model = std::unique_ptr<Clp_Simplex, decltype(&Clp_deleteModel)>;

Model make_model(const Clp& library, const LinearProgram& program, double tolerance) {
    Model model(library.new_model(), library.delete_model);
    library.set_log_level(model.get(), 0);
    const std::vector<CoinBigIndex> starts(program.starts.begin(), program.starts.end());
    const std::vector<int> indices(program.indices.begin(), program.indices.end());
    library.load_problem(model.get(), static_cast<int>(program.columns()),
                         static_cast<int>(program.rows()), starts.data(), indices.data(),
                         program.values.data(), program.lower.data(), program.upper.data(),
                         program.costs.data(), program.row_lower.data(), program.row_upper.data());
    library.set_primal_tolerance(model.get(), tolerance);
    library.set_dual_tolerance(model.get(), tolerance);
    return model;
}

std::vector<double> take_ray(const Clp& library, Clp_Simplex* model, ProgramStatus status,
                             const LinearProgram& program) {
    double* ray = status == ProgramStatus::infeasible  ? library.infeasibility_ray(model)
                  : status == ProgramStatus::unbounded ? library.unbounded_ray(model)
                                                       : nullptr;
    if (ray == nullptr) {
        return {};
    }
    const index_t length = status == ProgramStatus::infeasible ? program.rows() : program.columns();
    std::vector<double> copy(ray, ray + length);
    library.free_ray(model, ray);
    return copy;
}

}  // namespace

void LinearProgram::add_column(double cost, double column_lower, double column_upper) {
    costs.push_back(cost);
    lower.push_back(column_lower);
    upper.push_back(column_upper);
    starts.push_back(starts.back());
}

void LinearProgram::add_entry(index_t row, double value) {
    indices.push_back(row);
    values.push_back(value);
    ++starts.back();
}

ProgramSolution solve_linear_program(const LinearProgram& program, const ProgramOptions& options,
                                     Context& context) {
    require_well_formed(program);
    const Clp& library = clp();
    cpu::stay_single();
    const Model model = make_model(library, program, options.tolerance);
    const int slice = slice_for(program);
    ProgramSolution solution;
    for (index_t limit = slice;; limit += slice) {
        context.throw_if_stopped("a linear program");
        const bool last = options.max_iterations > 0 && limit >= options.max_iterations;
        library.set_maximum_iterations(model.get(),
                                       static_cast<int>(last ? options.max_iterations : limit));
        library.dual(model.get(), 0);
        solution.status = status_of(library.status(model.get()));
        solution.iterations = library.number_iterations(model.get());
        const bool ran_out = library.status(model.get()) == 3 && solution.iterations >= limit;
        if (!ran_out || last || limit > std::numeric_limits<int>::max() / 2) {
            break;
        }
    }
    const double* x = library.primal_column_solution(model.get());
    const double* duals = library.dual_row_solution(model.get());
    solution.x.assign(x, x + program.columns());
    solution.duals.assign(duals, duals + program.rows());
    solution.objective = library.objective_value(model.get());
    solution.ray = take_ray(library, model.get(), solution.status, program);
    return solution;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/fit/train.cpp - from a machine's name to its recipe, and checks for conflicting options.
#include "mercer/fit/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fit/kept_run.hpp"
#include "fit/precomputed.hpp"
#include "fit/recipe.hpp"
#include "fit/start.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/data/read.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/registry.hpp"

namespace mercer {

namespace {

using Recipe = TrainResult (*)(const Dataset&, const TrainOptions&, Context&);

/// How each machine is trained, in the order of the table.
Recipe recipe_of(MachineId id) {
    switch (id) {
        case MachineId::svc:
            return fit::train_svc;
        case MachineId::nu_svc:
            return fit::train_nu_svc;
        case MachineId::one_class:
            return fit::train_one_class;
        case MachineId::svr:
            return fit::train_svr;
        case MachineId::l2_svr:
            return fit::train_l2_svr;
        case MachineId::nu_svr:
            return fit::train_nu_svr;
        case MachineId::l2_svc:
            return fit::train_l2_svc;
        case MachineId::huber_svc:
            return fit::train_huber_svc;
        case MachineId::hard_margin:
            return fit::train_hard_margin;
        case MachineId::perceptron:
            return fit::train_perceptron;
        case MachineId::klr:
            return fit::train_smooth_classifier;
        case MachineId::krr:
            return fit::train_krr;
        case MachineId::ls_svc:
            return fit::train_ls_svc;
        case MachineId::ordinal:
            return fit::train_ordinal;
        case MachineId::rank:
            return fit::train_rank;
        case MachineId::least_squares:
            return fit::train_least_squares;
        case MachineId::ridge:
            return fit::train_ridge;
        case MachineId::polynomial:
            return fit::train_polynomial;
        case MachineId::logistic:
            return fit::train_logistic;
    }
    throw InternalError("a machine without a recipe");
}

bool starts(const Machine& machine) { return machine.starts; }
bool has_box_dual(const Machine& machine) { return machine.has_box_dual(); }
bool is_sparse(const Machine& machine) { return machine.sparse; }

/// The solvers with a capability: of the dual, or of a smooth machine.
std::vector<std::string> solvers_that(bool SolverCapabilities::*can, const Machine& machine) {
    const SolverForm form = machine.has_box_dual() ? SolverForm::box_dual : SolverForm::smooth;
    std::vector<std::string> names;
    for (const KernelSolver& row : kernel_table()) {
        if (row.facts.form == form && row.facts.can.*can) {
            names.push_back(row.facts.name);
        }
    }
    return names;
}

/// Throws unless machine and solver support a checkpoint or a warm start.
void require_able(const char* option, bool (*may)(const Machine&), bool SolverCapabilities::*can,
                  const Machine& machine, const TrainOptions& options) {
    if (!may(machine)) {
        throw InvalidArgument(std::string(option), "",
                              fmt::format("{} does not take it", machine.name),
                              fmt::format("these do: {}", machines_that(may)));
    }
    const std::vector<std::string> able = solvers_that(can, machine);
    if (!options.run.solver.is_automatic() &&
        std::find(able.begin(), able.end(), options.run.solver.name()) == able.end()) {
        throw InvalidArgument(
            std::string(option), "",
            fmt::format("the solver {} does not take it", options.run.solver.name()),
            fmt::format("{} do", fmt::join(able, " and ")));
    }
    if (options.outputs.leave_one_out) {
        throw InvalidArgument(std::string(option), "", "not together with leave-one-out");
    }
}

/// Selects the solver to which an option belongs. Throws if another one is requested.
void take_solver(const char* option, const char* beside, SolverId id, TrainOptions& options) {
    if (!options.run.solver.is_automatic() && options.run.solver != id) {
        throw InvalidArgument(std::string(option), "",
                              fmt::format("belongs to {}{}, not to {}", name_of(id), beside,
                                          options.run.solver.name()));
    }
    options.run.solver = id;
}

/// Applies `selection`, `pricing` and `polish` to the solver choice: auto becomes the solver to
/// which they belong. Throws if they belong to another solver than the requested one.
void settle_dual_options(const Machine& machine, TrainOptions& options) {
    const auto belongs = [&](const char* option, SolverId id) {
        const std::string_view solver = name_of(id);
        if (!machine.has_box_dual() || options.objective.penalty != kRkhs) {
            throw InvalidArgument(
                std::string(option), "", "belongs to duals with a box",
                fmt::format("{}{} has none; these do: {}", machine.name,
                            options.objective.penalty == kRkhs ? "" : " with that penalty",
                            machines_that(has_box_dual)));
        }
        const std::vector<std::string> solvers = machine_solvers(machine.name);
        if (std::find(solvers.begin(), solvers.end(), solver) == solvers.end()) {
            throw InvalidArgument(
                std::string(option), "", fmt::format("belongs to {}", solver),
                fmt::format("{} is solved by: {}", machine.name, fmt::join(solvers, ", ")));
        }
    };
    require_choice("selection", options.dual.selection, DualChoices::selections());
    require_choice("pricing", options.dual.pricing, DualChoices::pricings());
    if (options.dual.polish) {
        belongs("polish", SolverId::active_set);
    }
    if (options.dual.selection != kAuto) {
        belongs("selection", SolverId::smo);
        take_solver("selection", "", SolverId::smo, options);
    }
    if (options.dual.pricing != kAuto && !options.dual.polish) {
        belongs("pricing", SolverId::active_set);
        take_solver("pricing", " and to a polish", SolverId::active_set, options);
    }
}

/// Throws if an option of the perceptron is given to another machine.
void require_own_options(const TrainOptions& options) {
    if (is_machine(options.model, MachineId::perceptron)) {
        return;
    }
    const char* given = options.perceptron.average          ? "average"
                        : options.perceptron.max_passes > 0 ? "max_passes"
                        : options.perceptron.bound != kAuto ? "bound"
                        : options.perceptron.record_steps   ? "trace"
                        : options.perceptron.separability   ? "separability"
                                                            : nullptr;
    if (given != nullptr) {
        throw InvalidArgument(std::string(given), "", "belongs to `model` perceptron",
                              fmt::format("{} has none", options.model));
    }
}

}  // namespace

std::vector<std::string> machine_names() {
    std::vector<std::string> names;
    for (const Machine& machine : machines()) {
        names.emplace_back(machine.name);
    }
    return names;
}

bool is_classifier(const std::string& model) { return machine_of(model).has_classes(); }

bool is_linear_machine(const std::string& model) { return machine_of(model).is_linear(); }

bool is_linear_by_default(const std::string& model) { return machine_of(model).linear_kernel; }

bool takes_sparse_penalty(const std::string& model, const std::string& penalty) {
    // The hinge with l1 alone is a linear program; with 1/2 |f|^2 as well it has no solver.
    return machine_of(model).sparse &&
           (penalty != kL1AndRkhs || !std::holds_alternative<HingeLoss>(machine_of(model).loss));
}

void fit::require_penalty(const TrainOptions& options) {
    const Machine& machine = machine_of(options.model);
    require_choice("penalty", options.objective.penalty, {kRkhs, kL1, kL1AndRkhs});
    if (options.objective.penalty == kRkhs) {
        if (options.objective.l1.has_value()) {
            throw InvalidArgument("l1", "", "belongs to the penalties l1 and l1+rkhs");
        }
        return;
    }
    if (!machine.sparse) {
        throw InvalidArgument(
            "penalty", "",
            fmt::format("{} does not take {}", machine.name, options.objective.penalty),
            fmt::format("these do: {}", machines_that(is_sparse)));
    }
    if (!takes_sparse_penalty(options.model, options.objective.penalty)) {
        throw InvalidArgument("penalty", "",
                              fmt::format("{} takes l1, a linear programme", options.model),
                              "with 1/2 |f|^2 beside it take l2-svc or huber-svc");
    }
    static_cast<void>(fit::l1_weight(options));
}

bool takes_basis(const std::string& model) {
    return takes_sparse_penalty(model, kL1AndRkhs) && !is_linear_machine(model);
}

namespace {

void require_nothing_of_a_basis(const BasisChoices& basis) {
    const char* given = basis.tolerance > 0.0                           ? "basis_tolerance"
                        : basis.candidates != BasisChoices().candidates ? "basis_candidates"
                        : basis.features                                ? "features"
                        : basis.validation != nullptr                   ? "validation"
                                                                        : nullptr;
    if (given != nullptr) {
        throw InvalidArgument(std::string(given), "", "belongs to a basis",
                              "`basis` N asks for one");
    }
}

}  // namespace

void fit::require_basis(const TrainOptions& options) {
    const BasisChoices& basis = options.basis;
    if (basis.size == 0) {
        require_nothing_of_a_basis(basis);
        return;
    }
    require_in_range("basis", static_cast<double>(basis.size), Range::non_negative());
    if (!takes_basis(options.model)) {
        std::vector<std::string> names;
        for (const Machine& machine : machines()) {
            if (takes_basis(machine.name)) {
                names.emplace_back(machine.name);
            }
        }
        throw InvalidArgument("basis", "", fmt::format("{} does not take it", options.model),
                              fmt::format("these do: {}", fmt::join(names, ", ")));
    }
    for (const auto& [name, given] :
         {std::pair{"penalty", options.objective.penalty != kRkhs},
          std::pair{"start", options.run.start != nullptr},
          std::pair{"checkpoint", options.run.checkpoint != nullptr},
          std::pair{"leave_one_out", options.outputs.leave_one_out},
          std::pair{"precision", options.run.precision != "float64"},
          std::pair{"probability", options.outputs.probability && basis.features}}) {
        if (given) {
            throw InvalidArgument(
                std::string(name), "",
                fmt::format("not together with a basis{}", basis.features ? " of columns" : ""));
        }
    }
    if (is_precomputed(options.kernel)) {
        throw InvalidArgument(
            "kernel", "",
            "a basis holds some rows only, and precomputed values know theirs by their place");
    }
}

namespace {

/// Throws InvalidArgument if the start alone is requested where no single start exists.
void require_start_only(const Machine& machine, const TrainOptions& options) {
    const bool joint = machine.id == MachineId::klr && options.objective.penalty == kRkhs &&
                       options.basis.size == 0 && fit::chosen_multiclass(options) == kSoftmax;
    if (options.run.start_only && !joint && machine.id != MachineId::logistic) {
        throw InvalidArgument("start_only", "", "belongs to logistic, and to klr with softmax");
    }
}

/// Throws InvalidArgument for options that the machine does not take; sets the solver that other
/// options imply.
void require_options(const Machine& machine, TrainOptions& options) {
    fit::require_class_weights(options);
    for (const auto& [name, value] : {std::pair{"gap_tolerance", options.run.gap_tolerance},
                                      std::pair{"tolerance", options.run.tolerance}}) {
        if (value) {
            require_in_range(name, *value, Range::positive());
        }
    }
    require_in_range("max_iterations", static_cast<double>(options.run.max_iterations),
                     Range::non_negative());
    fit::require_penalty(options);
    require_start_only(machine, options);
    require_own_options(options);
    settle_dual_options(machine, options);
    static_cast<void>(fit::chosen_multiclass(options));
    if (!options.order.empty() && machine.id != MachineId::ordinal &&
        machine.id != MachineId::perceptron) {
        throw InvalidArgument("order", "", "belongs to perceptron and ordinal",
                              fmt::format("{} has none", options.model));
    }
}

/// Learns the link of a machine without classes.
void learn_link(const Dataset& data, const TrainOptions& options, TrainResult& result,
                Context& context) {
    try {
        result.model.link = machine_of(options.model).task == Task::inliers
                                ? fit::density_link(data, result.model, context)
                                : fit::laplace_link(data, options, context);
    } catch (const Interrupted&) {
        fit::note_stopped(result, fit::kNoProbabilities);
    }
}

}  // namespace

TrainResult train(const Dataset& data, const TrainOptions& asked, Context& context) {
    TrainOptions options = asked;
    const Machine& machine = machine_of(options.model);
    require_taken(options);
    fit::require_basis(options);
    if (is_precomputed(options.kernel) && !machine.is_linear() && machine.id != MachineId::krr) {
        require_trainable(data, options.model);
        return fit::train_precomputed(data, options, context);
    }
    require_options(machine, options);
    if (options.objective.penalty == kL1AndRkhs && options.objective.l1 == 0.0 &&
        options.run.solver.is_automatic() &&
        !machine.is_linear()) {             // least-squares would have no penalty left
        options.objective.penalty = kRkhs;  // weight 0: no l1 penalty
        options.objective.l1.reset();
    }
    const bool sparse = options.objective.penalty != kRkhs;
    if (options.run.start != nullptr && !sparse) {
        require_able("start", starts, &SolverCapabilities::warm_start, machine, options);
        if (options.run.gram == nullptr) {  // a caller with K has checked the rows
            fit::require_start(*options.run.start, data, options.model);
        }
    }
    if (options.run.checkpoint != nullptr && !sparse) {
        require_able("checkpoint", has_box_dual, &SolverCapabilities::checkpoint, machine, options);
        options.run.checkpoint->begin(fingerprint_of(data),
                                      fit::run_description(data, options, context));
    }
    fit::require_memory(data, options, context);
    const Context::WorkMeter meter(context);
    TrainResult result = options.basis.size > 0 ? fit::train_on_basis(data, options, context)
                         : sparse               ? fit::train_sparse(data, options, context)
                                                : recipe_of(machine.id)(data, options, context);
    if (!is_precomputed(options.kernel)) {
        result.model.names = names_of(data);
    }
    result.work = meter.work();
    context.note(fmt::format("work: {} kernel rows, {} products, {} of memory",
                             result.work.kernel_rows, result.work.products,
                             format_byte_size(result.work.memory_bytes)));
    if (options.run.checkpoint != nullptr) {
        options.run.checkpoint->flush();
    }
    if (options.outputs.probability && !machine.has_classes()) {
        learn_link(data, options, result, context);
    }
    return result;
}

}  // namespace mercer

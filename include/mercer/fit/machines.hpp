// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/machines.hpp - the table of machines: what a name such as `svc` means.
//
// Everything that depends on the machine - options, tolerances, solvers, plans, help - reads a row
// of this table. No other file compares names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/losses/loss.hpp"

namespace mercer {

enum class MachineId : std::uint8_t {
    svc,
    nu_svc,
    one_class,
    svr,
    l2_svr,
    nu_svr,
    l2_svc,
    huber_svc,
    hard_margin,
    perceptron,
    klr,
    krr,
    ls_svc,
    ordinal,
    rank,
    least_squares,
    ridge,
    polynomial,
    logistic,
};

/// The kind of targets.
enum class Task : std::uint8_t {
    two_classes,   ///< exactly two
    many_classes,  ///< two or more
    numbers,
    inliers,  ///< no targets: every row belongs to the single class
};

/// The form of the machine's problem, which determines the applicable solvers.
enum class Form : std::uint8_t {
    box_dual,     ///< a kernel dual in a box: the support vector family
    smooth,       ///< a smooth loss of a kernel function
    equations,    ///< linear equations in K
    columns,      ///< linear in the columns or their monomials; no kernel
    comparisons,  ///< multipliers of comparisons between rows
    corrections,  ///< no objective: a perceptron
};

/// The hyperparameters of a machine, in addition to those of its kernel.
struct Hyperparameters {
    bool cost = true;  ///< C or lambda
    bool epsilon = false;
    bool nu = false;
    bool alpha = false;
    bool degree = false;
};

/// One row of the table.
struct Machine {
    MachineId id;
    const char* name;
    Task task;
    Form form;
    Loss loss;             ///< for a tube the width is set at training
    double gap_tolerance;  ///< default relative gap to certify
    Hyperparameters takes;
    bool free_width = false;              ///< the width of tube or margin is determined by nu
    bool sparse = false;                  ///< accepts a penalty on its coefficients, and a basis
    bool starts = false;                  ///< accepts a warm start from a model
    bool leave_one_out = false;           ///< reports leave-one-out errors
    bool float32 = false;                 ///< can factor K in single precision
    bool linear_kernel = false;           ///< by default
    std::vector<std::string> paths = {};  ///< hyperparameters that `mercer path` can trace

    [[nodiscard]] bool has_classes() const noexcept {
        return task == Task::two_classes || task == Task::many_classes;
    }
    [[nodiscard]] bool has_box_dual() const noexcept { return form == Form::box_dual; }
    [[nodiscard]] bool is_linear() const noexcept { return form == Form::columns; }
    /// The loss is a negative log likelihood, so f determines a probability.
    [[nodiscard]] bool has_own_link() const noexcept {
        return std::holds_alternative<LogisticLoss>(loss);
    }
    /// Probabilities are available: by its own link, or by a learned one.
    [[nodiscard]] bool gives_probabilities() const noexcept {
        return has_own_link() || (task != Task::two_classes && form != Form::comparisons);
    }
};

/// All rows, in the order in which they are listed to users.
[[nodiscard]] std::span<const Machine> machines();

/// The row with that name. Throws InvalidArgument with the known names for any other.
[[nodiscard]] const Machine& machine_of(std::string_view name);
[[nodiscard]] const Machine& machine_of(MachineId id);

/// True if that is the machine's name.
[[nodiscard]] bool is_machine(std::string_view name, MachineId id);

/// The names of the machines for which `may` holds, separated by commas: for messages.
[[nodiscard]] std::string machines_that(bool (*may)(const Machine&));

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/machines.hpp - the table of machines: what a user's word like `svc` stands for.
//
// Everything that depends on which machine it is - options, tolerances, solvers, plans, help - asks
// a row of this table. No other file compares names.
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

/// What the targets are.
enum class Task : std::uint8_t {
    two_classes,   ///< no more than two
    many_classes,  ///< two or more
    numbers,
    inliers,  ///< none: every row belongs to the one class
};

/// The problem a machine poses, which says how it can be solved.
enum class Form : std::uint8_t {
    box_dual,     ///< a kernel dual in a box: the support vector family
    smooth,       ///< a smooth loss of a kernel function
    equations,    ///< linear equations in K
    columns,      ///< linear in the columns or their monomials; no kernel
    comparisons,  ///< multipliers of comparisons between rows
    corrections,  ///< no objective: a perceptron
};

/// Which hyperparameters a machine takes beside its kernel's.
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
    Loss loss;             ///< a tube has the width that is given when it is trained
    double gap_tolerance;  ///< certified relative gap when none is asked for
    Hyperparameters takes;
    bool free_width = false;              ///< of the tube or the margin: found by nu
    bool sparse = false;                  ///< takes a penalty on its coefficients, and a basis
    bool starts = false;                  ///< can start from the coefficients of a model
    bool leave_one_out = false;           ///< tells its leave-one-out errors
    bool float32 = false;                 ///< can factor K in single precision
    bool linear_kernel = false;           ///< by default
    std::vector<std::string> paths = {};  ///< hyperparameters `mercer path` can follow

    [[nodiscard]] bool has_classes() const noexcept {
        return task == Task::two_classes || task == Task::many_classes;
    }
    [[nodiscard]] bool has_box_dual() const noexcept { return form == Form::box_dual; }
    [[nodiscard]] bool is_linear() const noexcept { return form == Form::columns; }
    /// The loss is the logarithm of a probability, so that f tells one.
    [[nodiscard]] bool has_own_link() const noexcept {
        return std::holds_alternative<LogisticLoss>(loss);
    }
    /// Probabilities can be had: by its own link, or by one that is learned.
    [[nodiscard]] bool gives_probabilities() const noexcept {
        return has_own_link() || (task != Task::two_classes && form != Form::comparisons);
    }
};

/// All rows, in the order they are listed to users.
[[nodiscard]] std::span<const Machine> machines();

/// The row of that name. Throws InvalidArgument, with the names there are, for another.
[[nodiscard]] const Machine& machine_of(std::string_view name);
[[nodiscard]] const Machine& machine_of(MachineId id);

/// True when the name is that machine's.
[[nodiscard]] bool is_machine(std::string_view name, MachineId id);

/// The names of the machines for which `may` holds, by commas: for messages.
[[nodiscard]] std::string machines_that(bool (*may)(const Machine&));

}  // namespace mercer

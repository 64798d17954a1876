// SPDX-License-Identifier: Apache-2.0
//
// src/fit/machines.cpp - the rows of the table.
#include "mercer/fit/machines.hpp"

#include <algorithm>

#include "mercer/fit/train.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

namespace {

// Duals are solved to four digits, comparable to LIBSVM's rule of 1e-3; methods that end in linear
// equations or Newton steps reach eight digits at no extra cost.
constexpr double kVectors = kDefaultGapTolerance;
constexpr double kSmooth = kSmoothGapTolerance;

constexpr Hyperparameters kCost{};
constexpr Hyperparameters kNone{.cost = false};
constexpr Hyperparameters kNu{.cost = false, .nu = true};
constexpr Hyperparameters kRidge{.alpha = true};

/// A machine with the hinge loss and a free margin.
Machine free_margin_machine(MachineId id, const char* name, Task task) {
    return {.id = id,
            .name = name,
            .task = task,
            .form = Form::box_dual,
            .loss = HingeLoss{},
            .gap_tolerance = kVectors,
            .takes = kNu,
            .free_width = true,
            .starts = true,
            .paths = {"nu"}};
}

/// Support vector machines with and without a free width.
std::vector<Machine> first_vector_machines() {
    using enum MachineId;
    return {
        {.id = svc,
         .name = "svc",
         .task = Task::many_classes,
         .form = Form::box_dual,
         .loss = HingeLoss{},
         .gap_tolerance = kVectors,
         .takes = kCost,
         .sparse = true,
         .starts = true,
         .paths = {"C", "weight"}},
        free_margin_machine(nu_svc, "nu-svc", Task::many_classes),
        free_margin_machine(one_class, kOneClass, Task::inliers),
        {.id = svr,
         .name = "svr",
         .task = Task::numbers,
         .form = Form::box_dual,
         .loss = EpsilonInsensitiveLoss{},
         .gap_tolerance = kVectors,
         .takes = {.epsilon = true},
         .starts = true,
         .paths = {"C", "epsilon", "nu"}},
        {.id = l2_svr,
         .name = "l2-svr",
         .task = Task::numbers,
         .form = Form::box_dual,
         .loss = SquaredEpsilonLoss{},
         .gap_tolerance = kVectors,
         .takes = {.epsilon = true},
         .sparse = true,
         .starts = true},
        {.id = nu_svr,
         .name = "nu-svr",
         .task = Task::numbers,
         .form = Form::box_dual,
         .loss = EpsilonInsensitiveLoss{},
         .gap_tolerance = kVectors,
         .takes = {.nu = true},
         .free_width = true,
         .starts = true,
         .paths = {"nu"}},
    };
}

/// Support vector machines with squared losses, and the hard margin.
std::vector<Machine> other_vector_machines() {
    using enum MachineId;
    return {
        {.id = l2_svc,
         .name = "l2-svc",
         .task = Task::many_classes,
         .form = Form::box_dual,
         .loss = SquaredHingeLoss{},
         .gap_tolerance = kVectors,
         .takes = kCost,
         .sparse = true,
         .starts = true},
        {.id = huber_svc,
         .name = "huber-svc",
         .task = Task::many_classes,
         .form = Form::box_dual,
         .loss = ModifiedHuberLoss{},
         .gap_tolerance = kVectors,
         .takes = kCost,
         .sparse = true,
         .starts = true},
        {.id = hard_margin,
         .name = "hard-margin",
         .task = Task::many_classes,
         .form = Form::box_dual,
         .loss = HingeLoss{},
         .gap_tolerance = kVectors,
         .takes = kNone},
    };
}

/// Kernel machines with other solvers.
std::vector<Machine> kernel_machines() {
    using enum MachineId;
    return {
        {.id = perceptron,
         .name = "perceptron",
         .task = Task::two_classes,
         .form = Form::corrections,
         .loss = HingeLoss{},
         .gap_tolerance = kVectors,
         .takes = kNone,
         .linear_kernel = true},
        {.id = klr,
         .name = "klr",
         .task = Task::many_classes,
         .form = Form::smooth,
         .loss = LogisticLoss{},
         .gap_tolerance = kSmooth,
         .takes = kCost,
         .sparse = true,
         .starts = true,
         .leave_one_out = true},
        {.id = krr,
         .name = "krr",
         .task = Task::numbers,
         .form = Form::equations,
         .loss = SquaredLoss{},
         .gap_tolerance = kSmooth,
         .takes = kRidge,
         .sparse = true,
         .leave_one_out = true,
         .float32 = true},
        {.id = ls_svc,
         .name = "ls-svc",
         .task = Task::many_classes,
         .form = Form::equations,
         .loss = HalfSquaredLoss{},
         .gap_tolerance = kSmooth,
         .takes = kCost,
         .sparse = true,
         .leave_one_out = true},
        {.id = ordinal,
         .name = kOrdinal,
         .task = Task::many_classes,
         .form = Form::comparisons,
         .loss = HingeLoss{},
         .gap_tolerance = kVectors,
         .takes = kCost},
        {.id = rank,
         .name = kRank,
         .task = Task::numbers,
         .form = Form::comparisons,
         .loss = HingeLoss{},
         .gap_tolerance = kVectors,
         .takes = kCost},
    };
}

/// Machines on columns.
std::vector<Machine> column_machines() {
    using enum MachineId;
    return {
        {.id = least_squares,
         .name = "least-squares",
         .task = Task::numbers,
         .form = Form::columns,
         .loss = SquaredLoss{},
         .gap_tolerance = kSmooth,
         .takes = kNone,
         .sparse = true,
         .linear_kernel = true},
        {.id = ridge,
         .name = "ridge",
         .task = Task::numbers,
         .form = Form::columns,
         .loss = SquaredLoss{},
         .gap_tolerance = kSmooth,
         .takes = kRidge,
         .linear_kernel = true},
        {.id = polynomial,
         .name = "polynomial",
         .task = Task::numbers,
         .form = Form::columns,
         .loss = SquaredLoss{},
         .gap_tolerance = kSmooth,
         .takes = {.cost = false, .degree = true},
         .linear_kernel = true},
        {.id = logistic,
         .name = "logistic",
         .task = Task::two_classes,
         .form = Form::columns,
         .loss = LogisticLoss{},
         .gap_tolerance = kSmooth,
         .takes = kCost,
         .sparse = true,
         .starts = true,
         .linear_kernel = true},
    };
}

std::vector<Machine> make_table() {
    std::vector<Machine> rows = first_vector_machines();
    for (const std::vector<Machine>& more :
         {other_vector_machines(), kernel_machines(), column_machines()}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

const std::vector<Machine>& table() {
    static const std::vector<Machine> rows = make_table();
    return rows;
}

}  // namespace

std::span<const Machine> machines() { return table(); }

const Machine& machine_of(std::string_view name) {
    const std::vector<Machine>& rows = table();
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const Machine& machine) { return machine.name == name; });
    if (found == rows.end()) {
        require_choice("model", std::string(name), machine_names());
    }
    return *found;
}

const Machine& machine_of(MachineId id) { return table()[static_cast<std::size_t>(id)]; }

bool is_machine(std::string_view name, MachineId id) { return machine_of(id).name == name; }

std::string machines_that(bool (*may)(const Machine&)) {
    std::string names;
    for (const Machine& machine : table()) {
        if (may(machine)) {
            names += (names.empty() ? "" : ", ") + std::string(machine.name);
        }
    }
    return names;
}

}  // namespace mercer

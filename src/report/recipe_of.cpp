// SPDX-License-Identifier: Apache-2.0
//
// src/report/recipe_of.cpp - the hyperparameters of a model as options.
#include "report/recipe_of.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer::report {

namespace {

/// A word quoted for the shell.
std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

/// The degree of a polynomial machine, from its kernel poly(degree=N, ...).
index_t degree_of(const Model& model) {
    const std::string text = to_string(model.kernel);
    const std::string begin = "poly(degree=";
    return text.starts_with(begin) ? std::atoll(text.c_str() + begin.size()) : 1;
}

void add_objective(const Model& model, const Machine& machine, Recipe& out) {
    ObjectiveChoices& objective = out.options.objective;
    if (machine.takes.alpha) {
        objective.alpha = std::isinf(model.cost) ? 0.0 : 0.5 / model.cost;
        out.words += fmt::format(" --alpha {}", *objective.alpha);
    } else if (machine.takes.cost && !model.is_likelihood()) {
        objective.cost = model.cost;
        out.words +=
            fmt::format(" -C {}", std::isinf(model.cost) ? "inf" : fmt::format("{}", model.cost));
    }
    if (machine.takes.epsilon) {
        objective.epsilon = model.epsilon;
        out.words += fmt::format(" --epsilon {}", model.epsilon);
    }
    if (machine.takes.nu && !std::isnan(model.nu)) {
        objective.nu = model.nu;
        out.words += fmt::format(" --nu {}", model.nu);
    }
    if (machine.takes.degree) {
        objective.degree = degree_of(model);
        out.words += fmt::format(" --degree {}", *objective.degree);
    }
    if (model.penalty == kL1 || model.penalty == kL1AndRkhs) {
        objective.penalty = model.penalty;
        objective.l1 = model.l1;
        out.words += fmt::format(" --penalty {} --l1 {}", model.penalty, model.l1);
    }
    if (!model.has_intercept && !model.is_comparison() && !machine.takes.degree) {
        objective.intercept = false;
        out.words += " --no-intercept";
    }
    objective.class_weights = model.class_weights;
    for (const auto& [label, weight] : model.class_weights) {
        out.words += fmt::format(" --weight {}", shell_quoted(fmt::format("{}={}", label, weight)));
    }
}

void add_outputs(const Model& model, const Machine& machine, Recipe& out) {
    if (!model.multiclass.empty()) {
        out.options.outputs.multiclass = model.multiclass;
        out.words += " --multiclass " + model.multiclass;
    }
    if (!model.link.empty() && !machine.has_own_link()) {
        out.words += " --probability";  // costs five more fits: not used for the refits of a report
    }
    if (model.penalty == kBasis) {
        out.options.basis.size = model.support.rows();
        out.options.basis.features = model.on_columns;
        out.words += fmt::format(" --basis {}{}", model.support.rows(),
                                 model.on_columns ? " --features" : "");
    }
    if (model.is_ordinal()) {
        out.options.order = fmt::format("{}", fmt::join(model.labels, ","));
        out.words += " --order " + shell_quoted(out.options.order);
    }
}

}  // namespace

Recipe recipe_of(const Model& model) {
    Recipe out;
    if (model.status == kImported) {
        out.missing = "the model comes from another program";
        return out;
    }
    if (model.on_columns && model.penalty != kBasis) {
        out.missing = "the model was read off a path over lambda";
        return out;
    }
    const Machine& machine = machine_of(model.machine);
    out.options.model = model.machine;
    out.words = "--model " + model.machine;
    if (!machine.is_linear()) {
        out.options.kernel = model.kernel;
        out.words += " --kernel " + shell_quoted(to_string(model.kernel));
    }
    const Definiteness definiteness = model.kernel.definiteness();
    out.options.allow_indefinite = !machine.is_linear() &&
                                   definiteness != Definiteness::strictly_positive_definite &&
                                   definiteness != Definiteness::positive_definite;
    if (out.options.allow_indefinite) {
        out.words += " --allow-indefinite";
    }
    add_objective(model, machine, out);
    add_outputs(model, machine, out);
    if (model.scaling && model.scaling->method != "none") {
        out.options.scale.method = model.scaling->method;
        out.words += " --scale " + model.scaling->method;
    }
    if (!std::isnan(model.gap_tolerance)) {
        out.options.run.gap_tolerance = model.gap_tolerance;
        out.words += fmt::format(" --gap-tolerance {}", model.gap_tolerance);
    }
    if (!std::isnan(model.tolerance)) {
        out.options.run.tolerance = model.tolerance;
        out.words += fmt::format(" --tolerance {}", model.tolerance);
    }
    return out;
}

}  // namespace mercer::report

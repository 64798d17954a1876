// SPDX-License-Identifier: Apache-2.0
//
// src/report/words.cpp - sentences about the problem, its proof and its origin.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/report/report.hpp"
#include "report/gathering.hpp"
#include "report/recipe_of.hpp"

namespace mercer::report {

namespace {

using chart::number_text;

std::string machine_words(const Model& model) {
    static constexpr std::pair<MachineId, const char*> kWords[] = {
        {MachineId::svc, "a support vector classifier"},
        {MachineId::nu_svc, "a support vector classifier; ν bounds its fraction of margin errors"},
        {MachineId::one_class,
         "a one-class machine: it learns the region where the training rows lie, and flags "
         "new rows outside it"},
        {MachineId::svr,
         "support vector regression: errors smaller than the tube width cost nothing"},
        {MachineId::l2_svr, "support vector regression with squared errors outside the tube"},
        {MachineId::nu_svr,
         "support vector regression; at most a fraction ν of the rows lie outside its tube"},
        {MachineId::l2_svc, "a support vector classifier with the squared hinge loss"},
        {MachineId::huber_svc, "a support vector classifier with the modified Huber loss"},
        {MachineId::hard_margin,
         "a hard-margin classifier: the widest margin with no row inside it"},
        {MachineId::perceptron, "a perceptron: it updates on each mistake until none is left"},
        {MachineId::klr, "kernel logistic regression: its decision values are log-odds"},
        {MachineId::krr, "kernel ridge regression: squared errors with a penalty on |f|²"},
        {MachineId::ls_svc, "a least-squares support vector classifier"},
        {MachineId::ordinal,
         "ordinal regression: one function with thresholds between the classes"},
        {MachineId::rank, "a ranking machine: its function orders the rows within a query"},
        {MachineId::least_squares, "linear least squares"},
        {MachineId::ridge, "ridge regression: linear, with a penalty on large weights"},
        {MachineId::polynomial, "least squares in the monomials of the columns"},
        {MachineId::logistic, "logistic regression: linear log-odds"},
    };
    for (const auto& [id, words] : kWords) {
        if (is_machine(model.machine, id)) {
            return words;
        }
    }
    return model.machine;
}

std::string loss_words(const Model& model) {
    static constexpr std::pair<const char*, const char*> kWords[] = {
        {"hinge",
         "A row outside the margin on its own side costs nothing; otherwise its cost grows "
         "linearly."},
        {"squared-hinge", "A row costs half the square of its margin violation."},
        {"modified-huber",
         "The cost of a row grows with the square of its margin violation, and only linearly far "
         "on "
         "the wrong side, so outliers have less influence."},
        {"logistic", "A row costs the negative log-probability of its class."},
        {"squared", "A row costs the square of its error."},
        {"half-squared", "A row costs half the square of its error."},
        {"absolute", "A row costs the absolute value of its error."},
        {"epsilon",
         "A row inside the tube costs nothing; outside it costs its distance from the tube."},
        {"squared-epsilon",
         "A row inside the tube costs nothing; outside it costs half the square of its distance "
         "from the tube."},
    };
    for (const auto& [name, words] : kWords) {
        if (model.loss == name && !model.counts_mistakes()) {
            return words;
        }
    }
    return "";
}

std::string formula_of(const Model& model) {
    if (model.counts_mistakes()) {
        return "";
    }
    const std::string price = model.penalty == kL1          ? "λ Σ |βⱼ|"
                              : model.penalty == kL1AndRkhs ? "½ |f|² + λ Σ |βⱼ|"
                                                            : "½ |f|²";
    if (std::isinf(model.cost)) {
        return model.is_likelihood() ? "minimise  Σᵢ loss(yᵢ, f(xᵢ) + b)"
                                     : "minimise  ½ |f|²  subject to zero loss on every row";
    }
    return fmt::format("minimise  {}  +  {} Σᵢ {}loss(yᵢ, f(xᵢ){})", price,
                       number_text(model.cost, 6), model.row_weights ? "wᵢ " : "",
                       model.has_intercept ? " + b" : "");
}

std::string classes_words(const Model& model) {
    constexpr std::size_t kShown = 8;
    const std::size_t shown = std::min(kShown, model.labels.size());
    const std::string names = fmt::format(
        "{}", fmt::join(model.labels.begin(),
                        model.labels.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return shown < model.labels.size()
               ? fmt::format("{} and {} more", names, model.labels.size() - shown)
               : names;
}

void add_facts(const Model& model, Report& report) {
    const auto add = [&](const char* name, std::string value) {
        report.facts.emplace_back(name, std::move(value));
    };
    add("machine", model.machine);
    add("kernel", to_string(model.kernel));
    if (!model.labels.empty()) {
        add("classes", classes_words(model));
    }
    if (!model.multiclass.empty()) {
        add("multi-class scheme", model.multiclass);
    }
    add("loss", model.counts_mistakes() ? "number of mistakes" : model.loss);
    add("C", number_text(model.cost, 6));
    if (!std::isnan(model.nu)) {
        add("ν", number_text(model.nu, 6));
    }
    if (!std::isnan(report.tube)) {
        add("tube, half-width", number_text(report.tube, 6));
    }
    if (model.is_sparse()) {
        add("penalty", model.penalty == kBasis
                           ? std::string("none; functions chosen greedily")
                           : fmt::format("{}, weight {}", model.penalty, number_text(model.l1, 6)));
    }
    for (const auto& [label, weight] : model.class_weights) {
        report.facts.emplace_back("weight of class " + label, number_text(weight, 6));
    }
    add("scaling", model.scaling ? model.scaling->method : "none");
    add("training rows", fmt::format("{}", model.fingerprint.rows));
    add("columns", fmt::format("{}", model.columns));
    add("solver", fmt::format("{}, {} iteration{}, {}", model.solver, model.iterations,
                              model.iterations == 1 ? "" : "s", model.status));
}

/// What a gap proves.
void add_proof(const Model& model, const Certificate& total, Report& report) {
    const double gap = std::max(0.0, total.gap);
    report.proved.push_back(
        fmt::format("No function has an objective below {}. This model's objective is {}, so it is "
                    "within {} of "
                    "the optimum ({} relative).",
                    number_text(total.primal - gap, 8), number_text(total.primal, 8),
                    number_text(gap, 3), number_text(std::max(0.0, relative_gap(total)), 2)));
    if (model.penalty == kRkhs && !model.is_likelihood()) {
        report.proved.push_back(fmt::format(
            "Therefore |f − f*| ≤ √(2 gap) = {} in the RKHS norm, where f* is the optimal "
            "function; with "
            "the same intercept, their values at x differ by at most that times √k(x,x).",
            number_text(std::sqrt(2.0 * gap), 3)));
    }
    report.proved.push_back(
        fmt::format("The optimality (KKT) conditions hold to {}. The primal and dual values are "
                    "computed by code "
                    "that no solver uses, and the gap includes a bound on its own rounding.",
                    number_text(total.kkt_violation, 3)));
}

}  // namespace

void describe_problem(const Model& model, Report& report) {
    const bool named = !model.labels.empty() && model.machine != kOneClass;
    report.problem.push_back(fmt::format(
        "This is {}. It was trained on {} rows with {} columns{}.", machine_words(model),
        model.fingerprint.rows, model.columns,
        named
            ? fmt::format(" to separate {} classes: {}", model.labels.size(), classes_words(model))
            : ""));
    report.problem.push_back(
        fmt::format("Its decision function is f(x) = Σⱼ βⱼ k(xⱼ, x){} with the kernel k = {}{}.",
                    model.has_intercept ? " + b" : "", to_string(model.kernel),
                    model.scaling && model.scaling->method != "none"
                        ? fmt::format("; the columns are scaled first ({})", model.scaling->method)
                        : ""));
    report.formula = formula_of(model);
    if (const std::string loss = loss_words(model); !loss.empty()) {
        report.problem.push_back(loss);
    }
    add_facts(model, report);
}

void describe_certificate(const Model& model, Report& report) {
    report.stated = model.certificates;
    const Certificate total = total_certificate(model.certificates);
    if (model.status == kImported || model.certificates.empty()) {
        report.proved.emplace_back(
            "Nothing: the model comes from another program and states no certificate.");
    } else if (!total.exact) {
        report.proved.emplace_back(
            "Nothing: the certificate is void because the kernel is not positive definite or the "
            "objective does not penalise f.");
    } else if (std::isnan(total.gap)) {
        report.proved.emplace_back("Nothing: there is no dual lower bound for this objective.");
    } else {
        add_proof(model, total, report);
        if (model.problems() > 1) {
            report.proved.push_back(fmt::format(
                "These values are sums over {} problems, each with its own certificate.",
                model.problems()));
        }
    }
    report.not_proved = {
        "That the model predicts well: the certificate is about the training objective. Its "
        "performance on other rows is reported below, with confidence intervals.",
        "That the kernel, C or any other hyperparameter is well chosen.",
        "That the data are correct, complete, or representative of future rows."};
}

void describe_origin(const Model& model, const ReportSources& sources, const ReportOptions& options,
                     Report& report) {
    const auto file = [&](const char* what) {
        const auto found = sources.files.find(what);
        return found == sources.files.end() ? std::string() : found->second;
    };
    const std::string data = file("data").empty() ? "DATA" : file("data");
    const std::string name = file("model").empty() ? "MODEL" : file("model");
    const Recipe recipe = recipe_of(model);
    if (recipe.missing.empty()) {
        report.commands.push_back(
            fmt::format("mercer train {} {} -o {}", data, recipe.words, name) +
            (model.row_weights ? " --weights WEIGHTS" : ""));
    }
    if (!file("model").empty()) {
        if (sources.data != nullptr) {
            report.commands.push_back(fmt::format("mercer verify {} {}", name, data));
        }
        report.commands.push_back(
            fmt::format("mercer report {}{}{}{} -o report.html", name,
                        sources.data == nullptr ? "" : " " + data,
                        file("validation").empty() ? "" : " --validation " + file("validation"),
                        options.refits ? " --refits" : ""));
    }
    report.provenance.emplace_back("version", options.version);
    report.provenance.emplace_back("training rows, fingerprint",
                                   fmt::format("{:016x}", model.fingerprint.hash));
}

}  // namespace mercer::report

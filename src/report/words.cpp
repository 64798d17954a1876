// SPDX-License-Identifier: Apache-2.0
//
// src/report/words.cpp - the problem, its proof and its origin in sentences.
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
        {MachineId::nu_svc, "a support vector classifier whose share of margin errors is set by ν"},
        {MachineId::one_class,
         "a one-class machine: it learns where rows lie, to tell new ones "
         "that lie elsewhere"},
        {MachineId::svr, "support vector regression: errors inside a tube cost nothing"},
        {MachineId::l2_svr, "support vector regression with squared errors outside its tube"},
        {MachineId::nu_svr, "support vector regression whose tube holds all but a share ν of rows"},
        {MachineId::l2_svc, "a support vector classifier with a squared hinge"},
        {MachineId::huber_svc, "a support vector classifier with the modified Huber loss"},
        {MachineId::hard_margin, "a classifier of the widest margin, with no row inside it"},
        {MachineId::perceptron, "a perceptron: it corrects its mistakes until there are none"},
        {MachineId::klr, "kernel logistic regression: its values are log-odds"},
        {MachineId::krr, "kernel ridge regression: squared errors, and a price for |f|²"},
        {MachineId::ls_svc, "a least squares support vector classifier"},
        {MachineId::ordinal, "ordinal regression: one function, and thresholds between classes"},
        {MachineId::rank, "a ranking machine: its function puts the rows of a query in order"},
        {MachineId::least_squares, "linear least squares"},
        {MachineId::ridge, "ridge regression: linear, with a price for large weights"},
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
        {"hinge", "A row costs nothing once it is beyond its margin, and grows linearly before."},
        {"squared-hinge", "A row costs half the square of how much it lacks to its margin."},
        {"modified-huber",
         "A row costs the square of what it lacks, and only linearly when it is "
         "far on the wrong side: outliers pull less."},
        {"logistic", "A row costs minus the logarithm of the probability given to its class."},
        {"squared", "A row costs the square of its error."},
        {"half-squared", "A row costs half the square of its error."},
        {"absolute", "A row costs the size of its error."},
        {"epsilon", "A row costs nothing inside the tube, and how far it is outside otherwise."},
        {"squared-epsilon",
         "A row costs nothing inside the tube, and half the square of how far "
         "it is outside otherwise."},
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
                                     : "minimise  ½ |f|²  such that no row has a loss";
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
        add("many classes by", model.multiclass);
    }
    add("loss", model.counts_mistakes() ? "mistakes, counted" : model.loss);
    add("C", number_text(model.cost, 6));
    if (!std::isnan(model.nu)) {
        add("ν", number_text(model.nu, 6));
    }
    if (!std::isnan(report.tube)) {
        add("tube, half-width", number_text(report.tube, 6));
    }
    if (model.is_sparse()) {
        add("penalty", model.penalty == kBasis
                           ? std::string("few functions, chosen greedily")
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

/// What is proved of one gap.
void add_proof(const Model& model, const Certificate& total, Report& report) {
    const double gap = std::max(0.0, total.gap);
    report.proved.push_back(fmt::format(
        "No function of this problem has an objective below {}. This model's is {}: at most {} "
        "above the best there is, {} of its value.",
        number_text(total.primal - gap, 8), number_text(total.primal, 8), number_text(gap, 3),
        number_text(std::max(0.0, relative_gap(total)), 2)));
    if (model.penalty == kRkhs && !model.is_likelihood()) {
        report.proved.push_back(fmt::format(
            "So f is within |f − f*| ≤ √(2 gap) = {} of the best function f* in the norm of the "
            "kernel's space, and for the same intercept their values differ at x by at most that "
            "times √k(x,x).",
            number_text(std::sqrt(2.0 * gap), 3)));
    }
    report.proved.push_back(fmt::format(
        "The conditions of optimality hold to {}. The numbers come from a primal and a dual value "
        "that no solver computes, with a bound of the rounding made on the way.",
        number_text(total.kkt_violation, 3)));
}

}  // namespace

void describe_problem(const Model& model, Report& report) {
    const bool named = !model.labels.empty() && model.machine != kOneClass;
    report.problem.push_back(
        fmt::format("This is {}. It was trained on {} rows of {} columns{}.", machine_words(model),
                    model.fingerprint.rows, model.columns,
                    named ? fmt::format(", to tell {} classes apart: {}", model.labels.size(),
                                        classes_words(model))
                          : ""));
    report.problem.push_back(fmt::format(
        "Its function is f(x) = Σⱼ βⱼ k(xⱼ, x){} with the kernel k = {}{}.",
        model.has_intercept ? " + b" : "", to_string(model.kernel),
        model.scaling && model.scaling->method != "none"
            ? fmt::format(", of columns that are scaled first ({})", model.scaling->method)
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
            "Nothing: the certificate is void, because the kernel is not positive definite or the "
            "problem has no price for f.");
    } else if (std::isnan(total.gap)) {
        report.proved.emplace_back("Nothing: no dual value bounds this objective from below.");
    } else {
        add_proof(model, total, report);
        if (model.problems() > 1) {
            report.proved.push_back(fmt::format(
                "These are sums over {} problems, each of which has a certificate of its own.",
                model.problems()));
        }
    }
    report.not_proved = {
        "That it predicts well: the certificate is about the objective on the training rows. What "
        "is known of other rows stands below, with intervals.",
        "That the kernel, C or any other hyperparameter is well chosen.",
        "That the rows are right, complete, or like those to come."};
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

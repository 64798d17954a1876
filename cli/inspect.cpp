// SPDX-License-Identifier: Apache-2.0
//
// cli/inspect.cpp - mercer inspect: the content of a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "command.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/theory/risk_class.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "printable.hpp"
#include "region_picture.hpp"

namespace mercer::cli {

namespace {

// Fits on a terminal of 80 x 24 together with the legend.
constexpr index_t kPictureWidth = 76;
constexpr index_t kPictureHeight = 21;

struct InspectCommand {
    std::string model;
    bool picture = false;
};

/// The class of the model's problem; nothing if its loss is not part of a convex risk.
std::optional<RiskClasses> problem_classes(const Model& model) {
    const std::optional<Loss> loss = model.is_joint() ? Loss(LogisticLoss{})  // multiclass
                                                      : loss_by_name(model.loss, model.epsilon);
    if (!loss) {
        return std::nullopt;
    }
    const bool endless = model.cost == kInfinity;  // no penalty, or a hard margin
    const bool kinked = !has_slope(*loss);
    return classify_risk(*loss, {.rkhs = model.penalty != kL1 && (!endless || kinked),
                                 .l1 = model.is_sparse(),
                                 .intercept = model.has_intercept,
                                 .free_width = !std::isnan(model.nu),
                                 .hard = endless && kinked});
}

void add_problem(Json& json, const Model& model) {
    json["loss"] = model.loss;
    json["cost"] = model.cost;
    if (const auto classes = problem_classes(model)) {
        json["problem_class"] =
            Json{{"primal", to_string(classes->primal)}, {"dual", to_string(classes->dual)}};
    }
    json["penalty"] = model.penalty;
    if (model.is_sparse()) {
        json["l1"] = model.l1;
        json["nonzero_coefficients"] = nonzero_coefficients(model);
    }
    json["class_weights"] = model.class_weights;
    json["row_weights"] = model.row_weights;
}

Json to_json(Json json, const Model& model) {
    json["model"] = model.machine;
    json["kernel"] = to_string(model.kernel);
    json["definiteness"] = to_string(model.kernel.definiteness());
    json["columns"] = model.columns;
    if (!model.names.empty()) {
        json["column_names"] = model.names.features;
        json["target_name"] = model.names.target;
    }
    json["classes"] = model.labels;
    json["multiclass"] = model.multiclass;
    json["support_vectors"] = model.support.rows();
    if (!model.class_support.empty()) {
        json["support_vectors_by_class"] = model.class_support;
    } else if (const std::vector<index_t> counts = support_by_class(model); !counts.empty()) {
        json["support_vectors_by_class"] = counts;
    }
    if (const double margin = margin_width(model); !std::isnan(margin)) {
        json["margin"] = margin;
    }
    if (!model.link.empty()) {
        json["link"] = Json{{"kind", model.link.kind}, {"a", model.link.a}, {"b", model.link.b}};
    }
    json["outputs"] = model.outputs();
    if (model.is_comparison()) {
        json["thresholds"] = model.thresholds;
        json["active_comparisons"] = model.compared.size();
    }
    json["intercept"] = model.intercepts;
    json["has_intercept"] = model.has_intercept;
    add_problem(json, model);
    json["scaling"] = model.scaling ? model.scaling->method : "none";
    json["solver"] = model.solver;
    json["status"] = model.status;
    json["iterations"] = model.iterations;
    json["gap_tolerance"] = model.gap_tolerance;
    json["tolerance"] = model.tolerance;
    add_certificates(json, model.certificates);
    json["training"] = Json{{"rows", model.fingerprint.rows},
                            {"columns", model.fingerprint.columns},
                            {"hash", fmt::format("{:016x}", model.fingerprint.hash)}};
    return json;
}

std::string weights_text(const Model& model) {
    std::string text;
    for (const auto& [label, weight] : model.class_weights) {
        text += fmt::format(", class {} times {:.6g}", printable(label), weight);
    }
    return text + (model.row_weights ? ", row weights" : "");
}

std::string problem_text(const Model& model) {
    std::string text =
        model.counts_mistakes()
            ? fmt::format("problem      rows on the wrong side, counted{}\n", weights_text(model))
            : fmt::format("problem      {} loss, C = {:.6g}{}\n", model.loss, model.cost,
                          weights_text(model));
    if (const auto classes = problem_classes(model)) {
        text += fmt::format("solves       {}; dual: {}\n", to_string(classes->primal),
                            to_string(classes->dual));
    }
    if (model.is_sparse()) {
        text += penalty_text(model);
    }
    return text;
}

std::string names_text(const Model& model) {
    constexpr std::size_t kShown = 10;
    if (model.names.empty()) {
        return "";
    }
    std::vector<std::string> names = printable(model.names.features);
    const std::size_t more = names.size() - std::min(kShown, names.size());
    names.resize(names.size() - more);
    return fmt::format("columns      {}{}\n", fmt::join(names, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string to_text(const Model& model) {
    std::string text = fmt::format("model        {}, {}\n", model.machine, to_string(model.kernel));
    text += fmt::format("trained on   {} rows, {} columns, fingerprint {:016x}\n",
                        model.fingerprint.rows, model.fingerprint.columns, model.fingerprint.hash);
    text += names_text(model);
    if (!model.labels.empty()) {
        text += fmt::format("classes      {}\n", classes_text(model));
    }
    text += problem_text(model);
    if (model.scaling) {
        text += fmt::format("scaling      {}\n", model.scaling->method);
    }
    text += fmt::format("support      {} rows, {}\n", model.support.rows(),
                        model.support.is_sparse() ? "sparse" : "dense");
    text += margin_text(model);
    text += model.has_intercept || model.is_comparison() ? intercepts_text(model)
                                                         : "intercept    none\n";
    if (model.is_comparison()) {
        text +=
            fmt::format("proof        {} comparisons with a multiplier\n", model.compared.size());
    }
    text += fmt::format("solver       {}, {} iteration{}: {}\n", model.solver, model.iterations,
                        model.iterations == 1 ? "" : "s", model.status);
    if (model.status == kImported) {
        return text + "certificate  none: the model comes from another program\n";
    }
    text += certificates_text(model.certificates, "certificate  ");
    if (!model.link.empty()) {
        text += fmt::format("link         {}\n", model.link.kind);
    }
    return text;
}

ExitStatus run_inspect(Session& session, const InspectCommand& command) {
    const Model model = read_model(session, command.model);
    Json json = to_json(session.json_result(), model);
    std::string text = to_text(model);
    if (command.picture) {
        const std::vector<std::string> lines =
            draw_regions(model, kPictureWidth, kPictureHeight, session.context());
        json["picture"] = lines;
        const std::vector<std::string> names = printable(model.labels);
        text = fmt::format(
            "{}\n. - {}   + # {}   (- + inside the margin)   support rows: o {}  x {}\n",
            fmt::join(lines, "\n"), names[0], names[1], names[0], names[1]);
    }
    session.emit_timed(std::move(json), text);
    return ExitStatus::done;
}

}  // namespace

void add_inspect_command(CLI::App& root, Session& session) {
    add_command<InspectCommand>(
        root, session,
        {"inspect", "show the contents of a model file",
         "  mercer inspect moons.mercer\n"
         "  mercer inspect moons.mercer --picture\n"},
        [](CLI::App& app, InspectCommand& command) {
            add_model_argument(app, command.model);
            OptionRegistrar(app).flag("picture", command.picture,
                                      "draw the decision regions of two columns");
        },
        run_inspect);
}

}  // namespace mercer::cli

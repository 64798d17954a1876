// SPDX-License-Identifier: Apache-2.0
//
// cli/path_l1.cpp - mercer path --over lambda: sparse models for every weight of the penalty.
#include <cmath>

#include "class_weights.hpp"
#include "command.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/report/path_chart.hpp"
#include "mercer/search/l1_path.hpp"
#include "option_registrar.hpp"
#include "path.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"
#include "train_access.hpp"

namespace mercer::cli {

namespace {

/// The requested loss, or that of the requested machine; if both are given they must agree.
std::string chosen_loss(const PathCommand& command) {
    const std::string& model = command.path.machine.model;
    const bool any = model == TrainOptions().model;  // no machine was requested
    std::string loss = command.loss;
    if (loss.empty()) {
        for (const std::string_view each : l1_path_losses()) {
            const std::string name(each);
            if (any ? name == "squared-hinge"
                    : loss.empty() && sparse_path_machine(name, command.features) == model) {
                loss = name;
            }
        }
    }
    if (loss.empty() || (!any && sparse_path_machine(loss, command.features) != model)) {
        throw UsageError(
            loss.empty()
                ? fmt::format("--model: {} has no path over lambda; l2-svc, huber-svc, krr, and "
                              "least-squares with --features have one",
                              model)
                : fmt::format("--model: {} has another loss than {}; give one of them", model,
                              loss));
    }
    return loss;
}

SparsePathOptions asked_options(Session& session, const PathCommand& command) {
    if (!std::isnan(command.path.from)) {
        throw UsageError("--from: a path over lambda starts where the first coefficient enters");
    }
    if (!command.path.weight_class.empty()) {
        throw UsageError("--weight-class: belongs to --over weight");
    }
    SparsePathOptions options;
    options.machine = command.path.machine;
    options.loss = chosen_loss(command);
    options.features = command.features;
    options.to = std::isnan(command.path.to) ? 0.0 : command.path.to;
    options.machine.model = sparse_path_machine(options.loss, options.features);
    if (options.features && !command.kernel.text.empty() && command.kernel.text != "linear") {
        throw UsageError("--kernel: with --features the columns are the basis, and no kernel is");
    }
    options.machine.kernel = options.features
                                 ? linear_kernel()
                                 : training_kernel(session, command.kernel, options.machine.model,
                                                   options.machine.allow_indefinite);
    options.machine.objective.class_weights = parse_class_weights(command.class_weights);
    return options;
}

SparsePath trace_asked(Session& session, const PathCommand& command,
                       const SparsePathOptions& options, const Dataset& data) {
    if (command.folds > 0) {
        return cross_validate(data, options, command.folds, session.context());
    }
    if (command.validation.empty()) {
        return trace_sparse(data, options, session.context());
    }
    DataArgument argument = command.data;
    argument.path = command.validation;
    const Dataset validation = read_training_data(session, argument, options.machine.model, "");
    return trace_sparse(data, options, validation, session.context());
}

Json coefficients_json(const L1Point& point) {
    Json json = Json::array();
    for (std::size_t j = 0; j < point.beta.size(); ++j) {
        if (point.beta[j] != 0.0) {
            json.push_back({{"index", j + 1}, {"value", point.beta[j]}});
        }
    }
    return json;
}

Json path_json(Json json, const SparsePath& path) {
    const L1Path& solution = path.solution();
    const SparsePathOptions& options = path.options();
    json["model"] = options.machine.model;
    json["loss"] = options.loss;
    json["penalty"] = options.machine.objective.penalty;
    json["basis"] = options.features ? "columns" : "rows";
    json["kernel"] = options.features ? Json() : Json(to_string(options.machine.kernel));
    json["over"] = "lambda";
    json["from"] = solution.lambda_max;
    json["to"] = solution.knots.back().lambda;
    json["lambda_max"] = solution.lambda_max;
    json["status"] = std::string(to_string(solution.status));
    json["rows"] = path.data().rows();
    json["columns"] = path.data().columns();
    json["restarts"] = solution.restarts;
    json["flat_moves"] = solution.flat_moves;
    json["max_kkt_violation"] = solution.max_violation;
    json["breakpoints"] = Json::array();
    for (const L1Knot& knot : solution.knots) {
        json["breakpoints"].push_back({{"value", knot.lambda},
                                       {"event", std::string(to_string(knot.event))},
                                       {"index", knot.index < 0 ? Json() : Json(knot.index + 1)},
                                       {"active", knot.active},
                                       {"objective", knot.objective}});
    }
    const L1Point end = solution.at(solution.knots.back().lambda);
    json["coefficients"] = coefficients_json(end);
    json["intercept"] = end.intercept;
    json["score"] = path.score ? score_json(*path.score) : Json();
    return json;
}

std::string path_text(const SparsePath& path) {
    const L1Path& solution = path.solution();
    index_t most = 0;
    index_t zones = 0;
    for (const L1Knot& knot : solution.knots) {
        most = std::max(most, knot.active);
        zones += knot.event == L1Event::zone ? 1 : 0;
    }
    std::string text = fmt::format(
        "path            {} and {} over lambda from {:.6g} to {:.6g}\n"
        "breakpoints     {}, of them {} rows that change their zone; restarts {}\n"
        "coefficients    {} at the end, {} at most, of {}\n"
        "KKT violation   {:.3g} at most\n",
        path.options().loss, path.options().machine.objective.penalty, solution.lambda_max,
        solution.knots.back().lambda, solution.knots.size(), zones, solution.restarts,
        solution.knots.back().active, most, solution.columns, solution.max_violation);
    if (path.score) {
        const PathScore& score = *path.score;
        text += fmt::format("{:<16}{:.6g} at lambda = {:.6g}", "best " + score.measure,
                            score.best_score, score.best_value);
        text += score.best_to > score.best_from ? fmt::format(", the same from {:.6g} to {:.6g}\n",
                                                              score.best_from, score.best_to)
                                                : "\n";
    }
    return text;
}

}  // namespace

ExitStatus run_l1_path(Session& session, const PathCommand& command) {
    const SparsePathOptions options = asked_options(session, command);
    const Dataset data =
        read_training_data(session, command.data, options.machine.model, command.weights);
    const SparsePath path =
        session.timed("trace", [&] { return trace_asked(session, command, options, data); });
    session.timed("write", [&] { save_sparse_path(path, command.output); });
    session.say(fmt::format("wrote {}", command.output));
    if (!command.plot.empty()) {
        StoppableFiles files(session.context());
        write_text_file(command.plot,
                        command.plot.ends_with(".html")
                            ? path_page_html(path)
                            : to_svg(path_figure(path), chart::Setting::alone),
                        files);
        session.say(fmt::format("wrote {}", command.plot));
    }
    session.emit_timed(path_json(session.json_result(), path), path_text(path));
    const SolveStatus status = path.solution().status;
    if (status == SolveStatus::converged) {
        return ExitStatus::done;
    }
    session.warn(fmt::format("{}: the path is written as far as lambda = {:.6g}", to_string(status),
                             path.knots().back().lambda));
    return ExitStatus::stopped;
}

Model read_l1_model_at(Session& session, const std::string& path, const std::string& at) {
    const std::optional<double> value = read_number(at.substr(at.find('=') + 1));
    const SparsePath loaded =
        session.timed("read", [&] { return load_sparse_path(path, session.context()).value(); });
    if (!value) {
        throw UsageError(
            fmt::format("--at: got '{}', must be lambda=VALUE with a value of {:.6g} "
                        "or more",
                        at, loaded.knots().back().lambda));
    }
    return session.timed("fit", [&] { return loaded.at(*value, session.context()).model; });
}

}  // namespace mercer::cli

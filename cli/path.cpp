// SPDX-License-Identifier: Apache-2.0
//
// cli/path.cpp - mercer path: the solution for every value of a hyperparameter.
#include "path.hpp"

#include <algorithm>
#include <cmath>

#include "class_weights.hpp"
#include "command.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/formats/path_file.hpp"
#include "mercer/report/path_chart.hpp"
#include "mercer/solvers/status.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"
#include "train_access.hpp"

namespace mercer::cli {

namespace {

/// The event at a knot, according to the first row that changes there.
std::string event_of(const SolutionPath& path, std::size_t knot, index_t& row) {
    const auto first = static_cast<std::size_t>(path.knots[knot].first_change);
    const std::size_t end = knot + 1 < path.knots.size()
                                ? static_cast<std::size_t>(path.knots[knot + 1].first_change)
                                : path.changes.size();
    row = -1;
    if (first >= end) {
        return knot == 0 ? "start" : "end";
    }
    const PositionChange& change = path.changes[first];
    row = change.row;
    if (change.to == Position::above || change.to == Position::below) {
        return "enter";
    }
    // If one end of the box is zero, a row at that end has no coefficient.
    const bool nothing = change.to == Position::zero ||
                         (change.from == Position::above && change.to == Position::lower);
    return nothing ? "leave" : "bound";
}

Json path_json(Json json, const Path& path) {
    const SolutionPath& solution = path.solution();
    json["model"] = path.options().machine.model;
    json["kernel"] = to_string(path.options().machine.kernel);
    json["over"] = path.options().over;
    json["from"] = solution.from;
    json["to"] = solution.to;
    json["status"] = std::string(to_string(solution.status));
    json["complete"] = solution.complete;
    json["closed"] = solution.closed;
    json["rows"] = path.data().rows();
    json["columns"] = path.data().columns();
    json["restarts"] = solution.restarts;
    json["exchanges"] = solution.exchanges;
    json["max_kkt_violation"] = solution.max_violation;
    json["breakpoints"] = Json::array();
    for (std::size_t k = 0; k < solution.knots.size(); ++k) {
        const PathKnot& knot = solution.knots[k];
        index_t row = -1;
        const std::string event = event_of(solution, k, row);
        json["breakpoints"].push_back({{"value", knot.t},
                                       {"event", event},
                                       {"index", row < 0 ? Json() : Json(row + 1)},
                                       {"active", knot.free},
                                       {"support_vectors", knot.support},
                                       {"squared_norm", knot.squared_norm},
                                       {"objective", knot.dual}});
    }
    json["score"] = path.score ? score_json(*path.score) : Json();
    return json;
}

std::string path_text(const Path& path) {
    const SolutionPath& solution = path.solution();
    index_t most = 0;
    for (const PathKnot& knot : solution.knots) {
        most = std::max(most, knot.free);
    }
    std::string text = fmt::format(
        "path            {} over {} from {:.6g} to {:.6g}\n"
        "breakpoints     {}, restarts {}, exchanges {}\n"
        "free rows       {} at the start, {} at the end, {} at most\n"
        "support vectors {} at the start, {} at the end\n"
        "KKT violation   {:.3g} at most\n",
        path.options().machine.model, path.options().over, solution.from, solution.to,
        solution.knots.size(), solution.restarts, solution.exchanges, solution.knots.front().free,
        solution.knots.back().free, most, solution.knots.front().support,
        solution.knots.back().support, solution.max_violation);
    if (solution.closed) {
        text += fmt::format("closed          the tube closes at {:.6g}; beyond, nothing changes\n",
                            solution.to);
    } else if (!solution.complete) {
        text += fmt::format("ended           nothing is beyond {:.6g}\n", solution.to);
    }
    if (path.score) {
        const PathScore& score = *path.score;
        text += fmt::format("{:<16}{:.6g} at {} = {:.6g}", "best " + score.measure,
                            score.best_score, path.options().over, score.best_value);
        text += score.best_to > score.best_from ? fmt::format(", the same from {:.6g} to {:.6g}\n",
                                                              score.best_from, score.best_to)
                                                : "\n";
    }
    return text;
}

void require_sense(const PathCommand& command) {
    if (command.output == "-") {
        throw UsageError("--output: a path is written to a file, not to standard output");
    }
    if (command.path.over != "lambda" && (command.features || !command.loss.empty())) {
        throw UsageError("--features, --loss: belong to --over lambda");
    }
    if (!command.validation.empty() && command.folds > 0) {
        throw UsageError("--validation and --folds exclude each other; give one of them");
    }
}

Path trace_asked(Session& session, const PathCommand& command, const PathOptions& options,
                 const Dataset& data) {
    if (command.folds > 0) {
        return cross_validate(data, options, command.folds, session.context());
    }
    if (command.validation.empty()) {
        return trace(data, options, session.context());
    }
    DataArgument argument = command.data;
    argument.path = command.validation;
    argument.read.names = names_of(data);
    const Dataset validation = read_training_data(session, argument, options.machine.model, "");
    return trace(data, options, validation, session.context());
}

ExitStatus run_path(Session& session, const PathCommand& command) {
    require_sense(command);
    if (command.path.over == "lambda") {
        return run_l1_path(session, command);
    }
    PathOptions options = command.path;
    options.machine.kernel = training_kernel(session, command.kernel, options.machine.model,
                                             options.machine.allow_indefinite);
    options.machine.objective.class_weights = parse_class_weights(command.class_weights);
    const Dataset data =
        read_training_data(session, command.data, options.machine.model, command.weights);
    const Path path =
        session.timed("trace", [&] { return trace_asked(session, command, options, data); });
    session.timed("write", [&] { save_path(path, command.output); });
    session.say(fmt::format("wrote {}", command.output));
    if (!command.plot.empty()) {
        StoppableFiles files(session.context());
        write_text_file(command.plot,
                        command.plot.ends_with(".html")
                            ? path_page_html(path, session.context())
                            : to_svg(path_figure(path, session.context()), chart::Setting::alone),
                        files);
        session.say(fmt::format("wrote {}", command.plot));
    }
    session.emit_timed(path_json(session.json_result(), path), path_text(path));
    const SolveStatus status = path.solution().status;
    if (status == SolveStatus::converged) {
        return ExitStatus::done;
    }
    session.warn(fmt::format("{}: the path is written as far as {} = {:.6g}", to_string(status),
                             options.over, path.solution().to));
    return ExitStatus::stopped;
}

void describe_path(CLI::App& app, PathCommand& command) {
    add_output_option(app, command.output, "path file to write");
    OptionRegistrar registrar(app);
    registrar.choice("over", command.path.over, {"C", "epsilon", "nu", "weight", "lambda"},
                     "what moves: svc C, weight; svr C, epsilon, nu; nu-machines nu; lambda: the "
                     "weight of penalty l1");
    registrar.number("from", command.path.from, Range::any(), "where it starts; default 0.01");
    registrar.number("to", command.path.to, Range::any(), "where it ends; default 100");
    registrar.text("weight_class", command.path.weight_class,
                   "over weight: whose weight moves; default the second class");
    registrar.text("loss", command.loss,
                   "over lambda: squared, half-squared, squared-hinge or modified-huber");
    registrar.flag("features", command.features,
                   "over lambda: the columns are the basis, not kernel functions");
    add_option(app, "--validation", command.validation,
               "score the rows of this file along the path")
        .type_name("FILE")
        .reads_file();
    add_option(app, "--folds", command.folds, "score rows left out in turn, in so many folds")
        .type_name("N")
        .at_least(2);
    add_option(app, "--plot", command.plot, "picture of the path (.svg or .html)")
        .type_name("FILE")
        .writes_file();
    add_training_kernel(app, command.kernel);
    add_described_options(app, command.path.machine, "Options",
                          {{"cost", "-C,--cost"},
                           {"solver", ""},
                           {"max_iterations", ""},
                           {"multiclass", ""},
                           {"probability", ""},
                           {"precision", ""},
                           {"degree", ""},
                           {"alpha", ""},
                           {"l1", ""}});
    add_class_weights_option(app, command.class_weights);
    add_weights_option(app, command.weights);
    add_model_data_argument(app, command.data);
}

/// The value of `NAME=VALUE`; the name must be the hyperparameter of the path.
double value_at(const Path& path, const std::string& at) {
    const std::size_t mark = at.find('=');
    const std::optional<double> value =
        mark == std::string::npos ? std::nullopt : read_number(at.substr(mark + 1));
    if (!value || at.substr(0, mark) != path.options().over) {
        throw UsageError(
            fmt::format("--at: got '{}', must be {}=VALUE with a value of {:.6g} to "
                        "{:.6g}",
                        at, path.options().over, path.solution().from, path.solution().to));
    }
    return *value;
}

}  // namespace

Json score_json(const PathScore& score) {
    Json json{{"measure", score.measure},
              {"best_value", score.best_value},
              {"best_score", score.best_score},
              {"best_from", score.best_from},
              {"best_to", score.best_to}};
    json["points"] = Json::array();
    for (const PathScore::Point& point : score.points) {
        json["points"].push_back({{"value", point.value}, {"score", point.score}});
    }
    return json;
}

Model read_model_at(Session& session, const std::string& path, const std::string& at) {
    const bool is_path = path != "-" && is_path_file(path);
    if (!is_path) {
        if (!at.empty()) {
            throw UsageError(fmt::format("--at: {} is one model, not a path", path));
        }
        return read_model(session, path);
    }
    if (at.empty()) {
        throw UsageError(fmt::format("{}: a path; --at NAME=VALUE says which model", path));
    }
    if (at.starts_with("lambda=")) {
        return read_l1_model_at(session, path, at);
    }
    const Path loaded =
        session.timed("read", [&] { return load_path(path, session.context()).value(); });
    const double value = value_at(loaded, at);
    return session.timed("fit", [&] { return loaded.at(value, session.context()).model; });
}

void add_at_option(CLI::App& command, std::string& at) {
    add_option(command, "--at", at, "of a path file: the model at this value")
        .type_name("NAME=VALUE");
}

void add_path_command(CLI::App& root, Session& session) {
    add_command<PathCommand>(
        root, session,
        {"path", "compute an exact regularisation path",
         "  mercer path heart.svm -o heart.path --over C --from 0.01 --to 100 --folds 5\n"
         "  mercer predict heart.path new.svm --at C=3.7\n"
         "  mercer path f.csv -o f.path --model svr --over epsilon --plot epsilon.svg\n"
         "  mercer path f.csv -o f.path --over lambda --penalty l1 --loss squared --features\n"},
        describe_path, run_path);
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/select.cpp - mercer select: constants chosen by rows that did not train.
#include "mercer/search/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "class_weights.hpp"
#include "command.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/search/gradient_select.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "remedies.hpp"
#include "train_access.hpp"
#include "train_report.hpp"

namespace mercer::cli {

namespace {

struct SelectCommand {
    DataArgument data;
    TrainOptions train;
    KernelArgument kernel;
    std::vector<std::string> grid;
    std::string path;  ///< NAME[=FROM:TO]; empty: none
    index_t folds = 5;
    bool leave_one_out = false;
    std::string validation;
    std::string metric;
    bool warm_start = false;
    std::vector<std::string> class_weights;  ///< L=R
    std::string weights;
    std::string output;
    std::string gradient;  ///< criterion to minimise by its slope; empty: a grid
    index_t starts = 0;    ///< 0: not given
    index_t refine = 0;    ///< finer grids after the first
};

void require_sense(const SelectCommand& command, bool folds_given) {
    if (command.output == "-") {
        throw UsageError("--output: a model is written to a file, not to standard output");
    }
    const bool searches = !command.grid.empty() || !command.path.empty();
    if (command.gradient.empty() != searches) {
        throw UsageError(
            "give --grid or --gradient to say how to choose, not both; --path goes with --grid or "
            "alone");
    }
    if (command.gradient.empty() && command.starts != 0) {
        throw UsageError("--starts belongs to --gradient");
    }
    if (command.gradient.empty() && command.grid.empty() && command.warm_start) {
        throw UsageError("--warm-start goes along the values of C in a --grid");
    }
    if (command.refine != 0 && command.grid.empty()) {
        throw UsageError("--refine makes finer grids around the best; --grid gives the first");
    }
    if (!command.gradient.empty() && command.warm_start) {
        throw UsageError("--warm-start belongs to --grid");
    }
    if (!command.gradient.empty() && (folds_given || command.leave_one_out ||
                                      !command.validation.empty() || !command.metric.empty())) {
        throw UsageError(
            "--folds, --loo, --validation and --metric judge a grid; --gradient loo|gcv|likelihood "
            "names what is minimised");
    }
    const int ways = static_cast<int>(command.leave_one_out) +
                     static_cast<int>(!command.validation.empty()) + static_cast<int>(folds_given);
    if (ways > 1) {
        throw UsageError("--folds, --loo and --validation exclude each other; give one of them");
    }
}

Dataset read_validation(Session& session, const SelectCommand& command, const Dataset& training) {
    DataArgument argument = command.data;
    argument.path = command.validation;
    argument.read.names = names_of(training);
    Dataset rows = read_training_data(session, argument, command.train.model, "");
    return training.label_names.empty() ? rows
                                        : align_classes(std::move(rows), training.label_names);
}

Json row_json(const SelectResult& result, const SelectRow& row) {
    Json json = Json::object();
    for (std::size_t a = 0; a < result.names.size(); ++a) {
        json[result.names[a]] = row.values[a];
    }
    if (!std::isnan(row.from)) {
        json[result.names.back() + "_from"] = row.from;
        json[result.names.back() + "_to"] = row.to;
        json["complete"] = row.complete;
    }
    for (const auto& [name, value] : row.measures) {
        json[name] = value;
    }
    return json;
}

std::string table_text(const SelectResult& result) {
    std::string text;
    for (const std::string& name : result.names) {
        text += fmt::format("{:>12} ", name);
    }
    const bool path = !std::isnan(result.table.front().from);
    if (path) {
        text += fmt::format("{:>12} {:>12} ", "from", "to");
    }
    for (const auto& [name, value] : result.table.front().measures) {
        text += fmt::format("{:>{}} ", name, std::max<std::size_t>(12, name.size()));
    }
    text += "\n";
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        const SelectRow& row = result.table[i];
        for (const double value : row.values) {
            text += fmt::format("{:>12.6g} ", value);
        }
        if (path) {
            text += fmt::format("{:>12.6g} {:>12.6g} ", row.from, row.to);
        }
        for (const auto& [name, value] : row.measures) {
            text += fmt::format("{:>{}.6g} ", value, std::max<std::size_t>(12, name.size()));
        }
        text += i == result.best ? "<- best\n" : "\n";
    }
    return text + fmt::format("best by {}\n", result.measure);
}

Json gradient_json(Json json, const GradientResult& result) {
    json["criterion"] = result.criterion;
    json["start_value"] = result.start_value;
    json["value"] = result.value;
    json["hyperparameters"] = Json::object();
    for (const FoundHyperparameter& one : result.hyperparameters) {
        json["hyperparameters"][one.name] = Json{{"start", one.start},
                                                 {"value", one.value},
                                                 {"slope", one.slope},
                                                 {"at_limit", one.at_limit}};
    }
    json["fixed"] = result.fixed;
    json["search"] = Json{{"status", result.status},
                          {"gradient_norm", result.gradient_norm},
                          {"iterations", result.iterations},
                          {"evaluations", result.evaluations},
                          {"starts", result.starts}};
    return json;
}

std::string gradient_text(const GradientResult& result) {
    std::string text =
        fmt::format("{:<16} {:>14} {:>14} {:>14}\n", "hyperparameter", "start", "found", "slope");
    for (const FoundHyperparameter& one : result.hyperparameters) {
        text += fmt::format("{:<16} {:>14.6g} {:>14.6g} {:>14.3g}{}\n", one.name, one.start,
                            one.value, one.slope, one.at_limit ? "  at its limit" : "");
    }
    if (!result.fixed.empty()) {
        text += fmt::format("fixed        {}\n", fmt::join(result.fixed, ", "));
    }
    text += fmt::format("criterion    {}: {:.10g}, from {:.10g}\n", result.criterion, result.value,
                        result.start_value);
    return text + fmt::format("search       {} iteration{}, {} evaluations, slope {:.3g}: {}\n",
                              result.iterations, result.iterations == 1 ? "" : "s",
                              result.evaluations, result.gradient_norm, result.status);
}

TrainOptions machine_options(Session& session, const SelectCommand& command) {
    TrainOptions options = command.train;
    options.kernel = training_kernel(session, command.kernel, command.train.model,
                                     command.train.allow_indefinite);
    options.objective.class_weights = parse_class_weights(command.class_weights);
    return options;
}

ExitStatus run_gradient(Session& session, const SelectCommand& command) {
    GradientOptions options;
    options.train = machine_options(session, command);
    options.criterion = command.gradient;
    options.starts = command.starts == 0 ? 1 : command.starts;
    const Dataset data =
        read_training_data(session, command.data, command.train.model, command.weights);
    session.show_notes(session.record_notes(slow_start_remedies(data, options.train)));
    const GradientResult result = session.timed(
        "select", [&] { return select_by_gradient(data, options, session.context()); });
    session.timed("write", [&] { save_model(result.refit.model, command.output); });
    session.say(fmt::format("wrote {}", command.output));
    const TrainingSize size{data.rows(), data.columns()};
    const std::vector<std::string> notes =
        session.record_notes(remedies(result.refit, data, options.train));
    session.emit_timed(gradient_json(train_json(session.json_result(), result.refit, size), result),
                       gradient_text(result) + train_text(result.refit, size));
    const ExitStatus ended = say_how_it_ended(session, result.refit);
    session.show_notes(notes);
    if (result.status != "converged") {
        session.warn(fmt::format("the search ended before the slope was small: {}", result.status));
        return ExitStatus::stopped;
    }
    return ended;
}

SelectOptions select_options(Session& session, const SelectCommand& command) {
    SelectOptions options;
    options.train = machine_options(session, command);
    for (const std::string& text : command.grid) {
        Result<GridAxis> axis = parse_grid_axis(text);
        if (!axis) {
            throw UsageError("--grid: " + axis.diagnostic().message);
        }
        options.grid.push_back(std::move(axis).value());
    }
    if (!command.path.empty()) {
        Result<PathAxis> axis = parse_path_axis(command.path);
        if (!axis) {
            throw UsageError("--path: " + axis.diagnostic().message);
        }
        options.path = std::move(axis).value();
    }
    options.folds = command.folds == 0 ? 5 : command.folds;
    options.leave_one_out = command.leave_one_out;
    options.metric = command.metric;
    options.warm_start = command.warm_start;
    return options;
}

std::string edge_text(const GridEdge& edge) {
    return fmt::format(
        "the best {} = {:.6g} is the {} of its grid: try {:.6g} and {}, or --refine 2", edge.name,
        edge.value, edge.greatest ? "greatest" : "least", edge.beyond,
        edge.greatest ? "beyond" : "below");
}

/// What a stop left out.
std::string unjudged_text(const SelectResult& result) {
    const auto judged = static_cast<index_t>(result.table.size());
    return fmt::format(
        "selection: stopped when {} of {} combinations were judged; the best of these is written",
        judged, judged + result.unjudged);
}

Json select_json(Json json, const SelectResult& result) {
    json["table"] = Json::array();
    for (const SelectRow& row : result.table) {
        json["table"].push_back(row_json(result, row));
    }
    json["best"] = row_json(result, result.table[result.best]);
    json["metric"] = result.measure;
    json["one_decomposition"] = result.one_decomposition;
    if (result.unjudged > 0) {
        json["unjudged"] = result.unjudged;
        json["missing"].push_back(unjudged_text(result));
    }
    return json;
}

ExitStatus run_select(Session& session, const SelectCommand& command) {
    require_sense(command, command.folds != 0);
    if (!command.gradient.empty()) {
        return run_gradient(session, command);
    }
    SelectOptions options = select_options(session, command);
    const Dataset data =
        read_training_data(session, command.data, command.train.model, command.weights);
    if (!command.validation.empty()) {
        options.validation = read_validation(session, command, data);
    }
    session.show_notes(session.record_notes(slow_start_remedies(data, options.train)));
    const SelectResult result = session.timed(
        "select", [&] { return select_refined(data, options, command.refine, session.context()); });
    session.timed("write", [&] { save_model(result.refit->model, command.output); });
    session.say(fmt::format("wrote {}", command.output));
    const TrainingSize size{data.rows(), data.columns()};
    std::vector<std::string> found = remedies(*result.refit, data, options.train);
    if (command.refine == 0) {
        for (const GridEdge& edge : edges_of_best(result, options.grid)) {
            found.push_back(edge_text(edge));
        }
    }
    const std::vector<std::string> notes = session.record_notes(found);
    session.emit_timed(select_json(train_json(session.json_result(), *result.refit, size), result),
                       table_text(result) + train_text(*result.refit, size));
    const bool complete = std::all_of(result.table.begin(), result.table.end(),
                                      [](const SelectRow& row) { return row.complete; });
    if (!complete) {
        session.warn(fmt::format("a path over {} ended before its range did", result.names.back()));
    }
    const ExitStatus ended = say_how_it_ended(session, *result.refit);
    session.show_notes(notes);
    if (result.unjudged > 0) {
        session.warn(unjudged_text(result));
    }
    return complete && result.unjudged == 0 ? ended : ExitStatus::stopped;
}

void describe_judging(CLI::App& app, SelectCommand& command) {
    add_option(app, "--folds", command.folds, "number of folds; default 5")
        .type_name("N")
        .at_least(2);
    add_flag(app, "--loo", command.leave_one_out, "leave one row out at a time");
    add_option(app, "--validation", command.validation, "judge by the rows of this file instead")
        .type_name("FILE")
        .reads_file();
    add_flag(app, "--warm-start", command.warm_start,
             "start each fold from its machine at the C before, where the machine can");
    add_option(app, "--metric", command.metric,
               "accuracy, balanced_accuracy, auc; rmse, mse, mae, r2; krr also gcv, "
               "log_likelihood")
        .type_name("NAME");
}

void describe_select(CLI::App& app, SelectCommand& command) {
    command.folds = 0;  // not given
    add_output_option(app, command.output, "model file to write");
    add_option(
        app, "--grid", command.grid,
        "values of one name: NAME=a,b,c or NAME=LOW:HIGH:log10|log2|lin[:COUNT]; names "
        "are C, lambda, alpha, epsilon, nu, degree and the kernel's parameters; may be repeated")
        .type_name("NAME=VALUES")
        .repeatable();
    add_option(app, "--refine", command.refine,
               "try so many finer grids after the first, each around the best so far")
        .type_name("N")
        .at_least(1);
    add_option(app, "--path", command.path,
               "all values of C (svc, svr), epsilon (svr) or nu (svr, nu-svc, nu-svr) by exact "
               "paths, for each combination of the grid; two classes")
        .type_name("NAME[=FROM:TO]");
    add_option(app, "--gradient", command.gradient,
               "krr: minimise this over alpha and the kernel's positive hyperparameters, by "
               "its slope, from the values given")
        .type_name("loo|gcv|likelihood")
        .one_of({"loo", "gcv", "likelihood"});
    add_option(app, "--starts", command.starts,
               "with --gradient: searches, those after the first from random values; default 1")
        .type_name("N")
        .at_least(1);
    describe_judging(app, command);
    add_training_kernel(app, command.kernel);
    add_described_options(app, command.train, "Options", {{"cost", "-C,--cost"}});
    add_described_options(app, command.train.perceptron, kPerceptronGroup);
    add_class_weights_option(app, command.class_weights);
    add_weights_option(app, command.weights);
    add_model_data_argument(app, command.data);
}

}  // namespace

void add_select_command(CLI::App& root, Session& session) {
    add_command<SelectCommand>(
        root, session,
        {"select", "choose hyperparameters by cross-validation",
         "  mercer select moons.svm -o m.mercer --grid C=0.1:100:log10 \\\n"
         "      --grid gamma=0.1,1,10\n"
         "  mercer select moons.svm -o m.mercer --path C=0.01:100 \\\n"
         "      --grid gamma=0.1:10:log10:9 --weight 1=3\n"
         "  mercer select f.npz -o f.mercer --model krr --grid alpha=1e-4:10:log10 --loo\n"
         "  mercer select f.npz -o f.mercer --model krr --kernel '2 * rbf(gamma=1)' \\\n"
         "      --gradient likelihood\n"},
        describe_select, run_select);
}

}  // namespace mercer::cli

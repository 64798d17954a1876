// SPDX-License-Identifier: Apache-2.0
//
// cli/select.cpp - mercer select: hyperparameters chosen by held-out rows.
#include "mercer/search/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>

#include "checkpoint_access.hpp"
#include "class_weights.hpp"
#include "command.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/report/grid_chart.hpp"
#include "mercer/search/gradient_select.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "remedies.hpp"
#include "select_report.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"
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
    bool no_warm_start = false;
    std::vector<std::string> class_weights;  ///< L=R
    std::string weights;
    std::string output;
    std::string gradient;  ///< criterion to minimise by gradient; empty: a grid
    index_t starts = 0;    ///< 0: not given
    index_t refine = 0;    ///< finer grids after the first
    std::string search = "grid";
    index_t draws = 0;   ///< 0: not given
    index_t extend = 0;  ///< values beyond the edges of the grid
    std::string rule = "best";
    index_t repeats = 0;  ///< 0: not given
    std::string groups;   ///< file
    bool time_ordered = false;
    index_t nested = 0;  ///< outer folds; 0: none
    std::string table;
    std::string plot;
    CheckpointOptions checkpoint;
};

/// True if an option is given that only a search over combinations has.
bool asks_of_combinations(const SelectCommand& command) {
    return command.search != "grid" || command.draws != 0 || command.extend != 0 ||
           command.rule != "best" || command.repeats != 0 || !command.groups.empty() ||
           command.time_ordered || command.nested != 0 || !command.table.empty() ||
           !command.plot.empty() || !command.checkpoint.path.empty();
}

void require_search_sense(const SelectCommand& command) {
    if (!command.gradient.empty() && asks_of_combinations(command)) {
        throw UsageError(
            "--search, --draws, --extend, --rule, --repeats, --groups, --time-ordered, --nested, "
            "--table, --plot and --checkpoint belong to --grid");
    }
    if (command.checkpoint.resume && command.checkpoint.path.empty()) {
        throw UsageError("--resume: --checkpoint must name the file to go on from");
    }
    if (command.search == "random" && command.draws == 0) {
        throw UsageError("--search random: --draws N says how many combinations are tried");
    }
    if (command.search == "grid" && command.draws != 0) {
        throw UsageError("--draws belongs to --search random|halving");
    }
    if (command.search != "grid" && (command.refine != 0 || command.extend != 0)) {
        throw UsageError("--refine and --extend belong to --search grid");
    }
    if (!command.plot.empty() && (command.draws != 0 || command.grid.size() > 2)) {
        throw UsageError("--plot draws a grid of one or two names");
    }
    if (!command.validation.empty() && (command.repeats != 0 || !command.groups.empty() ||
                                        command.time_ordered || command.nested != 0)) {
        throw UsageError("--repeats, --groups, --time-ordered and --nested belong to folds");
    }
    if (!command.checkpoint.path.empty() && !command.path.empty()) {
        throw UsageError("--checkpoint: paths are not kept in one; it goes with --grid alone");
    }
}

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
    if (command.gradient.empty() && command.grid.empty() && command.no_warm_start) {
        throw UsageError("--no-warm-start is about the values of C in a --grid");
    }
    if (command.refine != 0 && command.grid.empty()) {
        throw UsageError("--refine makes finer grids around the best; --grid gives the first");
    }
    if (!command.gradient.empty() && command.no_warm_start) {
        throw UsageError("--no-warm-start belongs to --grid");
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

SearchKind search_kind(const std::string& word) {
    return word == "random"    ? SearchKind::random
           : word == "halving" ? SearchKind::halving
                               : SearchKind::grid;
}

SelectOptions select_options(Session& session, const SelectCommand& command) {
    SelectOptions options;
    options.search.kind = search_kind(command.search);
    options.search.draws = command.draws;
    options.search.extensions = command.extend;
    options.search.rule =
        command.rule == "best" ? SelectionRule::best : SelectionRule::one_standard_error;
    options.division.repeats = std::max<index_t>(1, command.repeats);
    options.division.time_ordered = command.time_ordered;
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
    options.warm_start = !command.no_warm_start;
    return options;
}

std::string edge_text(const GridEdge& edge) {
    return fmt::format(
        "the best {} = {:.6g} is the {} of its grid: try {:.6g} and {}, or --extend 3", edge.name,
        edge.value, edge.greatest ? "greatest" : "least", edge.beyond,
        edge.greatest ? "beyond" : "below");
}

/// One group per line; names are numbered in order of appearance.
std::vector<index_t> read_groups(Session& session, const std::string& path, index_t rows) {
    StoppableFiles files(session.context());
    std::istringstream lines(read_text_file(path, files));
    std::map<std::string, index_t> number;
    std::vector<index_t> groups;
    for (std::string line; std::getline(lines, line);) {
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) {
            line.pop_back();
        }
        if (line.empty()) {
            throw DataError(fmt::format("{}:{}: there is no group", path, groups.size() + 1));
        }
        groups.push_back(number.emplace(line, static_cast<index_t>(number.size())).first->second);
    }
    if (static_cast<index_t>(groups.size()) != rows) {
        throw DataError(
            fmt::format("{}: got {} groups, must be one per row, {}", path, groups.size(), rows));
    }
    return groups;
}

/// Runs the search, and the nested estimate if requested.
Selection searched(Session& session, const SelectCommand& command, SelectOptions options,
                   const Dataset& data) {
    const std::unique_ptr<Checkpoint> checkpoint = open_checkpoint(session, command.checkpoint);
    options.search.checkpoint = checkpoint.get();
    Selection out;
    out.fold_scores = !options.leave_one_out;
    out.result = session.timed(
        "select", [&] { return select_refined(data, options, command.refine, session.context()); });
    if (checkpoint) {
        close_checkpoint(session, *checkpoint, command.checkpoint.path, out.result.unjudged > 0);
    }
    if (command.nested > 0 && out.result.unjudged == 0) {
        try {
            out.nested = session.timed("nested", [&] {
                return nested_estimate(data, options, command.nested, command.refine,
                                       session.context());
            });
        } catch (const Interrupted& stop) {
            session.warn(stop.what());
        }
    }
    return out;
}

void write_tables(Session& session, const SelectCommand& command, const Selection& selection) {
    if (!command.table.empty()) {
        write_text_file(command.table, select_csv(selection), system_files());
        session.say(fmt::format("wrote {}", command.table));
    }
    if (!command.plot.empty()) {
        write_text_file(command.plot,
                        command.plot.ends_with(".html")
                            ? select_page_html(selection.result)
                            : to_svg(select_figure(selection.result), chart::Setting::alone),
                        system_files());
        session.say(fmt::format("wrote {}", command.plot));
    }
}

/// Remarks on the selection.
std::vector<std::string> findings(const SelectCommand& command, const SelectOptions& options,
                                  const Dataset& data, const SelectResult& result) {
    std::vector<std::string> found = remedies(*result.refit, data, options.train);
    const auto unproved = std::count_if(result.table.begin(), result.table.end(),
                                        [](const SelectRow& row) { return !row.converged; });
    if (unproved > 0) {
        found.push_back(
            fmt::format("{} of {} combinations did not converge in every fold; they are "
                        "ranked after those that did",
                        unproved, result.table.size()));
    }
    if (command.refine == 0 && command.draws == 0) {
        for (const GridEdge& edge : edges_of_best(result, options.grid)) {
            found.push_back(edge_text(edge));
        }
    }
    return found;
}

ExitStatus run_select(Session& session, const SelectCommand& command) {
    require_sense(command, command.folds != 0);
    require_search_sense(command);
    if (!command.gradient.empty()) {
        return run_gradient(session, command);
    }
    SelectOptions options = select_options(session, command);
    const Dataset data =
        read_training_data(session, command.data, command.train.model, command.weights);
    if (!command.validation.empty()) {
        options.validation = read_validation(session, command, data);
    }
    if (!command.groups.empty()) {
        options.division.groups = read_groups(session, command.groups, data.rows());
    }
    session.show_notes(session.record_notes(slow_start_remedies(data, options.train)));
    const Selection selection = searched(session, command, options, data);
    const SelectResult& result = selection.result;
    session.timed("write", [&] { save_model(result.refit->model, command.output); });
    session.say(fmt::format("wrote {}", command.output));
    write_tables(session, command, selection);
    const TrainingSize size{data.rows(), data.columns()};
    const std::vector<std::string> notes =
        session.record_notes(findings(command, options, data, result));
    session.emit_timed(
        select_json(train_json(session.json_result(), *result.refit, size), selection),
        select_text(selection) + train_text(*result.refit, size));
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
    const bool estimated = command.nested == 0 || selection.nested.has_value();
    return complete && estimated && result.unjudged == 0 ? ended : ExitStatus::stopped;
}

void describe_judging(CLI::App& app, SelectCommand& command) {
    add_option(app, "--folds", command.folds, "number of folds; default 5")
        .type_name("N")
        .at_least(2);
    add_flag(app, "--loo", command.leave_one_out, "leave one row out at a time");
    add_option(app, "--validation", command.validation, "judge by the rows of this file instead")
        .type_name("FILE")
        .reads_file();
    add_flag(app, "--no-warm-start", command.no_warm_start,
             "do not start each fold from its machine at the C before");
    add_option(app, "--repeats", command.repeats, "divide the rows so many times; default 1")
        .type_name("N")
        .at_least(1);
    add_option(app, "--groups", command.groups,
               "file with one group per row, a number or a name; no group is divided")
        .type_name("FILE")
        .reads_file();
    add_flag(app, "--time-ordered", command.time_ordered,
             "rows stand in the order of time: train on what came before");
    add_option(app, "--nested", command.nested,
               "estimate the whole selection by so many outer folds, with an interval")
        .type_name("N")
        .at_least(2);
    add_option(app, "--metric", command.metric,
               "accuracy, balanced_accuracy, auc; rmse, mse, mae, r2; krr also gcv, "
               "log_likelihood")
        .type_name("NAME");
}

void describe_search(CLI::App& app, SelectCommand& command) {
    add_option(app, "--search", command.search,
               "every combination, random draws between the ends, or successive halving on growing "
               "numbers of rows; default grid")
        .type_name("grid|random|halving")
        .one_of({"grid", "random", "halving"});
    add_option(app, "--draws", command.draws, "random, halving: combinations that are drawn")
        .type_name("N")
        .at_least(1);
    add_option(app, "--extend", command.extend,
               "add up to so many values beyond the edges the best lies on")
        .type_name("N")
        .at_least(1);
    add_option(app, "--rule", command.rule,
               "take the best, or the simplest within one standard error of it; default best")
        .type_name("best|one-standard-error")
        .one_of({"best", "one-standard-error"});
    add_option(app, "--table", command.table, "write the table, fold by fold (.csv)")
        .type_name("FILE")
        .writes_file();
    add_option(app, "--plot", command.plot, "picture of the table (.svg or .html)")
        .type_name("FILE")
        .writes_file();
    add_described_options(app, command.checkpoint, kCheckpointGroup,
                          {{"checkpoint", "--checkpoint"}});
    find_option(app, "--checkpoint").writes_file();
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
    describe_search(app, command);
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

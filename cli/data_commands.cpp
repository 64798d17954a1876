// SPDX-License-Identifier: Apache-2.0
//
// cli/data_commands.cpp - mercer data info, convert, split and make; scale has its own file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "data_access.hpp"
#include "data_advice.hpp"
#include "data_scale.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/split.hpp"
#include "mercer/data/summary.hpp"
#include "option_registrar.hpp"
#include "printable.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kClassesShown = 20;

Json summary_json(const DatasetSummary& summary) {
    Json json{{"rows", summary.rows},
              {"columns", summary.columns},
              {"storage", summary.storage},
              {"stored", summary.stored},
              {"nonzero", summary.nonzero},
              {"density", summary.density},
              {"minimum", summary.minimum},
              {"maximum", summary.maximum},
              {"mean", summary.mean},
              {"variance", summary.variance},
              {"constant_columns", summary.constant_columns},
              {"empty_rows", summary.empty_rows}};
    json["targets"] = nullptr;
    if (summary.has_targets) {
        json["targets"] = Json{{"minimum", summary.target_minimum},
                               {"maximum", summary.target_maximum},
                               {"mean", summary.target_mean},
                               {"deviation", summary.target_deviation}};
    }
    json["classes"] = Json::array();
    for (const ClassCount& count : summary.classes) {
        json["classes"].push_back(Json{{"name", count.name}, {"rows", count.rows}});
    }
    json["hints"] = summary.hints;
    return json;
}

std::string target_text(const DatasetSummary& summary) {
    std::string text;
    if (!summary.has_targets) {
        return "targets   none\n";
    }
    if (std::isfinite(summary.target_mean)) {
        text += fmt::format("targets   {:.6g} .. {:.6g}, mean {:.6g}, deviation {:.6g}\n",
                            summary.target_minimum, summary.target_maximum, summary.target_mean,
                            summary.target_deviation);
    }
    if (!summary.classes.empty()) {
        text += fmt::format("classes   {}\n", summary.classes.size());
    }
    const std::size_t shown = std::min(kClassesShown, summary.classes.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const ClassCount& count = summary.classes[i];
        text += fmt::format("  {:<12} {:>10}  {:5.1f} %\n", printable(count.name), count.rows,
                            100.0 * static_cast<double>(count.rows) /
                                static_cast<double>(std::max<index_t>(1, summary.rows)));
    }
    if (shown < summary.classes.size()) {
        text += fmt::format("  and {} more\n", summary.classes.size() - shown);
    }
    return text;
}

std::string summary_text(const DatasetSummary& summary) {
    std::string text = fmt::format(
        "rows      {}\ncolumns   {}\nstorage   {}, {} stored, {} nonzero ({:.4g} %)\n"
        "values    {:.6g} .. {:.6g}, mean {:.6g}, variance {:.6g}\n",
        summary.rows, summary.columns, summary.storage, summary.stored, summary.nonzero,
        100.0 * summary.density, summary.minimum, summary.maximum, summary.mean, summary.variance);
    if (summary.constant_columns > 0) {
        text += fmt::format("constant  {} columns\n", summary.constant_columns);
    }
    if (summary.empty_rows > 0) {
        text += fmt::format("empty     {} rows\n", summary.empty_rows);
    }
    text += target_text(summary);
    return text;
}

ExitStatus run_info(Session& session, const DataArgument& argument) {
    const Dataset data = read_data(session, argument.path, argument.read);
    const DatasetSummary summary = summarize(data);
    const std::string format =
        argument.read.format == "auto" ? format_of_path(argument.path) : argument.read.format;
    const DataAdvice advice = session.timed("advise", [&] {
        return advise(data, summary,
                      {argument.path, format == "libsvm" && !argument.read.zero_based ? 1 : 0},
                      session.context());
    });
    Json json = session.json_result();
    json["file"] = argument.path;
    json.update(summary_json(summary));
    add_advice(json, advice);
    session.emit_timed(std::move(json), summary_text(summary) + advice_text(advice));
    return ExitStatus::done;
}

struct ConvertOptions {
    DataArgument data;
    WriteOptions write;
    std::string output;
};

ExitStatus run_convert(Session& session, const ConvertOptions& options) {
    session.require_free_output(options.output);
    const Dataset data = read_data(session, options.data.path, options.data.read);
    Json json = session.json_result();
    json.update(write_data(session, options.output, data, options.write));
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

struct SplitCommandOptions {
    DataArgument data;
    SplitOptions split;
    WriteOptions write;
    std::string train;
    std::string test;
};

ExitStatus run_split(Session& session, const SplitCommandOptions& options) {
    session.require_free_output(options.train);
    session.require_free_output(options.test);
    const Dataset data = read_data(session, options.data.path, options.data.read);
    SplitOptions wanted = options.split;
    wanted.seed = session.options.seed;
    // A text file does not state whether its numbers are classes: a few integers are treated as
    // such.
    Dataset labelled = data;
    if (wanted.stratify && options.data.read.task == "auto" && data.label_names.empty() &&
        !summarize(data).classes.empty()) {
        labelled = to_classes(data);
    }
    const bool stratified = wanted.stratify && !labelled.label_names.empty();
    const Split split = split_rows(labelled, wanted);
    session.explain(stratified ? "stratified by class" : "not stratified");
    Json json = session.json_result();
    json["stratified"] = stratified;
    json["train"] = write_data(session, options.train, data.select(split.train), options.write);
    json["test"] = write_data(session, options.test, data.select(split.test), options.write);
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

struct MakeOptions {
    GenerateOptions generate;
    WriteOptions write;
    std::string output;
};

ExitStatus run_make(Session& session, const MakeOptions& options) {
    session.require_free_output(options.output);
    GenerateOptions wanted = options.generate;
    wanted.seed = session.options.seed;
    const Dataset data = generate(wanted, session.context());
    Json json = session.json_result();
    json["generator"] = wanted.name;
    json["seed"] = wanted.seed;
    json.update(write_data(session, options.output, data, options.write));
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

/// Finds the choices of the described option `name`, so that the positional offers the same.
class GeneratorNames {
public:
    std::vector<std::string> names;
    void choice(std::string_view, const std::string&, const std::vector<std::string>& choices,
                std::string_view) {
        names = choices;
    }
    void number(std::string_view, double, const Range&, std::string_view) {}
    void integer(std::string_view, index_t, const Range&, std::string_view) {}
};

void describe_make(CLI::App& app, MakeOptions& options) {
    GeneratorNames generators;
    GenerateOptions::describe(generators, options.generate);
    add_option(app, "GENERATOR", options.generate.name, "rule the data follow, see below")
        .required()
        .type_name(fmt::format("{}", fmt::join(generators.names, "|")))
        .one_of(generators.names);
    add_output_option(app, options.output, "file to write, format by suffix");
    add_described_options(app, options.generate, "Options", {{"name", ""}, {"seed", ""}});
    add_write_options(app, options.write);
}

void describe_split(CLI::App& app, SplitCommandOptions& options) {
    add_option(app, "--train", options.train, "file for the training rows")
        .type_name("FILE")
        .writes_file()
        .required();
    add_option(app, "--test", options.test, "file for the test rows")
        .type_name("FILE")
        .writes_file()
        .required();
    add_described_options(app, options.split, "Options", {{"seed", ""}});
    add_data_argument(app, options.data);
    add_write_options(app, options.write);
}

constexpr const char* kGenerators =
    "  mercer data make moons --rows 500 --noise 0.1 -o moons.svm\n"
    "  mercer data make friedman1 --rows 10000 --columns 20 --seed 7 -o f.npz\n"
    "Generators (U uniform on [0,1), N normal, s noise, k classes, d columns):\n"
    "  blobs             x = centre of class + s N, centres uniform on [-1,1]^d\n"
    "  gaussian-mixture  as blobs, 3 centres per class, own deviation per column\n"
    "  moons             t = pi U: (cos t, sin t) or (1 - cos t, 1/2 - sin t), + s N\n"
    "  spirals           r = sqrt U, angle = 2 pi (3/2 r + class/k), + s N\n"
    "  xor               x uniform on [-1,1]^d, class = parity of #(x_j > 0)\n"
    "  checkerboard      x uniform on [0,4)^d, class = sum of floor(x_j) mod k\n"
    "  friedman1         10 sin(pi x0 x1) + 20 (x2 - 1/2)^2 + 10 x3 + 5 x4 + s N\n"
    "  sinc              x uniform on [-10,10), y = sin(x)/x + s N\n"
    "  ordinal           x uniform on [0,1)^d, class = floor(k (mean of x_j + s N))\n"
    "  queries           10 rows each: ordinal's class as a number, x shifted by query\n";

}  // namespace

void add_data_commands(CLI::App& root, Session& session) {
    CLI::App* group =
        add_command_group(root, "data", "describe, convert, scale, split, generate data");
    add_command<DataArgument>(*group, session,
                              {"info", "describe a data file: size, values, targets, hints",
                               "  mercer data info train.svm\n"
                               "  mercer data info table.csv --target price --json\n"},
                              add_data_argument, run_info);
    add_command<ConvertOptions>(
        *group, session,
        {"convert", "write a data file in another format",
         "  mercer data convert train.svm -o train.npz\n"
         "  mercer data convert table.csv --target price -o t.svm.gz\n"
         "Classes with names are numbers in LIBSVM and .npz files: FILE.labels.csv is\n"
         "written beside them and tells which.\n"},
        [](CLI::App& app, ConvertOptions& options) {
            add_output_option(app, options.output, "file to write, format by suffix");
            add_data_argument(app, options.data);
            add_write_options(app, options.write);
        },
        run_convert);
    add_data_scale(*group, session);
    add_command<SplitCommandOptions>(
        *group, session,
        {"split", "divide the rows into a training and a test file",
         "  mercer data split all.svm --train train.svm --test test.svm\n"
         "  mercer data split all.csv --test-fraction 0.1 --seed 7 --train a.csv --test b.csv\n"},
        describe_split, run_split);
    add_command<MakeOptions>(*group, session,
                             {"make", "make artificial data with a known rule", kGenerators},
                             describe_make, run_make);
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/compare.cpp - mercer compare: several solvers on one problem, gap over time.
#include "mercer/search/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "mercer/report/gap_chart.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "remedies.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"
#include "train_access.hpp"

namespace mercer::cli {

namespace {

struct CompareCommand {
    DataArgument data;
    TrainOptions train;
    KernelArgument kernel;
    std::vector<std::string> solvers;
    std::string plot;
    std::string weights;
};

Json run_json(const SolverRun& run) {
    Json json;
    json["solver"] = run.solver;
    if (!run.problem.empty()) {
        json["problem"] = run.problem;
        return json;
    }
    json["status"] = run.status;
    json["seconds"] = run.seconds;
    json["iterations"] = run.iterations;
    json["kernel_rows"] = run.work.kernel_rows;
    json["products"] = run.work.products;
    json["memory_bytes"] = run.work.memory_bytes;
    json["certificate"] = certificate_json(run.certificate);
    const auto known = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
    json["pace"] = {{"condition", known(run.pace.condition)},
                    {"bound", known(run.pace.bound)},
                    {"seen", known(run.pace.seen)},
                    {"order", known(run.pace.order)}};
    json["trace"] = Json::array();
    for (const TracePoint& point : run.trace) {
        json["trace"].push_back({{"iteration", point.iteration},
                                 {"seconds", point.seconds},
                                 {"primal", point.primal},
                                 {"relative_gap", point.relative_gap}});
    }
    return json;
}

std::string table_text(const std::vector<SolverRun>& runs) {
    std::string text =
        fmt::format("{:<18} {:>9} {:>10} {:>8} {:>8} {:>9} {:>15} {:>8} {:>8} {:>8}  {}\n",
                    "solver", "seconds", "iterations", "rows", "products", "memory", "primal",
                    "gap", "per step", "at most", "status");
    for (const SolverRun& run : runs) {
        if (!run.problem.empty()) {
            text += fmt::format("{:<18} {}\n", run.solver, run.problem);
            continue;
        }
        text += fmt::format(
            "{:<18} {:>9.3g} {:>10} {:>8} {:>8} {:>9} {:>15.9g} {:>8.2g} {:>8} {:>8}  {}\n",
            run.solver, run.seconds, run.iterations, run.work.kernel_rows, run.work.products,
            format_byte_size(run.work.memory_bytes), run.certificate.primal,
            relative_gap(run.certificate), factor_text(run.pace.seen), factor_text(run.pace.bound),
            run.status);
    }
    return text;
}

void write_plot(Session& session, const std::string& path, const std::vector<SolverRun>& runs,
                const std::string& title) {
    StoppableFiles files(session.context());
    write_text_file(path,
                    path.ends_with(".html")
                        ? gap_page_html(runs, title)
                        : to_svg(gap_figure(runs, title), chart::Setting::alone),
                    files);
    session.say(fmt::format("wrote {}", path));
}

ExitStatus run_compare(Session& session, const CompareCommand& command) {
    TrainOptions options = command.train;
    const std::vector<std::string> known = solvers_of(options.model);
    for (const std::string& solver : command.solvers) {
        if (std::find(known.begin(), known.end(), solver) == known.end()) {
            throw UsageError(fmt::format("--solvers: got '{}', {} is solved by: {}", solver,
                                         options.model, fmt::join(known, ", ")));
        }
    }
    options.kernel =
        training_kernel(session, command.kernel, options.model, options.allow_indefinite);
    const Dataset data = read_training_data(session, command.data, options.model, command.weights);
    session.show_notes(session.record_notes(slow_start_remedies(data, options)));
    const std::vector<SolverRun> runs =
        compare_solvers(data, options, command.solvers, session.context());
    if (!command.plot.empty()) {
        write_plot(
            session, command.plot, runs,
            fmt::format("{}, {}: {} rows", options.model, to_string(options.kernel), data.rows()));
    }
    Json json = session.json_result();
    json["model"] = options.model;
    json["kernel"] = to_string(options.kernel);
    json["rows"] = data.rows();
    json["columns"] = data.columns();
    json["solvers"] = Json::array();
    for (const SolverRun& run : runs) {
        json["solvers"].push_back(run_json(run));
    }
    session.emit_timed(std::move(json), table_text(runs));
    const bool all = std::all_of(runs.begin(), runs.end(), [](const SolverRun& run) {
        return run.problem.empty() && run.status == "converged";
    });
    return all ? ExitStatus::done : ExitStatus::stopped;
}

void describe_compare(CLI::App& app, CompareCommand& command) {
    add_option(app, "--solvers", command.solvers, "solvers by name; default: all that fit")
        .type_name("a,b,c")
        .delimiter(',');
    add_option(app, "--plot", command.plot, "picture of gap against time and steps (.svg or .html)")
        .type_name("FILE")
        .writes_file();
    add_training_kernel(app, command.kernel);
    add_described_options(app, command.train, "Options", {{"cost", "-C,--cost"}, {"solver", ""}});
    add_described_options(app, command.train.perceptron, kPerceptronGroup);
    add_weights_option(app, command.weights);
    add_model_data_argument(app, command.data);
}

}  // namespace

void add_compare_command(CLI::App& root, Session& session) {
    add_command<CompareCommand>(
        root, session,
        {"compare", "compare several solvers on one problem",
         "  mercer compare moons.svm --model klr --solvers newton,lbfgs,smo --plot gaps.svg\n"
         "  mercer compare f.npz --model krr --alpha 0.1\n"},
        describe_compare, run_compare);
}

}  // namespace mercer::cli

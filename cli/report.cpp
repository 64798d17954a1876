// SPDX-License-Identifier: Apache-2.0
//
// cli/report.cpp - mercer report: a model and its rows as one page.
#include "mercer/report/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "mercer/formats/path_file.hpp"
#include "mercer/report/path_chart.hpp"
#include "mercer/runtime/hash.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "path.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

struct ReportCommand {
    ModelArguments arguments;
    std::string output;
    std::string validation;
    std::string path;
    std::string grid;
    std::string title;
    bool refits = false;
    bool no_verify = false;
};

using Tree = nlohmann::ordered_json;

/// Converts a JSON tree to the type that commands print.
Json to_json(const Tree& tree) {
    if (tree.is_object()) {
        Json out = Json::object();
        for (const auto& [name, member] : tree.items()) {
            out[name] = to_json(member);
        }
        return out;
    }
    if (tree.is_array()) {
        Json out = Json::array();
        for (const Tree& entry : tree) {
            out.push_back(to_json(entry));
        }
        return out;
    }
    return tree.is_string()           ? Json(tree.get<std::string>())
           : tree.is_boolean()        ? Json(tree.get<bool>())
           : tree.is_number_integer() ? Json(tree.get<std::int64_t>())
           : tree.is_number()         ? Json(tree.get<double>())
                                      : Json();
}

/// The output of `mercer select --json`. Throws DataError for any other file.
ReportGrid read_grid(const std::string& path, Files& files) {
    const auto fault = [&](const char* what) {
        return DataError(
            fmt::format("{}: {}; --grid takes what `mercer select --json` prints", path, what));
    };
    const Tree tree = Tree::parse(read_text_file(path, files), nullptr, false);
    if (!tree.is_object() || !tree.contains("table") || !tree["table"].is_array() ||
        tree["table"].empty() || !tree.contains("metric") || !tree["metric"].is_string() ||
        !tree.contains("best") || !tree["best"].is_object()) {
        throw fault("no table of combinations");
    }
    ReportGrid grid;
    grid.measure = tree["metric"].get<std::string>();
    for (const auto& [name, value] : tree["best"].items()) {
        // Hyperparameters come first, then the measures.
        if (name == grid.measure || name.find('_') != std::string::npos || !value.is_number()) {
            break;
        }
        grid.names.push_back(name);
        grid.best.push_back(value.get<double>());
    }
    for (const Tree& row : tree["table"]) {
        std::vector<double> values;
        for (const std::string& name : grid.names) {
            if (!row.is_object() || !row.contains(name) || !row[name].is_number()) {
                throw fault("a combination lacks a value");
            }
            values.push_back(row[name].get<double>());
        }
        if (!row.contains(grid.measure)) {
            throw fault("a combination lacks its measure");
        }
        grid.values.push_back(std::move(values));
        grid.scores.push_back(row[grid.measure].is_number() ? row[grid.measure].get<double>()
                                                            : kNaN);
    }
    return grid;
}

chart::Figure read_path_figure(const std::string& path, Context& context) {
    if (!is_path_file(path)) {
        throw DataError(fmt::format("{}: no path; --path takes a file of `mercer path`", path));
    }
    Result<Path> exact = load_path(path, context);
    return exact.ok() ? path_figure(exact.value(), context)
                      : path_figure(load_sparse_path(path, context).value());
}

std::string file_hash(const std::string& path, Files& files) {
    constexpr std::size_t kBlock = 1 << 16;
    Hash hash;
    std::vector<char> block(kBlock);
    const std::unique_ptr<ReadFile> file = files.open(path);
    while (const index_t got = file->read(block)) {
        hash.add(std::span<const char>(block).first(static_cast<std::size_t>(got)));
    }
    return fmt::format("{:016x}", hash.value());
}

/// Prints a one-line result, or the numbers with --json.
void say_result(Session& session, const ReportCommand& command, const Report& report,
                std::size_t bytes) {
    Json json = session.json_result();
    json["file"] = command.output;
    json["bytes"] = bytes;
    json.update(to_json(Tree::parse(report_json(report))));
    std::string text =
        fmt::format("{}: {} bytes, one file that opens offline\n", command.output, bytes);
    for (const ReportRows& rows : report.rows) {
        for (const MeasuredValue& one : rows.measures) {
            text += fmt::format(
                "{:<16} {:<18} {:.6g}{}\n", rows.name, one.name, one.value,
                std::isnan(one.low) ? "" : fmt::format("  ({:.4g} to {:.4g})", one.low, one.high));
        }
    }
    if (report.verified) {
        text += report.verified->holds ? "certificate      holds\n"
                                       : "certificate      does NOT hold\n";
    }
    session.emit_timed(std::move(json), text);
}

/// The sources of a report, with the rows it refers to.
struct Material {
    std::optional<Dataset> data;
    std::optional<Dataset> validation;
    ReportSources sources;
};

/// Rows for the model. They may lack targets, but targets must be known to the model.
Dataset read_reported_rows(Session& session, Model& model, const ModelArguments& arguments) {
    Dataset rows = read_rows_for(session, model, arguments);
    if (model.machine != kOneClass && !rows.targets.empty()) {
        require_known_targets(model, rows, arguments.data.path);
    }
    return rows;
}

/// Reads all files except the model, which takes the width of the rows if it comes from LIBSVM.
void read_material(Session& session, const ReportCommand& command, Model& model, Material& out) {
    StoppableFiles files(session.context());
    ReportSources& sources = out.sources;
    sources.files["model"] = command.arguments.model;
    if (!command.arguments.data.path.empty()) {
        out.data = read_reported_rows(session, model, command.arguments);
        read_row_weights(session, command.arguments.weights, *out.data);
        sources.data = &*out.data;
        sources.files["data"] = command.arguments.data.path;
    }
    if (!command.validation.empty()) {
        ModelArguments other = command.arguments;
        other.data.path = command.validation;
        out.validation = read_reported_rows(session, model, other);
        sources.validation = &*out.validation;
        sources.files["validation"] = command.validation;
    }
    if (!command.grid.empty()) {
        sources.grid = read_grid(command.grid, files);
    }
    if (!command.path.empty()) {
        sources.path = read_path_figure(command.path, session.context());
    }
}

ExitStatus run_report(Session& session, const ReportCommand& command) {
    session.require_free_output(command.output);
    Context& context = session.context();
    StoppableFiles files(context);
    Model model = read_model_at(session, command.arguments.model, command.arguments.at);
    Material material;
    read_material(session, command, model, material);
    Report report = session.timed("measure", [&] {
        return make_report(model, material.sources,
                           {.title = command.title,
                            .verify = !command.no_verify,
                            .refits = command.refits,
                            .version = MERCER_VERSION},
                           context);
    });
    for (const auto& [role, path] : material.sources.files) {
        if (path != "-") {
            report.provenance.emplace_back(
                fmt::format("file of the {}, XXH3",
                            role == "validation" ? "validation rows" : role),
                file_hash(path, files));
        }
    }
    const std::string page = session.timed("write", [&] {
        std::string text = report_page(report);
        write_text_file(command.output, text, files);
        return text;
    });
    session.say(fmt::format("wrote {}", command.output));
    say_result(session, command, report, page.size());
    return report.verified && !report.verified->holds ? ExitStatus::stopped : ExitStatus::done;
}

void describe_report(CLI::App& app, ReportCommand& command) {
    add_model_argument(app, command.arguments.model);
    add_output_option(app, command.output, "HTML file to write");
    add_option(app, "--validation", command.validation, "rows that did not train, to be judged by")
        .type_name("FILE")
        .reads_file();
    add_option(app, "--path", command.path, "path file of mercer path, to be shown")
        .type_name("FILE")
        .reads_file();
    add_option(app, "--grid", command.grid, "what mercer select --json printed, to be shown")
        .type_name("FILE")
        .reads_file();
    add_option(app, "--title", command.title, "heading of the page").type_name("TEXT");
    add_flag(app, "--refits", command.refits,
             "train again for the learning curve and the gap over time: about five trainings");
    add_flag(app, "--no-verify", command.no_verify, "do not recompute the certificate");
    add_at_option(app, command.arguments.at);
    add_weights_option(app, command.arguments.weights);
    add_model_data_argument(app, command.arguments.data, false);
}

}  // namespace

void add_report_command(CLI::App& root, Session& session) {
    add_command<ReportCommand>(
        root, session,
        {"report", "write an HTML report on a model and its data",
         "  mercer report moons.mercer moons.svm --validation test.svm -o report.html\n"
         "  mercer report f.mercer f.csv --refits -o report.html\n"
         "  mercer report moons.mercer -o report.html\n"},
        describe_report, run_report);
}

}  // namespace mercer::cli

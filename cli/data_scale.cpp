// SPDX-License-Identifier: Apache-2.0
//
// cli/data_scale.cpp - learns or loads a scaling, applies it, and saves it for the test data.
//
// A scaling file is one JSON object with the members of mercer::Scaling and a `format` member.
#include "data_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "command.hpp"
#include "data_access.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/data/scale.hpp"
#include "option_registrar.hpp"
#include "printable.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kFormatMark = "mercer-scaling-1";

struct ScaleCommandOptions {
    DataArgument data;
    ScaleOptions scale;
    WriteOptions write;
    std::string output;
    std::string save;
    std::string restore;
};

void save_scaling(const std::string& path, const Scaling& scaling, Files& files) {
    const Json json{{"format", kFormatMark},
                    {"method", scaling.method},
                    {"column_count", scaling.column_count},
                    {"columns", scaling.columns},
                    {"offset", scaling.offset},
                    {"factor", scaling.factor},
                    {"base", scaling.base}};
    write_text_file(path, json.dump(1) + "\n", files);
}

void require(bool condition, const std::string& path, const char* what) {
    if (!condition) {
        throw DataError(fmt::format("{}: not a scaling file: {}", path, what));
    }
}

/// Checks the members that may be wrong in a damaged or foreign file.
void check_scaling(const std::string& path, const Scaling& scaling) {
    const std::size_t count = scaling.columns.empty()
                                  ? static_cast<std::size_t>(scaling.column_count)
                                  : scaling.columns.size();
    const auto finite = [](double value) { return std::isfinite(value); };
    require(scaling.column_count >= 0, path, "column_count is negative");
    require(scaling.offset.size() == scaling.factor.size() &&
                (scaling.offset.size() == count || scaling.method == "none"),
            path, "offset and factor do not fit the columns");
    require(std::is_sorted(scaling.columns.begin(), scaling.columns.end(), std::less_equal<>()) &&
                (scaling.columns.empty() ||
                 (scaling.columns.front() >= 0 && scaling.columns.back() < scaling.column_count)),
            path, "columns are not ascending indices");
    require(std::all_of(scaling.offset.begin(), scaling.offset.end(), finite) &&
                std::all_of(scaling.factor.begin(), scaling.factor.end(), finite) &&
                std::isfinite(scaling.base),
            path, "a number is not finite");
}

Scaling restore_scaling(const std::string& path, Files& files) {
    const std::string text = read_text_file(path, files);
    Scaling scaling;
    try {
        const auto json = nlohmann::json::parse(text);
        require(json.is_object() && json.value("format", "") == kFormatMark, path,
                "the format mark is missing");
        scaling.method = json.at("method").get<std::string>();
        scaling.column_count = json.at("column_count").get<index_t>();
        scaling.columns = json.at("columns").get<std::vector<index_t>>();
        scaling.offset = json.at("offset").get<std::vector<double>>();
        scaling.factor = json.at("factor").get<std::vector<double>>();
        scaling.base = json.at("base").get<double>();
    } catch (const nlohmann::json::parse_error& error) {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(
                                            error.byte > 0 ? error.byte - 1 : 0, text.size()));
        const auto line = 1 + std::count(text.begin(), end, '\n');
        throw DataError(fmt::format("{}:{}: not a scaling file: not JSON", path, line));
    } catch (const nlohmann::json::exception& error) {
        throw DataError(fmt::format("{}: not a scaling file: {}", path, error.what()));
    }
    check_scaling(path, scaling);
    return scaling;
}

/// The name of a column, or its index in the file.
std::string column_name(const Dataset& data, index_t j, const ReadOptions& read) {
    if (j < static_cast<index_t>(data.column_names.size())) {
        return printable(data.column_names[static_cast<std::size_t>(j)]);
    }
    return fmt::format("{}", data.is_sparse() && !read.zero_based ? j + 1 : j);
}

/// Throws DataError with the columns that have entries but are missing in the scaling.
void require_known_columns(const Dataset& data, const Scaling& scaling,
                           const ScaleCommandOptions& options) {
    constexpr std::size_t kNamed = 10;
    std::set<index_t> unknown;
    data::for_each_entry(data, [&](index_t, index_t j, double) {
        if (j >= scaling.column_count) {
            unknown.insert(j);
        }
    });
    if (unknown.empty()) {
        return;
    }
    std::vector<std::string> names;
    for (const index_t j : unknown) {
        if (names.size() == kNamed) {
            names.push_back(fmt::format("and {} more", unknown.size() - kNamed));
            break;
        }
        names.push_back(column_name(data, j, options.data.read));
    }
    throw DataError(fmt::format("{}: the map of {} has {} columns, and none for {}",
                                options.data.path, options.restore, scaling.column_count,
                                fmt::join(names, ", ")));
}

ExitStatus run_scale(Session& session, const ScaleCommandOptions& options) {
    session.require_free_output(options.output);
    session.require_free_output(options.save);
    StoppableFiles files(session.context());
    Scaling scaling;
    if (!options.restore.empty()) {
        scaling = restore_scaling(options.restore, files);
    }
    Dataset data = read_data(session, options.data.path, options.data.read);
    if (options.restore.empty()) {
        scaling = Scaling::fit(data, options.scale);
    } else {
        require_known_columns(data, scaling, options);
    }
    const bool was_sparse = data.is_sparse();
    data = scaling.apply(data);
    if (was_sparse && !data.is_sparse()) {
        session.warn("the scaled rows are dense: this map moves zeros");
    }
    Json json = session.json_result();
    json["method"] = scaling.method;
    json.update(write_data(session, options.output, data, options.write));
    if (!options.save.empty()) {
        save_scaling(options.save, scaling, files);
    }
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

void describe_scale(CLI::App& app, ScaleCommandOptions& options) {
    add_output_option(app, options.output, "file to write, format by suffix");
    add_described_options(app, options.scale);
    Argument save =
        add_option(app, "--save", options.save, "keep the map in this file, for later data")
            .type_name("FILE")
            .writes_file();
    add_option(app, "--restore", options.restore, "apply the map kept in this file")
        .type_name("FILE")
        .reads_file()
        .excludes(save)
        .excludes(find_option(app, "--method"))
        .excludes(find_option(app, "--lower"))
        .excludes(find_option(app, "--upper"));
    add_data_argument(app, options.data);
    add_write_options(app, options.write);
}

}  // namespace

void add_data_scale(CLI::App& group, Session& session) {
    add_command<ScaleCommandOptions>(
        group, session,
        {"scale", "put the columns on one scale, and later data on the same",
         "  mercer data scale train.svm --save map.json -o train.scaled.svm\n"
         "  mercer data scale test.svm --restore map.json -o test.scaled.svm\n"},
        describe_scale, run_scale);
}

}  // namespace mercer::cli

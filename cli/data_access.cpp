// SPDX-License-Identifier: Apache-2.0
//
// cli/data_access.cpp - reading and writing data, with messages.
#include "data_access.hpp"

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "mercer/data/labels.hpp"
#include "option_registrar.hpp"
#include "printable.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

/// True if the format stores class names, or no targets at all.
bool keeps_names(const std::string& path, const WriteOptions& options) {
    const std::string format = options.format == "auto" ? format_of_path(path) : options.format;
    return format == "csv" || format == "tsv" || format == "npy";
}

/// A table of class numbers, with the names as targets.
Dataset label_table(const std::vector<std::string>& names) {
    const auto numbers = std::make_shared<std::vector<double>>();
    for (std::size_t c = 0; c < names.size(); ++c) {
        numbers->push_back(static_cast<double>(c));
    }
    const auto rows = static_cast<index_t>(names.size());
    Dataset table(MatrixView<const double>(numbers->data(), rows, 1), numbers);
    table.column_names = {"number"};
    table.targets = *numbers;
    table.label_names = names;
    table.target_column = {"label", 1};
    return table;
}

}  // namespace

void add_data_argument(CLI::App& command, DataArgument& data) {
    add_option(command, "DATA", data.path, "data file, - for standard input")
        .reads_file()
        .required();
    add_described_options(command, data.read, kReadingGroup);
    find_option(command, "--labels").reads_file();
}

void add_model_data_argument(CLI::App& command, DataArgument& data, bool required) {
    Argument argument =
        add_option(command, "DATA", data.path, "data file, - for standard input").reads_file();
    if (required) {
        argument.required();
    }
    add_described_options(command, data.read, kReadingGroup, {{"task", ""}});
    find_option(command, "--labels").reads_file();
}

Dataset read_data(Session& session, const std::string& path, const ReadOptions& options) {
    Context& context = session.context();
    StoppableFiles files(context);
    Dataset data =
        session.timed("read", [&] { return read_dataset(path, options, context, files).value(); });
    if (data.decimal_comma) {
        session.note(fmt::format("{}: numbers are read with a decimal comma", path));
    }
    session.explain(fmt::format("read {}: {} rows, {} columns, {} stored", path, data.rows(),
                                data.columns(), data.stored()));
    return data;
}

void add_write_options(CLI::App& command, WriteOptions& options) {
    add_described_options(command, options, "Writing",
                          {{"format", "output_format"}, {"zero_based", "output_zero_based"}});
}

Json write_data(Session& session, const std::string& path, const Dataset& data,
                const WriteOptions& options) {
    session.require_free_output(path);
    StoppableFiles files(session.context());
    session.timed("write", [&] { write_dataset(path, data, options, files); });
    session.say(fmt::format("wrote {}: {} rows, {} columns", path, data.rows(), data.columns()));
    Json json{{"file", path}, {"rows", data.rows()}, {"columns", data.columns()}};
    if (!keeps_names(path, options)) {
        json.update(keep_label_map(session, path, data.label_names));
    }
    return json;
}

Json keep_label_map(Session& session, const std::string& path,
                    const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 20;
    Json json = Json::object();
    if (are_numbers(names)) {
        return json;
    }
    std::string text = fmt::format("classes in {}:", path);
    for (std::size_t c = 0; c < std::min(kShown, names.size()); ++c) {
        text += fmt::format("{} {} = {}", c == 0 ? "" : ",", c, printable(names[c]));
    }
    session.say(
        names.size() <= kShown ? text : fmt::format("{} and {} more", text, names.size() - kShown));
    json["classes"] = names;
    if (path != "-") {
        const std::string file = path + ".labels.csv";
        session.files.add(FileRole::output, "the label map", file);
        StoppableFiles files(session.context());
        write_csv(file, label_table(names), ',', files);
        session.say(fmt::format("wrote {}", file));
        json["label_file"] = file;
    }
    return json;
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/data_access.cpp - reading and writing with messages.
#include "data_access.hpp"

#include "command.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

void add_data_argument(CLI::App& command, DataArgument& data) {
    add_option(command, "DATA", data.path, "data file, - for standard input").required();
    add_described_options(command, data.read, kReadingGroup);
}

void add_model_data_argument(CLI::App& command, DataArgument& data) {
    add_option(command, "DATA", data.path, "data file, - for standard input").required();
    add_described_options(command, data.read, kReadingGroup, {{"task", ""}});
}

Dataset read_data(Session& session, const std::string& path, const ReadOptions& options) {
    Context& context = session.context();
    StoppableFiles files(context);
    Dataset data =
        session.timed("read", [&] { return read_dataset(path, options, context, files).value(); });
    session.explain(fmt::format("read {}: {} rows, {} columns, {} stored", path, data.rows(),
                                data.columns(), data.stored()));
    return data;
}

void add_write_options(CLI::App& command, WriteOptions& options) {
    add_described_options(command, options, "Writing",
                          {{"format", "output_format"}, {"zero_based", "output_zero_based"}});
}

void write_data(Session& session, const std::string& path, const Dataset& data,
                const WriteOptions& options) {
    session.require_free_output(path);
    StoppableFiles files(session.context());
    session.timed("write", [&] { write_dataset(path, data, options, files); });
    session.say(fmt::format("wrote {}: {} rows, {} columns", path, data.rows(), data.columns()));
}

Json file_json(const std::string& path, const Dataset& data) {
    return Json{{"file", path}, {"rows", data.rows()}, {"columns", data.columns()}};
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/data_access.hpp - how every command reads and writes data.
#pragma once

#include <string>

#include "mercer/data/dataset.hpp"
#include "mercer/data/read.hpp"
#include "mercer/data/write.hpp"
#include "session.hpp"

namespace mercer::cli {

/// A data argument and how to read it.
struct DataArgument {
    std::string path;
    ReadOptions read;
};

/// Registers the positional DATA and the reading options.
void add_data_argument(CLI::App& command, DataArgument& data);

/// The same without --task, where the model says what the targets are.
void add_model_data_argument(CLI::App& command, DataArgument& data);

/// Reads the data; a Diagnostic becomes DataError.
[[nodiscard]] Dataset read_data(Session& session, const std::string& path,
                                const ReadOptions& options);

/// How output is written, by the option names of commands that also read: --output-format, ...
void add_write_options(CLI::App& command, WriteOptions& options);

/// Writes the data and says so.
void write_data(Session& session, const std::string& path, const Dataset& data,
                const WriteOptions& options);

/// `{"file": ..., "rows": ..., "columns": ...}` of a file just written.
[[nodiscard]] Json file_json(const std::string& path, const Dataset& data);

}  // namespace mercer::cli

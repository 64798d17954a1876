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

/// The same without --task, if the model determines the kind of targets.
void add_model_data_argument(CLI::App& command, DataArgument& data, bool required = true);

/// Reads the data; a Diagnostic becomes DataError.
[[nodiscard]] Dataset read_data(Session& session, const std::string& path,
                                const ReadOptions& options);

/// Registers the write options, with names for commands that also read: --output-format, ...
void add_write_options(CLI::App& command, WriteOptions& options);

/// Writes the data and reports it. If the format stores numbers in place of class names,
/// keep_label_map() follows. Returns `{"file": ..., "rows": ..., "columns": ...}`, and what
/// keep_label_map() returns.
Json write_data(Session& session, const std::string& path, const Dataset& data,
                const WriteOptions& options);

/// Reports which number represents which class in the output `path`, and writes this map to
/// `path`.labels.csv, except for standard output. Returns `{"classes": [...], "label_file": ...}`,
/// or no members if the names are the numbers.
Json keep_label_map(Session& session, const std::string& path,
                    const std::vector<std::string>& names);

}  // namespace mercer::cli

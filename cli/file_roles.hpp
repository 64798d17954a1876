// SPDX-License-Identifier: Apache-2.0
//
// cli/file_roles.hpp - the input and output files of a run: no file may be both.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

enum class FileRole { input, output };

/// The files of a run, by their names on the command line.
class FileRoles {
public:
    /// Adds a file; `-` and an empty path are ignored. Throws UsageError if an output is also an
    /// input or another output, under any path.
    void add(FileRole role, const std::string& name, const std::string& path);

    /// Adds the files among the arguments given to the command.
    void add_arguments(CLI::App& command);

private:
    struct NamedFile {
        FileRole role;
        std::string name;
        std::string path;
    };

    std::vector<NamedFile> files_;
};

/// Declares that the argument's value is a file with that role.
void mark_file(CLI::Option& option, FileRole role);

}  // namespace mercer::cli

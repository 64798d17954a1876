// SPDX-License-Identifier: Apache-2.0
//
// cli/file_roles.hpp - which files a run reads and which it writes: none may be both.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

enum class FileRole { input, output };

/// The files of a run, by what the command line calls them.
class FileRoles {
public:
    /// Adds a file; `-` and an empty path are none. Throws UsageError when an output is a file that
    /// is read, or one that is written already, by whatever path.
    void add(FileRole role, const std::string& name, const std::string& path);

    /// Adds those of the arguments that were given to the command.
    void add_arguments(CLI::App& command);

private:
    struct NamedFile {
        FileRole role;
        std::string name;
        std::string path;
    };

    std::vector<NamedFile> files_;
};

/// Says that the argument's value is a file of that role.
void mark_file(CLI::Option& option, FileRole role);

}  // namespace mercer::cli

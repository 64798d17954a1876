// SPDX-License-Identifier: Apache-2.0
//
// cli/argument.hpp - arguments of a command in addition to the described options.
//
// Every command includes this header, and CLI11 behind it takes five seconds to compile: only files
// that inspect or parse the whole command line include CLI11.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

/// An argument that was added to a command. A handle: copies refer to the same argument.
class Argument {
public:
    explicit Argument(CLI::Option& option) : option_(&option) {}

    Argument& required(bool is_required = true);
    Argument& type_name(const std::string& name);  ///< what help shows for a value: FILE
    Argument& group(const std::string& name);      ///< its heading in the help
    Argument& default_text(const std::string& text);

    /// Shows the current value as the default in the help.
    Argument& show_default();

    /// One word holds several values, separated by this character.
    Argument& delimiter(char between);

    /// May be repeated, each time with one value.
    Argument& repeatable();

    /// Its value is an input file, or an output file (file_roles.hpp).
    Argument& reads_file();
    Argument& writes_file();

    Argument& one_of(const std::vector<std::string>& choices);
    Argument& at_least(index_t least);
    Argument& not_empty();
    Argument& needs(const Argument& other);
    Argument& excludes(const Argument& other);

private:
    CLI::Option* option_;
};

/// Adds an argument: `-o,--output` is an option, a name without dashes a positional. `value` must
/// outlive the parse.
Argument add_option(CLI::App& command, const std::string& names, std::string& value,
                    const std::string& help);
Argument add_option(CLI::App& command, const std::string& names, index_t& value,
                    const std::string& help);
Argument add_option(CLI::App& command, const std::string& names, std::vector<std::string>& values,
                    const std::string& help);
Argument add_option(CLI::App& command, const std::string& names, std::vector<double>& values,
                    const std::string& help);
Argument add_flag(CLI::App& command, const std::string& names, bool& value,
                  const std::string& help);

/// The existing argument with that name.
[[nodiscard]] Argument find_option(CLI::App& command, const std::string& name);

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/argument.hpp - arguments a command takes besides the described options, and what is asked of
// them.
//
// Every command includes this, and CLI11 behind it takes five seconds to compile: only the files
// that walk or parse the whole command line include that one.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

/// An argument that was added to a command. A handle: copies speak of the same argument.
class Argument {
public:
    explicit Argument(CLI::Option& option) : option_(&option) {}

    Argument& required(bool is_required = true);
    Argument& type_name(const std::string& name);  ///< what help shows for a value: FILE
    Argument& group(const std::string& name);      ///< the heading it stands under in help
    Argument& default_text(const std::string& text);

    /// The default shown in help is the value as it stands now.
    Argument& show_default();

    /// One value holds many, with this between them.
    Argument& delimiter(char between);

    /// May be given again, each time with one value.
    Argument& repeatable();

    /// Its value is a file that is read, or one that is written (file_roles.hpp).
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

/// The argument of that name, added before.
[[nodiscard]] Argument find_option(CLI::App& command, const std::string& name);

}  // namespace mercer::cli

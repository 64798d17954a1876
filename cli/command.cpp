// SPDX-License-Identifier: Apache-2.0
//
// cli/command.cpp - parts the commands share.
#include "command.hpp"

namespace mercer::cli {

CLI::App* add_command_group(CLI::App& root, const std::string& name, const std::string& summary) {
    CLI::App* group = root.add_subcommand(name, summary);
    group->require_subcommand(1);
    group->footer("Each command has its own page: mercer " + name + " COMMAND --help\n");
    return group;
}

CLI::Option* add_output_option(CLI::App& command, std::string& path, const std::string& help) {
    return command.add_option("-o,--output", path, help)->type_name("FILE")->required();
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/command.cpp - parts the commands share.
#include "command.hpp"

namespace mercer::cli {

std::string command_path(const CLI::App& command) {
    std::string path = command.get_name();
    for (const CLI::App* app = command.get_parent(); app->get_parent() != nullptr;
         app = app->get_parent()) {
        path = app->get_name() + " " + path;
    }
    return path;
}

CLI::App* add_command_group(CLI::App& parent, const std::string& name, const std::string& summary) {
    CLI::App* group = parent.add_subcommand(name, summary);
    group->require_subcommand(1);
    group->footer("Each command has its own page: mercer " + command_path(*group) +
                  " COMMAND --help\n");
    return group;
}

CLI::Option* add_output_option(CLI::App& command, std::string& path, const std::string& help) {
    return command.add_option("-o,--output", path, help)->type_name("FILE")->required();
}

}  // namespace mercer::cli

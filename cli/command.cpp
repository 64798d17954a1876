// SPDX-License-Identifier: Apache-2.0
//
// cli/command.cpp - parts common to all commands.
#include "command.hpp"

#include <CLI/CLI.hpp>

namespace mercer::cli {

std::string command_path(const CLI::App& command) {
    std::string path = command.get_name();
    for (const CLI::App* app = command.get_parent(); app->get_parent() != nullptr;
         app = app->get_parent()) {
        path = app->get_name() + " " + path;
    }
    return path;
}

CLI::App* add_empty_command(CLI::App& parent, const CommandText& text) {
    CLI::App* command = parent.add_subcommand(text.name, text.summary);
    command->footer("Examples:\n" + text.examples);
    return command;
}

void set_action(CLI::App& command, Session& session, std::function<ExitStatus(Session&)> action) {
    command.callback([&session, action = std::move(action), full_name = command_path(command)] {
        session.command = full_name;
        session.action = action;
    });
}

CLI::App* add_command_group(CLI::App& parent, const std::string& name, const std::string& summary) {
    CLI::App* group = parent.add_subcommand(name, summary);
    group->require_subcommand(1);
    group->footer("Each command has its own page: mercer " + command_path(*group) +
                  " COMMAND --help\n");
    return group;
}

Argument add_output_option(CLI::App& command, std::string& path, const std::string& help) {
    return add_option(command, "-o,--output", path, help)
        .type_name("FILE")
        .writes_file()
        .required();
}

}  // namespace mercer::cli

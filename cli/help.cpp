// SPDX-License-Identifier: Apache-2.0
//
// cli/help.cpp - mercer help: the page of a command, as --help shows it.
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "mercer/base/nearest_word.hpp"

namespace mercer::cli {

namespace {

struct HelpOptions {
    CLI::App* root = nullptr;
    std::vector<std::string> words;
};

/// The command with that name below `app`; throws UsageError, with the nearest name, if there is
/// none.
CLI::App* command_below(CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == word) {
            return command;
        }
        names.push_back(command->get_name());
    }
    const std::string nearest = nearest_word(word, names);
    throw UsageError(fmt::format(
        "help: {} has no command {}{}", app.get_name(), word,
        nearest.empty() ? "\nsee mercer help" : fmt::format("; did you mean {}?", nearest)));
}

ExitStatus run_help(Session& session, const HelpOptions& options) {
    CLI::App* app = options.root;
    std::string path;
    for (const std::string& word : options.words) {
        path += (path.empty() ? "" : " ") + app->get_name();
        app = command_below(*app, word);
    }
    // Not help() of the root, which would recurse into the given command, `help` itself.
    const std::string page =
        app == options.root
            ? app->get_formatter()->make_help(app, app->get_name(), CLI::AppFormatMode::Normal)
            : app->help(path);
    Json json = session.json_result();
    json["page"] = page;
    session.emit(json, page);
    return ExitStatus::done;
}

}  // namespace

void add_help_command(CLI::App& root, Session& session) {
    add_command<HelpOptions>(
        root, session,
        {"help", "show the help of a command",
         "  mercer help\n"
         "  mercer help train\n"
         "  mercer help kernel gram\n"},
        [&root](CLI::App& app, HelpOptions& options) {
            options.root = &root;
            add_option(app, "COMMAND", options.words, "the words that lead to it; none: this list");
        },
        run_help);
}

}  // namespace mercer::cli

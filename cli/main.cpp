// SPDX-License-Identifier: Apache-2.0
//
// cli/main.cpp - the mercer program: parse, run one command, turn its end into an exit status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "command.hpp"
#include "help_formatter.hpp"
#include "nearest_word.hpp"
#include "stop_signal.hpp"
#include "svm_programs.hpp"

namespace mercer::cli {

namespace {

void build_command_line(CLI::App& root, Session& session) {
    root.formatter(std::make_shared<HelpFormatter>());
    root.name("mercer");
    root.fallthrough();
    root.require_subcommand(1);
    root.set_help_flag("-h,--help", "show this page");
    root.get_help_ptr()->group(kCommonGroup);
    root.set_version_flag("--version", "mercer " MERCER_VERSION)->group(kCommonGroup);
    add_common_options(root, session.options);
    root.set_config("--config", "", "read options from a TOML file")
        ->type_name("FILE")
        ->group(kCommonGroup);
    root.allow_config_extras(CLI::config_extras_mode::error);
    add_train_command(root, session);
    add_select_command(root, session);
    add_compare_command(root, session);
    add_predict_command(root, session);
    add_evaluate_command(root, session);
    add_verify_command(root, session);
    add_inspect_command(root, session);
    add_convert_command(root, session);
    add_data_commands(root, session);
    add_kernel_commands(root, session);
    add_doctor_command(root, session);
    add_completion_command(root, session);
    root.footer(
        "Examples:\n"
        "  mercer data make moons --rows 500 -o moons.svm\n"
        "  mercer train moons.svm -o moons.mercer --kernel 'rbf(gamma=2)'\n"
        "  mercer verify moons.mercer moons.svm\n"
        "  mercer train --help\n"
        "Exit status: 0 done, 1 stopped early, 2 usage, 3 data, 4 memory or disk, 5 a bug.\n");
}

/// The innermost command the user named, and the words that led there.
std::pair<const CLI::App*, std::string> named_command(const CLI::App& root) {
    const CLI::App* app = &root;
    std::string words = root.get_name();
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        words += " " + app->get_name();
    }
    return {app, words};
}

/// The message of a parse error, with the nearest word when one looks misspelt.
std::string usage_message(const CLI::App& root, const CLI::ParseError& error) {
    const auto [app, words] = named_command(root);
    std::string text = error.what();
    std::vector<std::string> known;
    for (const CLI::App* command : app->get_subcommands({})) {
        known.push_back(command->get_name());
    }
    for (const CLI::App* owner : {app, &root}) {
        for (const CLI::Option* option : owner->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                known.push_back("--" + name);
            }
        }
    }
    const std::vector<std::string> extras = root.remaining(true);
    if (!extras.empty()) {
        text = "not understood: " + extras.front();
        const std::string nearest = nearest_word(extras.front(), known);
        if (!nearest.empty()) {
            text += "; did you mean " + nearest + "?";
        }
    }
    return text + "\nsee " + words + " --help";
}

/// Reports a failure on standard error, and as the JSON object when one was asked for.
int fail(Session& session, const Failure& failure) {
    session.error(failure.message);
    if (session.options.json) {
        Json json = session.json_result();
        json["error"] = failure.message;
        json["exit_status"] = static_cast<int>(failure.status);
        try {
            session.emit(json, "");
        } catch (const ResourceError&) {
            return static_cast<int>(ExitStatus::resource);
        }
    }
    return static_cast<int>(failure.status);
}

int run(int argument_count, char** arguments) {
    Session session;
    try {
        const std::vector<std::string> words(arguments + 1, arguments + argument_count);
        if (const auto status = run_svm_program(session, arguments[0], words); status) {
            return static_cast<int>(*status);
        }
        CLI::App root("Mercer: kernel machines with proof.");
        build_command_line(root, session);
        try {
            root.parse(argument_count, arguments);
        } catch (const CLI::CallForHelp&) {
            session.emit(Json(), root.help());
            return static_cast<int>(ExitStatus::done);
        } catch (const CLI::CallForVersion& version) {
            session.emit(Json{{"version", MERCER_VERSION}}, std::string(version.what()) + "\n");
            return static_cast<int>(ExitStatus::done);
        } catch (const CLI::ParseError& error) {
            session.options.json =
                std::any_of(arguments + 1, arguments + argument_count,
                            [](const char* word) { return std::string_view(word) == "--json"; });
            throw UsageError(usage_message(root, error));
        }
        return static_cast<int>(session.action(session));
    } catch (...) {
        return fail(session, describe_failure(std::current_exception()));
    }
}

}  // namespace

}  // namespace mercer::cli

int main(int argument_count, char** arguments) {
    mercer::cli::install_signal_handlers();
    return mercer::cli::run(argument_count, arguments);
}

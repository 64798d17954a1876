// SPDX-License-Identifier: Apache-2.0
//
// cli/main.cpp - the mercer program: parses, runs one command, and returns its exit status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "command.hpp"
#include "config_fault.hpp"
#include "file_roles.hpp"
#include "help_formatter.hpp"
#include "mercer/base/nearest_word.hpp"
#include "mercer/fit/train_options.hpp"
#include "stop_signal.hpp"
#include "svm_programs.hpp"

namespace mercer::cli {

namespace {

constexpr std::string_view kCompletionCommand = "completion";
constexpr std::string_view kHelpCommand = "help";

struct CommandEntry {
    std::string_view name;
    void (*add)(CLI::App& root, Session& session);
};

/// In the order of the help.
constexpr std::array<CommandEntry, 16> kCommands{{{"train", add_train_command},
                                                  {"path", add_path_command},
                                                  {"select", add_select_command},
                                                  {"compare", add_compare_command},
                                                  {"predict", add_predict_command},
                                                  {"evaluate", add_evaluate_command},
                                                  {"verify", add_verify_command},
                                                  {"inspect", add_inspect_command},
                                                  {"report", add_report_command},
                                                  {"convert", add_convert_command},
                                                  {"data", add_data_commands},
                                                  {"kernel", add_kernel_commands},
                                                  {"theory", add_theory_commands},
                                                  {"doctor", add_doctor_command},
                                                  {kCompletionCommand, add_completion_command},
                                                  {kHelpCommand, add_help_command}}};

/// Which commands are defined before the words are parsed.
enum class Commands { named, all };

/// True if `words` can be parsed with only those commands whose names are among them. Not so with a
/// configuration file, which may refer to any command, nor for completion and help.
bool named_suffice(const std::vector<std::string>& words) {
    return std::none_of(words.begin(), words.end(), [](const std::string& word) {
        return word.starts_with("--config") || word == kCompletionCommand || word == kHelpCommand;
    });
}

void build_command_line(CLI::App& root, Session& session, Commands commands,
                        const std::vector<std::string>& words) {
    root.formatter(std::make_shared<HelpFormatter>());
    root.name("mercer");
    root.fallthrough();
    root.require_subcommand(1);
    root.set_help_flag("-h,--help", "show this page");
    root.get_help_ptr()->group(kCommonGroup);
    root.set_version_flag("--version", "mercer " MERCER_VERSION)->group(kCommonGroup);
    add_common_options(root, session.options);
    CLI::Option* config = root.set_config("--config", "", "read options from a TOML file")
                              ->type_name("FILE")
                              ->group(kCommonGroup);
    mark_file(*config, FileRole::input);
    root.allow_config_extras(CLI::config_extras_mode::error);
    for (const CommandEntry& command : kCommands) {
        if (commands == Commands::all ||
            std::find(words.begin(), words.end(), command.name) != words.end()) {
            command.add(root, session);
        }
    }
    root.footer(
        "Examples:\n"
        "  mercer data make moons --rows 500 -o moons.svm\n"
        "  mercer train moons.svm -o moons.mercer --kernel 'rbf(gamma=2)'\n"
        "  mercer verify moons.mercer moons.svm\n"
        "  mercer train --help\n"
        "Exit status: 0 done, 1 stopped early, 2 usage, 3 data, 4 memory or disk, 5 a bug.\n");
}

/// The innermost command given by the user, and the words that lead to it.
std::pair<CLI::App*, std::string> named_command(CLI::App& root) {
    CLI::App* app = &root;
    std::string words = root.get_name();
    while (!app->get_subcommands().empty()) {
        app = app->get_subcommands().front();
        words += " " + app->get_name();
    }
    return {app, words};
}

/// `file:line: ` where `holds` becomes true in the configuration file, given the outcome of the
/// parse; empty if there is no such file, or it is not to blame.
std::string config_place(
    CLI::App& parsed, const std::vector<std::string>& words,
    const std::function<bool(CLI::App& root, const std::string& message)>& holds) {
    const CLI::Option* config = parsed.get_config_ptr();
    if (config->count() == 0) {
        return "";
    }
    const std::string& path = config->results().front();
    const std::size_t line = first_line_where(path, [&](std::shared_ptr<CLI::Config> first) {
        Session session;
        CLI::App root;
        build_command_line(root, session, Commands::all, words);
        root.config_formatter(std::move(first));
        std::string message;
        try {
            root.parse(std::vector<std::string>(words.rbegin(), words.rend()));
        } catch (const CLI::ParseError& error) {
            message = error.what();
        }
        return holds(root, message);
    });
    return line == 0 ? "" : fmt::format("{}:{}: ", path, line);
}

/// CLI11's message about a configuration file, rephrased.
std::string config_message(const CLI::ParseError& error) {
    constexpr std::string_view kUnknown = "INI was not able to parse ";
    constexpr std::string_view kSection = ".++";  // CLI11's name for the start of a section
    const std::string text = error.what();
    if (!text.starts_with(kUnknown)) {
        return text;
    }
    const std::string name = text.substr(kUnknown.size());
    return name.ends_with(kSection)
               ? fmt::format("not understood: [{}]", name.substr(0, name.size() - kSection.size()))
               : "not understood: " + name;
}

/// The message of a parse error, with a suggestion if a word looks misspelt.
std::string usage_message(CLI::App& root, const CLI::ParseError& error) {
    const auto [app, words] = named_command(root);
    std::string text = error.what();
    const std::vector<std::string> extras = root.remaining(true);
    std::vector<std::string> known;
    for (const CLI::App* command : app->get_subcommands({})) {
        known.push_back(command->get_name());
    }
    for (const CLI::App* owner : {app, &root}) {
        for (const CLI::Option* option : owner->get_options()) {
            for (const std::string& name : option->get_lnames()) {
                known.push_back("--" + name);
            }
            for (const std::string& name : option->get_snames()) {
                if (!extras.empty() && same_letters("-" + name, extras.front())) {
                    known.push_back("-" + name);
                }
            }
        }
    }
    if (!extras.empty()) {
        text = "not understood: " + extras.front();
        const std::string nearest = nearest_word(extras.front(), known);
        const std::vector<std::string> machines = machine_names();
        const auto machine = std::find_if(
            machines.begin(), machines.end(),
            [&](const std::string& name) { return same_letters(name, extras.front()); });
        if (app == &root && machine != machines.end()) {
            text += fmt::format("; it is a model: mercer train DATA -o MODEL --model {}", *machine);
        } else if (!nearest.empty()) {
            text += "; did you mean " + nearest + "?";
        }
    }
    return text + "\nsee " + words + " --help";
}

/// The message for an argument refused by the library, with its command line name.
std::string refusal_message(CLI::App& root, const std::vector<std::string>& words,
                            const InvalidArgument& error) {
    if (error.fault() == nullptr) {
        return error.what();
    }
    const std::string name = kCommandLineStyle.name(error.fault()->option);
    const CLI::App* app = named_command(root).first;
    if (app->get_option_no_throw(name) == nullptr) {
        return error.fault()->message(kCommandLineStyle);
    }
    ArgumentFault named = *error.fault();
    named.option = name;
    const std::string place = config_place(root, words, [&](CLI::App& other, const std::string&) {
        const CLI::Option* option = named_command(other).first->get_option_no_throw(name);
        return option != nullptr && option->count() > 0;
    });
    return place + named.message(kCommandLineStyle);
}

/// Reports a failure on standard error, and as a JSON object if requested.
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

/// Parses the words and runs the command; nothing if the commands among the words are not enough
/// for an error message or the help.
std::optional<ExitStatus> parse_and_run(Session& session, Commands commands,
                                        const std::vector<std::string>& words) {
    CLI::App root("Mercer: kernel machines with proof.");
    build_command_line(root, session, commands, words);
    try {
        root.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::CallForVersion& version) {
        session.emit(Json{{"version", MERCER_VERSION}}, std::string(version.what()) + "\n");
        return ExitStatus::done;
    } catch (const CLI::CallForHelp&) {
        if (commands == Commands::named) {
            return std::nullopt;
        }
        session.emit(Json(), root.help());
        return ExitStatus::done;
    } catch (const CLI::ParseError& error) {
        if (commands == Commands::named) {
            return std::nullopt;
        }
        session.options.json = std::find(words.begin(), words.end(), "--json") != words.end();
        if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) {
            throw UsageError(fmt::format("--config: {} cannot be read",
                                         root.get_config_ptr()->results().front()));
        }
        const std::string place = config_place(
            root, words,
            [&](CLI::App&, const std::string& message) { return message == error.what(); });
        throw UsageError(place.empty() ? usage_message(root, error)
                                       : place + config_message(error));
    }
    session.files.add_arguments(root);
    session.files.add_arguments(*named_command(root).first);
    try {
        return session.action(session);
    } catch (const InvalidArgument& error) {
        throw UsageError(refusal_message(root, words, error));
    }
}

int run(int argument_count, char** arguments) {
    Session session;
    try {
        const std::vector<std::string> words(arguments + 1, arguments + argument_count);
        if (const auto status = run_svm_program(session, arguments[0], words); status) {
            return static_cast<int>(*status);
        }
        // Most runs are valid and need one command: defining all of them would take a third of the
        // time of a short run, and 300 kB. For help and errors all of them are defined.
        std::optional<ExitStatus> status;
        if (named_suffice(words)) {
            status = parse_and_run(session, Commands::named, words);
        }
        if (!status) {
            session.options = {};
            session.command.clear();
            session.files = {};
            status = parse_and_run(session, Commands::all, words);
        }
        return static_cast<int>(*status);
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

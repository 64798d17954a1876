// SPDX-License-Identifier: Apache-2.0
//
// cli/command.hpp - adding commands to the command line, and the list of all commands.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "argument.hpp"
#include "session.hpp"

namespace mercer::cli {

/// Group name of the options every command takes.
inline constexpr const char* kCommonGroup = "Common options";
inline constexpr const char* kReadingGroup = "Reading";
inline constexpr const char* kPerceptronGroup = "Perceptron";
inline constexpr const char* kRbfGroup = "RBF kernel";
inline constexpr const char* kBasisGroup = "Greedy basis";
inline constexpr const char* kDualGroup = "Dual solvers";
inline constexpr const char* kCheckpointGroup = "Checkpoints";

/// The texts of a command.
struct CommandText {
    std::string name;
    std::string summary;   ///< one line, for lists
    std::string examples;  ///< whole command lines, one per line
};

/// The words that lead to a command, without the program name: "kernel gram".
[[nodiscard]] std::string command_path(const CLI::App& command);

/// Adds a command without options, and sets its action, which runs if it is the one given.
CLI::App* add_empty_command(CLI::App& parent, const CommandText& text);
void set_action(CLI::App& command, Session& session, std::function<ExitStatus(Session&)> action);

/// Adds a command with options of type `Options` to `parent`: `describe(app, options)` registers
/// them, `run(session, options)` does the work.
template <typename Options>
CLI::App* add_command(CLI::App& parent, Session& session, const CommandText& text,
                      const std::function<void(CLI::App&, Options&)>& describe,
                      ExitStatus (*run)(Session&, const Options&)) {
    auto options = std::make_shared<Options>();
    CLI::App* command = add_empty_command(parent, text);
    describe(*command, *options);
    set_action(*command, session,
               [options, run](Session& current) { return run(current, *options); });
    return command;
}

/// Adds a group of commands, such as `mercer data`; groups may hold groups.
CLI::App* add_command_group(CLI::App& parent, const std::string& name, const std::string& summary);

/// The output option of all commands that write.
Argument add_output_option(CLI::App& command, std::string& path, const std::string& help);

void add_data_commands(CLI::App& root, Session& session);
void add_kernel_commands(CLI::App& root, Session& session);
void add_theory_commands(CLI::App& root, Session& session);
void add_train_command(CLI::App& root, Session& session);
void add_path_command(CLI::App& root, Session& session);
void add_select_command(CLI::App& root, Session& session);
void add_compare_command(CLI::App& root, Session& session);
void add_predict_command(CLI::App& root, Session& session);
void add_evaluate_command(CLI::App& root, Session& session);
void add_verify_command(CLI::App& root, Session& session);
void add_inspect_command(CLI::App& root, Session& session);
void add_report_command(CLI::App& root, Session& session);
void add_convert_command(CLI::App& root, Session& session);
void add_doctor_command(CLI::App& root, Session& session);
void add_completion_command(CLI::App& root, Session& session);
void add_help_command(CLI::App& root, Session& session);

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/completion.cpp - one table of commands and options, printed for three shells.
#include "completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "command.hpp"
#include "mercer/solvers/registry.hpp"
#include "option_registrar.hpp"

namespace mercer::cli {

namespace {

struct CompletedOption {
    std::vector<std::string> names;    ///< with their dashes
    std::vector<std::string> choices;  ///< the possible values, if they are few
    std::string help;
    bool takes_value = false;
};

struct CompletedWord {
    std::string word;
    std::string help;
};

/// What may follow a path of words such as "mercer kernel gram".
struct CompletedCommand {
    std::string path;
    std::vector<CompletedWord> words;  ///< commands, or the choices of its arguments
    std::vector<CompletedOption> options;
};

/// The parts of "a|b|c"; nothing when the text has no bar.
std::vector<std::string> split_choices(const std::string& text) {
    return text.find('|') == std::string::npos ? std::vector<std::string>{}
                                               : CLI::detail::split(text, '|');
}

void collect_options(const CLI::App& app, CompletedCommand& command) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            for (const std::string& choice : split_choices(option->get_type_name())) {
                command.words.push_back({choice, ""});
            }
            continue;
        }
        CompletedOption completed;
        for (const std::string& name : option->get_snames()) {
            completed.names.push_back("-" + name);
        }
        for (const std::string& name : option->get_lnames()) {
            completed.names.push_back("--" + name);
        }
        completed.takes_value = option->get_type_size() != 0;
        completed.choices = split_choices(option->get_type_name());
        if (option->check_lname("solver") || option->check_lname("solvers")) {
            completed.choices = solver_words();
        }
        completed.help = option->get_description();
        command.options.push_back(std::move(completed));
    }
}

void collect(const CLI::App& root, const CLI::App& app, const std::string& path,
             std::vector<CompletedCommand>& commands) {
    CompletedCommand command{path, {}, {}};
    const std::vector<const CLI::App*> children = app.get_subcommands({});
    for (const CLI::App* child : children) {
        command.words.push_back({child->get_name(), child->get_description()});
    }
    collect_options(app, command);
    if (&app != &root && children.empty()) {
        collect_options(root, command);  // common options may follow any command
    }
    commands.push_back(std::move(command));
    for (const CLI::App* child : children) {
        collect(root, *child, path + " " + child->get_name(), commands);
    }
}

/// Text escaped for single quotes, in any of the shells.
std::string shell_text(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '\'' ? '`' : c;
    }
    return "'" + safe + "'";
}

/// Case patterns of all paths except the root: the words that lead deeper.
std::string path_patterns(const std::vector<CompletedCommand>& commands, const char* separator) {
    std::string text;
    for (std::size_t i = 1; i < commands.size(); ++i) {
        text += (i == 1 ? "" : separator) + shell_text(commands[i].path);
    }
    return text;
}

std::string joined_words(const CompletedCommand& command) {
    std::string text;
    for (const CompletedWord& word : command.words) {
        text += (text.empty() ? "" : " ") + word.word;
    }
    return text;
}

/// bash and zsh share the structure: find the path, offer values, then words, options and files.
/// `offer(words)` is the shell's way to offer a list.
std::string case_body(const std::vector<CompletedCommand>& commands) {
    std::string values;
    std::string words;
    for (const CompletedCommand& command : commands) {
        std::string option_names;
        for (const CompletedOption& option : command.options) {
            option_names +=
                fmt::format("{}{}", option_names.empty() ? "" : " ", fmt::join(option.names, " "));
            if (!option.takes_value) {
                continue;
            }
            for (const std::string& name : option.names) {
                values +=
                    fmt::format("        {}) values={}; takes_value=1 ;;\n",
                                shell_text(command.path + ":" + name),
                                shell_text(fmt::format("{}", fmt::join(option.choices, " "))));
            }
        }
        words += fmt::format("        {}) words={}; options={} ;;\n", shell_text(command.path),
                             shell_text(joined_words(command)), shell_text(option_names));
    }
    return fmt::format(
        "    case \"$at:$previous\" in\n{}    esac\n    case \"$at\" in\n{}    esac\n", values,
        words);
}

std::string bash_script(const std::vector<CompletedCommand>& commands) {
    return fmt::format(R"(# bash completion for mercer; load with: source <(mercer completion bash)
_mercer() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    local at=mercer word words= options= values= takes_value=
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$at $word" in
        {}) at="$at $word" ;;
        esac
    done
{}    if [[ -n $takes_value ]]; then
        if [[ -n $values ]]; then
            COMPREPLY=($(compgen -W "$values" -- "$current"))
        else
            COMPREPLY=($(compgen -f -- "$current"))
        fi
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        [[ ${{#COMPREPLY[@]}} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _mercer mercer
)",
                       path_patterns(commands, "|"), case_body(commands));
}

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
    return fmt::format(R"(#compdef mercer
# zsh completion for mercer; load with: source <(mercer completion zsh)
_mercer() {{
    local current=${{words[CURRENT]}} previous=${{words[CURRENT-1]}}
    local at=mercer word options= values= takes_value=
    local -a typed=("${{words[@]:1:$((CURRENT-2))}}")
    local words=
    for word in $typed; do
        case "$at $word" in
        {}) at="$at $word" ;;
        esac
    done
{}    if [[ -n $takes_value ]]; then
        if [[ -n $values ]]; then compadd -- ${{=values}}; else _files; fi
    elif [[ $current == -* ]]; then
        compadd -- ${{=options}}
    elif [[ -n $words ]]; then
        compadd -- ${{=words}} || _files
    else
        _files
    fi
}}
compdef _mercer mercer
)",
                       path_patterns(commands, "|"), case_body(commands));
}

std::string fish_option(const CompletedCommand& command, const CompletedOption& option) {
    std::string text =
        fmt::format("complete -c mercer -n 'test (__mercer_path) = \"{}\"'", command.path);
    for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.choices.empty()) {
        text +=
            fmt::format(" -x -a {}", shell_text(fmt::format("{}", fmt::join(option.choices, " "))));
    } else if (option.takes_value) {
        text += " -r -F";
    }
    return text + " -d " + shell_text(option.help) + "\n";
}

std::string fish_script(const std::vector<CompletedCommand>& commands) {
    std::string text =
        fmt::format(R"(# fish completion for mercer; load with: mercer completion fish | source
function __mercer_path
    set -l at mercer
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case {}
                set at "$at $word"
        end
    end
    echo $at
end
)",
                    path_patterns(commands, " "));
    for (const CompletedCommand& command : commands) {
        for (const CompletedWord& word : command.words) {
            text +=
                fmt::format("complete -c mercer -n 'test (__mercer_path) = \"{}\"' -a {} -d {}\n",
                            command.path, word.word, shell_text(word.help));
        }
        for (const CompletedOption& option : command.options) {
            text += fish_option(command, option);
        }
    }
    return text;
}

struct CompletionOptions {
    const CLI::App* root = nullptr;
    std::string shell;
};

ExitStatus run_completion(Session& session, const CompletionOptions& options) {
    const std::string script = completion_script(*options.root, options.shell);
    Json json = session.json_result();
    json["shell"] = options.shell;
    json["script"] = script;
    session.emit(json, script);
    return ExitStatus::done;
}

}  // namespace

std::string completion_script(const CLI::App& root, const std::string& shell) {
    std::vector<CompletedCommand> commands;
    collect(root, root, root.get_name(), commands);
    if (shell == "bash") {
        return bash_script(commands);
    }
    return shell == "zsh" ? zsh_script(commands) : fish_script(commands);
}

void add_completion_command(CLI::App& root, Session& session) {
    add_command<CompletionOptions>(
        root, session,
        {"completion", "print a completion script for a shell",
         "  source <(mercer completion bash)\n"
         "  mercer completion fish > ~/.config/fish/completions/mercer.fish\n"},
        [&root](CLI::App& app, CompletionOptions& options) {
            options.root = &root;
            add_option(app, "SHELL", options.shell, "bash, zsh or fish")
                .required()
                .type_name("bash|zsh|fish")
                .one_of({"bash", "zsh", "fish"});
        },
        run_completion);
}

}  // namespace mercer::cli

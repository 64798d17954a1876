// SPDX-License-Identifier: Apache-2.0
//
// cli/argument.cpp - the arguments of a command, implemented with CLI11.
#include "argument.hpp"

#include <CLI/CLI.hpp>

#include "file_roles.hpp"
#include "option_registrar.hpp"

namespace mercer::cli {

Argument& Argument::required(bool is_required) {
    option_->required(is_required);
    return *this;
}

Argument& Argument::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Argument& Argument::group(const std::string& name) {
    option_->group(name);
    return *this;
}

Argument& Argument::default_text(const std::string& text) {
    option_->default_str(text);
    return *this;
}

Argument& Argument::show_default() {
    option_->capture_default_str();
    return *this;
}

Argument& Argument::delimiter(char between) {
    option_->delimiter(between);
    return *this;
}

Argument& Argument::repeatable() {
    option_->type_size(1)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
}

Argument& Argument::reads_file() {
    mark_file(*option_, FileRole::input);
    return *this;
}

Argument& Argument::writes_file() {
    mark_file(*option_, FileRole::output);
    return *this;
}

Argument& Argument::one_of(const std::vector<std::string>& choices) {
    option_->check([choices](const std::string& text) { return choice_fault(text, choices); }, "");
    return *this;
}

Argument& Argument::at_least(index_t least) {
    constexpr index_t kMost = index_t{1} << 40;
    option_->check(CLI::Range(least, kMost));
    return *this;
}

Argument& Argument::not_empty() {
    option_->check(
        [](const std::string& text) {
            return text.empty() ? std::string("got '', must not be empty") : std::string();
        },
        "");
    return *this;
}

Argument& Argument::needs(const Argument& other) {
    option_->needs(other.option_);
    return *this;
}

Argument& Argument::excludes(const Argument& other) {
    option_->excludes(other.option_);
    return *this;
}

Argument add_option(CLI::App& command, const std::string& names, std::string& value,
                    const std::string& help) {
    return Argument(*command.add_option(names, value, help));
}

Argument add_option(CLI::App& command, const std::string& names, index_t& value,
                    const std::string& help) {
    return Argument(*command.add_option(names, value, help));
}

Argument add_option(CLI::App& command, const std::string& names, std::vector<std::string>& values,
                    const std::string& help) {
    return Argument(*command.add_option(names, values, help));
}

Argument add_option(CLI::App& command, const std::string& names, std::vector<double>& values,
                    const std::string& help) {
    return Argument(*command.add_option(names, values, help));
}

Argument add_flag(CLI::App& command, const std::string& names, bool& value,
                  const std::string& help) {
    return Argument(*command.add_flag(names, value, help));
}

Argument find_option(CLI::App& command, const std::string& name) {
    return Argument(*command.get_option(name));
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/help_formatter.hpp - help that fits on a screen: wrapped, with defaults, examples last.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mercer::cli {

/// CLI11's layout with three changes: a command's help ends with the names of the common options,
/// the default follows the description, and long lines are wrapped.
class HelpFormatter final : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
};

}  // namespace mercer::cli

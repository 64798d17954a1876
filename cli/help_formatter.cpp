// SPDX-License-Identifier: Apache-2.0
//
// cli/help_formatter.cpp - two columns, 80 characters wide.
#include "help_formatter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "command.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kLeft = 22;
constexpr std::size_t kWidth = 80;
constexpr std::size_t kManyOptions =
    18;  // with more own options a page lists the reading options by name only

/// `  left   right`, the right part wrapped under itself.
std::string two_columns(const std::string& left, const std::string& right) {
    std::string text = fmt::format("  {:<{}}", left, kLeft - 2);
    std::size_t column = text.size();
    if (text.back() != ' ' && text.size() + 2 + right.size() <= kWidth) {
        return text + "  " + right + "\n";  // too long for its column, but both fit on one line
    }
    if (text.back() != ' ') {
        text += "\n" + std::string(kLeft, ' ');
        column = kLeft;
    }
    std::istringstream words(right);
    std::string word;
    bool first = true;
    while (words >> word) {
        if (!first && column + 1 + word.size() > kWidth) {
            text += "\n" + std::string(kLeft, ' ');
            column = kLeft;
            first = true;
        }
        if (!first) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
        first = false;
    }
    return text + "\n";
}

std::vector<const CLI::Option*> common_list(const CLI::App& root) {
    return root.get_options(
        [](const CLI::Option* option) { return option->get_group() == kCommonGroup; });
}

std::string common_options(const HelpFormatter& formatter, const CLI::App& root) {
    return formatter.make_group(kCommonGroup, false, common_list(root));
}

/// `N` for an option that CLI11 shows as `N:INT in [1 - 100]`: the error message gives the range.
std::string placeholder(const CLI::Option& option) {
    const std::string name = option.get_type_name();
    return name.substr(0, name.find(':'));
}

/// The positional arguments, directly under the usage line that names them.
std::string arguments(const HelpFormatter& formatter, const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            text += formatter.make_option(option, true);
        }
    }
    return text;
}

/// The options of a group, by name only; such groups are listed together.
std::string names_of(const CLI::App& app, const std::string& group, const std::string& see) {
    std::string names;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group() == group && option->nonpositional()) {
            names += (names.empty() ? "" : " ") + option->get_name(false, true);
        }
    }
    const std::string bare = two_columns(group + ":", names);
    const std::string whole = two_columns(group + ":", names + " (" + see + ")");
    const auto lines = [](const std::string& text) {
        return std::count(text.begin(), text.end(), '\n');
    };
    return lines(whole) > lines(bare) && lines(bare) == 1 ? bare : whole;  // no line only for it
}

/// The command's own options, group by group; groups shown by name only come last, next to the
/// common options.
std::string own_groups(const HelpFormatter& formatter, const CLI::App& app) {
    std::string text;
    std::string names;
    const bool many = app.get_options().size() > kManyOptions;
    for (const std::string& group : app.get_groups()) {
        if (many && group == kReadingGroup) {
            names += names_of(app, group, "see mercer data info --help");
            continue;
        }
        if (many && group == kRbfGroup) {
            names += names_of(app, group, "--kernel 'rbf(gamma=R)', 'rbf(sigma=R)'");
            continue;
        }
        if (many && (group == kPerceptronGroup || group == kBasisGroup || group == kDualGroup ||
                     group == kCheckpointGroup)) {
            names += names_of(app, group, "docs/methods");
            continue;
        }
        text += formatter.make_group(group, false, app.get_options([&](const CLI::Option* option) {
            return option->get_group() == group && option->nonpositional();
        }));
    }
    return names.empty() ? text : text + "\n" + names;
}

/// The common options by name only: a command's page is about its own options.
std::string common_names(const CLI::App& app) {
    const CLI::App* root = &app;
    while (root->get_parent() != nullptr) {
        root = root->get_parent();
    }
    std::string names;
    for (const CLI::Option* option : common_list(*root)) {
        names += (names.empty() ? "" : " ") + option->get_name(false, true);
    }
    return two_columns("Common options:", names);
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
    std::string text = make_description(app) + make_usage(app, name) + arguments(*this, *app);
    if (app->get_parent() == nullptr) {
        text += make_subcommands(app, mode) + common_options(*this, *app);
    } else {
        text += own_groups(*this, *app) + make_subcommands(app, mode);
        const bool named = app->get_options().size() > kManyOptions;
        text += (named ? "" : "\n") + common_names(*app);
    }
    const std::string footer = app->get_footer();
    return footer.empty() ? text : text + "\n" + footer;
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
    std::string text;
    for (const CLI::Option* option : options) {
        // Readers of this page already know -h.
        if (option->get_name(false, true) != "-h,--help") {
            text += make_option(option, is_positional);
        }
    }
    return text.empty() ? text : "\n" + group + ":\n" + text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
    return two_columns(
        make_option_name(option, is_positional) + (is_positional ? "" : make_option_opts(option)),
        make_option_desc(option));
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    return option->get_type_size() == 0 ? "" : " " + placeholder(*option);
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    std::string text = option->get_description();
    if (option->get_type_size() != 0 && !option->get_default_str().empty()) {
        text += " [" + option->get_default_str() + "]";
    }
    if (option->get_required() && !option->get_positional()) {
        text += " (required)";
    }
    return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    return two_columns(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
    std::string text = "Usage: " + name;
    if (!app->get_subcommands({}).empty()) {
        return text + " COMMAND ...\n";
    }
    std::string required;
    for (const CLI::Option* option : app->get_options()) {
        if (option->get_positional()) {
            text += " " + make_option_usage(option);
        } else if (option->get_required()) {
            required += " " + option->get_name() + " " + placeholder(*option);
        }
    }
    return text + required + " [OPTIONS]\n";
}

}  // namespace mercer::cli

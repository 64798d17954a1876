// SPDX-License-Identifier: Apache-2.0
//
// cli/file_roles.cpp - compares files by identity, not only by name.
#include "file_roles.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "exit_status.hpp"

namespace mercer::cli {

namespace {

/// Devices and pipes may be read and written at the same time.
bool is_same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    std::error_code ignored;  // an inaccessible path is reported when it is opened
    if (fs::exists(a, ignored) && fs::exists(b, ignored)) {
        return fs::is_regular_file(a, ignored) && fs::equivalent(a, b, ignored);
    }
    return fs::weakly_canonical(fs::absolute(a), ignored) ==
           fs::weakly_canonical(fs::absolute(b), ignored);
}

/// The role is stored in the text that CLI11 would show as the type of a value; help_formatter
/// shows the type itself. A named check could carry it as well, but a lookup of a missing one
/// throws, and the first throw costs every run 0.2 MiB of unwinding tables.
const char* mark_of(FileRole role) { return role == FileRole::input ? "input" : "output"; }

}  // namespace

void mark_file(CLI::Option& option, FileRole role) { option.option_text(mark_of(role)); }

void FileRoles::add(FileRole role, const std::string& name, const std::string& path) {
    if (path.empty() || path == "-") {
        return;
    }
    for (const NamedFile& other : files_) {
        if ((role == FileRole::input && other.role == FileRole::input) ||
            !is_same_file(path, other.path)) {
            continue;
        }
        if (role == other.role) {
            throw UsageError(fmt::format("{} and {} name the same file", name, other.name));
        }
        const bool output = role == FileRole::output;
        throw UsageError(fmt::format("{}: {} is read as {}; write to another file",
                                     output ? name : other.name, output ? path : other.path,
                                     output ? other.name : name));
    }
    files_.push_back({role, name, path});
}

void FileRoles::add_arguments(CLI::App& command) {
    for (CLI::Option* option : command.get_options([](CLI::Option* o) { return o->count() > 0; })) {
        for (const FileRole role : {FileRole::input, FileRole::output}) {
            if (option->get_option_text() != mark_of(role)) {
                continue;
            }
            for (const std::string& path : option->results()) {
                add(role, option->get_name(option->get_positional()), path);
            }
        }
    }
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/session.cpp - the Context of a run and its two streams.
#include "session.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "environment.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/hardware.hpp"
#include "option_registrar.hpp"
#include "printable.hpp"
#include "stop_signal.hpp"

namespace mercer::cli {

namespace {

ProgressLine::Style progress_style(const CommonOptions& options) {
    if (options.progress == "plain") {
        return ProgressLine::Style::plain;
    }
    const bool wanted = options.progress == "auto" && !options.quiet;
    return wanted && is_terminal(STDERR_FILENO) ? ProgressLine::Style::line
                                                : ProgressLine::Style::none;
}

/// A size such as 4G, with checks.
CLI::Option* add_memory_option(CLI::App& root, index_t& bytes) {
    return root
        .add_option_function<std::string>(
            "--memory",
            [&bytes](const std::string& text) {
                const std::optional<index_t> size = parse_byte_size(text);
                if (!size) {
                    throw CLI::ValidationError(
                        "--memory",
                        fmt::format("got '{}', must be a size > 0 such as 512M or 4G", text));
                }
                bytes = *size;
            },
            "limit for large blocks, e.g. 512M or 4G")
        ->default_str("what is free")
        ->type_name("SIZE")
        ->group(kCommonGroup);
}

std::vector<std::string> device_names() {
    std::vector<std::string> names{"auto"};
    for (const Backend* backend : backends()) {
        names.emplace_back(backend->name());
    }
    return names;
}

/// The device with a name of device_names().
Device device_of(const std::string& name) {
    const Backend* backend = find_backend(name);
    return (backend != nullptr ? backend : backends().front())->device();  // "auto": the first
}

}  // namespace

void add_common_options(CLI::App& root, CommonOptions& options) {
    OptionRegistrar registrar(root, kCommonGroup);
    registrar.integer("threads", options.threads, Range::within(0, 1024),
                      "threads; 0: OMP_NUM_THREADS or all usable CPUs", "-j");
    registrar.choice("device", options.device, device_names(),
                     "what computes; auto: the fastest there is, reference: plain loops, slow");
    add_memory_option(root, options.memory);
    registrar.integer("seed", options.seed, Range::non_negative(), "start of every random stream");
    registrar.number("time_limit", options.time_limit, Range::non_negative(),
                     "seconds after which to stop; 0: none");
    registrar.choice("progress", options.progress, {"auto", "plain", "none"},
                     "progress: a line on a terminal, plain lines, or nothing");
    registrar.flag("json", options.json, "print one JSON object instead of text");
    registrar.flag("quiet", options.quiet, "only results and errors", "-q");
    registrar.flag("verbose", options.verbose, "say more about what is done", "-v");
}

Context& Session::context() {
    if (!context_) {
        progress_ = std::make_unique<ProgressLine>(progress_style(options), options.verbose);
        ContextOptions wanted;
        wanted.threads = static_cast<int>(
            options.threads > 0 ? options.threads : threads_from_environment().value_or(0));
        wanted.device = device_of(options.device);
        wanted.memory = options.memory > 0 ? options.memory : usable_memory();
        wanted.seed = static_cast<std::uint64_t>(options.seed);
        wanted.time_limit = options.time_limit;
        wanted.observer = progress_.get();
        wanted.stop_flag = &stop_flag();
        context_ = std::make_unique<Context>(wanted);
    }
    return *context_;
}

void Session::emit(const Json& json, std::string_view text) {
    emit_data(json, options.json ? "" : printable_lines(text));
}

void Session::emit_data(const Json& json, std::string_view text) {
    if (progress_) {
        progress_->clear();
    }
    const std::string output = options.json ? json.dump() + "\n" : std::string(text);
    if (!output.empty()) {
        const std::unique_ptr<WriteFile> file = create_shown("-", system_files());
        file->write(output);
        file->commit();
    }
}

Json Session::json_result() const { return Json{{"command", command}}; }

Json Session::timed_result(Json json) {
    for (const std::string& text : notes_) {
        json["notes"].push_back(text);
    }
    json["seconds"] = seconds_;
    json["seconds"]["total"] = context().elapsed();
    json["peak_memory_bytes"] = peak_resident_bytes();
    return json;
}

void Session::emit_timed(Json json, std::string_view text) {
    emit(timed_result(std::move(json)), text);
}

void Session::error(std::string_view text) { print_line("error: ", "\x1b[1;31m", text); }

void Session::warn(std::string_view text) {
    if (!options.quiet) {
        print_line("warning: ", "\x1b[1;33m", text);
    }
}

void Session::note(std::string_view text) { show_notes(record_notes({std::string(text)})); }

std::vector<std::string> Session::record_notes(const std::vector<std::string>& texts) {
    std::vector<std::string> added;
    for (const std::string& text : texts) {
        if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) {
            notes_.push_back(text);
            added.push_back(text);
        }
    }
    return added;
}

void Session::show_notes(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        if (!options.quiet) {
            print_line("note: ", "\x1b[1;36m", text);
        }
    }
}

void Session::say(std::string_view text) {
    if (!options.quiet) {
        print_line("", "", text);
    }
}

void Session::explain(std::string_view text) {
    if (options.verbose) {
        print_line("", "", text);
    }
}

void Session::require_free_output(const std::string& path) const {
    if (options.json && path == "-") {
        throw UsageError("--output -: standard output carries the JSON object; give a file");
    }
}

void Session::print_line(std::string_view mark, const char* colour, std::string_view text) {
    if (progress_) {
        progress_->clear();
    }
    const bool coloured = !mark.empty() && wants_colour(STDERR_FILENO);
    fmt::print(stderr, "{}{}{}{}\n", coloured ? colour : "", mark, coloured ? "\x1b[0m" : "",
               printable_lines(text));
}

}  // namespace mercer::cli

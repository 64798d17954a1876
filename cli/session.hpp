// SPDX-License-Identifier: Apache-2.0
//
// cli/session.hpp - one run of the program: common options, the Context, and the two streams.
//
// Results go to standard output, everything else to standard error. With --json standard output
// carries exactly one JSON object.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exit_status.hpp"
#include "file_roles.hpp"
#include "json.hpp"
#include "mercer/runtime/context.hpp"
#include "progress_line.hpp"

namespace CLI {
class App;
}

namespace mercer::cli {

/// Options every command takes.
struct CommonOptions {
    index_t threads = 0;  ///< 0: OMP_NUM_THREADS, otherwise what the machine allows
    std::string device = "auto";
    index_t memory = 0;  ///< 0: the free memory of the machine
    index_t seed = 0;
    double time_limit = 0.0;
    std::string progress = "auto";
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

class Session {
public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    CommonOptions options;

    /// The input and output files of the run.
    FileRoles files;

    /// The action of the chosen command, set while the command line is parsed, and its full name.
    std::function<ExitStatus(Session&)> action;
    std::string command;

    /// Created from the options on first use.
    [[nodiscard]] Context& context();

    /// Writes the result: `json` with --json, otherwise `text`. Throws ResourceError on failure.
    void emit(const Json& json, std::string_view text);

    /// The same if `text` is data: it is unchanged, unless it goes to a terminal.
    void emit_data(const Json& json, std::string_view text);

    /// A JSON object that starts with the command's name.
    [[nodiscard]] Json json_result() const;

    /// Adds `notes`, if there are any, `seconds` (by stage, and their total) and
    /// `peak_memory_bytes`, then emits.
    void emit_timed(Json json, std::string_view text);

    /// The JSON object with these members.
    [[nodiscard]] Json timed_result(Json json);

    /// Runs `work`, counting its time under the name of the stage.
    template <typename Work>
    decltype(auto) timed(const std::string& stage, Work&& work) {
        const StageTimer timer(*this, stage);
        return std::forward<Work>(work)();
    }

    /// Adds seconds measured elsewhere to a stage.
    void count_seconds(const std::string& stage, double seconds) { seconds_[stage] += seconds; }

    /// A line on standard error: always, unless --quiet, only with --verbose.
    void error(std::string_view text);
    void warn(std::string_view text);
    /// A remark that is also in the JSON list `notes`, without repetition.
    void note(std::string_view text);
    void say(std::string_view text);
    void explain(std::string_view text);

    /// Adds remarks to the JSON object only; show_notes() prints them after the result. Returns the
    /// new ones.
    [[nodiscard]] std::vector<std::string> record_notes(const std::vector<std::string>& texts);
    void show_notes(const std::vector<std::string>& texts);

    /// Throws UsageError if `path` is standard output and --json needs it.
    void require_free_output(const std::string& path) const;

private:
    class StageTimer {
    public:
        StageTimer(Session& session, std::string stage)
            : session_(session), stage_(std::move(stage)), start_(session.context().elapsed()) {}
        StageTimer(const StageTimer&) = delete;
        StageTimer& operator=(const StageTimer&) = delete;
        ~StageTimer() { session_.seconds_[stage_] += session_.context().elapsed() - start_; }

    private:
        Session& session_;
        std::string stage_;
        double start_;
    };

    void print_line(std::string_view mark, const char* colour, std::string_view text);

    std::unique_ptr<ProgressLine> progress_;
    std::unique_ptr<Context> context_;
    std::map<std::string, double> seconds_;
    std::vector<std::string> notes_;
};

/// Registers the common options on the root.
void add_common_options(CLI::App& root, CommonOptions& options);

}  // namespace mercer::cli

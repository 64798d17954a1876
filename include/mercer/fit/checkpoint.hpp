// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/checkpoint.hpp - a training run that can be killed at any moment and continued later.
//
//     Checkpoint checkpoint({.path = "run.checkpoint", .resume = true}, context);
//     options.checkpoint = &checkpoint;
//     TrainResult result = train(data, options, context);
//     save_model(result.model, path);
//     if (result.model.status != "interrupted") checkpoint.remove();
//
// A continued run ends with the same bits as one that was never stopped.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/base/types.hpp"
#include "mercer/formats/checkpoint_file.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/runtime/state_keeper.hpp"

namespace mercer {

class Context;
class Dataset;
struct TrainOptions;

namespace fit {

/// Everything except the rows that the result of train() depends on, as lines `name=value`.
[[nodiscard]] std::string run_description(const Dataset& data, const TrainOptions& options,
                                          const Context& context);

}  // namespace fit

struct CheckpointOptions {
    std::string path;       ///< empty: no checkpoint
    double seconds = 30.0;  ///< between two checkpoints
    bool resume = false;    ///< continue from the file if it exists

    template <typename Visitor>
    static void describe(Visitor& visitor, CheckpointOptions& options) {
        visitor.text("checkpoint", options.path, "file to keep the state of the run in");
        visitor.number("checkpoint_seconds", options.seconds, Range::non_negative(),
                       "seconds between two checkpoints");
        visitor.flag("resume", options.resume, "go on from the checkpoint, when there is one");
    }
};

class Checkpoint;

/// The part of a checkpoint that belongs to one two-class machine or regression: its solver's
/// state, and finally its result. Used by one thread at a time.
class CheckpointSlot final : public StateKeeper {
public:
    explicit CheckpointSlot(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    [[nodiscard]] bool due() override;
    void save(std::string state) override;
    [[nodiscard]] std::string_view saved() const override;

    /// Stores a result in place of the state.
    void finish(std::string result);
    /// The result, if an earlier run reached it.
    [[nodiscard]] std::optional<std::string_view> result() const;

private:
    friend class Checkpoint;
    using Clock = std::chrono::steady_clock;

    Checkpoint& checkpoint_;
    std::string piece_;  ///< 's' and a state, 'r' and a result, or empty
    Clock::time_point last_ = Clock::now();
};

class Checkpoint {
public:
    /// Reads the file if it exists and is to be resumed, and tests whether it can be written.
    /// Throws DataError if the file is not a checkpoint or is truncated, ResourceError if the
    /// folder is not writable.
    Checkpoint(CheckpointOptions options, Context& context, Files& files = system_files());
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    /// True if a file to continue from was found.
    [[nodiscard]] bool found() const noexcept { return found_; }

    /// Removes the file, once the run is over and its result is saved.
    void remove();

    /// Called by train() with the data and with everything the result depends on as lines
    /// `name=value`. Throws DataError if the file belongs to other data or options.
    void begin(const TrainingFingerprint& data, const std::string& options);
    /// Slots are numbered from 0; request them before parts run concurrently.
    [[nodiscard]] CheckpointSlot& slot(index_t number);
    /// Writes the states stored since the file was last written.
    void flush();

    /// The reason why the last attempt to write the file failed; empty if it succeeded. The run
    /// continues either way, and tries again when the next checkpoint is due.
    [[nodiscard]] std::string failure() const;

private:
    friend class CheckpointSlot;
    using Clock = std::chrono::steady_clock;

    void put(CheckpointSlot& slot, std::string piece, bool at_once);
    void write();

    CheckpointOptions options_;
    Files& files_;
    bool found_ = false;
    CheckpointFile file_;  ///< as read; during the run without its pieces
    std::deque<CheckpointSlot> slots_;
    mutable std::mutex mutex_;
    bool changed_ = false;
    std::string failure_;
    Clock::time_point written_ = Clock::now();
};

}  // namespace mercer

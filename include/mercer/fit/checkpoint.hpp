// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/checkpoint.hpp - a training run that can be killed at any moment and go on later.
//
//     Checkpoint checkpoint({.path = "run.checkpoint", .resume = true}, context);
//     options.checkpoint = &checkpoint;
//     TrainResult result = train(data, options, context);
//     save_model(result.model, path);
//     if (result.model.status != "interrupted") checkpoint.remove();
//
// A run that goes on ends with the same bits as one that was never stopped.
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

/// Everything the result of train() depends on, beside the rows, as lines `name=value`.
[[nodiscard]] std::string run_description(const Dataset& data, const TrainOptions& options,
                                          const Context& context);

}  // namespace fit

struct CheckpointOptions {
    std::string path;       ///< empty: no checkpoint
    double seconds = 30.0;  ///< between two checkpoints
    bool resume = false;    ///< go on from the file when it is there

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
/// state, and in the end its result. Used by one thread at a time.
class CheckpointSlot final : public StateKeeper {
public:
    explicit CheckpointSlot(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

    [[nodiscard]] bool due() override;
    void keep(std::string state) override;
    [[nodiscard]] std::string_view kept() const override;

    /// Keeps a result in place of the state.
    void finish(std::string result);
    /// The result, when it was reached before.
    [[nodiscard]] std::optional<std::string_view> result() const;

private:
    friend class Checkpoint;
    using Clock = std::chrono::steady_clock;

    Checkpoint& checkpoint_;
    std::string piece_;  ///< 's' and a state, 'r' and a result, or nothing
    Clock::time_point last_ = Clock::now();
};

class Checkpoint {
public:
    /// Reads the file when it is to be resumed and there, and tries whether it can be written.
    /// Throws DataError for a file that is no checkpoint or is torn, ResourceError when the folder
    /// cannot be written.
    Checkpoint(CheckpointOptions options, Context& context, Files& files = system_files());
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    /// True when a file was found to go on from.
    [[nodiscard]] bool found() const noexcept { return found_; }

    /// Removes the file, when the run is over and its result safe.
    void remove();

    /// For train(): the data, everything the result depends on as lines `name=value`, and how many
    /// parts there are. Throws DataError when the file is of other data or options.
    void begin(const TrainingFingerprint& data, const std::string& options);
    /// Parts are numbered from 0; asked for before they work at the same time.
    [[nodiscard]] CheckpointSlot& slot(index_t number);
    /// Writes what has been kept since the file was written.
    void flush();

    /// Why the file could not be written when that was last tried; empty when it was. The run goes
    /// on either way, and tries again when the next checkpoint is due.
    [[nodiscard]] std::string failure() const;

private:
    friend class CheckpointSlot;
    using Clock = std::chrono::steady_clock;

    void put(CheckpointSlot& slot, std::string piece, bool at_once);
    void write();

    CheckpointOptions options_;
    Files& files_;
    bool found_ = false;
    CheckpointFile file_;  ///< as read; while running: without its pieces
    std::deque<CheckpointSlot> slots_;
    mutable std::mutex mutex_;
    bool changed_ = false;
    std::string failure_;
    Clock::time_point written_ = Clock::now();
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/call.hpp - one call of the engine: its context, progress and interruption.
//
// Python's signals reach the main thread only, and only while it runs Python. So a long call from
// there runs on another thread, while the main thread checks for Ctrl-C and shows progress.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <mercer/mercer.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mercer::python {

namespace nb = nanobind;

/// A progress event of a run.
struct Moment {
    double seconds = 0.0;
    std::string stage;
    index_t done = 0;
    double gap = kNaN;
};

/// Records the progress events of a run.
class Recorder final : public Observer {
public:
    void progress(const Progress& progress) override;
    void note(std::string_view text) override;
    void set_clock(const Context& context) { context_ = &context; }

    [[nodiscard]] std::vector<Moment> moments() const;
    [[nodiscard]] std::vector<std::string> notes() const;
    /// The last event, if it is new.
    [[nodiscard]] std::optional<Moment> take_news();

private:
    mutable std::mutex mutex_;
    const Context* context_ = nullptr;
    std::vector<Moment> moments_;
    std::vector<std::string> notes_;
    bool news_ = false;
};

/// A context made from a dict with `threads`, `memory`, `seed`, `time_limit`, `device`, `progress`
/// (a callable or None) and `watch` (the call comes from the main thread).
class Call {
public:
    explicit Call(const nb::dict& settings);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    [[nodiscard]] Context& context() noexcept { return context_; }
    [[nodiscard]] const Recorder& recorder() const noexcept { return recorder_; }

    /// Runs the work without the interpreter's lock; interruptible if the call is and the work `long`.
    void run(const std::function<void()>& work, bool may_take_long = true);

    /// The exception of a signal that arrived meanwhile; None: no signal.
    [[nodiscard]] nb::object raised() const { return raised_ ? *raised_ : nb::none(); }
    /// Raises it, for work that has no partial result.
    void raise_if_stopped() const;

private:
    void look_around();

    std::atomic<bool> stop_{false};
    Recorder recorder_;
    Context context_;
    nb::object progress_;
    bool watch_ = false;
    std::optional<nb::object> raised_;
};

}  // namespace mercer::python

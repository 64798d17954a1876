// SPDX-License-Identifier: Apache-2.0
//
// cli/progress_line.hpp - progress on standard error, as one changing line or as several lines.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/runtime/observer.hpp"

namespace mercer::cli {

/// Shows the stage in words, a bar, the share done, the time left, the gap, the elapsed time and
/// memory, as far as they are known and fit on the terminal. A stage that counts pieces of work
/// (folds, combinations) stays on the line while the solver within reports its gap. Nothing appears
/// in the first half second, so short work stays silent.
class ProgressLine final : public Observer {
public:
    enum class Style { none, line, plain };

    /// `notes`: also show decisions made on the way.
    ProgressLine(Style style, bool notes) : style_(style), notes_(notes), start_(Clock::now()) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() override { clear(); }

    void progress(const Progress& progress) override;
    void note(std::string_view text) override;

    /// Erases the line, so that something else can be written to standard error.
    void clear() noexcept;

private:
    using Clock = std::chrono::steady_clock;

    /// A stage in progress.
    struct Stage {
        std::string name;
        int rank = 0;
        index_t done = 0;
        index_t total = 0;
        index_t done_at_begin = 0;
        Clock::time_point begin;
        Clock::time_point last;

        /// Seconds left, extrapolated from the speed so far; NaN if unknown.
        [[nodiscard]] double seconds_left(Clock::time_point now) const;
    };

    /// Records the report; returns the stage to show, which may be an outer one.
    const Stage& follow(const Progress& progress, Clock::time_point now);
    [[nodiscard]] std::string line_text(const Stage& stage, const Progress& progress,
                                        Clock::time_point now, std::size_t width) const;

    Style style_;
    bool notes_;
    bool shown_ = false;
    Clock::time_point start_;
    Clock::time_point last_{};
    std::optional<Stage> stage_;
    double gap_ = kNaN;  ///< the last gap of the running solver
};

}  // namespace mercer::cli

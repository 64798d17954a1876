// SPDX-License-Identifier: Apache-2.0
//
// cli/progress_line.hpp - progress on standard error, as one changing line or as many.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "mercer/runtime/observer.hpp"

namespace mercer::cli {

/// Shows stage, percent, gap, elapsed time and memory. Nothing appears in the first half second,
/// so short work stays silent.
class ProgressLine final : public Observer {
public:
    enum class Style { none, line, plain };

    /// `notes`: also show what is decided on the way.
    ProgressLine(Style style, bool notes) : style_(style), notes_(notes), start_(Clock::now()) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() override { clear(); }

    void progress(const Progress& progress) override;
    void note(std::string_view text) override;

    /// Wipes the line, so that something else can be written to standard error.
    void clear() noexcept;

private:
    using Clock = std::chrono::steady_clock;

    Style style_;
    bool notes_;
    bool shown_ = false;
    Clock::time_point start_;
    Clock::time_point last_{};
};

}  // namespace mercer::cli

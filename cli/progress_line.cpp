// SPDX-License-Identifier: Apache-2.0
//
// cli/progress_line.cpp - `computing K  [####------------]  27 %  12 s left  4.5 s  210.4 MiB`.
#include "progress_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "environment.hpp"
#include "mercer/runtime/memory.hpp"
#include "printable.hpp"

namespace mercer::cli {

namespace {

constexpr auto kSilence = std::chrono::milliseconds(500);
constexpr auto kPlainInterval = std::chrono::seconds(1);

/// The words for a stage of the library, and its rank.
struct StageWords {
    std::string_view stage;
    std::string_view words;
    int rank;  ///< a stage contains stages of lower rank
};

constexpr int kSolverRank = 1;  ///< of every stage that is not listed: a solver, by its name

constexpr std::array<StageWords, 16> kStages{{{"read", "reading", 0},
                                              {"gram", "computing K", 0},
                                              {"multiply", "multiplying by K", 0},
                                              {"factor", "factoring K", 0},
                                              {"band", "reducing K to a band", 0},
                                              {"verify", "recomputing the proof", 0},
                                              {"rkhs", "computing norms", 0},
                                              {"rows", "separating rows", 0},
                                              {"expected risk", "measuring the risk", 0},
                                              {"enclosing ball", "enclosing the rows", 0},
                                              {"path", "following the path", kSolverRank},
                                              {"basis", "choosing the basis", kSolverRank},
                                              {"fit", "training each machine", 2},
                                              {"fold", "training on folds", 2},
                                              {"select", "judging combinations", 3},
                                              {"nested", "judging the selection", 4}}};

StageWords words_of(std::string_view stage) {
    const auto* found = std::find_if(kStages.begin(), kStages.end(),
                                     [&](const StageWords& one) { return one.stage == stage; });
    return found != kStages.end() ? *found : StageWords{stage, "", kSolverRank};
}

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

double share_of(index_t done, index_t total) {
    return std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
}

/// `45 s`, `3 min 20 s`, `2 h 05 min`.
std::string duration_text(double seconds) {
    constexpr double kLongest = 100.0 * 3600.0;
    const auto whole = static_cast<index_t>(std::ceil(std::min(seconds, kLongest)));
    if (whole < 60) {
        return fmt::format("{} s", whole);
    }
    return whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                        : fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

/// `[####------]`.
std::string bar(double share) {
    constexpr int kWidth = 16;
    const int filled = static_cast<int>(share * kWidth);
    return fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '#'),
                       std::string(static_cast<std::size_t>(kWidth - filled), '-'));
}

/// `gram  45 %  12.3 s  210.4 MiB`: a line of --progress plain, the format of which scripts rely
/// on.
std::string plain_text(const Progress& progress, double seconds) {
    std::string text = fmt::format("{:<8}", progress.stage);
    if (progress.total > 0) {
        text += fmt::format("  {:3.0f} %", 100.0 * share_of(progress.done, progress.total));
    } else {
        text += fmt::format("  {}", progress.done);
    }
    if (std::isfinite(progress.gap)) {
        text += fmt::format("  gap {:.2e}", progress.gap);
    }
    return text + fmt::format("  {:.1f} s  {}", seconds, format_byte_size(progress.memory));
}

}  // namespace

double ProgressLine::Stage::seconds_left(Clock::time_point now) const {
    if (total <= 0 || done <= done_at_begin) {
        return kNaN;
    }
    const double each = seconds_between(begin, last) / static_cast<double>(done - done_at_begin);
    return std::max(0.0, each * static_cast<double>(total - done) - seconds_between(last, now));
}

const ProgressLine::Stage& ProgressLine::follow(const Progress& progress, Clock::time_point now) {
    const int rank = words_of(progress.stage).rank;
    if (std::isfinite(progress.gap)) {
        gap_ = progress.gap;
    } else if (rank >= kSolverRank) {
        gap_ = kNaN;  // another solver, or a finished piece of work
    }
    const bool within = stage_ && rank < stage_->rank && stage_->done < stage_->total;
    if (within) {
        return *stage_;
    }
    const bool same = stage_ && stage_->name == progress.stage && stage_->done <= progress.done;
    if (!same) {
        stage_ = Stage{std::string(progress.stage), rank, 0, 0, progress.done, now, now};
    }
    stage_->done = progress.done;
    stage_->total = progress.total;
    stage_->last = now;
    return *stage_;
}

std::string ProgressLine::line_text(const Stage& stage, const Progress& progress,
                                    Clock::time_point now, std::size_t width) const {
    const StageWords words = words_of(stage.name);
    std::vector<std::string> parts{words.words.empty() ? fmt::format("solving by {}", stage.name)
                                                       : std::string(words.words)};
    if (stage.total > 0) {
        const double share = share_of(stage.done, stage.total);
        parts.push_back(bar(share));
        parts.push_back(fmt::format("{:.0f} %", 100.0 * share));
        if (const double left = stage.seconds_left(now); std::isfinite(left)) {
            parts.push_back(duration_text(left) + " left");
        }
    } else {
        parts.push_back(fmt::format("iteration {}", stage.done));
    }
    if (std::isfinite(gap_)) {
        parts.push_back(fmt::format("gap {:.1e}", gap_));
    }
    parts.push_back(fmt::format("{:.1f} s", seconds_between(start_, now)));
    parts.push_back(format_byte_size(progress.memory));
    std::string text;
    for (const std::string& part : parts) {
        const std::string_view gap = text.empty() ? "" : "  ";
        if (text.size() + gap.size() + part.size() <= width) {
            text.append(gap).append(part);
        }
    }
    return text;
}

void ProgressLine::progress(const Progress& progress) {
    const Clock::time_point now = Clock::now();
    if (style_ == Style::none) {
        return;
    }
    const Stage& stage = follow(progress, now);
    if (now - start_ < kSilence) {
        return;
    }
    if (style_ == Style::plain) {
        if (now - last_ >= kPlainInterval) {
            last_ = now;
            fmt::print(stderr, "{}\n", plain_text(progress, seconds_between(start_, now)));
        }
        return;
    }
    const auto width = static_cast<std::size_t>(std::max(1, terminal_width(STDERR_FILENO) - 1));
    fmt::print(stderr, "\r{}\x1b[K", line_text(stage, progress, now, width));
    std::fflush(stderr);
    shown_ = true;
}

void ProgressLine::note(std::string_view text) {
    if (notes_) {
        clear();
        fmt::print(stderr, "{}\n", printable_lines(text));
    }
}

void ProgressLine::clear() noexcept {
    if (shown_) {
        std::fputs("\r\x1b[K", stderr);
        shown_ = false;
    }
}

}  // namespace mercer::cli

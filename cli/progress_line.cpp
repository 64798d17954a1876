// SPDX-License-Identifier: Apache-2.0
//
// cli/progress_line.cpp - `gram  45 %  12.3 s  210.4 MiB`.
#include "progress_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "environment.hpp"
#include "mercer/runtime/memory.hpp"
#include "printable.hpp"

namespace mercer::cli {

namespace {

constexpr auto kSilence = std::chrono::milliseconds(500);
constexpr auto kPlainInterval = std::chrono::seconds(1);

std::string describe(const Progress& progress, double seconds) {
    std::string text = fmt::format("{:<8}", progress.stage);
    if (progress.total > 0) {
        const double part =
            static_cast<double>(progress.done) / static_cast<double>(progress.total);
        text += fmt::format("  {:3.0f} %", 100.0 * part);
    } else {
        text += fmt::format("  {}", progress.done);
    }
    if (std::isfinite(progress.gap)) {
        text += fmt::format("  gap {:.2e}", progress.gap);
    }
    return text + fmt::format("  {:.1f} s  {}", seconds, format_byte_size(progress.memory));
}

}  // namespace

void ProgressLine::progress(const Progress& progress) {
    const Clock::time_point now = Clock::now();
    if (style_ == Style::none || now - start_ < kSilence) {
        return;
    }
    const std::string text =
        describe(progress, std::chrono::duration<double>(now - start_).count());
    if (style_ == Style::plain) {
        if (now - last_ >= kPlainInterval) {
            last_ = now;
            fmt::print(stderr, "{}\n", text);
        }
        return;
    }
    const auto width = static_cast<std::size_t>(std::max(1, terminal_width(STDERR_FILENO) - 1));
    fmt::print(stderr, "\r{}\x1b[K", std::string_view(text).substr(0, width));
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

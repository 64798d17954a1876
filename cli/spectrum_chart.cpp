// SPDX-License-Identifier: Apache-2.0
//
// cli/spectrum_chart.cpp - decades and bars.
#include "spectrum_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer::cli {

namespace {

constexpr int kDecades = 17;  // further down, double arithmetic sees only rounding

struct Line {
    std::string label;
    index_t count = 0;
};

/// A bar of `share` of `cells` cells; never empty for a count > 0.
std::string bar(double share, int cells, bool utf8) {
    constexpr std::array<const char*, 8> kParts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!utf8) {
        const auto length = static_cast<std::size_t>(std::ceil(share * cells));
        return std::string(length, '#');
    }
    const int eighths = std::max(share > 0.0 ? 1 : 0, static_cast<int>(share * cells * 8));
    std::string text;
    for (int i = 0; i < eighths / 8; ++i) {
        text += "█";
    }
    return text + kParts[static_cast<std::size_t>(eighths % 8)];
}

/// Counts by decade of value / largest, then zeros, then negatives; empty last decades left out.
std::vector<Line> count_lines(std::span<const double> eigenvalues, double bound) {
    double largest = 0.0;
    for (const double value : eigenvalues) {
        largest = std::max(largest, std::abs(value));
    }
    std::vector<Line> lines;
    for (int decade = 0; decade < kDecades; ++decade) {
        lines.push_back({fmt::format("{:.1e} ..", largest * std::pow(10.0, -decade - 1)), 0});
    }
    Line zeros{fmt::format("0 +- {:.1e}", bound), 0};
    Line negatives{fmt::format("< -{:.1e}", bound), 0};
    for (const double value : eigenvalues) {
        if (std::abs(value) <= bound) {
            ++zeros.count;
        } else if (value < 0.0) {
            ++negatives.count;
        } else {
            const double below = std::log10(largest) - std::log10(value);
            ++lines[static_cast<std::size_t>(std::clamp(static_cast<int>(below), 0, kDecades - 1))]
                  .count;
        }
    }
    while (!lines.empty() && lines.back().count == 0) {
        lines.pop_back();
    }
    lines.push_back(zeros);
    lines.push_back(negatives);
    return lines;
}

}  // namespace

std::string draw_spectrum(std::span<const double> eigenvalues, double bound,
                          const ChartStyle& style) {
    constexpr int kLabelWidth = 16;
    constexpr int kCountWidth = 9;
    const std::vector<Line> lines = count_lines(eigenvalues, bound);
    index_t most = 1;
    for (const Line& line : lines) {
        most = std::max(most, line.count);
    }
    const int cells = std::clamp(style.width - kLabelWidth - kCountWidth - 4, 10, 60);
    std::string text;
    for (const Line& line : lines) {
        const double share = static_cast<double>(line.count) / static_cast<double>(most);
        text += fmt::format("  {:<{}}{:>{}}  {}\n", line.label, kLabelWidth, line.count,
                            kCountWidth, bar(share, cells, style.utf8));
    }
    return text;
}

}  // namespace mercer::cli

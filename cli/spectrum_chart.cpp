// SPDX-License-Identifier: Apache-2.0
//
// cli/spectrum_chart.cpp - draws decades and bars.
#include "spectrum_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace mercer::cli {

namespace {

struct Line {
    std::string label;
    index_t count = 0;
};

/// A bar of `share` of `cells` cells; never empty for a count > 0.
std::string bar(double share, int cells, bool utf8) {
    constexpr std::array<const char*, 8> kParts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!utf8) {
        return std::string(static_cast<std::size_t>(std::ceil(share * cells)), '#');
    }
    const int eighths = std::max(share > 0.0 ? 1 : 0, static_cast<int>(share * cells * 8));
    std::string text;
    for (int i = 0; i < eighths / 8; ++i) {
        text += "█";
    }
    return text + kParts[static_cast<std::size_t>(eighths % 8)];
}

std::vector<Line> chart_lines(const SpectrumHistogram& histogram, double bound) {
    std::vector<Line> lines;
    for (std::size_t bin = histogram.counts.size(); bin-- > 0;) {
        lines.push_back(
            {fmt::format("1e{:+03.0f} ..", histogram.edges[bin]), histogram.counts[bin]});
    }
    lines.push_back({fmt::format("0 +- {:.1e}", bound), histogram.zero});
    lines.push_back({fmt::format("< -{:.1e}", bound), histogram.negative});
    return lines;
}

}  // namespace

std::string draw_spectrum(const SpectrumHistogram& histogram, double bound,
                          const ChartStyle& style) {
    constexpr int kLabelWidth = 14;
    constexpr int kCountWidth = 9;
    const std::vector<Line> lines = chart_lines(histogram, bound);
    index_t most = 1;
    for (const Line& line : lines) {
        most = std::max(most, line.count);
    }
    const int cells = std::clamp(style.width - kLabelWidth - kCountWidth - 5, 10, 60);
    std::string text;
    for (const Line& line : lines) {
        const double share = static_cast<double>(line.count) / static_cast<double>(most);
        const std::string drawn = bar(share, cells, style.utf8);
        text += fmt::format("  {:<{}}{:>{}}{}{}\n", line.label, kLabelWidth, line.count,
                            kCountWidth, drawn.empty() ? "" : "  ", drawn);
    }
    return text;
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/gap_chart.cpp - decades for grid lines, a path per solver.
#include "gap_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::cli {

namespace {

constexpr double kWidth = 760.0;
constexpr double kHeight = 460.0;
constexpr double kLeft = 70.0;
constexpr double kRight = 190.0;
constexpr double kTop = 40.0;
constexpr double kBottom = 50.0;
constexpr double kLeastGap = 1e-16;
constexpr double kLeastSeconds = 1e-5;

// Colours that differ in lightness as well, for print and for eyes that see fewer of them.
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000"};

struct Decades {
    int low = 0;
    int high = 1;
    [[nodiscard]] double place(double value) const {
        return (std::log10(value) - low) / static_cast<double>(high - low);
    }
};

Decades decades_of(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    Decades out{static_cast<int>(std::floor(std::log10(*least))),
                static_cast<int>(std::ceil(std::log10(*most)))};
    out.high = std::max(out.high, out.low + 1);
    return out;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return out;
}

double seconds_of(const TracePoint& point) { return std::max(point.seconds, kLeastSeconds); }
double gap_of(const TracePoint& point) { return std::max(point.relative_gap, kLeastGap); }

}  // namespace

std::string gap_chart_svg(const std::vector<SolverRun>& runs, const std::string& title) {
    std::vector<double> seconds;
    std::vector<double> gaps;
    for (const SolverRun& run : runs) {
        for (const TracePoint& point : run.trace) {
            if (std::isfinite(point.relative_gap)) {
                seconds.push_back(seconds_of(point));
                gaps.push_back(gap_of(point));
            }
        }
    }
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n<text x=\"{2}\" y=\"22\" font-size=\"15\">{3}</text>\n",
        kWidth, kHeight, kLeft, escaped(title));
    if (seconds.empty()) {
        return svg + "<text x=\"80\" y=\"80\">no solver ran</text>\n</svg>\n";
    }
    const Decades across = decades_of(seconds);
    const Decades up = decades_of(gaps);
    const auto x = [&](double value) {
        return kLeft + across.place(value) * (kWidth - kLeft - kRight);
    };
    const auto y = [&](double value) {
        return kHeight - kBottom - up.place(value) * (kHeight - kTop - kBottom);
    };
    for (int k = across.low; k <= across.high; ++k) {
        const double at = x(std::pow(10.0, k));
        svg += fmt::format(
            "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#ddd\"/>\n<text "
            "x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">1e{4}</text>\n",
            at, kTop, kHeight - kBottom, kHeight - kBottom + 18, k);
    }
    const int step = std::max(1, (up.high - up.low) / 10);
    for (int k = up.low; k <= up.high; k += step) {
        const double at = y(std::pow(10.0, k));
        svg += fmt::format(
            "<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" stroke=\"#ddd\"/>\n<text "
            "x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">1e{5}</text>\n",
            kLeft, at, kWidth - kRight, kLeft - 6, at + 4, k);
    }
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">seconds</text>\n<text x=\"16\" "
        "y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {:.1f})\">certified "
        "relative "
        "gap</text>\n",
        0.5 * (kLeft + kWidth - kRight), kHeight - 10, 0.5 * kHeight, 0.5 * kHeight);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const char* colour = kColours[r % kColours.size()];
        std::string points;
        for (const TracePoint& point : runs[r].trace) {
            if (std::isfinite(point.relative_gap)) {
                points += fmt::format("{:.1f},{:.1f} ", x(seconds_of(point)), y(gap_of(point)));
            }
        }
        const double legend = kTop + 18.0 * static_cast<double>(r);
        if (!points.empty()) {
            svg += fmt::format(
                "<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\" "
                "marker-end=\"none\"/>\n",
                points, colour);
            const std::string last = points.substr(points.rfind(' ', points.size() - 2) + 1);
            const std::size_t comma = last.find(',');
            svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3.5\" fill=\"{}\"/>\n",
                               last.substr(0, comma),
                               last.substr(comma + 1, last.size() - comma - 2), colour);
        }
        svg += fmt::format(
            "<rect x=\"{0}\" y=\"{1}\" width=\"14\" height=\"4\" fill=\"{2}\"/>\n<text x=\"{3}\" "
            "y=\"{4}\">{5}{6}</text>\n",
            kWidth - kRight + 14, legend, colour, kWidth - kRight + 34, legend + 7,
            escaped(runs[r].solver), runs[r].problem.empty() ? "" : " (did not run)");
    }
    return svg + "</svg>\n";
}

}  // namespace mercer::cli

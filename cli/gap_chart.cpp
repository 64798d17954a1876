// SPDX-License-Identifier: Apache-2.0
//
// cli/gap_chart.cpp - decades for grid lines, a path per solver and panel.
#include "gap_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::cli {

namespace {

constexpr double kWidth = 760.0;
constexpr double kPanelHeight = 370.0;
constexpr double kLeft = 70.0;
constexpr double kRight = 190.0;
constexpr double kTop = 40.0;
constexpr double kBetween = 60.0;  // for the words under a panel
constexpr double kLeastGap = 1e-16;
constexpr double kLeastSeconds = 1e-5;
// Descent takes thousands of steps where Newton's method takes six: the panel of steps is cut at
// this many times the shortest run, so that both are seen.
constexpr double kMostTimesShortest = 20.0;

// Colours that differ in lightness as well, for print and for eyes that see fewer of them.
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#000000"};

const char* colour_of(std::size_t run) { return kColours[run % kColours.size()]; }

/// One direction of a panel: values to the unit interval, and where its grid lines are.
struct Axis {
    double low = 0.0;  // a power of ten when logarithmic
    double high = 1.0;
    bool logarithmic = true;

    [[nodiscard]] double place(double value) const {
        return ((logarithmic ? std::log10(value) : value) - low) / (high - low);
    }
    [[nodiscard]] std::vector<std::pair<double, std::string>> ticks() const {
        std::vector<std::pair<double, std::string>> out;
        double step = std::max(1.0, std::floor((high - low) / 10.0));
        if (!logarithmic) {
            step = std::pow(10.0, std::floor(std::log10(std::max(1.0, high - low))));
            while ((high - low) / step < 4.0 && step > 1.0) {
                step /= 2.0;
            }
            step = std::ceil(step);
        }
        for (double value = low; value <= high + 1e-9; value += step) {
            out.emplace_back(
                logarithmic ? std::pow(10.0, value) : value,
                logarithmic ? fmt::format("1e{:.0f}", value) : fmt::format("{:.0f}", value));
        }
        return out;
    }
};

Axis decades_of(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    Axis out{std::floor(std::log10(*least)), std::ceil(std::log10(*most)), true};
    out.high = std::max(out.high, out.low + 1.0);
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

/// One square of the picture.
class Panel {
public:
    Panel(double top, const Axis& across, const Axis& up) : top_(top), across_(across), up_(up) {}

    [[nodiscard]] double x(double value) const {
        return kLeft + across_.place(value) * (kWidth - kLeft - kRight);
    }
    [[nodiscard]] double y(double value) const {
        return top_ + (1.0 - up_.place(value)) * kPanelHeight;
    }

    [[nodiscard]] std::string grid(const char* words) const {
        std::string svg;
        const double bottom = top_ + kPanelHeight;
        for (const auto& [value, text] : across_.ticks()) {
            svg += fmt::format(
                "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" "
                "stroke=\"#ddd\"/>\n<text x=\"{0:.1f}\" y=\"{3}\" "
                "text-anchor=\"middle\">{4}</text>\n",
                x(value), top_, bottom, bottom + 18, text);
        }
        for (const auto& [value, text] : up_.ticks()) {
            svg += fmt::format(
                "<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" "
                "stroke=\"#ddd\"/>\n<text x=\"{3}\" y=\"{4:.1f}\" "
                "text-anchor=\"end\">{5}</text>\n",
                kLeft, y(value), kWidth - kRight, kLeft - 6, y(value) + 4, text);
        }
        const double middle = top_ + 0.5 * kPanelHeight;
        return svg + fmt::format(
                         "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text "
                         "x=\"16\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 "
                         "{:.1f})\">certified relative gap</text>\n",
                         0.5 * (kLeft + kWidth - kRight), bottom + 36, words, middle, middle);
    }

    /// A line through the points that are inside, with a dot at its end.
    [[nodiscard]] std::string path(const std::vector<std::pair<double, double>>& points,
                                   const char* colour) const {
        std::string text;
        double last_x = 0.0;
        double last_y = 0.0;
        for (const auto& [across, up] : points) {
            if (across_.place(across) <= 1.0 + 1e-9) {
                last_x = x(across);
                last_y = y(up);
                text += fmt::format("{:.1f},{:.1f} ", last_x, last_y);
            }
        }
        if (text.empty()) {
            return {};
        }
        return fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n<circle "
            "cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
            text, colour, last_x, last_y, colour);
    }

    /// gap = first * factor^steps, a straight line here, down to the lower edge.
    [[nodiscard]] std::string bound(double first, double factor, const char* colour) const {
        const double lowest = std::pow(10.0, up_.low);
        const double steps = std::log(lowest / first) / std::log(factor);
        const double end = std::min(steps, across_.high);
        return fmt::format(
            "<line class=\"bound\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
            "stroke=\"{}\" stroke-dasharray=\"5 4\"/>\n",
            x(0.0), y(first), x(end), y(first * std::pow(factor, end)), colour);
    }

private:
    double top_;
    Axis across_;
    Axis up_;
};

std::string number_text(double value) {
    return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
}

std::string legend(const std::vector<SolverRun>& runs) {
    std::string svg;
    double y = kTop;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const SolverRun& run = runs[r];
        svg += fmt::format(
            "<rect x=\"{0}\" y=\"{1}\" width=\"14\" height=\"4\" fill=\"{2}\"/>\n<text x=\"{3}\" "
            "y=\"{4}\">{5}{6}</text>\n",
            kWidth - kRight + 14, y, colour_of(r), kWidth - kRight + 34, y + 7, escaped(run.solver),
            run.problem.empty() ? "" : " (did not run)");
        if (std::isfinite(run.pace.seen)) {
            svg += fmt::format(
                "<text x=\"{}\" y=\"{}\" fill=\"#555\" font-size=\"11\">{} per step{}</text>\n",
                kWidth - kRight + 34, y + 21, factor_text(run.pace.seen),
                std::isfinite(run.pace.bound) ? ", at most " + factor_text(run.pace.bound) : "");
            y += 14.0;
        }
        y += 20.0;
    }
    return svg;
}

/// Steps of the panel below; 0 when no run has more than one point.
double steps_shown(const std::vector<SolverRun>& runs) {
    double most = 0.0;
    double least = kInfinity;
    for (const SolverRun& run : runs) {
        if (run.trace.size() > 1) {
            const auto steps = static_cast<double>(run.trace.back().iteration);
            most = std::max(most, steps);
            least = std::min(least, std::max(1.0, steps));
        }
    }
    return std::min(most, kMostTimesShortest * least);
}

/// The points of a run that have a gap, over its time and over its steps.
struct RunPoints {
    std::vector<std::pair<double, double>> by_time;
    std::vector<std::pair<double, double>> by_step;
};

RunPoints points_of(const SolverRun& run) {
    RunPoints out;
    for (const TracePoint& point : run.trace) {
        if (std::isfinite(point.relative_gap)) {
            out.by_time.emplace_back(seconds_of(point), gap_of(point));
            out.by_step.emplace_back(static_cast<double>(point.iteration), gap_of(point));
        }
    }
    return out;
}

/// The frame and the title of a picture of that height.
std::string chart_head(double height, const std::string& title) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n<text x=\"{2}\" y=\"22\" font-size=\"15\">{3}</text>\n",
        kWidth, height, kLeft, escaped(title));
}

}  // namespace

std::string factor_text(double factor) {
    if (!std::isfinite(factor)) {
        return "-";
    }
    const bool close = factor > 0.999 && factor < 1.0;
    return close ? fmt::format("1-{:.2g}", 1.0 - factor) : fmt::format("{:.4g}", factor);
}

std::string gap_chart_svg(const std::vector<SolverRun>& runs, const std::string& title) {
    std::vector<RunPoints> points;
    std::vector<double> seconds;
    std::vector<double> gaps;
    for (const SolverRun& run : runs) {
        points.push_back(points_of(run));
        for (const auto& [time, gap] : points.back().by_time) {
            seconds.push_back(time);
            gaps.push_back(gap);
        }
    }
    const double steps = steps_shown(runs);
    const double height = kTop + (steps > 0.0 ? 2.0 : 1.0) * (kPanelHeight + kBetween);
    std::string svg = chart_head(height, title);
    if (seconds.empty()) {
        return svg + "<text x=\"80\" y=\"80\">no solver ran</text>\n</svg>\n";
    }
    const Axis up = decades_of(gaps);
    const Panel times(kTop, decades_of(seconds), up);
    const Panel counts(kTop + kPanelHeight + kBetween, Axis{0.0, std::max(1.0, steps), false}, up);
    svg += times.grid("seconds") + (steps > 0.0 ? counts.grid("steps") : "");
    for (std::size_t r = 0; r < runs.size(); ++r) {
        const auto& [by_time, by_step] = points[r];
        svg += times.path(by_time, colour_of(r));
        if (steps > 0.0 && by_step.size() > 1) {
            svg += counts.path(by_step, colour_of(r));
            if (std::isfinite(runs[r].pace.bound)) {
                svg += counts.bound(by_step.front().second, runs[r].pace.bound, colour_of(r));
            }
        }
    }
    return svg + legend(runs) + "</svg>\n";
}

std::string gap_page_html(const std::vector<SolverRun>& runs, const std::string& title) {
    std::string page = fmt::format(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<body "
        "style=\"font-family: sans-serif\">\n{1}<table cellpadding=\"4\">\n<tr align=\"left\"><th>"
        "solver<th>status<th>steps<th>seconds<th>relative gap<th>condition<th>factor per step"
        "<th>theory's bound<th>order\n",
        escaped(title), gap_chart_svg(runs, title));
    for (const SolverRun& run : runs) {
        page += fmt::format("<tr><td>{}", escaped(run.solver));
        if (!run.problem.empty()) {
            page += fmt::format("<td colspan=\"8\">{}\n", escaped(run.problem));
            continue;
        }
        page += fmt::format("<td>{}<td>{}<td>{:.4g}<td>{:.3g}<td>{}<td>{}<td>{}<td>{}\n",
                            run.status, run.iterations, run.seconds, relative_gap(run.certificate),
                            number_text(run.pace.condition), factor_text(run.pace.seen),
                            factor_text(run.pace.bound), number_text(run.pace.order));
    }
    return page +
           "</table>\n<p>A step multiplies the gap by the factor: gradient descent's is at most (1 "
           "- "
           "1/condition)^2, that of conjugate gradients ((r - 1)/(r + 1))^2 with r the root of the "
           "condition, up to a constant. Newton's method has order 2: each gap is about the square "
           "of the one before. Dashed: the bound.</p>\n";
}

}  // namespace mercer::cli

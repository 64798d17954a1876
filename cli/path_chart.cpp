// SPDX-License-Identifier: Apache-2.0
//
// cli/path_chart.cpp - panels that share the axis of the hyperparameter.
#include "path_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/fit/machines.hpp"

namespace mercer::cli {

namespace {

constexpr double kWidth = 760.0;
constexpr double kLeft = 78.0;
constexpr double kRight = 24.0;
constexpr double kTop = 44.0;
constexpr double kPanel = 150.0;
constexpr double kBetween = 34.0;
constexpr double kUnder = 48.0;
constexpr std::size_t kMostTicks = 400;
constexpr std::size_t kMostNames = 12;  // that fit beside the words of a panel

// Colours that differ in lightness as well, for print and for eyes that see fewer of them.
constexpr std::array<const char*, 7> kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#7f7f7f"};

// Lines that share a colour differ in their dashes.
constexpr std::array<const char*, 4> kDashes{"none", "6 3", "2 3", "9 3 2 3"};

using Points = std::vector<std::pair<double, double>>;

struct Line {
    Points points;
    std::string name;
    bool steps = false;  ///< constant up to the next point
};

struct Panel {
    std::string words;
    std::vector<Line> lines;
    bool from_zero = false;
    Points marks;  ///< rings
};

/// The axis all panels share.
struct Across {
    double low = 0.0;
    double high = 1.0;
    bool logarithmic = true;

    [[nodiscard]] double x(double value) const {
        const double place =
            logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                        : (value - low) / (high - low);
        return kLeft + std::clamp(place, 0.0, 1.0) * (kWidth - kLeft - kRight);
    }
};

/// Round numbers between two ends, about five of them.
std::vector<double> round_ticks(double low, double high) {
    std::vector<double> out;
    const double rough = (high - low) / 5.0;
    if (!(rough > 0.0) || !std::isfinite(rough)) {
        return {low};
    }
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        step = factor * power;
        if (step >= rough) {
            break;
        }
    }
    for (double tick = std::ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step) {
        out.push_back(std::abs(tick) < 1e-9 * step ? 0.0 : tick);
    }
    return out;
}

std::vector<double> across_ticks(const Across& across) {
    if (!across.logarithmic) {
        return round_ticks(across.low, across.high);
    }
    std::vector<double> out;
    const bool few = std::log10(across.high / across.low) < 3.0;
    for (double decade = std::floor(std::log10(across.low)); decade <= std::log10(across.high) + 1;
         decade += 1.0) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * std::pow(10.0, decade);
            if ((few || factor == 1.0) && tick >= across.low * (1.0 - 1e-12) &&
                tick <= across.high * (1.0 + 1e-12)) {
                out.push_back(tick);
            }
        }
    }
    return out;
}

/// The scale of a panel.
struct Up {
    double top = 0.0;
    double low = 0.0;
    double high = 1.0;

    [[nodiscard]] double y(double value) const {
        return top + (high - value) / (high - low) * kPanel;
    }
};

std::string polyline(const Line& line, const Across& across, const Up& up, std::size_t style) {
    std::string text;
    double last = 0.0;
    for (std::size_t k = 0; k < line.points.size(); ++k) {
        const auto& [value, height] = line.points[k];
        if (value < across.low * (1.0 - 1e-9)) {
            continue;  // 0 has no place on a logarithmic axis
        }
        if (line.steps && k > 0) {
            text += fmt::format("{:.1f},{:.1f} ", across.x(value), last);
        }
        last = up.y(height);
        text += fmt::format("{:.1f},{:.1f} ", across.x(value), last);
    }
    return fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" "
        "stroke-dasharray=\"{}\"/>\n",
        text, kColours[style % kColours.size()], kDashes[style / kColours.size() % kDashes.size()]);
}

Up scale_of(const Panel& panel, double top) {
    Up up{top, panel.from_zero ? 0.0 : kInfinity, -kInfinity};
    for (const Line& line : panel.lines) {
        for (const auto& [value, height] : line.points) {
            up.low = std::min(up.low, height);
            up.high = std::max(up.high, height);
        }
    }
    if (!(up.high > up.low)) {
        up.high = up.low + 1.0;
    }
    const double air = 0.05 * (up.high - up.low);
    up.high += air;
    up.low -= panel.from_zero ? 0.0 : air;
    return up;
}

std::string panel_svg(const Panel& panel, const Across& across, double top) {
    const Up up = scale_of(panel, top);
    std::string svg = fmt::format("<text class=\"words\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kLeft,
                                  top - 7, panel.words);
    for (const double tick : round_ticks(up.low, up.high)) {
        const double y = up.y(tick);
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>\n<text "
            "x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g}</text>\n",
            kLeft, y, kWidth - kRight, kLeft - 6, y + 4, tick);
    }
    for (const double tick : across_ticks(across)) {
        svg += fmt::format(
            "<line class=\"grid\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n",
            across.x(tick), top, top + kPanel);
    }
    double legend = kWidth - kRight;
    for (std::size_t k = panel.lines.size(); k-- > 0;) {
        const Line& line = panel.lines[k];
        const char* colour = kColours[k % kColours.size()];
        svg += polyline(line, across, up, k);
        if (!line.name.empty()) {
            svg += fmt::format(
                "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" style=\"fill:{}\">{}</text>\n",
                legend, top - 7, colour, line.name);
            legend -= 7.5 * static_cast<double>(line.name.size()) + 14.0;
        }
    }
    for (const auto& [value, height] : panel.marks) {
        svg += fmt::format(
            "<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"none\"/>\n",
            across.x(value), up.y(height));
    }
    return svg;
}

std::string event_ticks(const std::vector<double>& knots, const Across& across, double y) {
    std::string svg;
    const std::size_t stride = std::max<std::size_t>(1, knots.size() / kMostTicks);
    for (std::size_t k = 0; k < knots.size(); k += stride) {
        svg += fmt::format(
            "<line class=\"event\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" "
            "y2=\"{2:.1f}\"/>\n",
            across.x(knots[k]), y, y + 6.0);
    }
    return svg;
}

void add_score(const std::optional<PathScore>& score, std::vector<Panel>& panels) {
    if (!score) {
        return;
    }
    Line line{{}, "", score->measure == "error"};
    for (const PathScore::Point& point : score->points) {
        line.points.emplace_back(point.value, point.score);
    }
    panels.push_back({fmt::format("validation {}, best {:.4g} at {:.4g}", score->measure,
                                  score->best_score, score->best_value),
                      {std::move(line)},
                      false,
                      {{score->best_value, score->best_score}}});
}

/// 2/|f|, with |f| linear between two knots, which it is where no row is free.
Line margin_line(const std::vector<PathKnot>& knots) {
    constexpr int kBetweenKnots = 8;
    Line line;
    for (std::size_t k = 0; k < knots.size(); ++k) {
        const double norm = std::sqrt(knots[k].squared_norm);
        const double before = k == 0 ? norm : std::sqrt(knots[k - 1].squared_norm);
        const double to = knots[k].t;
        const double from = k == 0 ? to : knots[k - 1].t;
        const bool apart = from > 0.0 && std::abs(norm - before) > 0.05 * norm;
        for (int j = apart ? 1 : kBetweenKnots; j <= kBetweenKnots; ++j) {
            const double t =
                j == kBetweenKnots ? to : from * std::pow(to / from, j / double{kBetweenKnots});
            const double share = to == from ? 1.0 : (t - from) / (to - from);
            if (const double here = before + share * (norm - before); here > 0.0) {
                line.points.emplace_back(t, 2.0 / here);
            }
        }
    }
    return line;
}

std::vector<Panel> panels_of(const Path& path, const CoefficientCurves& curves) {
    std::vector<Panel> panels;
    Panel coefficients{fmt::format("{} of {} rows, events below", curves.words, curves.rows.size()),
                       {},
                       false,
                       {}};
    for (const std::vector<double>& curve : curves.curves) {
        Line line;
        for (std::size_t k = 0; k < curve.size(); ++k) {
            line.points.emplace_back(curves.values[k], curve[k]);
        }
        coefficients.lines.push_back(std::move(line));
    }
    panels.push_back(std::move(coefficients));
    Line support{{}, "support vectors", true};
    Line free{{}, "free", true};
    for (const PathKnot& knot : path.knots()) {
        support.points.emplace_back(knot.t, static_cast<double>(knot.support));
        free.points.emplace_back(knot.t, static_cast<double>(knot.free));
    }
    panels.push_back({"rows", {std::move(support), std::move(free)}, true, {}});
    if (Line margin = margin_line(path.knots());
        is_machine(path.options().machine.model, MachineId::svc) && !margin.points.empty()) {
        panels.push_back({"margin 2/|f|", {std::move(margin)}, true, {}});
    }
    add_score(path.score, panels);
    return panels;
}

/// Where a picture of the path ends: half of the last event above 0, and four decades at most.
double lowest_shown(const L1Path& path) {
    constexpr double kDecades = 1e-4;
    double low = path.lambda_max;
    for (const L1Knot& knot : path.knots) {
        low = knot.lambda > 0.0 ? std::min(low, knot.lambda) : low;
    }
    return std::max({path.knots.back().lambda, 0.5 * low, kDecades * path.lambda_max});
}

/// The knots and some values between: what is linear in lambda is bent on a logarithmic axis.
std::vector<double> spread_values(const L1Path& path) {
    constexpr int kBetweenKnots = 6;
    const double low = lowest_shown(path);
    std::vector<double> out;
    for (const L1Knot& knot : path.knots) {
        const double here = std::max(low, knot.lambda);
        const double before = out.empty() ? here : out.back();
        for (int k = 1; k < kBetweenKnots && here > 0.0 && before > 1.01 * here; ++k) {
            out.push_back(before * std::pow(here / before, k / double{kBetweenKnots}));
        }
        out.push_back(here);
    }
    return out;
}

/// The coefficients that become largest.
std::vector<index_t> largest_coefficients(const L1Path& path) {
    constexpr std::size_t kCurves = 24;
    std::vector<std::pair<double, index_t>> order;
    for (index_t j = 0; j < path.columns; ++j) {
        order.emplace_back(0.0, j);
    }
    for (std::size_t k = 0; k < path.index.size(); ++k) {
        double& largest = order[static_cast<std::size_t>(path.index[k])].first;
        largest = std::min(largest, -std::abs(path.value[k]));
    }
    std::sort(order.begin(), order.end());
    std::vector<index_t> out;
    for (std::size_t k = 0; k < std::min(order.size(), kCurves); ++k) {
        out.push_back(order[k].second);
    }
    return out;
}

/// The curves of these coefficients, and with them sum |beta| of all at each lambda.
Points add_curves(const L1Path& path, const std::vector<index_t>& columns,
                  std::vector<Line>& lines) {
    lines.resize(columns.size());
    for (std::size_t k = 0; k < columns.size() && columns.size() <= kMostNames; ++k) {
        lines[k].name = std::to_string(columns[k] + 1);
    }
    Points sizes;
    for (const double lambda : spread_values(path)) {
        const L1Point point = path.at(lambda);
        sizes.emplace_back(lambda, 0.0);
        for (const double beta : point.beta) {
            sizes.back().second += std::abs(beta);
        }
        for (std::size_t k = 0; k < columns.size(); ++k) {
            lines[k].points.emplace_back(lambda, point.beta[static_cast<std::size_t>(columns[k])]);
        }
    }
    return sizes;
}

/// The objective from its first value: its slope is sum |beta|, linear between two knots.
Line objective_line(double first, const Points& sizes) {
    Line line{{}, "", false};
    double value = first;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (k > 0) {
            value -= 0.5 * (sizes[k - 1].first - sizes[k].first) *
                     (sizes[k - 1].second + sizes[k].second);
        }
        line.points.emplace_back(sizes[k].first, value);
    }
    return line;
}

/// How many coefficients there are.
Line active_line(const L1Path& path) {
    Line line{{}, "", true};
    const double low = lowest_shown(path);
    for (const L1Knot& knot : path.knots) {
        // At the end at 0 nothing changes, and it is not on the axis.
        const bool shown = knot.lambda >= low || line.points.empty();
        line.points.emplace_back(std::max(low, knot.lambda), shown
                                                                 ? static_cast<double>(knot.active)
                                                                 : line.points.back().second);
    }
    return line;
}

/// Those of the columns or rows whose coefficients become largest.
std::vector<Panel> panels_of(const SparsePath& path) {
    const L1Path& solution = path.solution();
    const std::vector<index_t> columns = largest_coefficients(solution);
    const char* const what = path.options().features ? "columns" : "rows";
    Panel coefficients{
        fmt::format("coefficients of {} {}, events below", columns.size(), what), {}, false, {}};
    const Points sizes = add_curves(solution, columns, coefficients.lines);
    std::vector<Panel> panels{std::move(coefficients)};
    panels.push_back(
        {fmt::format("{} with a coefficient", what), {active_line(solution)}, true, {}});
    panels.push_back(
        {"objective", {objective_line(solution.knots.front().objective, sizes)}, true, {}});
    add_score(path.score, panels);
    return panels;
}

/// What a picture says beside its panels.
struct Caption {
    std::string model;
    std::string over;
    std::vector<double> knots;
};

std::string chart_svg(const std::vector<Panel>& panels, const Caption& caption, Across across) {
    if (!(across.high > across.low)) {
        across.high = across.low + 1.0;
        across.logarithmic = false;
    }
    const double height =
        kTop + static_cast<double>(panels.size()) * (kPanel + kBetween) - kBetween + kUnder + 14.0;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{2} over {3}: {4} "
        "events</title>\n<style>svg {{ background: #fff }} text {{ fill: #222 }} .grid {{ stroke: "
        "#ddd }} .event {{ stroke: #666 }} .mark {{ stroke: #222; stroke-width: 1.5 }} .words {{ "
        "font-size: 13px }} @media "
        "(prefers-color-scheme: dark) {{ svg {{ background: #16181c }} text {{ fill: #ddd }} .grid "
        "{{ stroke: #3a3d42 }} .event {{ stroke: #999 }} .mark {{ stroke: #ddd }} }}</style>\n",
        kWidth, height, caption.model, caption.over, caption.knots.size());
    double top = kTop;
    for (std::size_t k = 0; k < panels.size(); ++k) {
        svg += panel_svg(panels[k], across, top);
        top += kPanel;
        if (k == 0) {
            svg += event_ticks(caption.knots, across, top + 2.0);
        }
        top += kBetween;
    }
    const double bottom = top - kBetween;
    for (const double tick : across_ticks(across)) {
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.4g}</text>\n",
                           across.x(tick), bottom + 18.0, tick);
    }
    return svg +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
                       0.5 * (kLeft + kWidth - kRight), bottom + 38.0, caption.over);
}

}  // namespace

std::string path_chart_svg(const Path& path, const CoefficientCurves& curves) {
    const SolutionPath& solution = path.solution();
    Caption caption{path.options().machine.model, path.options().over, {}};
    for (const PathKnot& knot : solution.knots) {
        caption.knots.push_back(knot.t);
    }
    return chart_svg(panels_of(path, curves), caption,
                     {std::min(solution.from, solution.to), std::max(solution.from, solution.to),
                      caption.over == "C" || caption.over == "weight"});
}

std::string path_chart_svg(const SparsePath& path) {
    Caption caption{path.options().loss, "lambda", {}};
    const double high = path.solution().lambda_max;
    const double low = lowest_shown(path.solution());
    for (const L1Knot& knot : path.knots()) {
        if (knot.lambda >= low) {
            caption.knots.push_back(knot.lambda);
        }
    }
    return chart_svg(panels_of(path), caption, {low, high, high > 0.0});
}

std::string path_page_html(const SparsePath& path) {
    const L1Path& solution = path.solution();
    return fmt::format(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light "
        "dark\">\n<title>{0} over lambda</title>\n<body style=\"font-family: sans-serif; "
        "max-width: "
        "800px; margin: auto\">\n<h1>{0} over lambda</h1>\n<p>{1} rows, {2} events between "
        "{3:.6g} and {4:.6g}, {5} restarts. Between two events every coefficient is linear in "
        "lambda; the greatest violation of the conditions of optimality, at the events and between "
        "them, is {6:.3g}.</p>\n{7}",
        path.options().loss, path.data().rows(), path.knots().size(), solution.lambda_max,
        path.knots().back().lambda, solution.restarts, solution.max_violation,
        path_chart_svg(path));
}

std::string path_page_html(const Path& path, const CoefficientCurves& curves) {
    const SolutionPath& solution = path.solution();
    return fmt::format(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light "
        "dark\">\n<title>{0} over {1}</title>\n<body style=\"font-family: sans-serif; max-width: "
        "800px; margin: auto\">\n<h1>{0} over {1}</h1>\n<p>{2} rows, {3} events between {4:.6g} "
        "and "
        "{5:.6g}, {6} restarts. Between two events every coefficient is linear in {1}; the "
        "greatest "
        "violation of the conditions of optimality at an event is {7:.3g}.</p>\n{8}",
        path.options().machine.model, path.options().over, path.data().rows(), path.knots().size(),
        solution.from, solution.to, solution.restarts, solution.max_violation,
        path_chart_svg(path, curves));
}

}  // namespace mercer::cli

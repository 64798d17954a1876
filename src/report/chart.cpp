// SPDX-License-Identifier: Apache-2.0
//
// src/report/chart.cpp - figures as SVG text. Colours come from classes, never from attributes.
#include "mercer/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart_axis.hpp"

namespace mercer::chart {

namespace {

constexpr int kColours = 7;
constexpr double kWide = 500.0;  // wider figures scroll on a phone instead of shrinking
constexpr int kShapes = 4;
constexpr int kLevels = 12;  // of a heat map on each side of its middle
constexpr std::size_t kMostTicks = 400;
constexpr std::array<const char*, 4> kDashes{"", "6 3", "2 3", "9 3 2 3"};

std::string colour_class(int colour) { return fmt::format("k{}", colour % kColours); }

std::string dash_attribute(int dash) {
    const char* const pattern = kDashes[static_cast<std::size_t>(dash) % kDashes.size()];
    return *pattern == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", pattern);
}

/// A point mark; each colour has its own shape.
std::string point_svg(double x, double y, int shape) {
    switch (shape % kShapes) {
        case 0:
            return fmt::format("M{:.1f} {:.1f}a3 3 0 1 0 6 0a3 3 0 1 0-6 0", x - 3.0, y);
        case 1:
            return fmt::format("M{:.1f} {:.1f}h5.4v5.4h-5.4z", x - 2.7, y - 2.7);
        case 2:
            return fmt::format("M{:.1f} {:.1f}l3.6 6.2h-7.2z", x, y - 3.8);
        default:
            return fmt::format("M{:.1f} {:.1f}l3.8 3.8-3.8 3.8-3.8-3.8z", x, y - 3.8);
    }
}

/// The pieces of a line between NaN values, as "x,y x,y".
std::vector<std::string> pieces_of(const Series& series, const Plot& plot) {
    std::vector<std::string> pieces(1);
    double y = 0.0;
    for (std::size_t k = 0; k < series.across.size(); ++k) {
        const double x = plot.x(series.across[k]);
        const double next = plot.y(series.up[k]);
        if (std::isnan(x) || std::isnan(next)) {
            if (!pieces.back().empty()) {
                pieces.emplace_back();
            }
            continue;
        }
        if (series.mark == Mark::steps && !pieces.back().empty()) {
            pieces.back() += fmt::format(" {:.1f},{:.1f}", x, y);
        }
        y = next;
        pieces.back() += fmt::format("{}{:.1f},{:.1f}", pieces.back().empty() ? "" : " ", x, y);
    }
    if (pieces.back().empty()) {
        pieces.pop_back();
    }
    return pieces;
}

std::string line_svg(const Series& series, const Plot& plot, int colour) {
    const std::vector<std::string> pieces = pieces_of(series, plot);
    if (pieces.empty()) {
        return {};
    }
    const std::string look =
        fmt::format("class=\"line {}\"{}", colour_class(colour), dash_attribute(series.dash));
    std::string svg = pieces.size() == 1
                          ? fmt::format("<polyline {} points=\"{}\"/>\n", look, pieces.front())
                          : fmt::format("<path {} d=\"M{}\"/>\n", look, fmt::join(pieces, "M"));
    if (series.end_dot) {
        const std::string& last = pieces.back();
        const std::size_t begin = last.rfind(' ') == std::string::npos ? 0 : last.rfind(' ') + 1;
        const std::size_t comma = last.rfind(',');
        svg += fmt::format("<circle class=\"dot {}\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>\n",
                           colour_class(colour), last.substr(begin, comma - begin),
                           last.substr(comma + 1));
    }
    return svg;
}

std::string points_svg(const Series& series, const Plot& plot, int colour) {
    std::string path;
    std::string whiskers;
    for (std::size_t k = 0; k < series.across.size(); ++k) {
        const double x = plot.x(series.across[k]);
        const double y = plot.y(series.up[k]);
        if (std::isnan(x) || std::isnan(y)) {
            continue;
        }
        path += series.mark == Mark::rings
                    ? fmt::format("M{:.1f} {:.1f}a5 5 0 1 0 10 0a5 5 0 1 0-10 0", x - 5.0, y)
                    : point_svg(x, y, colour);
        if (!series.low.empty() && std::isfinite(series.low[k])) {
            whiskers += fmt::format("M{0:.1f} {1:.1f}V{2:.1f}m-3 0h6M{3:.1f} {1:.1f}h6", x,
                                    plot.y(series.low[k]), plot.y(series.high[k]), x - 3.0);
        }
    }
    std::string svg;
    if (!whiskers.empty()) {
        svg +=
            fmt::format("<path class=\"whisker {}\" d=\"{}\"/>\n", colour_class(colour), whiskers);
    }
    return svg + fmt::format("<path class=\"{} {}\" d=\"{}\"/>\n",
                             series.mark == Mark::rings ? "ring" : "dot", colour_class(colour),
                             path);
}

std::string bars_svg(const Series& series, const Plot& plot, int colour, bool lying) {
    std::string path;
    std::string whiskers;
    for (std::size_t k = 0; k < series.across.size(); ++k) {
        const double half = 0.5 * series.width;
        const double x0 = plot.x(lying ? 0.0 : series.across[k] - half);
        const double x1 = plot.x(lying ? series.across[k] : series.across[k] + half);
        const double y0 = plot.y(lying ? series.up[k] - half : 0.0);
        const double y1 = plot.y(lying ? series.up[k] + half : series.up[k]);
        const double gap = lying ? 0.0 : std::min(0.5, 0.1 * std::abs(x1 - x0));
        path += fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", std::min(x0, x1) + gap, y0,
                            std::max(x0, x1) - gap, y1, std::min(x0, x1) + gap);
        if (!series.low.empty() && std::isfinite(series.low[k])) {
            const double middle = lying ? plot.y(series.up[k]) : plot.x(series.across[k]);
            whiskers += lying ? fmt::format("M{:.1f} {:.1f}H{:.1f}", plot.x(series.low[k]), middle,
                                            plot.x(series.high[k]))
                              : fmt::format("M{:.1f} {:.1f}V{:.1f}", middle, plot.y(series.low[k]),
                                            plot.y(series.high[k]));
        }
    }
    std::string svg =
        fmt::format("<path class=\"bar {}\" d=\"{}\"/>\n", colour_class(colour), path);
    return whiskers.empty() ? svg
                            : svg + fmt::format("<path class=\"mark\" d=\"{}\"/>\n", whiskers);
}

std::string band_svg(const Series& series, const Plot& plot, int colour) {
    std::string forth;
    std::string back;
    for (std::size_t k = 0; k < series.across.size(); ++k) {
        forth += fmt::format("{:.1f},{:.1f} ", plot.x(series.across[k]), plot.y(series.low[k]));
        back =
            fmt::format("{:.1f},{:.1f} ", plot.x(series.across[k]), plot.y(series.high[k])) + back;
    }
    return fmt::format("<polygon class=\"band {}\" points=\"{}{}\"/>\n", colour_class(colour),
                       forth, back);
}

std::string ticks_svg(const Series& series, const Plot& plot) {
    std::string path;
    const std::size_t stride = std::max<std::size_t>(1, series.across.size() / kMostTicks);
    for (std::size_t k = 0; k < series.across.size(); k += stride) {
        path +=
            fmt::format("M{:.1f} {:.1f}v6", plot.x(series.across[k]), plot.top + plot.height + 2.0);
    }
    return fmt::format("<path class=\"event\" d=\"{}\"/>\n", path);
}

std::string series_svg(const Series& series, const Plot& plot, int colour, bool lying) {
    switch (series.mark) {
        case Mark::line:
        case Mark::steps:
            return line_svg(series, plot, colour);
        case Mark::points:
        case Mark::rings:
            return points_svg(series, plot, colour);
        case Mark::bars:
            return bars_svg(series, plot, colour, lying);
        case Mark::band:
            return band_svg(series, plot, colour);
        case Mark::ticks:
            return ticks_svg(series, plot);
    }
    return {};
}

/// The fill of a cell: a colour of the palette and one of kLevels opacities.
struct Paint {
    int colour = 0;
    int level = 0;
};

Paint paint_of(const HeatMap& map, double value, double least, double most) {
    if (map.kind == HeatMap::Kind::classes) {
        return {static_cast<int>(value), 5};
    }
    if (map.kind == HeatMap::Kind::diverging) {
        const double size = std::max(std::abs(least), std::abs(most));
        const double share = size > 0.0 ? std::abs(value) / size : 0.0;
        const int level = 1 + static_cast<int>(share * (kLevels - 1) + 0.5);
        return {value >= 0.0 ? 1 : 0, level};
    }
    const double share = most > least ? (value - least) / (most - least) : 0.0;
    return {0, static_cast<int>(share * kLevels + 0.5)};
}

/// The index of each cell's fill, colour by colour; -1 if there is no value.
std::vector<index_t> paints_of(const HeatMap& map) {
    double least = kInfinity;
    double most = -kInfinity;
    for (const double value : map.values) {
        if (std::isfinite(value)) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    }
    std::vector<index_t> out;
    for (const double value : map.values) {
        const Paint paint = paint_of(map, std::isfinite(value) ? value : least, least, most);
        out.push_back(std::isfinite(value) ? (paint.colour % kColours) * (kLevels + 1) + paint.level
                                           : -1);
    }
    return out;
}

/// One path for each fill; adjacent cells with the same fill form one rectangle.
std::string cells_svg(const HeatMap& map, const Plot& plot) {
    const std::vector<index_t> paints = paints_of(map);
    std::vector<std::string> paths(static_cast<std::size_t>(kColours * (kLevels + 1)));
    const double wide = plot.width / static_cast<double>(map.columns);
    const double high = plot.height / static_cast<double>(map.rows);
    for (index_t r = 0; r < map.rows; ++r) {
        const index_t* row = paints.data() + r * map.columns;
        for (index_t c = 0; c < map.columns;) {
            const index_t end = std::find_if(row + c, row + map.columns,
                                             [&](index_t paint) { return paint != row[c]; }) -
                                row;
            if (row[c] >= 0) {
                const double length = wide * static_cast<double>(end - c) + 0.2;
                paths[static_cast<std::size_t>(row[c])] +=
                    fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z",
                                plot.left + wide * static_cast<double>(c),
                                plot.top + plot.height - high * static_cast<double>(r + 1), length,
                                high + 0.2, -length);
            }
            c = end;
        }
    }
    const double strongest = map.texts.empty() ? 0.8 : 0.45;  // text must stay readable
    std::string svg;
    for (std::size_t p = 0; p < paths.size(); ++p) {
        if (!paths[p].empty()) {
            svg += fmt::format("<path class=\"cell {}\" fill-opacity=\"{:.2f}\" d=\"{}\"/>\n",
                               colour_class(static_cast<int>(p) / (kLevels + 1)),
                               strongest * double(p % (kLevels + 1)) / kLevels, paths[p]);
        }
    }
    return svg;
}

std::string middle_text(double x, double y, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x, y,
                       escaped(text));
}

std::string heat_svg(const HeatMap& map, const Plot& plot) {
    if (map.kind == HeatMap::Kind::none) {
        return {};
    }
    std::string svg = cells_svg(map, plot);
    for (std::size_t k = 0; k < map.texts.size(); ++k) {
        const auto columns = static_cast<std::size_t>(map.columns);
        const double x = plot.left + (double(k % columns) + 0.5) * plot.width / double(columns);
        const double y =
            plot.top + plot.height - (double(k / columns) + 0.5) * plot.height / double(map.rows);
        svg += middle_text(x, y + 4.0, map.texts[k]);
    }
    return svg;
}

std::string shortened(const std::string& text) {
    constexpr std::size_t kMost = 24;
    if (text.size() <= kMost) {
        return text;
    }
    std::size_t end = kMost - 3;  // not inside a character
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return text.substr(0, end) + "…";
}

/// The ticks of the lower edge: lines, or short ones where cells would hide them, and labels.
void add_across(const Panel& panel, const Plot& plot, std::string& lines, std::string& words) {
    const bool over_cells = panel.heat.kind != HeatMap::Kind::none;
    const double bottom = plot.top + plot.height;
    const bool turned = must_turn(panel.across, plot.width);
    for (const auto& [value, text] : plot.across.ticks(plot.width)) {
        const double x = plot.x(value);
        if (panel.across.categories.empty()) {
            lines += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, over_cells ? bottom : plot.top,
                                 bottom + (over_cells ? 4.0 : 0.0));
        }
        if (!panel.across.hide_labels && turned) {
            words += fmt::format(
                "<text transform=\"translate({:.1f} {:.1f}) rotate(-35)\" "
                "text-anchor=\"end\">{}</text>\n",
                x + 4.0, bottom + 14.0, escaped(shortened(text)));
        } else if (!panel.across.hide_labels) {
            words += middle_text(x, bottom + 20.0, shortened(text));
        }
    }
    if (!panel.across.label.empty() && !panel.across.hide_labels) {
        words +=
            middle_text(plot.left + 0.5 * plot.width,
                        bottom + 20.0 + label_height(panel.across, plot.width), panel.across.label);
    }
}

std::string grid_svg(const Panel& panel, const Plot& plot) {
    std::string lines;
    std::string words;
    add_across(panel, plot, lines, words);
    const bool over_cells = panel.heat.kind != HeatMap::Kind::none;
    for (const auto& [value, text] : plot.up.ticks(plot.height)) {
        const double y = plot.y(value);
        if (panel.up.categories.empty()) {
            lines += fmt::format("M{:.1f} {:.1f}H{:.1f}", over_cells ? plot.left - 4.0 : plot.left,
                                 y, over_cells ? plot.left : plot.left + plot.width);
        }
        words += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                             plot.left - 7.0, y + 4.0, escaped(shortened(text)));
    }
    if (!panel.up.label.empty()) {
        words += fmt::format(
            "<text transform=\"translate(14 {:.1f}) rotate(-90)\" "
            "text-anchor=\"middle\">{}</text>\n",
            plot.top + 0.5 * plot.height, escaped(panel.up.label));
    }
    return fmt::format("<path class=\"grid\" d=\"{}\"/>\n{}", lines, words);
}

std::string reference_svg(const Reference& reference, const Plot& plot) {
    double x1 = plot.left;
    double x2 = plot.left + plot.width;
    double y1 = plot.top;
    double y2 = plot.top + plot.height;
    if (reference.kind == Reference::Kind::across) {
        y1 = y2 = plot.y(reference.at);
    } else if (reference.kind == Reference::Kind::up) {
        x1 = x2 = plot.x(reference.at);
    } else {
        const double from = std::max(plot.across.low(), plot.up.low() - reference.at);
        const double to = std::min(plot.across.high(), plot.up.high() - reference.at);
        x1 = plot.x(from);
        x2 = plot.x(to);
        y1 = plot.y(from + reference.at);
        y2 = plot.y(to + reference.at);
    }
    const std::string colour = reference.colour < 0 ? "ink" : colour_class(reference.colour);
    std::string svg =
        fmt::format("<path class=\"reference {}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", colour,
                    x1, y1, x2, y2);
    if (!reference.label.empty()) {
        const bool upright = reference.kind == Reference::Kind::up;
        const bool right = x1 > plot.left + 0.6 * plot.width;
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                           upright ? x1 + (right ? -5.0 : 5.0) : plot.left + plot.width - 5.0,
                           upright ? plot.top + 12.0 : std::max(y2, plot.top) - 5.0,
                           upright && !right ? "start" : "end", escaped(reference.label));
    }
    return svg;
}

std::string legend_svg(const Panel& panel, const Layout& layout) {
    std::string svg;
    for (const LegendEntry& entry : layout.legend) {
        const Series& series = panel.series[entry.series];
        const int colour = colour_of(series, entry.series);
        const std::string shade = colour_class(colour);
        if (series.mark == Mark::points) {
            svg += fmt::format("<path class=\"dot {}\" d=\"{}\"/>\n", shade,
                               point_svg(entry.x + 10.0, entry.y, colour));
        } else if (series.mark == Mark::rings) {
            svg += fmt::format("<circle class=\"ring {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n",
                               shade, entry.x + 10.0, entry.y);
        } else if (series.mark == Mark::bars || series.mark == Mark::band) {
            svg += fmt::format("<path class=\"bar {}\" d=\"M{:.1f} {:.1f}h14v9h-14z\"/>\n", shade,
                               entry.x + 3.0, entry.y - 5.0);
        } else {
            svg += fmt::format("<path class=\"line {}\"{} d=\"M{:.1f} {:.1f}h20\"/>\n", shade,
                               dash_attribute(series.dash), entry.x, entry.y);
        }
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", entry.x + 26.0,
                           entry.y + 4.0, escaped(series.name));
    }
    return svg;
}

std::string panel_svg(const Panel& panel, const Layout& layout) {
    const Plot& plot = layout.plot;
    std::string svg;
    if (!panel.title.empty()) {
        svg += fmt::format("<text class=\"words\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", plot.left,
                           layout.title_y, escaped(panel.title));
    }
    svg += heat_svg(panel.heat, plot) + grid_svg(panel, plot);
    for (const Reference& reference : panel.references) {
        svg += reference_svg(reference, plot);
    }
    for (std::size_t s = panel.series.size(); s-- > 0;) {  // the first is drawn on top
        svg += series_svg(panel.series[s], plot, colour_of(panel.series[s], s),
                          !panel.up.categories.empty());
    }
    return svg + legend_svg(panel, layout);
}

}  // namespace

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
        }
    }
    return out;
}

std::string to_svg(const Figure& figure, Setting setting) {
    const bool alone = setting == Setting::alone;
    const std::vector<Layout> layouts = lay_out(figure, alone ? kTitleHeight : 0.0);
    const double height = layouts.empty() ? 80.0 : layouts.back().bottom;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart{5}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-labelledby=\"{2}-title {2}-desc\">\n<title id=\"{2}-title\">{3}</title>\n"
        "<desc id=\"{2}-desc\">{4}</desc>\n",
        figure.width, height, figure.id, escaped(figure.title), escaped(figure.description),
        figure.width > kWide ? " wide" : "");
    if (alone) {
        svg +=
            fmt::format("<style>{}</style>\n<text class=\"heading\" x=\"16\" y=\"20\">{}</text>\n",
                        style(), escaped(figure.title));
    }
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        svg += panel_svg(figure.panels[p], layouts[p]);
    }
    return svg + "</svg>\n";
}

std::string style() {
    constexpr const char* kLight =
        "--ink:#24292f;--soft:#57606a;--page:#fff;--grid:#dfe3e8;--k0:#0072b2;--k1:#d55e00;"
        "--k2:#00815f;--k3:#b3588c;--k4:#b37b00;--k5:#3f93c4;--k6:#6b7280";
    constexpr const char* kDark =
        "--ink:#dde3ea;--soft:#a3adb8;--page:#14181d;--grid:#343b44;--k0:#56b4e9;--k1:#f0833a;"
        "--k2:#2bc59a;--k3:#dc94ba;--k4:#e6b035;--k5:#8fd0f5;--k6:#9aa4b0";
    std::string css = fmt::format(
        ":root{{color-scheme:light dark;{0}}}\n@media (prefers-color-scheme:dark){{:root{{{1}}}}}\n"
        "@media print{{:root{{color-scheme:light;{0}}}}}\n",
        kLight, kDark);
    for (int k = 0; k < kColours; ++k) {
        css += fmt::format(".chart .k{0}{{color:var(--k{0})}}", k);
    }
    return css +
           "\nsvg.chart{background:var(--page);font:12px system-ui,sans-serif;max-width:100%;"
           "height:auto}\n"
           ".chart text{fill:var(--ink)}.chart .words{font-size:13px}"
           ".chart .heading{font-size:15px}\n"
           ".chart .grid{stroke:var(--grid);fill:none}"
           ".chart .line{fill:none;stroke:currentColor;stroke-width:1.8}\n"
           ".chart .dot{fill:currentColor;stroke:var(--page);stroke-width:.5}"
           ".chart .ring{fill:none;stroke:currentColor;stroke-width:1.6}\n"
           ".chart .bar{fill:currentColor;fill-opacity:.62}"
           ".chart .band{fill:currentColor;fill-opacity:.18}.chart .cell{fill:currentColor}\n"
           ".chart .whisker{fill:none;stroke:currentColor;stroke-width:1.3}"
           ".chart .mark{fill:none;stroke:var(--ink);stroke-width:1.3}\n"
           ".chart .event{stroke:var(--soft);fill:none}"
           ".chart .ink{color:var(--soft)}"
           ".chart .reference{fill:none;stroke:currentColor;stroke-dasharray:5 4}\n";
}

}  // namespace mercer::chart

// SPDX-License-Identifier: Apache-2.0
//
// src/report/chart_data.cpp - the numbers of a figure for a page's script, and contours.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/report/chart.hpp"
#include "report/chart_axis.hpp"

namespace mercer::chart {

namespace {

using Json = nlohmann::ordered_json;

/// Five digits are more than a tooltip shows, and a third of the size of full precision.
Json rounded(double value) {
    return std::isfinite(value) ? Json::parse(fmt::format("{:.5g}", value)) : Json();
}

Json rounded(const std::vector<double>& values) {
    Json out = Json::array();
    for (const double value : values) {
        out.push_back(rounded(value));
    }
    return out;
}

Json axis_json(const Axis& axis, const Ruler& ruler) {
    Json out{{"label", axis.label}, {"low", ruler.low()}, {"high", ruler.high()}};
    if (ruler.logarithmic()) {
        out["log"] = true;
    }
    if (!axis.categories.empty()) {
        out["names"] = axis.categories;
    }
    return out;
}

Json series_json(const Series& series) {
    Json out{{"name", series.name}, {"x", rounded(series.across)}, {"y", rounded(series.up)}};
    if (!series.low.empty()) {
        out["low"] = rounded(series.low);
        out["high"] = rounded(series.high);
    }
    if (!series.notes.empty()) {
        out["notes"] = series.notes;
    }
    return out;
}

Json panel_json(const Panel& panel, const Plot& plot) {
    Json out{{"box", {rounded(plot.left), rounded(plot.top), rounded(plot.width), plot.height}},
             {"title", panel.title},
             {"x", axis_json(panel.across, plot.across)},
             {"y", axis_json(panel.up, plot.up)},
             {"series", Json::array()}};
    for (const Series& series : panel.series) {
        if (series.hover && series.mark != Mark::band && series.mark != Mark::ticks) {
            out["series"].push_back(series_json(series));
        }
    }
    if (panel.heat.kind != HeatMap::Kind::none && panel.heat.hover) {
        out["heat"] = Json{{"name", panel.heat.name},
                           {"columns", panel.heat.columns},
                           {"rows", panel.heat.rows},
                           {"values", rounded(panel.heat.values)}};
    }
    return out;
}

/// Where the level is crossed between two neighbours, as a fraction of the distance; NaN: nowhere.
double crossing(double from, double to, double level) {
    return (from < level) == (to < level) ? kNaN : (level - from) / (to - from);
}

}  // namespace

std::string hover_data(const Figure& figure) {
    const std::vector<Layout> layouts = lay_out(figure, 0.0);
    Json out{{"id", figure.id}, {"title", figure.title}, {"panels", Json::array()}};
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        out["panels"].push_back(panel_json(figure.panels[p], layouts[p].plot));
    }
    // A name may contain the closing tag of a script.
    std::string text = out.dump(-1, ' ', true);
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

Series contour(const HeatMap& map, double level, const Axis& across, const Axis& up) {
    Series out{.mark = Mark::line, .in_legend = false, .hover = false};
    const double wide = (across.high - across.low) / static_cast<double>(map.columns);
    const double high = (up.high - up.low) / static_cast<double>(map.rows);
    const auto value = [&](index_t r, index_t c) {
        return map.values[static_cast<std::size_t>(r * map.columns + c)];
    };
    const auto add = [&](double column, double row) {
        out.across.push_back(across.low + (column + 0.5) * wide);
        out.up.push_back(up.low + (row + 0.5) * high);
    };
    for (index_t r = 0; r + 1 < map.rows; ++r) {
        for (index_t c = 0; c + 1 < map.columns; ++c) {
            const double bottom = crossing(value(r, c), value(r, c + 1), level);
            const double top = crossing(value(r + 1, c), value(r + 1, c + 1), level);
            const double left = crossing(value(r, c), value(r + 1, c), level);
            const double right = crossing(value(r, c + 1), value(r + 1, c + 1), level);
            const auto x = static_cast<double>(c);
            const auto y = static_cast<double>(r);
            const std::array<std::array<double, 2>, 4> places{
                {{x + bottom, y}, {x + 1.0, y + right}, {x + top, y + 1.0}, {x, y + left}}};
            int met = 0;
            for (const auto& [column, row] : places) {
                if (!std::isnan(column) && !std::isnan(row)) {
                    add(column, row);
                    if (++met % 2 == 0) {  // a segment is complete
                        out.across.push_back(kNaN);
                        out.up.push_back(kNaN);
                    }
                }
            }
        }
    }
    return out;
}

}  // namespace mercer::chart

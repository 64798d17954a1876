// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/chart.hpp - charts as data, and as SVG.
//
//     Figure figure{.id = "roc", .title = "ROC curve", .description = "..."};
//     figure.panels.push_back({.across = {.label = "false positives"}, .up = {.label = "found"}});
//     figure.panels.back().series.push_back({.mark = Mark::line, .across = x, .up = y});
//     std::string svg = to_svg(figure, Setting::alone);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer::chart {

/// One direction of a panel.
struct Axis {
    std::string label;
    bool logarithmic = false;
    double low = kNaN;  ///< NaN: from the data, with some air
    double high = kNaN;
    bool from_zero = false;               ///< the data's range is widened to 0, without air there
    std::vector<std::string> categories;  ///< not empty: 0, 1, ... stand for these
    bool hide_labels = false;             ///< a panel below has the same axis
};

enum class Mark : std::uint8_t {
    line,   ///< through the points; a NaN breaks it
    steps,  ///< constant up to the next point
    points,
    rings,
    bars,   ///< from 0; across when the other axis has categories
    ticks,  ///< short strokes under the panel
    band,   ///< between `low` and `high`
};

/// Numbers drawn in one way.
struct Series {
    Mark mark = Mark::line;
    std::string name;  ///< for the legend and the tooltip
    std::vector<double> across;
    std::vector<double> up;
    std::vector<double> low;         ///< ends of the intervals of `up` (of `across` for bars that
    std::vector<double> high;        ///< lie); empty: none
    std::vector<std::string> notes;  ///< a text for the tooltip of each point; empty: none
    int colour = -1;                 ///< of the palette; -1: by the place in the panel
    int dash = 0;                    ///< 0: solid
    double width = 1.0;              ///< of bars, in units of the axis
    bool in_legend = true;
    bool hover = true;     ///< has a tooltip
    bool end_dot = false;  ///< a line has a dot where it ends
};

/// Equal cells over the whole panel, row by row from the lowest.
struct HeatMap {
    enum class Kind : std::uint8_t {
        none,
        sequential,  ///< from the least value to the greatest
        diverging,   ///< around 0
        classes,     ///< whole numbers: the number of a colour
    };
    Kind kind = Kind::none;
    index_t columns = 0;
    index_t rows = 0;
    std::vector<double> values;
    std::vector<std::string> texts;  ///< written into the cells; empty: none
    std::string name;                ///< of the values
    bool hover = true;
};

/// A line for comparison.
struct Reference {
    enum class Kind : std::uint8_t { across, up, diagonal };  ///< at y, at x, y = x + at
    Kind kind = Kind::across;
    double at = 0.0;
    std::string label;
    int colour = -1;  ///< -1: ink
};

struct Panel {
    std::string title;
    Axis across;
    Axis up;
    std::vector<Series> series;
    HeatMap heat;
    std::vector<Reference> references;
    double height = 240.0;  ///< of the plot itself
    double side = 0.0;      ///< > 0: the plot is that wide and not the whole width
};

/// Panels above each other.
struct Figure {
    std::string id;     ///< a word, unique on a page
    std::string title;  ///< shown, and read aloud
    std::string description;
    std::vector<Panel> panels;
    double width = 760.0;
};

/// Where a picture stands: a file of its own brings its style and shows its title; a page has both.
enum class Setting : std::uint8_t { alone, in_page };

[[nodiscard]] std::string to_svg(const Figure& figure, Setting setting);

/// What a script needs to find the number under the pointer, as a JSON object.
[[nodiscard]] std::string hover_data(const Figure& figure);

/// The rules of all pictures: custom properties for light and dark, and what is drawn with them.
[[nodiscard]] std::string style();

/// Lines of equal value of a function on a grid, for a series of Mark::line. The values are those
/// of the centres of `map`'s cells; `low` and `high` are the ends of the panel's axes.
[[nodiscard]] Series contour(const HeatMap& map, double level, const Axis& across, const Axis& up);

/// A number as charts write it: four digits, no more zeros than needed.
[[nodiscard]] std::string number_text(double value, int digits = 4);

/// Text as XML wants it.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace mercer::chart

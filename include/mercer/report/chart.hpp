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
    double low = kNaN;  ///< NaN: from the data, with some padding
    double high = kNaN;
    bool from_zero = false;               ///< the data's range is extended to 0, not padded there
    std::vector<std::string> categories;  ///< not empty: labels of the positions 0, 1, ...
    bool hide_labels = false;             ///< a panel below shows the same axis
};

enum class Mark : std::uint8_t {
    line,   ///< through the points; a NaN interrupts it
    steps,  ///< constant up to the next point
    points,
    rings,
    bars,   ///< from 0; horizontal if the other axis has categories
    ticks,  ///< short ticks under the panel
    band,   ///< between `low` and `high`
};

/// Numbers drawn with one mark.
struct Series {
    Mark mark = Mark::line;
    std::string name;  ///< for the legend and the tooltip
    std::vector<double> across;
    std::vector<double> up;
    std::vector<double> low;         ///< lower ends of the intervals of `up` (of `across` for
                                     ///< horizontal bars); empty: none
    std::vector<double> high;        ///< upper ends
    std::vector<std::string> notes;  ///< a tooltip text for each point; empty: none
    int colour = -1;                 ///< index into the palette; -1: by position in the panel
    int dash = 0;                    ///< 0: solid
    double width = 1.0;              ///< of bars, in units of the axis
    bool in_legend = true;
    bool hover = true;     ///< has a tooltip
    bool end_dot = false;  ///< a line ends in a dot
};

/// Cells of equal size over the whole panel, row by row from the lowest.
struct HeatMap {
    enum class Kind : std::uint8_t {
        none,
        sequential,  ///< from the smallest value to the largest
        diverging,   ///< around 0
        classes,     ///< integers: the index of a colour
    };
    Kind kind = Kind::none;
    index_t columns = 0;
    index_t rows = 0;
    std::vector<double> values;
    std::vector<std::string> texts;  ///< shown in the cells; empty: none
    std::string name;                ///< of the values
    bool hover = true;
};

/// A line for comparison.
struct Reference {
    enum class Kind : std::uint8_t { across, up, diagonal };  ///< at y, at x, y = x + at
    Kind kind = Kind::across;
    double at = 0.0;
    std::string label;
    int colour = -1;  ///< -1: text colour
};

struct Panel {
    std::string title;
    Axis across;
    Axis up;
    std::vector<Series> series;
    HeatMap heat;
    std::vector<Reference> references;
    double height = 240.0;  ///< of the plot area
    double side = 0.0;      ///< > 0: width of the plot, instead of the full width
};

/// Panels arranged vertically.
struct Figure {
    std::string id;     ///< one word, unique on a page
    std::string title;  ///< visible, and for screen readers
    std::string description;
    std::vector<Panel> panels;
    double width = 760.0;
};

/// A separate file includes its style and shows its title; a page provides both.
enum class Setting : std::uint8_t { alone, in_page };

[[nodiscard]] std::string to_svg(const Figure& figure, Setting setting);

/// The data that a script needs to show the number under the pointer, as a JSON object.
[[nodiscard]] std::string hover_data(const Figure& figure);

/// The style sheet of all figures: custom properties for light and dark, and the rules that use
/// them.
[[nodiscard]] std::string style();

/// The contour lines of a function on a grid, as a series of Mark::line. The values are at the
/// centres of `map`'s cells; `low` and `high` are the ends of the panel's axes.
[[nodiscard]] Series contour(const HeatMap& map, double level, const Axis& across, const Axis& up);

/// A number as charts show it: four digits, no unnecessary zeros.
[[nodiscard]] std::string number_text(double value, int digits = 4);

/// Text escaped for XML.
[[nodiscard]] std::string escaped(const std::string& text);

}  // namespace mercer::chart

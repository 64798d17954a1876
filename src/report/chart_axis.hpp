// SPDX-License-Identifier: Apache-2.0
//
// src/report/chart_axis.hpp - from numbers to positions in a figure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/report/chart.hpp"

namespace mercer::chart {

/// An axis with known ends.
class Ruler {
public:
    /// Ends that the axis leaves open come from `values`, ignoring values that are not finite and,
    /// on a logarithmic axis, values <= 0.
    Ruler(const Axis& axis, const std::vector<double>& values, bool upward);

    [[nodiscard]] double low() const noexcept { return low_; }
    [[nodiscard]] double high() const noexcept { return high_; }
    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// 0 at the low end, 1 at the high end, clamped; NaN if the axis cannot show the value.
    [[nodiscard]] double place(double value) const;
    /// Positions and labels of the grid lines.
    [[nodiscard]] std::vector<std::pair<double, std::string>> ticks(double pixels) const;

private:
    double low_ = 0.0;
    double high_ = 1.0;
    bool logarithmic_ = false;
    bool upward_ = false;
    std::vector<std::string> categories_;
};

/// The position of a panel's plot in the figure, and its rulers.
struct Plot {
    double left = 0.0;
    double top = 0.0;
    double width = 0.0;
    double height = 0.0;
    Ruler across;
    Ruler up;

    [[nodiscard]] double x(double value) const { return left + across.place(value) * width; }
    [[nodiscard]] double y(double value) const { return top + (1.0 - up.place(value)) * height; }
};

/// A legend entry and its position.
struct LegendEntry {
    std::size_t series = 0;
    double x = 0.0;
    double y = 0.0;
};

/// A panel's plot, its legend and its lower end.
struct Layout {
    Plot plot;
    std::vector<LegendEntry> legend;
    double title_y = 0.0;
    double bottom = 0.0;
};

/// One layout for each panel. `top` is the upper end of the first.
[[nodiscard]] std::vector<Layout> lay_out(const Figure& figure, double top);

/// Whether the category labels would overlap, so that they are rotated.
[[nodiscard]] bool must_turn(const Axis& axis, double width);

/// Height of the labels under a panel.
[[nodiscard]] double label_height(const Axis& axis, double width);

/// The colour of a series by its position in the panel.
[[nodiscard]] int colour_of(const Series& series, std::size_t place);

/// Height of the title above the panels of a separate file.
inline constexpr double kTitleHeight = 30.0;

}  // namespace mercer::chart

// SPDX-License-Identifier: Apache-2.0
//
// src/report/chart_axis.hpp - from numbers to places in a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/report/chart.hpp"

namespace mercer::chart {

/// An axis whose ends are known.
class Ruler {
public:
    /// Ends that the axis leaves open come from `values`; those that are not finite, and on a
    /// logarithmic axis those not above 0, are passed over.
    Ruler(const Axis& axis, const std::vector<double>& values, bool upward);

    [[nodiscard]] double low() const noexcept { return low_; }
    [[nodiscard]] double high() const noexcept { return high_; }
    [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
    /// 0 at the low end, 1 at the high one, clamped; NaN where the value has no place.
    [[nodiscard]] double place(double value) const;
    /// Where the grid lines are, and what they say.
    [[nodiscard]] std::vector<std::pair<double, std::string>> ticks(double pixels) const;

private:
    double low_ = 0.0;
    double high_ = 1.0;
    bool logarithmic_ = false;
    bool upward_ = false;
    std::vector<std::string> categories_;
};

/// Where a panel's plot lies in the picture, and its rulers.
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

/// One entry of a legend and where it stands.
struct LegendEntry {
    std::size_t series = 0;
    double x = 0.0;
    double y = 0.0;
};

/// A panel's plot, its legend and where it ends.
struct Layout {
    Plot plot;
    std::vector<LegendEntry> legend;
    double title_y = 0.0;
    double bottom = 0.0;
};

/// One layout for each panel. `top` is where the first begins.
[[nodiscard]] std::vector<Layout> lay_out(const Figure& figure, double top);

/// Whether the categories would run into each other, so that they are turned.
[[nodiscard]] bool must_turn(const Axis& axis, double width);

/// What the labels under a panel take.
[[nodiscard]] double label_height(const Axis& axis, double width);

/// The colour of a series by its place in the panel.
[[nodiscard]] int colour_of(const Series& series, std::size_t place);

/// Height above the panels that the title of a picture of its own takes.
inline constexpr double kTitleHeight = 30.0;

}  // namespace mercer::chart

// SPDX-License-Identifier: Apache-2.0
//
// src/report/chart_axis.cpp - axis ends, round ticks, and the positions of panels and legends.
#include "report/chart_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::chart {

namespace {

constexpr double kCharacter = 6.7;  // mean width at 12 px, rounded up
constexpr double kLine = 18.0;      // line height of text
constexpr double kAir = 0.05;       // padding beyond the outermost values, as a share of the range

/// Characters of UTF-8 text.
std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

double longest_name(const Axis& axis) {
    std::size_t longest = 0;
    for (const std::string& name : axis.categories) {
        longest = std::max(longest, std::min<std::size_t>(characters(name), 24));
    }
    return static_cast<double>(longest);
}

/// Round numbers between two ends, about `wanted` of them.
std::vector<double> round_ticks(double low, double high, double wanted) {
    std::vector<double> out;
    const double rough = (high - low) / std::max(1.0, wanted);
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
    const double first = std::ceil(low / step - 1e-9);
    for (int k = 0; (first + k) * step <= high + 1e-9 * step; ++k) {
        out.push_back((first + k) * step);
    }
    return out;
}

std::string superscript(int value) {
    constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = value < 0 ? "⁻" : "";
    for (const char digit : std::to_string(std::abs(value))) {
        out += kDigits[digit - '0'];
    }
    return out;
}

std::string power_text(double exponent) {
    const int whole = static_cast<int>(std::lround(exponent));
    return std::abs(whole) <= 3 ? number_text(std::pow(10.0, whole)) : "10" + superscript(whole);
}

/// Powers of ten, with 2 and 5 between them if there is room.
std::vector<std::pair<double, std::string>> decade_ticks(double low, double high, double wanted) {
    std::vector<std::pair<double, std::string>> out;
    const double first = std::floor(std::log10(low) + 1e-9);
    const double last = std::log10(high) + 1e-9;
    const double decades = last - std::log10(low);
    const double stride = std::max(1.0, std::ceil(decades / std::max(2.0, wanted)));
    for (double exponent = first; exponent <= last; exponent += stride) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * std::pow(10.0, exponent);
            if ((factor == 1.0 || decades < 2.5) && tick >= low * (1.0 - 1e-9) &&
                tick <= high * (1.0 + 1e-9)) {
                out.emplace_back(tick, factor == 1.0 ? power_text(exponent) : number_text(tick));
            }
        }
    }
    return out;
}

/// The smallest and the largest value that the axis can show.
std::pair<double, double> range_of(const Axis& axis, const std::vector<double>& values) {
    double least = axis.from_zero ? 0.0 : kInfinity;
    double most = axis.from_zero ? 0.0 : -kInfinity;
    for (const double value : values) {
        if (std::isfinite(value) && (!axis.logarithmic || value > 0.0)) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    }
    return {least, most};
}

std::vector<double> values_of(const Panel& panel, bool across) {
    std::vector<double> out;
    for (const Series& series : panel.series) {
        const std::vector<double>& own = across ? series.across : series.up;
        out.insert(out.end(), own.begin(), own.end());
        const bool lying = !panel.up.categories.empty();
        if (across == lying) {
            out.insert(out.end(), series.low.begin(), series.low.end());
            out.insert(out.end(), series.high.begin(), series.high.end());
        } else if (series.mark == Mark::bars && !across == lying) {
            for (const double value : own) {
                out.push_back(value - 0.5 * series.width);
                out.push_back(value + 0.5 * series.width);
            }
        }
        if (series.mark == Mark::bars && across == lying) {
            out.push_back(0.0);
        }
    }
    return out;
}

/// Arranges the legend in lines as wide as the plot; returns their height.
double place_legend(const Panel& panel, double left, double right, double top,
                    std::vector<LegendEntry>& out) {
    double x = left;
    double y = top;
    for (std::size_t s = 0; s < panel.series.size(); ++s) {
        const Series& series = panel.series[s];
        if (series.name.empty() || !series.in_legend) {
            continue;
        }
        const double wide = 26.0 + kCharacter * static_cast<double>(characters(series.name)) + 14.0;
        if (x > left && x + wide > right + 14.0) {
            x = left;
            y += kLine;
        }
        out.push_back({s, x, y + 0.5 * kLine});
        x += wide;
    }
    return out.empty() ? 0.0 : y + kLine - top;
}

}  // namespace

Ruler::Ruler(const Axis& axis, const std::vector<double>& values, bool upward)
    : low_(axis.low),
      high_(axis.high),
      logarithmic_(axis.logarithmic),
      upward_(upward),
      categories_(axis.categories) {
    if (!categories_.empty()) {
        low_ = -0.5;
        high_ = static_cast<double>(categories_.size()) - 0.5;
        logarithmic_ = false;
        return;
    }
    auto [least, most] = range_of(axis, values);
    if (!(least <= most)) {
        least = logarithmic_ ? 0.1 : 0.0;
        most = 1.0;
    }
    if (logarithmic_) {
        low_ = std::isnan(low_) ? least : low_;
        high_ = std::isnan(high_) ? most : high_;
        if (!(high_ > low_ * (1.0 + 1e-9))) {
            low_ /= 3.0;
            high_ *= 3.0;
        }
        return;
    }
    const double range = most > least ? most - least : std::max(1e-12, std::abs(most) * 0.1 + 0.5);
    const bool floor = axis.from_zero && least == 0.0;
    const bool ceiling = axis.from_zero && most == 0.0;
    low_ = std::isnan(low_) ? least - (floor ? 0.0 : kAir * range) : low_;
    high_ = std::isnan(high_) ? most + (ceiling ? 0.0 : kAir * range) : high_;
    if (!(high_ > low_)) {
        high_ = low_ + 1.0;
    }
}

double Ruler::place(double value) const {
    if (logarithmic_) {
        if (!(value > 0.0)) {
            return kNaN;
        }
        return std::clamp(std::log(value / low_) / std::log(high_ / low_), 0.0, 1.0);
    }
    return std::isnan(value) ? kNaN : std::clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}

std::vector<std::pair<double, std::string>> Ruler::ticks(double pixels) const {
    std::vector<std::pair<double, std::string>> out;
    for (std::size_t k = 0; k < categories_.size(); ++k) {
        out.emplace_back(static_cast<double>(k), categories_[k]);
    }
    if (!categories_.empty()) {
        return out;
    }
    // A label needs a third of the space vertically that it needs horizontally.
    const double wanted = pixels / (upward_ ? 34.0 : 70.0);
    if (logarithmic_) {
        return decade_ticks(low_, high_, wanted);
    }
    const std::vector<double> places = round_ticks(low_, high_, std::clamp(wanted, 2.0, 8.0));
    for (const double tick : places) {
        out.emplace_back(tick, number_text(tick));
    }
    return out;
}

std::vector<Layout> lay_out(const Figure& figure, double top) {
    std::vector<Ruler> ups;
    double left = 0.0;  // common to all panels, so that their axes are aligned
    for (const Panel& panel : figure.panels) {
        ups.emplace_back(panel.up, values_of(panel, false), true);
        std::size_t longest = 0;
        for (const auto& [value, text] : ups.back().ticks(panel.height)) {
            longest = std::max(longest, std::min<std::size_t>(characters(text), 24));
        }
        left = std::max(left, std::max(44.0, 14.0 + kCharacter * static_cast<double>(longest)) +
                                  (panel.up.label.empty() ? 0.0 : 22.0));
    }
    const double room = figure.width - left - 18.0;
    std::vector<Layout> out;
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        const Panel& panel = figure.panels[p];
        const Ruler across(panel.across, values_of(panel, true), false);
        const double width = panel.side > 0.0 ? std::min(panel.side, room) : room;
        Layout layout{Plot{left, 0.0, width, panel.height, across, ups[p]}, {}, top + 14.0, 0.0};
        top += panel.title.empty() ? 4.0 : kLine + 4.0;
        top += place_legend(panel, left, figure.width - 16.0, top, layout.legend);
        layout.plot.top = top + 4.0;
        top = layout.plot.top + panel.height + 8.0;
        if (!panel.across.hide_labels) {
            top += label_height(panel.across, width) + (panel.across.label.empty() ? 0.0 : kLine);
        }
        layout.bottom = top + 6.0;
        top = layout.bottom + 6.0;
        out.push_back(std::move(layout));
    }
    return out;
}

bool must_turn(const Axis& axis, double width) {
    return !axis.categories.empty() && kCharacter * longest_name(axis) + 6.0 >
                                           width / static_cast<double>(axis.categories.size());
}

double label_height(const Axis& axis, double width) {
    return must_turn(axis, width) ? 16.0 + 0.6 * kCharacter * longest_name(axis) : kLine;
}

int colour_of(const Series& series, std::size_t place) {
    return series.colour >= 0 ? series.colour : static_cast<int>(place);
}

std::string number_text(double value, int digits) {
    if (std::isnan(value)) {
        return "–";
    }
    if (std::isinf(value)) {
        return value > 0.0 ? "∞" : "−∞";
    }
    if (value != 0.0 && std::abs(value) < 1e-300) {
        value = 0.0;
    }
    std::string text = std::abs(value) >= 1e4 && std::abs(value) < 1e7 && value == std::round(value)
                           ? fmt::format("{:.0f}", value)
                           : fmt::format("{:.{}g}", value, digits);
    if (text.front() == '-') {
        text.replace(0, 1, "−");
    }
    return text;
}

}  // namespace mercer::chart

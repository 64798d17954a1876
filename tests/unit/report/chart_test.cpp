// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/report/chart_test.cpp - what the charting core draws, at known positions.
#include "mercer/report/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/chart_axis.hpp"

namespace mercer::chart {
namespace {

std::vector<std::string> tick_texts(const Ruler& ruler, double pixels) {
    std::vector<std::string> out;
    for (const auto& [value, text] : ruler.ticks(pixels)) {
        out.push_back(text);
    }
    return out;
}

TEST(ChartTest, TicksAreRoundNumbersInsideTheAxis) {
    const Ruler ruler({.low = -1.3, .high = 2.6}, {}, false);
    EXPECT_EQ(tick_texts(ruler, 420.0), (std::vector<std::string>{"−1", "0", "1", "2"}));
    const Ruler small({.low = 0.0, .high = 0.01}, {}, false);
    EXPECT_EQ(tick_texts(small, 360.0),
              (std::vector<std::string>{"0", "0.002", "0.004", "0.006", "0.008", "0.01"}));
}

TEST(ChartTest, ALogarithmicAxisHasDecades) {
    const Ruler ruler({.logarithmic = true, .low = 1e-6, .high = 10.0}, {}, false);
    EXPECT_EQ(tick_texts(ruler, 800.0), (std::vector<std::string>{"10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001",
                                                                  "0.01", "0.1", "1", "10"}));
    EXPECT_NEAR(ruler.place(1e-6), 0.0, 1e-12);
    EXPECT_NEAR(ruler.place(std::pow(10.0, -2.5)), 0.5, 1e-12);
    EXPECT_TRUE(std::isnan(ruler.place(0.0)));
}

TEST(ChartTest, AnAxisFromZeroHasNoAirThere) {
    const Ruler ruler({.from_zero = true}, {3.0, 10.0}, true);
    EXPECT_EQ(ruler.low(), 0.0);
    EXPECT_GT(ruler.high(), 10.0);
}

TEST(ChartTest, NumbersAreWrittenShort) {
    EXPECT_EQ(number_text(0.25), "0.25");
    EXPECT_EQ(number_text(-1.0 / 3.0), "−0.3333");
    EXPECT_EQ(number_text(100000.0), "100000");
    EXPECT_EQ(number_text(kNaN), "–");
}

TEST(ChartTest, TextIsEscapedInPictureAndData) {
    Figure figure{.id = "t", .title = "a < b & \"c\"", .description = "</script>"};
    figure.panels.push_back(
        {.series = {{.name = "</script><b>", .across = {0.0, 1.0}, .up = {0.0, 1.0}}}});
    const std::string svg = to_svg(figure, Setting::alone);
    EXPECT_NE(svg.find("<title id=\"t-title\">a &lt; b &amp; &quot;c&quot;</title>"),
              std::string::npos);
    EXPECT_EQ(svg.find("</script>"), std::string::npos);
    const std::string data = hover_data(figure);
    EXPECT_EQ(data.find('<'), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(data)["panels"][0]["series"][0]["name"], "</script><b>");
}

TEST(ChartTest, ALineBreaksAtWhatIsNoNumber) {
    Figure figure{.id = "t"};
    figure.panels.push_back(
        {.series = {{.across = {0.0, 1.0, kNaN, 2.0, 3.0}, .up = {0.0, 1.0, kNaN, 1.0, 0.0}}}});
    const std::string svg = to_svg(figure, Setting::in_page);
    EXPECT_EQ(svg.find("<polyline"), std::string::npos);
    EXPECT_NE(svg.find("<path class=\"line k0\" d=\"M"), std::string::npos);
}

TEST(ChartTest, TheContourOfAPlaneIsItsLine) {
    // f(x, y) = x + y on [0, 4]^2 is 4 on the line from (4, 0) to (0, 4).
    HeatMap map{.kind = HeatMap::Kind::diverging, .columns = 8, .rows = 8};
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
            map.values.push_back(0.5 * c + 0.25 + 0.5 * r + 0.25);
        }
    }
    const Axis axis{.low = 0.0, .high = 4.0};
    const Series line = contour(map, 4.1, axis, axis);
    int points = 0;
    for (std::size_t k = 0; k < line.across.size(); ++k) {
        if (!std::isnan(line.across[k])) {
            ++points;
            EXPECT_NEAR(line.across[k] + line.up[k], 4.1, 1e-12);
        }
    }
    EXPECT_GE(points, 14);
}

TEST(ChartTest, BarsLieWhenTheOtherAxisHasNames) {
    Figure figure{.id = "t"};
    figure.panels.push_back({.up = {.categories = {"one", "two"}},
                             .series = {{.mark = Mark::bars,
                                         .across = {1.0, -1.0},
                                         .up = {0.0, 1.0},
                                         .low = {0.5, -2.0},
                                         .high = {1.5, -0.5},
                                         .width = 0.7}}});
    const std::vector<Layout> layouts = lay_out(figure, 0.0);
    EXPECT_LT(layouts[0].plot.across.low(), -2.0);  // the intervals fit
    EXPECT_GT(layouts[0].plot.across.high(), 1.5);
    EXPECT_NE(to_svg(figure, Setting::in_page).find(">two</text>"), std::string::npos);
}

}  // namespace
}  // namespace mercer::chart

// SPDX-License-Identifier: Apache-2.0
//
// cli/region_picture.cpp - f on a grid around the support rows.
#include "region_picture.hpp"

#include <algorithm>
#include <array>

#include "exit_status.hpp"
#include "mercer/models/predict.hpp"

namespace mercer::cli {

namespace {

using Point = std::array<double, 2>;

/// The rectangle to draw, in the units of the data.
struct Frame {
    Point lower{kInfinity, kInfinity};
    Point upper{-kInfinity, -kInfinity};
};

/// Undoes the scaling of a coordinate; a constant column gets its constant.
double unscaled(const Model& model, std::size_t j, double value) {
    if (!model.scaling || model.scaling->method == "none") {
        return value;
    }
    const Scaling& scaling = *model.scaling;
    std::size_t place = j;
    if (!scaling.columns.empty()) {
        const auto found =
            std::find(scaling.columns.begin(), scaling.columns.end(), static_cast<index_t>(j));
        if (found == scaling.columns.end()) {
            return 0.0;
        }
        place = static_cast<std::size_t>(found - scaling.columns.begin());
    }
    const double factor = scaling.factor[place];
    return factor == 0.0 ? scaling.offset[place]
                         : (value - scaling.base) / factor + scaling.offset[place];
}

std::vector<Point> support_points(const Model& model) {
    std::vector<Point> points(static_cast<std::size_t>(model.support.rows()));
    for (std::size_t i = 0; i < points.size(); ++i) {
        model.support.copy_row(static_cast<index_t>(i), points[i]);
        for (std::size_t j = 0; j < 2; ++j) {
            points[i][j] = unscaled(model, j, points[i][j]);
        }
    }
    return points;
}

/// A frame around the points, with a margin of a tenth on each side.
Frame frame_around(const std::vector<Point>& points) {
    Frame frame;
    for (const Point& point : points) {
        for (std::size_t j = 0; j < 2; ++j) {
            frame.lower[j] = std::min(frame.lower[j], point[j]);
            frame.upper[j] = std::max(frame.upper[j], point[j]);
        }
    }
    for (std::size_t j = 0; j < 2; ++j) {
        const double extent = frame.upper[j] - frame.lower[j];
        const double spare = extent > 0.0 ? 0.1 * extent : 1.0;
        frame.lower[j] -= spare;
        frame.upper[j] += spare;
    }
    return frame;
}

char region_mark(double f) {
    if (f >= 0.0) {
        return f >= 1.0 ? '#' : '+';
    }
    return f <= -1.0 ? '.' : '-';
}

/// The cell of a coordinate among `cells` cells.
std::size_t cell_of(double value, double lower, double upper, index_t cells) {
    const double place = (value - lower) / (upper - lower) * static_cast<double>(cells);
    return static_cast<std::size_t>(std::clamp<index_t>(static_cast<index_t>(place), 0, cells - 1));
}

}  // namespace

std::vector<std::string> draw_regions(const Model& model, index_t width, index_t height,
                                      Context& context) {
    if (model.columns != 2 || model.labels.size() != 2 || model.is_ordinal() ||
        model.support.rows() == 0 || model.support.columns() != 2) {
        throw UsageError(
            "--picture needs a classifier of two columns and two classes with support rows");
    }
    const std::vector<Point> points = support_points(model);
    const Frame frame = frame_around(points);
    std::vector<double> grid;
    for (index_t r = 0; r < height; ++r) {
        for (index_t c = 0; c < width; ++c) {
            const double across = (static_cast<double>(c) + 0.5) / static_cast<double>(width);
            const double up = (static_cast<double>(height - r) - 0.5) / static_cast<double>(height);
            grid.push_back(frame.lower[0] + across * (frame.upper[0] - frame.lower[0]));
            grid.push_back(frame.lower[1] + up * (frame.upper[1] - frame.lower[1]));
        }
    }
    const Dataset cells(MatrixView<const double>(grid.data(), width * height, 2));
    const std::vector<double> f = decision_function(model, cells, context);
    std::vector<std::string> lines(static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < f.size(); ++i) {
        lines[i / static_cast<std::size_t>(width)] += region_mark(f[i]);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t c = cell_of(points[i][0], frame.lower[0], frame.upper[0], width);
        const std::size_t r = cell_of(points[i][1], frame.lower[1], frame.upper[1], height);
        lines[static_cast<std::size_t>(height) - 1 - r][c] =
            model.coefficients[i] > 0.0 ? 'x' : 'o';
    }
    return lines;
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// src/report/plane.cpp - f over one or two columns, or over two components.
//
// Method   With more than two columns the plane is that of the first two kernel principal
// components
//          of some rows (Schoelkopf, Smola and Mueller, 1998). f is linear in the feature space,
//          so its orthogonal projection onto that plane is mean + c1 z1 + c2 z2, with c the
//          regression of f on the components; the explained share of f's variance is reported.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/compute/linear_algebra.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/model_gram.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer::report {

namespace {

constexpr index_t kCellsAcross = 84;
constexpr index_t kCellsUp = 60;
constexpr index_t kPlaces = 350;
constexpr index_t kComponentRows = 400;

using Point = std::pair<double, double>;

/// Undoes the scaling of a coordinate; a constant column gets its constant.
double unscaled(const Model& model, std::size_t j, double value) {
    if (!model.scaling || model.scaling->method == "none") {
        return value;
    }
    const Scaling& scaling = *model.scaling;
    const auto found =
        std::find(scaling.columns.begin(), scaling.columns.end(), static_cast<index_t>(j));
    const std::size_t place =
        scaling.columns.empty() ? j : static_cast<std::size_t>(found - scaling.columns.begin());
    if (place >= scaling.factor.size()) {
        return 0.0;
    }
    const double factor = scaling.factor[place];
    return factor == 0.0 ? scaling.offset[place]
                         : (value - scaling.base) / factor + scaling.offset[place];
}

/// Coordinates of some rows, or of the model's support rows if there are no rows.
std::vector<Point> places_of(const Model& model, const Dataset* rows,
                             const std::vector<index_t>& chosen) {
    std::vector<Point> out;
    std::vector<double> row(static_cast<std::size_t>(model.columns));
    for (const index_t i : chosen) {
        (rows == nullptr ? model.support : *rows).copy_row(i, row);
        for (std::size_t j = 0; j < row.size() && rows == nullptr; ++j) {
            row[j] = unscaled(model, j, row[j]);
        }
        out.emplace_back(row[0], row.size() > 1 ? row[1] : 0.0);
    }
    return out;
}

chart::Axis axis_around(const std::vector<Point>& places, bool first, const std::string& label) {
    double low = kInfinity;
    double high = -kInfinity;
    for (const Point& place : places) {
        const double value = first ? place.first : place.second;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const double spare = high > low ? 0.08 * (high - low) : 1.0;
    return {.label = label, .low = low - spare, .high = high + spare};
}

void add_classes(const Model& model, const Dataset& rows, const std::vector<index_t>& chosen,
                 ReportPlane& plane, Context& context) {
    if (model.labels.empty() || !has_targets(model, rows)) {
        return;
    }
    const std::vector<index_t> said =
        predict_classes(model, decision_function(model, rows.view(chosen), context));
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        const double target = rows.targets[static_cast<std::size_t>(chosen[k])];
        plane.classes.push_back(model.labels[static_cast<std::size_t>(target)]);
        plane.wrong.push_back(static_cast<double>(said[k]) != target);
    }
}

/// f, or the class, at the centres of the cells.
void add_map(const Model& model, ReportPlane& plane, Context& context) {
    std::vector<double> grid;
    for (index_t r = 0; r < kCellsUp; ++r) {
        for (index_t c = 0; c < kCellsAcross; ++c) {
            const double across = (static_cast<double>(c) + 0.5) / kCellsAcross;
            const double up = (static_cast<double>(r) + 0.5) / kCellsUp;
            grid.push_back(plane.across.low + across * (plane.across.high - plane.across.low));
            grid.push_back(plane.up.low + up * (plane.up.high - plane.up.low));
        }
    }
    const Dataset cells(MatrixView<const double>(grid.data(), kCellsAcross * kCellsUp, 2));
    const std::vector<double> f = decision_function(model, cells, context);
    plane.map = {.columns = kCellsAcross, .rows = kCellsUp, .name = "f(x)", .hover = false};
    if (model.labels.size() > 2) {
        plane.map.kind = chart::HeatMap::Kind::classes;
        plane.map.name = "class";
        for (const index_t c : predict_classes(model, f)) {
            plane.map.values.push_back(static_cast<double>(c));
        }
        return;
    }
    plane.map.kind =
        model.labels.empty() ? chart::HeatMap::Kind::sequential : chart::HeatMap::Kind::diverging;
    const auto outputs = static_cast<std::size_t>(model.outputs());
    for (std::size_t i = 0; i < f.size(); i += outputs) {
        // Far from the data f may be huge; only the region around the margin matters.
        plane.map.values.push_back(model.labels.empty() ? f[i] : std::clamp(f[i], -2.0, 2.0));
    }
}

void add_line(const Model& model, ReportPlane& plane, Context& context) {
    constexpr index_t kPoints = 240;
    std::vector<double> grid;
    for (index_t k = 0; k < kPoints; ++k) {
        const double share = static_cast<double>(k) / (kPoints - 1);
        grid.push_back(plane.across.low + share * (plane.across.high - plane.across.low));
    }
    const Dataset rows(MatrixView<const double>(grid.data(), kPoints, 1));
    const std::vector<double> f = decision_function(model, rows, context);
    const auto outputs = static_cast<std::size_t>(model.outputs());
    for (std::size_t k = 0; k < grid.size(); ++k) {
        plane.curve.emplace_back(grid[k], f[k * outputs]);
    }
}

/// The first two components of centred K as columns, and the variance of each.
struct Components {
    std::vector<Point> places;
    std::array<double, 2> variances{};
    double total = 0.0;
};

Components components_of(const Model& model, const Dataset& rows, Context& context) {
    const index_t n = rows.rows();
    const ModelGram gram(model, rows, context);
    std::vector<index_t> all(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) {
        all[static_cast<std::size_t>(i)] = i;
    }
    Buffer<double> k = gram.among(all, context);
    std::vector<double> means(static_cast<std::size_t>(n), 0.0);
    double mean = 0.0;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            means[static_cast<std::size_t>(i)] += k.data()[i * n + j] / static_cast<double>(n);
        }
        mean += means[static_cast<std::size_t>(i)] / static_cast<double>(n);
    }
    Components out;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            k.data()[i * n + j] +=
                mean - means[static_cast<std::size_t>(i)] - means[static_cast<std::size_t>(j)];
        }
        out.total += k.data()[i * n + i];
    }
    std::vector<double> values(static_cast<std::size_t>(n));
    symmetric_eigen(MatrixView<double>(k.data(), n, n), values, true, context);
    for (index_t i = 0; i < n; ++i) {
        const auto coordinate = [&](index_t c) {
            return std::sqrt(std::max(0.0, values[static_cast<std::size_t>(n - c)])) *
                   k.data()[(n - c) * n + i];
        };
        out.places.emplace_back(coordinate(1), coordinate(2));
    }
    out.variances = {values[values.size() - 1], values[values.size() - 2]};
    return out;
}

/// The projection of f onto the plane of the components, and the share of its variance there.
void add_projection(const std::vector<double>& f, const Components& components,
                    ReportPlane& plane) {
    const auto n = static_cast<double>(f.size());
    double mean = 0.0;
    for (const double value : f) {
        mean += value / n;
    }
    double total = 0.0;
    std::array<double, 2> with{};
    for (std::size_t i = 0; i < f.size(); ++i) {
        total += (f[i] - mean) * (f[i] - mean);
        with[0] += (f[i] - mean) * components.places[i].first;
        with[1] += (f[i] - mean) * components.places[i].second;
    }
    std::array<double, 2> slope{};
    double explained = 0.0;
    for (std::size_t c = 0; c < 2; ++c) {
        slope[c] = components.variances[c] > 0.0 ? with[c] / components.variances[c] : 0.0;
        explained += slope[c] * with[c];
    }
    plane.share = total > 0.0 ? explained / total : kNaN;
    for (index_t r = 0; r < kCellsUp; ++r) {
        for (index_t c = 0; c < kCellsAcross; ++c) {
            const double x = plane.across.low + (static_cast<double>(c) + 0.5) / kCellsAcross *
                                                    (plane.across.high - plane.across.low);
            const double y = plane.up.low + (static_cast<double>(r) + 0.5) / kCellsUp *
                                                (plane.up.high - plane.up.low);
            plane.map.values.push_back(mean + slope[0] * x + slope[1] * y);
        }
    }
}

std::optional<ReportPlane> plane_of_components(const Model& model, const Dataset& rows,
                                               Context& context) {
    const std::vector<index_t> chosen = some_of(rows.rows(), kComponentRows, context);
    if (chosen.size() < 3) {
        return std::nullopt;
    }
    const Dataset some = rows.select(chosen);
    const Components components = components_of(model, some, context);
    if (!(components.variances[1] > 0.0)) {
        return std::nullopt;
    }
    const auto label = [&](int c) {
        return fmt::format(
            "kernel principal component {}, {:.0f} % of the variance", c + 1,
            100.0 * components.variances[static_cast<std::size_t>(c)] / components.total);
    };
    ReportPlane plane{.kind = "components", .labels = model.labels};
    plane.places = components.places;
    plane.across = axis_around(plane.places, true, label(0));
    plane.up = axis_around(plane.places, false, label(1));
    if (model.outputs() == 1 && !model.is_ordinal()) {
        plane.map = {.kind = model.labels.empty() ? chart::HeatMap::Kind::sequential
                                                  : chart::HeatMap::Kind::diverging,
                     .columns = kCellsAcross,
                     .rows = kCellsUp,
                     .name = "f(x), projected",
                     .hover = false};
        add_projection(decision_function(model, some, context), components, plane);
    }
    add_classes(model, rows, chosen, plane, context);
    return plane;
}

}  // namespace

void gather_plane(const Model& model, const Dataset* rows, Report& report, Context& context) {
    if (is_precomputed(model.kernel)) {
        report.remarks.emplace_back(
            "There is no picture of the decision: the rows are kernel values, not places.");
        return;
    }
    if (model.columns > 2) {
        if (rows != nullptr) {
            report.plane = plane_of_components(model, *rows, context);
        }
        return;
    }
    const index_t count = rows == nullptr ? model.support.rows() : rows->rows();
    if (count == 0 || model.columns == 0 || (rows == nullptr && model.on_columns)) {
        return;
    }
    const std::vector<index_t> chosen = some_of(count, kPlaces, context);
    ReportPlane plane{.kind = model.columns == 1 ? "column" : "columns", .labels = model.labels};
    plane.places = places_of(model, rows, chosen);
    plane.across = axis_around(plane.places, true, column_name(model, 0));
    if (model.columns == 1) {
        plane.up = {.label = "f(x)"};
        add_line(model, plane, context);
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const auto i = static_cast<std::size_t>(chosen[k]);
            plane.places[k].second = rows == nullptr || !has_targets(model, *rows) ? kNaN
                                     : model.labels.empty() ? rows->targets[i]
                                                            : 2.0 * rows->targets[i] - 1.0;
        }
    } else {
        plane.up = axis_around(plane.places, false, column_name(model, 1));
        add_map(model, plane, context);
    }
    if (rows != nullptr) {
        add_classes(model, *rows, chosen, plane, context);
    }
    report.plane = std::move(plane);
}

}  // namespace mercer::report

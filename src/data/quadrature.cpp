// SPDX-License-Identifier: Apache-2.0
//
// src/data/quadrature.cpp - panels of Gauss-Legendre points over the random numbers of a generator.
//
// Panels rather than one rule of high order: losses have kinks, the 0-1 loss a jump, and a panel
// confines the error that they cause. Panels end where the classes of a checkerboard change.
#include "mercer/data/quadrature.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "data/generator_rules.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

namespace {

constexpr index_t kLevels = 5;
constexpr index_t kMostQuadratureClasses = 10;  // a million rows at the third level
constexpr double kNormalReach = 8.5;            // beyond it lies 2e-17 of a normal distribution

struct Axis {
    std::vector<double> points;
    std::vector<double> weights;

    [[nodiscard]] std::size_t size() const { return points.size(); }
};

/// One point of weight 1: for a random number that the rule does not use.
Axis nothing() { return {{0.0}, {1.0}}; }

/// The uniform distribution on [lower, upper]: five points per panel, exact to degree 9.
Axis uniform_axis(double lower, double upper, index_t panels) {
    const double near = std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
    const double far = std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
    const double near_weight = (322.0 + 13.0 * std::sqrt(70.0)) / 1800.0;
    const double far_weight = (322.0 - 13.0 * std::sqrt(70.0)) / 1800.0;
    const std::array<double, 5> points = {-far, -near, 0.0, near, far};
    const std::array<double, 5> weights = {far_weight, near_weight, 64.0 / 225.0, near_weight,
                                           far_weight};
    Axis axis;
    const double width = (upper - lower) / static_cast<double>(panels);
    for (index_t panel = 0; panel < panels; ++panel) {
        const double middle = lower + (static_cast<double>(panel) + 0.5) * width;
        for (std::size_t k = 0; k < points.size(); ++k) {
            axis.points.push_back(middle + 0.5 * width * points[k]);
            axis.weights.push_back(weights[k] / static_cast<double>(panels));
        }
    }
    return axis;
}

/// The normal distribution with that deviation; for deviation 0, the number 0.
Axis normal_axis(double deviation, index_t panels) {
    if (deviation == 0.0) {
        return nothing();
    }
    Axis axis = uniform_axis(-kNormalReach, kNormalReach, panels);
    for (std::size_t i = 0; i < axis.size(); ++i) {
        const double z = axis.points[i];
        axis.weights[i] *=
            2.0 * kNormalReach * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
        axis.points[i] *= deviation;
    }
    return axis;
}

/// Collects rows; those whose weight is 0 up to rounding are left out.
struct Rows {
    index_t columns;
    std::vector<double> values{};
    std::vector<double> targets{};
    std::vector<double> weights{};

    void add(std::span<const double> x, double target, double weight) {
        constexpr double kLeast = 1e-20;
        if (weight > kLeast) {
            values.insert(values.end(), x.begin(), x.end());
            targets.push_back(target);
            weights.push_back(weight);
        }
    }
};

class RowsOfRule {
public:
    RowsOfRule(const GenerateOptions& options, index_t columns, index_t level)
        : options_(options), scale_(index_t{1} << level), rows_{columns} {}

    Rows make() && {
        if (generators::is_cluster(options_)) {
            clusters();
        } else if (options_.name == "moons" || options_.name == "spirals") {
            curves();
        } else if (options_.name == "sinc") {
            sinc();
        } else {
            cells();
        }
        return std::move(rows_);
    }

private:
    /// Every class has the same share of the rows.
    [[nodiscard]] double share() const { return 1.0 / static_cast<double>(options_.classes); }

    /// x = centre + deviation * normal, column by column.
    void clusters() {
        // With one column there is room for so many panels that the jump of the 0-1 loss matters
        // little.
        const index_t panels = (rows_.columns == 1 ? 256 : 8) * scale_;
        const generators::Clusters all = generators::place_clusters(options_, rows_.columns);
        const index_t parts = generators::components(options_);
        for (index_t part = 0; part < options_.classes * parts; ++part) {
            const auto first = static_cast<std::size_t>(part * rows_.columns);
            const auto noise = [&](index_t column) {
                return column < rows_.columns
                           ? normal_axis(all.deviations[first + static_cast<std::size_t>(column)],
                                         panels)
                           : nothing();
            };
            const index_t label = part / parts;
            const double weight = share() / static_cast<double>(parts);
            add_noisy({all.centres.data() + first, static_cast<std::size_t>(rows_.columns)},
                      noise(0), noise(1), static_cast<double>(label), weight);
        }
    }

    /// Rows x + noise of one or two columns.
    void add_noisy(std::span<const double> x, const Axis& first, const Axis& second, double target,
                   double weight) {
        std::array<double, 2> row{};
        for (std::size_t i = 0; i < first.size(); ++i) {
            for (std::size_t j = 0; j < second.size(); ++j) {
                row[0] = x[0] + first.points[i];
                row[1] = x.size() > 1 ? x[1] + second.points[j] : 0.0;
                rows_.add({row.data(), x.size()}, target,
                          weight * first.weights[i] * second.weights[j]);
            }
        }
    }

    /// A uniform number along the curve, normal noise across two columns.
    void curves() {
        constexpr index_t kCurvePanels = 6;
        constexpr index_t kNoisePanels = 4;
        const Axis along = uniform_axis(0.0, 1.0, kCurvePanels * scale_);
        const Axis noise = normal_axis(options_.noise, kNoisePanels * scale_);
        std::array<double, 2> x{};
        for (index_t label = 0; label < options_.classes; ++label) {
            for (std::size_t i = 0; i < along.size(); ++i) {
                if (options_.name == "moons") {
                    generators::moon(label == 1, along.points[i], x);
                } else {
                    generators::spiral(static_cast<double>(label),
                                       static_cast<double>(options_.classes), along.points[i], x);
                }
                add_noisy(x, noise, noise, static_cast<double>(label), share() * along.weights[i]);
            }
        }
    }

    void sinc() {
        constexpr index_t kPanels = 16;
        const Axis along =
            uniform_axis(-generators::kSincReach, generators::kSincReach, kPanels * scale_);
        const Axis noise = normal_axis(options_.noise, kPanels * scale_);
        for (std::size_t i = 0; i < along.size(); ++i) {
            for (std::size_t j = 0; j < noise.size(); ++j) {
                rows_.add({&along.points[i], 1},
                          generators::sinc(along.points[i]) + noise.points[j],
                          along.weights[i] * noise.weights[j]);
            }
        }
    }

    /// Uniform rows whose class is wrong with probability `noise`.
    void cells() {
        constexpr index_t kPanels = 8;  // divides both boards' cells
        const bool board = options_.name == "checkerboard";
        const Axis axis = board ? uniform_axis(0.0, generators::kCells, kPanels * scale_)
                                : uniform_axis(-1.0, 1.0, kPanels * scale_);
        const Axis second = rows_.columns > 1 ? axis : nothing();
        std::array<double, 2> x{};
        const std::span<double> row(x.data(), static_cast<std::size_t>(rows_.columns));
        for (std::size_t i = 0; i < axis.size(); ++i) {
            for (std::size_t j = 0; j < second.size(); ++j) {
                x = {axis.points[i], second.points[j]};
                const index_t own =
                    board ? generators::cell_class(row, options_.classes) : generators::parity(row);
                const double weight = axis.weights[i] * second.weights[j];
                for (index_t label = 0; label < options_.classes; ++label) {
                    const double probability =
                        label == own ? 1.0 - options_.noise
                                     : options_.noise / static_cast<double>(options_.classes - 1);
                    rows_.add(row, static_cast<double>(label), weight * probability);
                }
            }
        }
    }

    const GenerateOptions& options_;
    index_t scale_;
    Rows rows_;
};

}  // namespace

bool has_quadrature(const GenerateOptions& options) {
    return options.name != "friedman1" && options.name != "ordinal" && options.name != "queries" &&
           options.columns <= 2 && options.classes <= kMostQuadratureClasses;
}

Dataset quadrature_rows(const GenerateOptions& options, index_t level, Context& context) {
    const index_t columns = generators::require_rule(options);
    if (!has_quadrature(options)) {
        throw InvalidArgument(
            "quadrature", "",
            fmt::format("{} has {} columns and {} classes, must have at most 2 and {}",
                        options.name, columns, options.classes, kMostQuadratureClasses));
    }
    if (level < 0 || level >= kLevels) {
        throw InvalidArgument("level", fmt::format("{}", level),
                              fmt::format("must be >= 0 and < {}", kLevels));
    }
    Rows rows = RowsOfRule(options, columns, level).make();
    const auto count = static_cast<index_t>(rows.targets.size());
    auto values = std::make_shared<Buffer<double>>(
        context.allocate<double>(checked_multiply(count, columns), "quadrature rows"));
    std::copy(rows.values.begin(), rows.values.end(), values->data());
    Dataset data = Dataset::from_checked(MatrixView<const double>(values->data(), count, columns),
                                         values, context.memory());
    data.targets = std::move(rows.targets);
    data.weights = std::move(rows.weights);
    data.label_names = generators::class_names(options);
    return data;
}

}  // namespace mercer

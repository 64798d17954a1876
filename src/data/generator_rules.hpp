// SPDX-License-Identifier: Apache-2.0
//
// src/data/generator_rules.hpp - the rules of mercer/data/generate.hpp as functions of their random
// numbers, for code that draws them and code that integrates over them.
#pragma once

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/generate.hpp"

namespace mercer::generators {

inline constexpr index_t kMixtureComponents = 3;
inline constexpr double kCells = 4.0;       ///< of a checkerboard, along each column
inline constexpr double kSincReach = 10.0;  ///< x of sinc is uniform on [-10, 10)

[[nodiscard]] inline bool is_cluster(const GenerateOptions& options) {
    return options.name == "blobs" || options.name == "gaussian-mixture";
}
[[nodiscard]] inline index_t components(const GenerateOptions& options) {
    return options.name == "blobs" ? 1 : kMixtureComponents;
}

/// The point of a moon before noise; u uniform on [0, 1).
inline void moon(bool second, double u, std::span<double> x) {
    const double t = std::numbers::pi * u;
    x[0] = second ? 1.0 - std::cos(t) : std::cos(t);
    x[1] = second ? 0.5 - std::sin(t) : std::sin(t);
}

/// The point of a spiral before noise; u uniform on [0, 1).
inline void spiral(double label, double classes, double u, std::span<double> x) {
    const double r = std::sqrt(u);
    const double angle = 2.0 * std::numbers::pi * (1.5 * r + label / classes);
    x[0] = r * std::cos(angle);
    x[1] = r * std::sin(angle);
}

/// Class of a point before errors: the parity of the number of positive entries.
[[nodiscard]] inline index_t parity(std::span<const double> x) {
    index_t positive = 0;
    for (const double value : x) {
        positive += value > 0.0;
    }
    return positive % 2;
}

/// Class of a point before errors: the sum of the indices of its cell.
[[nodiscard]] inline index_t cell_class(std::span<const double> x, index_t classes) {
    index_t sum = 0;
    for (const double value : x) {
        sum += static_cast<index_t>(value);
    }
    return sum % classes;
}

[[nodiscard]] inline double friedman1(std::span<const double> x) {
    return 10.0 * std::sin(std::numbers::pi * x[0] * x[1]) + 20.0 * (x[2] - 0.5) * (x[2] - 0.5) +
           10.0 * x[3] + 5.0 * x[4];
}

[[nodiscard]] inline double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(x) / x; }

/// Centres and deviations of all classes and components, one after the other.
struct Clusters {
    std::vector<double> centres;
    std::vector<double> deviations;
};
[[nodiscard]] Clusters place_clusters(const GenerateOptions& options, index_t columns);

/// Throws InvalidArgument for options that do not fit the rule; returns the number of columns.
index_t require_rule(const GenerateOptions& options);

/// The names of the classes; empty for rules with numeric targets.
[[nodiscard]] std::vector<std::string> class_names(const GenerateOptions& options);

}  // namespace mercer::generators

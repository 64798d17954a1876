// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/divided.hpp - scales down a problem whose kernel values exceed the range of float32.
#pragma once

#include <span>
#include <vector>

#include "mercer/problems/problem.hpp"

namespace mercer {

/// The same problem with K / s: its coefficients are s beta, its costs s c, and its objective is s
/// times as large. Its gram is null when K cannot be scaled.
[[nodiscard]] inline Problem divided_by(const Problem& problem, double s) {
    Problem divided = problem;
    divided.gram = problem.gram->scaled(1.0 / s);
    divided.mass *= s;
    for (double& cost : divided.costs) {
        cost *= s;
    }
    return divided;
}

[[nodiscard]] inline std::vector<double> times(std::span<const double> values, double s) {
    std::vector<double> out(values.begin(), values.end());
    for (double& value : out) {
        value *= s;
    }
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/support/l1_conditions.hpp - the conditions of optimality of a point on a path of few
// coefficients, in long double and from the losses' definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/solvers/l1_path.hpp"

namespace mercer::testing {

/// d loss / d f by the textbook.
inline long double slope_of(std::string_view loss, long double y, long double f) {
    const long double xi = 1.0L - y * f;
    if (loss == "squared-hinge") {
        return -y * std::max(0.0L, xi);
    }
    if (loss == "modified-huber") {
        return -y * std::clamp(xi, 0.0L, 2.0L);
    }
    return (loss == "squared" ? 2.0L : 1.0L) * (f - y);
}

inline long double loss_of(std::string_view loss, long double y, long double f) {
    const long double xi = 1.0L - y * f;
    if (loss == "squared-hinge") {
        return 0.5L * std::max(0.0L, xi) * std::max(0.0L, xi);
    }
    if (loss == "modified-huber") {
        return xi <= 0.0L ? 0.0L : xi < 2.0L ? 0.5L * xi * xi : 2.0L * (xi - 1.0L);
    }
    return (loss == "squared" ? 1.0L : 0.5L) * (f - y) * (f - y);
}

/// The objective, and how far the point is from being a minimiser.
struct L1Check {
    long double objective = 0.0L;
    long double violation = 0.0L;
};

inline L1Check check(const L1PathProblem& problem, const L1Point& point) {
    const index_t n = problem.columns.columns;
    const index_t p = problem.columns.rows;
    const std::string name(name_of(problem.loss));
    const auto beta = [&](index_t j) {
        return static_cast<long double>(point.beta[static_cast<std::size_t>(j)]);
    };
    std::vector<long double> u(static_cast<std::size_t>(n));
    L1Check out;
    long double sum = 0.0L;
    for (index_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(i);
        long double f = 0.0L;
        for (index_t j = 0; j < p; ++j) {
            f += problem.columns(j, i) * beta(j);
        }
        if (problem.ridge == L1Ridge::gram) {
            out.objective += 0.5L * f * beta(i);
        }
        f += point.intercept;
        out.objective += problem.costs[row] * loss_of(name, problem.targets[row], f);
        u[row] = problem.costs[row] * slope_of(name, problem.targets[row], f);
        sum += u[row];
    }
    out.violation = problem.intercept ? std::abs(sum) : 0.0L;
    for (index_t j = 0; j < p; ++j) {
        long double g = problem.ridge == L1Ridge::identity ? beta(j) : 0.0L;
        for (index_t i = 0; i < n; ++i) {
            g += problem.columns(j, i) * u[static_cast<std::size_t>(i)];
            g += problem.ridge == L1Ridge::gram ? problem.columns(j, i) * beta(i) : 0.0L;
        }
        if (problem.ridge == L1Ridge::identity) {
            out.objective += 0.5L * beta(j) * beta(j);
        }
        out.objective += point.lambda * std::abs(beta(j));
        const long double each = beta(j) == 0.0L  ? std::abs(g) - point.lambda
                                 : beta(j) > 0.0L ? std::abs(g + point.lambda)
                                                  : std::abs(g - point.lambda);
        out.violation = std::max(out.violation, each);
    }
    return out;
}

}  // namespace mercer::testing

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/newton.cpp - Newton's method by Cholesky, damped.
//
// Method   H d = -g; a line search along d prevents divergence (Nocedal and Wright, chapter 3).
// Fits     n up to a few thousand with second derivatives.
// Cost     n^3/3 per step; memory n^2.
// Stops    at the gradient's tolerance. The undamped method may diverge; this is detected and
//          reported.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/descent.hpp"

namespace mercer {

namespace {

constexpr int kMostShifts = 60;

/// Solves (H + shift I) d = -g with the least shift tried that makes the matrix positive definite.
std::vector<double> newton_direction(Objective& objective, Descent& descent,
                                     MatrixView<double> hessian, Context& context) {
    double shift = 0.0;
    for (int k = 0; k < kMostShifts; ++k) {
        if (!objective.hessian(descent.x(), hessian)) {
            throw InvalidArgument("newton: the objective has no second derivatives");
        }
        double scale = 0.0;
        for (index_t i = 0; i < hessian.rows; ++i) {
            scale = std::max(scale, std::abs(hessian(i, i)));
            hessian(i, i) += shift;
        }
        ++descent.result().factorisations;
        if (cholesky(hessian, context)) {
            break;
        }
        shift = shift == 0.0 ? 1e-12 * std::max(scale, 1e-300) : 10.0 * shift;
    }
    std::vector<double> direction;
    for (const double g : descent.gradient()) {
        direction.push_back(-g);
    }
    cholesky_solve(hessian, MatrixView<double>(direction.data(), hessian.rows, 1), context);
    return direction;
}

}  // namespace

OptimiserResult newton(Objective& objective, std::span<const double> start,
                       const OptimiserOptions& options, Context& context) {
    Descent descent(objective, start, options, context);
    const index_t n = objective.size();
    Buffer<double> matrix = context.allocate<double>(checked_multiply(n, n), "second derivatives");
    const MatrixView<double> hessian(matrix.data(), n, n);
    descent.result().memory_bytes = n * n * static_cast<index_t>(sizeof(double));
    while (!descent.ended()) {
        if (!options.damped && descent.running_away()) {
            descent.result().remedy =
                "full Newton steps overshoot from this start; use the damped method";
            break;
        }
        const std::vector<double> direction =
            newton_direction(objective, descent, hessian, context);
        if (!options.damped) {
            descent.move(direction, 1.0);
        } else if (!descent.search(direction, 1.0,
                                   options.exact ? kWolfeExact : kWolfeQuasiNewton)) {
            descent.stall("no lower value along the Newton step in double precision");
            break;
        }
    }
    return std::move(descent).release();
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/certified_descent.hpp - a first-order method that stops by its certificate.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/error.hpp"
#include "solvers/kernel_solvers.hpp"

namespace mercer {

/// Gradient descent, conjugate gradients or L-BFGS in the RKHS: one product with K per step.
/// `proof` certifies points of the dual (promising, certify, finish); `objective` offers dual_point
/// and products in addition to what an optimiser needs.
template <typename Proof, typename Objective>
[[nodiscard]] auto descend_to_proof(Proof& proof, Objective& objective,
                                    const std::vector<double>& start, const SolveOptions& options,
                                    Optimiser method, Context& context) {
    constexpr index_t kGradientSteps = 20'000;
    OptimiserOptions wanted;
    wanted.gradient_tolerance = 1e-15;
    wanted.max_iterations = options.max_iterations > 0 ? options.max_iterations : kGradientSteps;
    bool certified = false;
    std::vector<double> last = start;
    index_t steps = 0;
    wanted.watch = [&](std::span<const double> x, const OptimiserPoint& point) {
        last.assign(x.begin(), x.end());
        steps = point.iteration;
        // The primal is 1-strongly convex in f: value - optimum <= 1/2 |gradient|^2.
        certified = proof.promising(0.5 * point.gradient_norm * point.gradient_norm, point.value);
        return !(certified && proof.certify(objective.dual_point(x), point.iteration));
    };
    OptimiserResult found;
    found.status = SolveStatus::interrupted;
    try {
        found = method(objective, start, wanted, context);
        certified = certified && found.x == last;
        last = found.x;
    } catch (const Interrupted&) {
        certified = false;
    }
    if (!certified) {
        proof.certify(objective.dual_point(last), steps);
    }
    return proof.finish(found.status, steps, options.solver.name());
}

}  // namespace mercer

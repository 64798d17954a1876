// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_objective.hpp - a kernel machine's primal as a function of (beta, K beta, b).
//
// The gradient is that of the RKHS, h = beta + c loss'(z), with the inner product <a, b> = a'K b:
// no condition number is squared, and methods that use only linear combinations and inner products
// (descent, conjugate gradients, L-BFGS) run unchanged. Every point carries K beta together with
// beta, so an inner product costs no product with K.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/optimise.hpp"

namespace mercer {

class KernelObjective final : public Objective {
public:
    KernelObjective(const Problem& problem, Context& context);

    [[nodiscard]] index_t size() const override { return 2 * n_ + 1; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override;
    [[nodiscard]] double inner(std::span<const double> a, std::span<const double> b) const override;

    /// beta_i = -c_i loss'(y_i, z_i) of a point.
    [[nodiscard]] std::vector<double> dual_point(std::span<const double> x) const;

    /// A point from coefficients.
    [[nodiscard]] std::vector<double> point(std::span<const double> beta);

private:
    const Problem& problem_;
    Context& context_;
    index_t n_;
    std::unique_ptr<const GramBlock> gram_;
    double intercept_scale_;  ///< b = intercept_scale * the last coordinate
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/conjugate_gradient.cpp - conjugate directions: linear, preconditioned, nonlinear.
//
// Method   Hestenes and Stiefel 1952 for linear systems; Polak and Ribiere (cut at zero), Hestenes
//          and Stiefel, Fletcher and Reeves for nonlinear functions, with restarts.
// Fits     large systems of which only products are known.
// Cost     one product or gradient per step; memory O(n).
// Stops    |b - A x| <= tolerance |b|, by the recurrence; the residual stated is computed anew.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "solvers/descent.hpp"

namespace mercer {

namespace {

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

constexpr double kCaution = 10.0;        // a step may do this much worse than the one before it
constexpr double kLeastDescent = 1e-10;  // a direction this close to level is no descent

}  // namespace

LinearSystemResult conjugate_gradient(const LinearOperator& a, std::span<const double> b,
                                      std::span<const double> x, const LinearSystemOptions& options,
                                      Context& context) {
    if (x.size() != b.size()) {
        throw InvalidArgument(fmt::format("start: got {} numbers, must be {}", x.size(), b.size()));
    }
    require_in_range("tolerance", options.tolerance, Range::positive());
    const std::size_t n = b.size();
    const index_t limit =
        options.max_iterations > 0 ? options.max_iterations : 10 * static_cast<index_t>(n) + 10;
    LinearSystemResult out;
    out.x.assign(x.begin(), x.end());
    std::vector<double> product(n);
    const auto multiply = [&](std::span<const double> v) {
        a(v, product);
        ++out.products;
    };
    std::vector<double> r(b.begin(), b.end());
    if (std::any_of(x.begin(), x.end(), [](double value) { return value != 0.0; })) {
        multiply(x);
        for (std::size_t i = 0; i < n; ++i) {
            r[i] -= product[i];
        }
    }
    const double size = std::max(norm(b), 1e-300);
    std::vector<double> z(r);
    const auto precondition = [&] {
        if (options.precondition) {
            options.precondition(r, z);
        } else {
            z = r;
        }
    };
    precondition();
    std::vector<double> d = z;
    double rz = dot(r, z);
    out.status = SolveStatus::iteration_limit;
    for (;; ++out.iterations) {
        const double residual = norm(r) / size;
        out.residuals.push_back(residual);
        const bool go_on = !options.watch || options.watch(out.x, out.iterations, residual);
        if (residual <= options.tolerance || !go_on) {
            out.status = SolveStatus::converged;
            break;
        }
        if (context.should_stop()) {
            out.status = SolveStatus::interrupted;
            break;
        }
        if (out.iterations == limit) {
            break;
        }
        if (options.foresee && out.iterations > 0) {
            const double pace = residual / out.residuals[out.residuals.size() - 2];
            if (kCaution * pace * residual <= options.tolerance) {
                for (std::size_t i = 0; i < n; ++i) {
                    out.x[i] += z[i];  // z is the precondition's answer to r
                }
                ++out.iterations;
                out.residuals.push_back(pace * residual);
                out.status = SolveStatus::converged;
                break;
            }
        }
        multiply(d);
        const double curvature = dot(d, product);
        if (!(curvature > 0.0)) {  // not positive definite, or nothing left in double precision
            out.status = SolveStatus::reduced;
            break;
        }
        const double step = rz / curvature;
        for (std::size_t i = 0; i < n; ++i) {
            out.x[i] += step * d[i];
            r[i] -= step * product[i];
        }
        precondition();
        const double next = dot(r, z);
        const double turn = next / rz;
        rz = next;
        for (std::size_t i = 0; i < n; ++i) {
            d[i] = z[i] + turn * d[i];
        }
        context.report({.stage = "conjugate-gradient",
                        .done = out.iterations + 1,
                        .total = 0,
                        .gap = residual});
    }
    if (options.recompute) {
        multiply(out.x);
        for (std::size_t i = 0; i < n; ++i) {
            r[i] = b[i] - product[i];
        }
    }
    out.residual = norm(r) / size;
    return out;
}

double conjugate_gradient_bound(double condition, double tolerance) {
    const double root = std::sqrt(std::max(1.0, condition));
    if (root == 1.0) {
        return 1.0;
    }
    return std::ceil(std::log(2.0 / tolerance) / std::log((root + 1.0) / (root - 1.0)));
}

std::vector<double> conjugate_directions(MatrixView<const double> p, std::span<const double> q,
                                         MatrixView<double> directions) {
    const index_t n = p.rows;
    if (p.columns != n || static_cast<index_t>(q.size()) != n || directions.rows != n ||
        directions.columns != n) {
        throw InvalidArgument("conjugate_directions: the shapes do not fit");
    }
    const auto row = [&](index_t k) {
        return std::span<double>(directions.row(k), static_cast<std::size_t>(n));
    };
    std::vector<std::vector<double>> products;  // P d_k
    std::vector<double> curvatures;
    std::vector<double> x(static_cast<std::size_t>(n), 0.0);
    for (index_t k = 0; k < n; ++k) {
        const std::span<double> d = row(k);
        std::fill(d.begin(), d.end(), 0.0);
        d[static_cast<std::size_t>(k)] = 1.0;
        for (index_t e = 0; e < k; ++e) {
            const auto earlier = static_cast<std::size_t>(e);
            // <e_k, P d_e> / <d_e, P d_e>
            const double share =
                products[earlier][static_cast<std::size_t>(k)] / curvatures[earlier];
            for (index_t i = 0; i < n; ++i) {
                d[static_cast<std::size_t>(i)] -= share * directions(e, i);
            }
        }
        std::vector<double> product(static_cast<std::size_t>(n), 0.0);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                product[static_cast<std::size_t>(i)] += p(i, j) * directions(k, j);
            }
        }
        const double curvature = dot(d, product);
        if (!(curvature > 0.0)) {
            throw InvalidArgument(fmt::format(
                "conjugate_directions: direction {} has curvature {}: the matrix is not positive "
                "definite",
                k + 1, curvature));
        }
        const double step = dot(q, d) / curvature;  // one-dimensional: independent of the others
        for (index_t i = 0; i < n; ++i) {
            x[static_cast<std::size_t>(i)] += step * directions(k, i);
        }
        products.push_back(std::move(product));
        curvatures.push_back(curvature);
    }
    return x;
}

OptimiserResult nonlinear_conjugate_gradient(Objective& objective, std::span<const double> start,
                                             const OptimiserOptions& options, Context& context) {
    require_choice("rule", options.rule, {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves"});
    Descent descent(objective, start, options, context);
    std::vector<double> direction(start.size(), 0.0);
    std::vector<double> before;
    double before_square = 0.0;
    double step = 1.0;
    index_t since_restart = 0;
    while (!descent.ended()) {
        const std::span<const double> g = descent.gradient();
        const double square = descent.inner(g, g);
        double turn = 0.0;
        if (!before.empty() && since_restart < objective.size()) {
            std::vector<double> change(g.begin(), g.end());
            for (std::size_t i = 0; i < change.size(); ++i) {
                change[i] -= before[i];
            }
            if (options.rule == "fletcher-reeves") {
                turn = square / before_square;
            } else if (options.rule == "polak-ribiere") {
                turn = std::max(0.0, descent.inner(g, change) / before_square);
            } else {
                turn = std::max(0.0, descent.inner(g, change) / descent.inner(direction, change));
            }
        }
        turn = std::isfinite(turn) ? turn : 0.0;
        for (std::size_t i = 0; i < direction.size(); ++i) {
            direction[i] = turn * direction[i] - g[i];
        }
        const double slope = descent.inner(g, direction);
        const double sizes = std::sqrt(square * descent.inner(direction, direction));
        if (turn == 0.0 || !(slope < -kLeastDescent * sizes)) {
            for (std::size_t i = 0; i < direction.size(); ++i) {
                direction[i] = -g[i];
            }
            descent.result().restarts += before.empty() ? 0 : 1;
            since_restart = 0;
        }
        ++since_restart;
        before.assign(g.begin(), g.end());
        before_square = square;
        if (!descent.search(direction, step, options.exact ? kWolfeExact : kWolfeConjugate)) {
            descent.stall("no lower value along the direction in double precision");
            break;
        }
        step = std::isfinite(descent.result().trace.back().step)
                   ? std::max(1e-12, descent.result().trace.back().step)
                   : 1.0;
    }
    return std::move(descent).release();
}

}  // namespace mercer

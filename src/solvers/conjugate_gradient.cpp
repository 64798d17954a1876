// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/conjugate_gradient.cpp - conjugate directions: linear, preconditioned, nonlinear.
//
// Method   Hestenes and Stiefel 1952 for linear systems; Polak and Ribiere (cut at zero), Hestenes
//          and Stiefel, Fletcher and Reeves for nonlinear functions, with restarts.
// Fits     large systems that are given only by products.
// Cost     one product or gradient per step; memory O(n).
// Stops    |b - A x| <= tolerance |b|, by the recurrence; the reported residual is recomputed.
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

constexpr double kCaution = 10.0;        // the next step may be this much worse than the last
constexpr double kLeastDescent = 1e-10;  // a flatter direction is not a descent direction

}  // namespace

namespace {

/// One run of the linear method.
class LinearRun {
public:
    LinearRun(const LinearOperator& a, std::span<const double> b, std::span<const double> x,
              const LinearSystemOptions& options)
        : a_(a),
          options_(options),
          n_(b.size()),
          limit_(options.max_iterations > 0 ? options.max_iterations
                                            : 10 * static_cast<index_t>(n_) + 10),
          size_(std::max(norm(b), 1e-300)),
          product_(n_),
          r_(b.begin(), b.end()) {
        out_.x.assign(x.begin(), x.end());
        if (std::any_of(x.begin(), x.end(), [](double value) { return value != 0.0; })) {
            multiply(x);
            for (std::size_t i = 0; i < n_; ++i) {
                r_[i] -= product_[i];
            }
        }
        z_ = r_;
        precondition();
        d_ = z_;
        rz_ = dot(r_, z_);
    }

    [[nodiscard]] LinearSystemResult run(std::span<const double> b, Context& context) && {
        for (;; ++out_.iterations) {
            const double residual = norm(r_) / size_;
            out_.residuals.push_back(residual);
            if (is_ended(residual, context) || foresees_end(residual) || !step()) {
                break;
            }
            context.report({.stage = "conjugate-gradient",
                            .done = out_.iterations + 1,
                            .total = 0,
                            .gap = residual});
        }
        if (options_.recompute) {
            multiply(out_.x);
            for (std::size_t i = 0; i < n_; ++i) {
                r_[i] = b[i] - product_[i];
            }
        }
        out_.residual = norm(r_) / size_;
        return std::move(out_);
    }

private:
    void multiply(std::span<const double> v) {
        a_(v, product_);
        ++out_.products;
    }

    void precondition() {
        if (options_.precondition) {
            options_.precondition(r_, z_);
        } else {
            z_ = r_;
        }
    }

    bool is_ended(double residual, const Context& context) {
        const bool go_on = !options_.watch || options_.watch(out_.x, out_.iterations, residual);
        if (residual <= options_.tolerance || !go_on) {
            out_.status = SolveStatus::converged;
            return true;
        }
        if (context.should_stop()) {
            out_.status = SolveStatus::interrupted;
            return true;
        }
        out_.status = SolveStatus::iteration_limit;
        return out_.iterations == limit_;
    }

    /// Takes the last step without a product if the rate so far predicts that it suffices.
    bool foresees_end(double residual) {
        if (!options_.foresee || out_.iterations == 0) {
            return false;
        }
        const double pace = residual / out_.residuals[out_.residuals.size() - 2];
        if (!(kCaution * pace * residual <= options_.tolerance)) {
            return false;
        }
        for (std::size_t i = 0; i < n_; ++i) {
            out_.x[i] += z_[i];  // z = M^-1 r
        }
        ++out_.iterations;
        out_.residuals.push_back(pace * residual);
        out_.status = SolveStatus::converged;
        return true;
    }

    /// False when A is not positive definite, or no progress is possible in double precision.
    bool step() {
        multiply(d_);
        const double curvature = dot(d_, product_);
        if (!(curvature > 0.0)) {
            out_.status = SolveStatus::reduced;
            return false;
        }
        const double length = rz_ / curvature;
        for (std::size_t i = 0; i < n_; ++i) {
            out_.x[i] += length * d_[i];
            r_[i] -= length * product_[i];
        }
        precondition();
        const double next = dot(r_, z_);
        const double turn = next / rz_;
        rz_ = next;
        for (std::size_t i = 0; i < n_; ++i) {
            d_[i] = z_[i] + turn * d_[i];
        }
        return true;
    }

    const LinearOperator& a_;
    const LinearSystemOptions& options_;
    std::size_t n_;
    index_t limit_;
    double size_;  ///< norm of the right-hand side
    std::vector<double> product_;
    std::vector<double> r_;
    std::vector<double> z_;
    std::vector<double> d_;
    double rz_ = 0.0;
    LinearSystemResult out_;
};

std::vector<double> multiply(MatrixView<const double> p, std::span<const double> d) {
    std::vector<double> product(d.size(), 0.0);
    for (index_t i = 0; i < p.rows; ++i) {
        for (index_t j = 0; j < p.columns; ++j) {
            product[static_cast<std::size_t>(i)] += p(i, j) * d[static_cast<std::size_t>(j)];
        }
    }
    return product;
}

/// A conjugate direction d of a quadratic.
struct ConjugateDirection {
    std::vector<double> product;  ///< P d
    double curvature = 0.0;       ///< <d, P d>
};

/// Sets row k = earlier.size() to the unit vector e_k minus its components along the earlier
/// directions: Gram-Schmidt in the metric of P.
std::span<double> make_conjugate(std::span<const ConjugateDirection> earlier,
                                 MatrixView<double> directions) {
    const std::size_t k = earlier.size();
    const std::span<double> d(directions.row(static_cast<index_t>(k)),
                              static_cast<std::size_t>(directions.columns));
    std::fill(d.begin(), d.end(), 0.0);
    d[k] = 1.0;
    for (std::size_t e = 0; e < k; ++e) {
        const double share = earlier[e].product[k] / earlier[e].curvature;
        const double* direction = directions.row(static_cast<index_t>(e));
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] -= share * direction[i];
        }
    }
    return d;
}

/// The coefficient of the last direction in the next one, before any restart.
double turn_of(const std::string& rule, const Descent& descent, std::span<const double> before,
               std::span<const double> direction, double before_square) {
    const std::span<const double> g = descent.gradient();
    std::vector<double> change(g.begin(), g.end());
    for (std::size_t i = 0; i < change.size(); ++i) {
        change[i] -= before[i];
    }
    double turn = 0.0;
    if (rule == "fletcher-reeves") {
        turn = descent.inner(g, g) / before_square;
    } else if (rule == "polak-ribiere") {
        turn = std::max(0.0, descent.inner(g, change) / before_square);
    } else {
        turn = std::max(0.0, descent.inner(g, change) / descent.inner(direction, change));
    }
    return std::isfinite(turn) ? turn : 0.0;
}

}  // namespace

LinearSystemResult conjugate_gradient(const LinearOperator& a, std::span<const double> b,
                                      std::span<const double> x, const LinearSystemOptions& options,
                                      Context& context) {
    if (x.size() != b.size()) {
        throw InvalidArgument(fmt::format("start: got {} numbers, must be {}", x.size(), b.size()));
    }
    require_in_range("tolerance", options.tolerance, Range::positive());
    return LinearRun(a, b, x, options).run(b, context);
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
        throw InvalidArgument("conjugate_directions: the shapes do not match");
    }
    std::vector<ConjugateDirection> earlier;
    std::vector<double> x(static_cast<std::size_t>(n), 0.0);
    for (index_t k = 0; k < n; ++k) {
        const std::span<const double> d = make_conjugate(earlier, directions);
        std::vector<double> product = multiply(p, d);
        const double curvature = dot(d, product);
        if (!(curvature > 0.0)) {
            throw InvalidArgument(fmt::format(
                "conjugate_directions: direction {} has curvature {}: the matrix is not positive "
                "definite",
                k + 1, curvature));
        }
        const double step = dot(q, d) / curvature;  // independent of the other directions
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += step * d[i];
        }
        earlier.push_back({std::move(product), curvature});
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
        const bool turns = !before.empty() && since_restart < objective.size();
        const double turn =
            turns ? turn_of(options.rule, descent, before, direction, before_square) : 0.0;
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

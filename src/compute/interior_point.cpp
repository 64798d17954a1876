// SPDX-License-Identifier: Apache-2.0
//
// src/compute/interior_point.cpp - Mehrotra's predictor-corrector method for dense convex programs.
//
// Method   Primal-dual interior point (Mehrotra, SIAM J. Optim. 2, 1992) on the equations
//          K x + c + G'z + E'y = 0, G x + h + s = 0, E x = e, s z = mu. Each step eliminates s, z
//          and then y; the matrix K + G'(z/s)G gets a small proximal term, so that it can be
//          factorised even if K is singular (or zero) or rows are dependent, and the directions are
//          refined against the matrix without it.
// Fits     a thousand variables; every factorisation costs n^3 / 3.
// Stops    when every condition holds within the tolerance relative to its terms, or when no
//          condition has improved for a while. The reason is not determined here.
// Notation G  the rows of A, then the bounds     w = z/s     M = K + G'wG + rho I
//          S = E M^-1 E' + rho I                 rd, rp, re  residuals of the three equations
#include "compute/interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

using Vector = std::vector<double>;

constexpr double kProximal = 1e-9;     // of a program whose entries are about 1
constexpr double kStartReach = 100.0;  // largest constant that the starting point considers
constexpr double kToBoundary = 0.995;  // share of the way to the nearest bound
constexpr int kRefinements = 6;        // more do not help in double precision
constexpr index_t kPatience = 25;      // steps without an improvement of 10 %

/// The equations of a Newton step, factorised.
class StepEquations {
public:
    StepEquations(const ScaledProgram& program, Context& context)
        : p_(program),
          context_(context),
          matrix_(context.allocate<double>(program.n * program.n, "the interior-point matrix")),
          scaled_rows_(
              context.allocate<double>(program.dense() * program.n, "weighted constraint rows")),
          columns_(context.allocate<double>(program.n * program.equalities(), "equations")),
          schur_(context.allocate<double>(program.equalities() * program.equalities(),
                                          "equations among themselves")) {}

    /// False when even a large proximal term does not make the matrix positive definite.
    [[nodiscard]] bool factorise(const Vector& w) {
        w_ = w;
        for (const double growth : {1.0, 1e2, 1e4, 1e6}) {
            if (factorise_with(growth * kProximal)) {
                return true;
            }
        }
        return false;
    }

    /// (K + G'wG) dx + E'dy = b1, E dx = b2, refined while that helps.
    void solve(const Vector& b1, const Vector& b2, Vector& dx, Vector& dy) {
        dx.assign(b1.size(), 0.0);
        dy.assign(b2.size(), 0.0);
        Vector r1 = b1;
        Vector r2 = b2;
        double left = kInfinity;
        for (int round = 0; round < kRefinements; ++round) {
            Vector cx = r1;
            Vector cy = r2;
            solve_once(cx, cy);
            Vector x = dx;
            Vector y = dy;
            for (std::size_t j = 0; j < x.size(); ++j) {
                x[j] += cx[j];
            }
            for (std::size_t j = 0; j < y.size(); ++j) {
                y[j] += cy[j];
            }
            remainder(b1, b2, x, y, r1, r2);
            const double now = std::max(largest(r1), largest(r2));
            if (!(now < left)) {
                break;  // the last correction made it worse
            }
            dx = std::move(x);
            dy = std::move(y);
            if (now > 0.5 * left) {
                break;
            }
            left = now;
        }
    }

private:
    [[nodiscard]] MatrixView<double> view(Buffer<double>& block, index_t rows, index_t columns) {
        return {block.data(), rows, columns};
    }

    [[nodiscard]] bool factorise_with(double rho) {
        const index_t n = p_.n;
        const index_t m = p_.dense();
        std::copy(p_.k.begin(), p_.k.end(), matrix_.data());
        for (index_t i = 0; i < m; ++i) {
            const double root = std::sqrt(w_[static_cast<std::size_t>(i)]);
            for (index_t j = 0; j < n; ++j) {
                scaled_rows_[i * n + j] = root * p_.a[static_cast<std::size_t>(i * n + j)];
            }
        }
        if (m > 0) {
            const MatrixView<const double> rows(scaled_rows_.data(), m, n);
            multiply(rows, true, rows, false, 1.0, 1.0, view(matrix_, n, n), context_);
        }
        for (std::size_t i = 0; i < p_.bounds.size(); ++i) {
            matrix_[p_.bounds[i].variable * (n + 1)] += w_[static_cast<std::size_t>(m) + i];
        }
        for (index_t j = 0; j < n; ++j) {
            matrix_[j * (n + 1)] += rho;
        }
        return cholesky(view(matrix_, n, n), context_) && factorise_equations(rho);
    }

    [[nodiscard]] bool factorise_equations(double rho) {
        const index_t n = p_.n;
        const index_t p = p_.equalities();
        if (p == 0) {
            return true;
        }
        for (index_t i = 0; i < p; ++i) {
            for (index_t j = 0; j < n; ++j) {
                columns_[j * p + i] = p_.e[static_cast<std::size_t>(i * n + j)];
            }
        }
        const MatrixView<double> columns = view(columns_, n, p);
        cholesky_solve(view(matrix_, n, n), columns, context_);
        const MatrixView<const double> equations(p_.e.data(), p, n);
        multiply(equations, false, columns, false, 1.0, 0.0, view(schur_, p, p), context_);
        double size = 0.0;
        for (index_t i = 0; i < p; ++i) {
            size = std::max(size, schur_[i * (p + 1)]);
        }
        for (index_t i = 0; i < p; ++i) {
            schur_[i * (p + 1)] += std::max(rho, 1e-14 * size);
        }
        return cholesky(view(schur_, p, p), context_);
    }

    /// Solves with the factors, in place.
    void solve_once(Vector& x, Vector& y) {
        const index_t n = p_.n;
        const index_t p = p_.equalities();
        const MatrixView<const double> factor = view(matrix_, n, n);
        cholesky_solve(factor, MatrixView<double>(x.data(), n, 1), context_);
        if (p == 0) {
            return;
        }
        Vector right(y.size());
        multiply_rows(p_.e, x, p, right);
        for (std::size_t i = 0; i < y.size(); ++i) {
            right[i] -= y[i];
        }
        cholesky_solve(view(schur_, p, p), MatrixView<double>(right.data(), p, 1), context_);
        y = right;
        Vector correction(x.size());
        const MatrixView<const double> columns = view(columns_, n, p);
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < p; ++i) {
                correction[static_cast<std::size_t>(j)] +=
                    columns(j, i) * y[static_cast<std::size_t>(i)];
            }
        }
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] -= correction[j];
        }
    }

    /// The residuals of b1 and b2 for the matrix without the proximal term.
    void remainder(const Vector& b1, const Vector& b2, const Vector& dx, const Vector& dy,
                   Vector& r1, Vector& r2) const {
        Vector weighted = inequalities_at(p_, dx);
        for (std::size_t i = 0; i < weighted.size(); ++i) {
            weighted[i] *= w_[i];
        }
        WideVector sum(b1.size(), 0);
        add_transposed(p_.k, dx, p_.n, sum);
        add_inequalities(p_, weighted, sum);
        add_transposed(p_.e, dy, p_.equalities(), sum);
        for (std::size_t j = 0; j < r1.size(); ++j) {
            r1[j] = static_cast<double>(b1[j] - sum[j]);
        }
        multiply_rows(p_.e, dx, p_.equalities(), r2);
        for (std::size_t i = 0; i < r2.size(); ++i) {
            r2[i] = b2[i] - r2[i];
        }
    }

    const ScaledProgram& p_;
    Context& context_;
    Vector w_;
    Buffer<double> matrix_;
    Buffer<double> scaled_rows_;
    Buffer<double> columns_;
    Buffer<double> schur_;
};

struct Direction {
    Vector x, s, z, y;
};

/// The largest step for which s and z stay >= 0.
double longest(const InteriorPoint& at, const Direction& d) {
    double length = 1.0;
    for (std::size_t i = 0; i < at.s.size(); ++i) {
        if (d.s[i] < 0.0) {
            length = std::min(length, -at.s[i] / d.s[i]);
        }
        if (d.z[i] < 0.0) {
            length = std::min(length, -at.z[i] / d.z[i]);
        }
    }
    return length;
}

class Run {
public:
    Run(const ScaledProgram& program, const QuadraticOptions& options, Context& context)
        : p_(program), options_(options), context_(context), equations_(program, context) {}

    [[nodiscard]] InteriorRun solve() {
        InteriorRun best;
        try {
            iterate(best);
        } catch (const Interrupted&) {  // inside a factorisation
            best.status = QuadraticStatus::interrupted;
        }
        return best;
    }

private:
    // Share of the tolerance to aim at, so that the polished and the unscaled point meet it, too.
    static constexpr double kGoal = 0.1;

    /// Iterates until a stopping rule applies; `best` has the reason and the best point.
    void iterate(InteriorRun& best) {
        best.point = {Vector(p_.c.size(), 0.0), Vector(p_.h.size(), 1.0), Vector(p_.h.size(), 1.0),
                      Vector(p_.f.size(), 0.0)};
        best.residuals = residuals_of(p_, best.point);
        at_ = best.point;
        if (!start()) {
            return;
        }
        index_t stalled = 0;
        for (;; ++best.iterations) {
            const InteriorResiduals now = residuals_of(p_, at_);
            const double worst = now.worst();
            stalled = worst < 0.9 * best.residuals.worst() ? 0 : stalled + 1;
            if (worst < best.residuals.worst()) {
                best.point = at_;
                best.residuals = now;
            }
            if (worst <= kGoal * options_.tolerance) {
                best.status = QuadraticStatus::optimal;
                return;
            }
            if (!std::isfinite(worst) || stalled > kPatience) {
                return;
            }
            if (best.iterations == options_.max_iterations) {
                best.status = QuadraticStatus::iteration_limit;
                return;
            }
            if (context_.should_stop()) {
                best.status = QuadraticStatus::interrupted;
                return;
            }
            if (!advance()) {
                return;
            }
        }
    }

    /// The point that minimises the objective with a squared penalty for the inequalities; its
    /// slacks are made positive.
    [[nodiscard]] bool start() {
        if (!equations_.factorise(Vector(p_.h.size(), 1.0))) {
            return false;
        }
        WideVector right(p_.c.size());
        for (std::size_t j = 0; j < right.size(); ++j) {
            right[j] = -static_cast<Wide>(p_.c[j]);
        }
        Vector near = p_.h;  // a distant bound must not attract the starting point
        Vector minus;
        for (double& value : near) {
            value = std::clamp(value, -kStartReach, kStartReach);
            minus.push_back(-value);
        }
        add_inequalities(p_, minus, right);
        equations_.solve(narrowed(right), p_.f, at_.x, at_.y);
        const Vector values = inequalities_at(p_, at_.x);
        for (std::size_t i = 0; i < values.size(); ++i) {
            at_.z[i] = values[i] + near[i];
            at_.s[i] = -(values[i] + p_.h[i]);
        }
        const auto lift = [](Vector& x) {
            const double least = x.empty() ? 1.0 : *std::min_element(x.begin(), x.end());
            if (least <= 1e-3) {
                for (double& value : x) {
                    value += 1.0 - least;
                }
            }
        };
        lift(at_.s);
        lift(at_.z);
        return true;
    }

    /// Newton's step towards products s z = s z + `change`.
    [[nodiscard]] Direction direction(const Vector& change) {
        Direction d;
        Vector part(change.size());
        for (std::size_t i = 0; i < part.size(); ++i) {
            part[i] = (change[i] + at_.z[i] * rp_[i]) / at_.s[i];
        }
        WideVector right(rd_.size());
        Vector minus = part;
        for (double& value : minus) {
            value = -value;
        }
        for (std::size_t j = 0; j < right.size(); ++j) {
            right[j] = -static_cast<Wide>(rd_[j]);
        }
        add_inequalities(p_, minus, right);
        Vector values(re_.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = -re_[i];
        }
        equations_.solve(narrowed(right), values, d.x, d.y);
        d.s = inequalities_at(p_, d.x);
        d.z.resize(d.s.size());
        for (std::size_t i = 0; i < d.s.size(); ++i) {
            d.z[i] = part[i] + at_.z[i] / at_.s[i] * d.s[i];
            d.s[i] = -rp_[i] - d.s[i];
        }
        return d;
    }

    /// s'z after a step of that length, divided by their number.
    [[nodiscard]] double mean_after(const Direction& d, double length) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < at_.s.size(); ++i) {
            sum += (at_.s[i] + length * d.s[i]) * (at_.z[i] + length * d.z[i]);
        }
        return at_.s.empty() ? 0.0 : sum / static_cast<double>(at_.s.size());
    }

    [[nodiscard]] Vector change_to(double target, const Direction* predicted) const {
        Vector change(at_.s.size());
        for (std::size_t i = 0; i < change.size(); ++i) {
            change[i] = target - at_.s[i] * at_.z[i];
            if (predicted != nullptr) {
                change[i] -= predicted->s[i] * predicted->z[i];
            }
        }
        return change;
    }

    [[nodiscard]] bool advance() {
        rd_ = dual_residual(p_, at_);
        rp_ = slack_residual(p_, at_);
        re_ = equation_residual(p_, at_);
        Vector w(at_.s.size());
        for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] = at_.z[i] / at_.s[i];
        }
        if (!equations_.factorise(w)) {
            return false;
        }
        const Direction affine = direction(change_to(0.0, nullptr));
        const double mean = mean_after(affine, 0.0);
        const double ahead = std::max(0.0, mean_after(affine, longest(at_, affine)));
        const double ratio = mean > 0.0 ? ahead / mean : 0.0;
        Direction d = direction(change_to(ratio * ratio * ratio * mean, &affine));
        double length = std::min(1.0, kToBoundary * longest(at_, d));
        if (length < 0.1) {
            // The correction leads to a corner: first return towards the central path.
            d = direction(change_to(0.5 * mean, nullptr));
            length = std::min(1.0, 0.9 * longest(at_, d));
        }
        move(d, length);
        return true;
    }

    void move(const Direction& d, double length) {
        for (std::size_t j = 0; j < at_.x.size(); ++j) {
            at_.x[j] += length * d.x[j];
        }
        for (std::size_t i = 0; i < at_.s.size(); ++i) {
            at_.s[i] += length * d.s[i];
            at_.z[i] += length * d.z[i];
        }
        for (std::size_t i = 0; i < at_.y.size(); ++i) {
            at_.y[i] += length * d.y[i];
        }
    }

    const ScaledProgram& p_;
    const QuadraticOptions& options_;
    Context& context_;
    StepEquations equations_;
    InteriorPoint at_;
    Vector rd_, rp_, re_;
};

}  // namespace

InteriorRun run_interior_point(const ScaledProgram& program, const QuadraticOptions& options,
                               Context& context) {
    return Run(program, options, context).solve();
}

}  // namespace mercer

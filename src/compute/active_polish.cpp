// SPDX-License-Identifier: Apache-2.0
//
// src/compute/active_polish.cpp - improves an interior point to full accuracy by solving the
// equations of its active constraints.
//
// Method   Rows with s < z are assumed active. K x + c + B'y = 0, B x = b over them and the
//          equations is one symmetric system, solved by its spectrum: eigenvalues that are 0 up to
//          rounding are left out, so that dependent rows and flat directions do no harm and the
//          point moves as little as possible.
// Stops    after four corrections; returns the better of the old and the new point.
#include <algorithm>
#include <cmath>

#include "compute/interior_point.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

using Vector = std::vector<double>;

constexpr double kRankTolerance = 1e-13;  // eigenvalues below it, relative, count as 0
constexpr index_t kLargestPolish = 2000;  // unknowns of one eigenvalue problem

/// The pseudo-inverse of [K B'; B 0], B the equations and the active inequalities.
class ActiveEquations {
public:
    ActiveEquations(const ScaledProgram& program, std::vector<std::size_t> active, Context& context)
        : p_(program),
          active_(std::move(active)),
          size_(program.n + program.equalities() + static_cast<index_t>(active_.size())),
          vectors_(context.allocate<double>(size_ * size_, "the equations of the active set")),
          values_(static_cast<std::size_t>(size_)) {
        const MatrixView<double> matrix(vectors_.data(), size_, size_);
        fill(matrix);
        symmetric_eigen(matrix, values_, true, context);
    }

    [[nodiscard]] const std::vector<std::size_t>& active() const { return active_; }

    /// The least change of (x, y, z of the active) that makes the residuals vanish.
    [[nodiscard]] Vector correction(const Vector& residual) const {
        const double cut =
            kRankTolerance * std::max(std::abs(values_.front()), std::abs(values_.back()));
        WideVector sum(residual.size(), 0);
        for (index_t k = 0; k < size_; ++k) {
            const double value = values_[static_cast<std::size_t>(k)];
            if (std::abs(value) <= cut) {
                continue;
            }
            const double* vector = vectors_.data() + k * size_;
            Wide share = 0;
            for (std::size_t i = 0; i < residual.size(); ++i) {
                share += static_cast<Wide>(vector[i]) * residual[i];
            }
            share /= value;
            for (std::size_t i = 0; i < residual.size(); ++i) {
                sum[i] -= share * vector[i];
            }
        }
        return narrowed(sum);
    }

private:
    void fill(const MatrixView<double>& matrix) const {
        const index_t n = p_.n;
        for (index_t i = 0; i < n; ++i) {
            std::copy_n(p_.k.begin() + i * n, n, matrix.row(i));
        }
        index_t place = n;
        const auto put = [&](index_t variable, double value) {
            matrix(place, variable) = value;
            matrix(variable, place) = value;
        };
        for (index_t i = 0; i < p_.equalities(); ++i, ++place) {
            for (index_t j = 0; j < n; ++j) {
                put(j, p_.e[static_cast<std::size_t>(i * n + j)]);
            }
        }
        for (const std::size_t i : active_) {
            const auto row = static_cast<index_t>(i);
            if (row < p_.dense()) {
                for (index_t j = 0; j < n; ++j) {
                    put(j, p_.a[static_cast<std::size_t>(row * n + j)]);
                }
            } else {
                const BoundRow& bound = p_.bounds[static_cast<std::size_t>(row - p_.dense())];
                put(bound.variable, bound.sign);
            }
            ++place;
        }
    }

    const ScaledProgram& p_;
    std::vector<std::size_t> active_;
    index_t size_;
    Buffer<double> vectors_;
    Vector values_;
};

/// Adds the correction that solves the equations.
void correct(const ScaledProgram& p, const ActiveEquations& equations, InteriorPoint& at) {
    Vector residual = dual_residual(p, at);
    const Vector values = equation_residual(p, at);
    residual.insert(residual.end(), values.begin(), values.end());
    const Vector rows = inequalities_at(p, at.x);
    for (const std::size_t i : equations.active()) {
        residual.push_back(rows[i] + p.h[i]);
    }
    const Vector change = equations.correction(residual);
    std::size_t place = 0;
    for (double& value : at.x) {
        value += change[place++];
    }
    for (double& value : at.y) {
        value += change[place++];
    }
    for (const std::size_t i : equations.active()) {
        at.z[i] += change[place++];
    }
}

/// The solution with exactly the rows where s < share * z active, clipped to the signs.
InteriorPoint solve_active(const ScaledProgram& p, const InteriorPoint& from, double share,
                           Context& context) {
    std::vector<std::size_t> active;
    InteriorPoint at = from;
    for (std::size_t i = 0; i < at.s.size(); ++i) {
        if (from.s[i] < share * from.z[i]) {
            active.push_back(i);
        } else {
            at.z[i] = 0.0;
        }
    }
    const ActiveEquations equations(p, std::move(active), context);
    for (int round = 0; round < 4; ++round) {
        correct(p, equations, at);
    }
    const Vector rows = inequalities_at(p, at.x);
    for (std::size_t i = 0; i < at.s.size(); ++i) {
        at.s[i] = at.z[i] == 0.0 ? std::max(0.0, -(rows[i] + p.h[i])) : 0.0;
        at.z[i] = std::max(0.0, at.z[i]);
    }
    return at;
}

}  // namespace

void polish_active_set(const ScaledProgram& program, InteriorRun& run, Context& context) {
    const index_t most = program.n + program.equalities() + program.inequalities();
    if (most > kLargestPolish) {
        return;
    }
    const InteriorPoint from = run.point;
    for (const double share : {1.0, 1e-4, 1e4}) {
        InteriorPoint at = solve_active(program, from, share, context);
        const InteriorResiduals now = residuals_of(program, at);
        if (now.worst() < run.residuals.worst()) {
            run.point = std::move(at);
            run.residuals = now;
        }
        if (run.residuals.worst() < 1e-14) {
            return;
        }
    }
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/problems/likelihood.cpp - the dual point of a maximum likelihood fit, and the gap.
//
// Notation   x_i  row, followed by a 1 when there is an intercept     d_i = c_i loss''(z_i)
//            a    multipliers, -c loss'(z)     r = sum_i a_i x_i  the score
//            q    solves (sum_i d_i x_i x_i') q = r;   a_i - d_i <x_i, q> meets the equations
#include "mercer/problems/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr int kMostRefinements = 8;

/// The rows, with a column of ones for the intercept.
class Columns {
public:
    explicit Columns(const LikelihoodProblem& problem)
        : problem_(problem), count_(problem.rows.columns + (problem.intercept ? 1 : 0)) {}

    [[nodiscard]] index_t count() const { return count_; }
    [[nodiscard]] double operator()(index_t i, index_t j) const {
        return j < problem_.rows.columns ? problem_.rows(i, j) : 1.0;
    }

private:
    const LikelihoodProblem& problem_;
    index_t count_;
};

std::vector<double> score(const Columns& x, std::span<const double> a) {
    std::vector<CompensatedSum> sums(at(x.count()));
    for (index_t i = 0; i < static_cast<index_t>(a.size()); ++i) {
        for (index_t j = 0; j < x.count(); ++j) {
            sums[at(j)].add(a[at(i)] * x(i, j));
        }
    }
    std::vector<double> out;
    for (const CompensatedSum& sum : sums) {
        out.push_back(sum.value());
    }
    return out;
}

/// Moves a onto the score equations, in place; false when that would leave its box.
bool meet_equations(const LikelihoodProblem& problem, const Columns& x, std::span<const double> d,
                    std::vector<double>& a, Context& context) {
    const index_t m = x.count();
    Buffer<double> matrix = context.allocate<double>(checked_multiply(m, m), "the score's matrix");
    const MatrixView<double> h(matrix.data(), m, m);
    std::fill(matrix.span().begin(), matrix.span().end(), 0.0);
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (index_t j = 0; j < m; ++j) {
            const double left = d[i] * x(static_cast<index_t>(i), j);
            for (index_t k = 0; k <= j; ++k) {
                h(j, k) += left * x(static_cast<index_t>(i), k);
            }
        }
    }
    // Dependent columns make the matrix singular; what is added for them changes no product X q.
    for (index_t j = 0; j < m; ++j) {
        h(j, j) = h(j, j) * (1.0 + 1e-12) + 1e-300;
    }
    if (m > 0 && !cholesky(h, context)) {
        return false;
    }
    double before = kInfinity;
    for (int round = 0; round < kMostRefinements; ++round) {
        std::vector<double> q = score(x, a);
        double worst = 0.0;
        for (const double r : q) {
            worst = std::max(worst, std::abs(r));
        }
        if (worst == 0.0 || !(worst < 0.5 * before)) {
            break;  // only rounding is left
        }
        before = worst;
        cholesky_solve(h, MatrixView<double>(q.data(), m, 1), context);
        for (std::size_t i = 0; i < a.size(); ++i) {
            double product = 0.0;
            for (index_t j = 0; j < m; ++j) {
                product += x(static_cast<index_t>(i), j) * q[at(j)];
            }
            a[i] -= d[i] * product;
        }
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double share = a[i] * problem.targets[i] / problem.costs[i];
        if (!(share >= 0.0 && share <= 1.0)) {
            return false;
        }
    }
    return true;
}

}  // namespace

Certificate certify_likelihood(const LikelihoodProblem& problem, std::span<const double> beta,
                               double intercept, Context& context) {
    const LogisticLoss loss;
    const Columns x(problem);
    const index_t n = problem.rows.rows;
    const std::vector<double> w = score(x, beta);
    std::vector<double> z(at(n), intercept);
    std::vector<double> a(at(n));
    std::vector<double> d(at(n));
    Certificate out;
    CompensatedSum norm;
    for (index_t j = 0; j < problem.rows.columns; ++j) {
        norm.add(w[at(j)] * w[at(j)]);
    }
    out.squared_norm = norm.value();
    for (index_t i = 0; i < n; ++i) {
        const std::size_t row = at(i);
        for (index_t j = 0; j < problem.rows.columns; ++j) {
            z[row] += problem.rows(i, j) * w[at(j)];
        }
        a[row] = -problem.costs[row] * loss.derivative(problem.targets[row], z[row]);
        d[row] = problem.costs[row] * loss.curvature(problem.targets[row], z[row]);
    }
    out.kkt_violation = 0.0;
    for (const double r : score(x, a)) {
        out.kkt_violation = std::max(out.kkt_violation, std::abs(r));
    }
    const std::vector<double> before = a;
    if (!meet_equations(problem, x, d, a, context)) {
        std::fill(a.begin(), a.end(), 0.0);
    }
    CompensatedSum losses;
    CompensatedSum conjugates;
    CompensatedSum gap;
    double worst = -1.0;
    out.dual_infeasibility = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double c = problem.costs[i];
        const double value = c * loss.value(problem.targets[i], z[i]);
        const double conjugate = c * loss.conjugate(problem.targets[i], -a[i] / c);
        losses.add(value);
        conjugates.add(conjugate);
        const double term = std::max(0.0, value + conjugate + a[i] * z[i]);
        gap.add(term);
        if (term > worst) {
            worst = term;
            out.worst_sample = static_cast<index_t>(i);
        }
        out.dual_infeasibility = std::max(out.dual_infeasibility, std::abs(a[i] - before[i]));
    }
    out.primal = losses.value();
    out.dual = -conjugates.value();
    out.gap = gap.value();
    out.intercept = intercept;
    out.intercepts = {intercept, intercept};
    return out;
}

}  // namespace mercer

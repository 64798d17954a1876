// SPDX-License-Identifier: Apache-2.0
//
// src/problems/basis.cpp - primal, dual and gap of a problem on few kernel functions.
//
// Notation   J  rows of the basis     a  multipliers of the rows     r = K_J: a - K_JJ beta
//            q = r' K_JJ^-1 r, the squared distance of f from that of the multipliers
#include "mercer/problems/basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/fenchel_term.hpp"

namespace mercer {

namespace {

std::vector<index_t> nonzeros(std::span<const double> values) {
    std::vector<index_t> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0.0) {
            out.push_back(static_cast<index_t>(i));
        }
    }
    return out;
}

/// K_J: a - f_J.
std::vector<double> residual(const Problem& risk, const std::vector<index_t>& basis,
                             std::span<const double> a, std::span<const double> f,
                             Context& context) {
    const std::vector<index_t> rows = nonzeros(a);
    std::vector<double> weights;
    for (const index_t i : rows) {
        weights.push_back(a[at(i)]);
    }
    std::vector<double> r =
        rows.empty() ? std::vector<double>(basis.size(), 0.0)
                     : risk.gram->multiply(basis, rows, weights, Precision::float64, context);
    for (std::size_t k = 0; k < r.size(); ++k) {
        r[k] -= f[at(basis[k])];
    }
    return r;
}

/// r' K_JJ^-1 r; NaN when K_JJ is not positive definite.
double squared_distance(const Problem& risk, const std::vector<index_t>& basis,
                        std::span<const double> r, Context& context) {
    const auto d = static_cast<index_t>(basis.size());
    if (d == 0) {
        return 0.0;
    }
    Buffer<double> room =
        context.allocate<double>(checked_multiply(d, d), "the kernel matrix of the basis");
    const MatrixView<double> matrix(room.data(), d, d);
    risk.gram->block(basis, basis, Precision::float64, context)->copy_lower(matrix, context);
    if (!cholesky(matrix, context)) {
        return kNaN;
    }
    std::vector<double> u(r.begin(), r.end());
    solve_lower(matrix, MatrixView<double>(u.data(), d, 1), context);
    CompensatedSum sum;
    for (const double value : u) {
        sum.add(value * value);
    }
    return sum.value();
}

}  // namespace

Certificate certify(const BasisProblem& problem, std::span<const double> beta, Context& context) {
    const Context::Uncounted judging(context);
    const Problem& risk = problem.risk;
    require_well_formed(risk);
    if (risk.has_mass() || !has_slope(risk.loss)) {
        throw InvalidArgument(fmt::format("loss: '{}' has no slope, so there are no multipliers",
                                          name_of(risk.loss)));
    }
    if (static_cast<index_t>(beta.size()) != risk.size()) {
        throw InvalidArgument(
            fmt::format("beta: got {} coefficients, must be {}", beta.size(), risk.size()));
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(beta.begin(), beta.end(), finite)) {
        return {};
    }
    const std::vector<double> f = decision_values(risk, beta, context);
    if (!std::all_of(f.begin(), f.end(), finite)) {
        return {};
    }
    Certificate out;
    out.intercepts = best_intercepts(risk, f);
    out.intercept = choose_intercept(out.intercepts);
    const std::vector<double> a = multipliers_of(risk, f, out.intercept);
    const std::vector<index_t> basis = nonzeros(beta);
    const std::vector<double> r = residual(risk, basis, a, f, context);
    const double q = squared_distance(risk, basis, r, context);
    CompensatedSum norm;
    CompensatedSum cross;
    out.kkt_violation = 0.0;
    for (std::size_t k = 0; k < basis.size(); ++k) {
        norm.add(beta[at(basis[k])] * f[at(basis[k])]);
        cross.add(beta[at(basis[k])] * r[k]);
        out.kkt_violation = std::max(out.kkt_violation, std::abs(r[k]));
    }
    CompensatedSum losses;
    CompensatedSum conjugates;
    CompensatedSum gap;
    out.worst_sample =
        for_each_fenchel_term(risk, f, out.intercept, a, 1.0, [&](const FenchelTerm& term) {
            losses.add(term.value);
            conjugates.add(term.conjugate);
            gap.add(nonnegative(term.gap));
        });
    gap.add(0.5 * q);
    out.squared_norm = nonnegative(norm.value());
    out.primal = 0.5 * out.squared_norm + losses.value();
    out.dual = -0.5 * (out.squared_norm + 2.0 * cross.value() + q) - conjugates.value();
    out.gap = gap.value();
    out.dual_infeasibility = 0.0;
    out.exact = proves(*risk.gram);
    return out;
}

}  // namespace mercer

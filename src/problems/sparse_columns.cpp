// SPDX-License-Identifier: Apache-2.0
//
// src/problems/sparse_columns.cpp - the dual point of a linear model of few columns, and the gap.
#include "mercer/problems/sparse_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "problems/fenchel_term.hpp"

namespace mercer {

void require_well_formed(const SparseColumnProblem& problem) {
    require_well_formed(problem.risk);
    require_in_range("l1", problem.l1, problem.ridge ? Range::non_negative() : Range::positive());
    if (problem.risk.has_mass() || !has_slope(problem.risk.loss)) {
        throw InvalidArgument(fmt::format(
            "loss: '{}' does not have a slope everywhere, which a penalty on the weights needs",
            name_of(problem.risk.loss)));
    }
}

const LinearRows& columns_of(const SparseColumnProblem& problem) {
    const LinearFactor* x = problem.risk.gram->linear();
    if (x == nullptr || x->factor != 1.0) {
        throw InvalidArgument("kernel: a penalty on columns needs the linear kernel");
    }
    return x->rows;
}

Certificate certify(const SparseColumnProblem& problem, std::span<const double> w,
                    Context& context) {
    const Context::Uncounted judging(context);
    require_well_formed(problem);
    const Problem& risk = problem.risk;
    const LinearRows& x = columns_of(problem);
    if (static_cast<index_t>(w.size()) != x.columns()) {
        throw InvalidArgument(fmt::format("w: got {} weights, must be {}", w.size(), x.columns()));
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    std::vector<double> f(static_cast<std::size_t>(risk.size()));
    x.multiply(w, f, context);
    if (!std::all_of(w.begin(), w.end(), finite) || !std::all_of(f.begin(), f.end(), finite)) {
        return {};
    }
    Certificate out;
    out.intercepts = best_intercepts(risk, f);
    out.intercept = choose_intercept(out.intercepts);
    const std::vector<double> a = multipliers_of(risk, f, out.intercept);
    std::vector<double> r(w.size());
    x.compensated_transposed(MatrixView<const double>(a.data(), risk.size(), 1),
                             MatrixView<double>(r.data(), x.columns(), 1), context);
    double greatest = 0.0;
    for (const double value : r) {
        greatest = std::max(greatest, std::abs(value));
    }
    const double t = problem.ridge || greatest <= problem.l1 ? 1.0 : problem.l1 / greatest;
    CompensatedSum primal;
    CompensatedSum dual;
    CompensatedSum gap;
    CompensatedSum norm;
    out.kkt_violation = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
        if (problem.basis && w[j] == 0.0) {
            continue;
        }
        const double penalty =
            problem.l1 * std::abs(w[j]) + (problem.ridge ? 0.5 * w[j] * w[j] : 0.0);
        const double beyond = problem.ridge ? std::max(0.0, std::abs(r[j]) - problem.l1) : 0.0;
        const double pull = r[j] - (problem.ridge ? w[j] : 0.0);
        norm.add(w[j] * w[j]);
        primal.add(penalty);
        dual.add(-0.5 * beyond * beyond);
        gap.add(nonnegative(penalty + 0.5 * beyond * beyond - t * r[j] * w[j]));
        out.kkt_violation = std::max(
            out.kkt_violation, w[j] == 0.0 ? std::abs(pull) - problem.l1
                                           : std::abs(pull - std::copysign(problem.l1, w[j])));
    }
    out.worst_sample =
        for_each_fenchel_term(risk, f, out.intercept, a, t, [&](const FenchelTerm& term) {
            primal.add(term.value);
            dual.add(-term.conjugate);
            gap.add(nonnegative(term.gap));
        });
    out.primal = primal.value();
    out.dual = dual.value();
    out.gap = gap.value();
    out.squared_norm = norm.value();
    out.dual_infeasibility = problem.ridge ? 0.0 : std::max(0.0, greatest - problem.l1);
    out.exact = true;
    return out;
}

}  // namespace mercer

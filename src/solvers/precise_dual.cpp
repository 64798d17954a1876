// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_dual.cpp - K in 113 bits, and the variables of the rows.
#include "solvers/precise_dual.hpp"

#include <cmath>
#include <numeric>

#include "mercer/operators/precise_values.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

PreciseMatrix precise_kernel(const Problem& problem, Context& context) {
    const auto n = static_cast<std::size_t>(problem.size());
    PreciseMatrix out(n);
    std::vector<index_t> rows(n);
    std::iota(rows.begin(), rows.end(), index_t{0});
    const GramRounding rounding = problem.gram->rounding();
    std::vector<double> unit(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
        unit[j] = 1.0;
        const PreciseValues column =
            problem.gram->multiply_precisely(rows, unit, rounding, context);
        for (std::size_t i = 0; i < n; ++i) {
            out(i, j) = column.values[i];
        }
        unit[j] = 0.0;
    }
    return out;
}

/// Adds the variables of the rows to a dual that already has its matrices.
class VariableMaker {
public:
    VariableMaker(const Problem& problem, PreciseDual& dual) : problem_(problem), dual_(dual) {}

    void add_row(index_t i) {
        const DualTerm term = dual_term(problem_, i);
        const auto row = static_cast<std::size_t>(i);
        const bool lower = term.box.lower < 0.0;
        const bool upper = term.box.upper > 0.0;
        if (lower && upper && std::isinf(term.box.upper) && term.width == 0.0 &&
            !problem_.has_mass()) {
            PreciseVariable free = side(row, 1.0, kInfinity, term);
            free.has_lower = false;
            free.ridge = term.ridge;
            free.v = 0.0;
            dual_.variables.push_back(free);
            return;
        }
        dual_.ridge[row] = term.ridge;
        if (upper) {
            dual_.variables.push_back(side(row, 1.0, term.box.upper, term));
        }
        if (lower) {
            dual_.variables.push_back(side(row, -1.0, -term.box.lower, term));
        }
    }

    void add_slack() {
        PreciseVariable slack;
        slack.equations[dual_.equations - 1] = 1.0;
        slack.v = Quad(problem_.mass) * 0.5;
        dual_.variables.push_back(slack);
    }

private:
    [[nodiscard]] PreciseVariable side(std::size_t row, double sign, double bound,
                                       const DualTerm& term) const {
        PreciseVariable out;
        out.row = row;
        out.sign = sign;
        out.linear = Quad(term.width) - Quad(sign) * term.linear;
        out.has_upper = std::isfinite(bound);
        out.bound = out.has_upper ? bound : 0.0;
        out.entropy = dual_.curved;
        if (problem_.intercept) {
            out.equations[0] = sign;
        }
        if (problem_.has_mass()) {
            out.equations[dual_.equations - 1] = 1.0;
        }
        const Quad stiffness = term.ridge > 0.0 ? Quad(term.ridge) : dual_.kernel(row, row);
        out.v = out.has_upper ? out.bound * 0.5 : Quad(1.0) / stiffness;
        out.room = out.has_upper ? out.bound - out.v : Quad(0.0);
        return out;
    }

    const Problem& problem_;
    PreciseDual& dual_;
};

}  // namespace

PreciseDual precise_dual(const Problem& problem, Context& context) {
    PreciseDual out{.kernel = precise_kernel(problem, context),
                    .ridge = std::vector<Quad>(static_cast<std::size_t>(problem.size()))};
    out.equations = (problem.intercept ? 1U : 0U) + (problem.has_mass() ? 1U : 0U);
    out.balanced = problem.intercept;
    if (problem.has_mass()) {
        out.totals[out.equations - 1] = problem.mass;
    }
    out.curved = !has_box_dual(problem.loss);
    VariableMaker maker(problem, out);
    for (index_t i = 0; i < problem.size(); ++i) {
        maker.add_row(i);
    }
    if (may_close(problem)) {
        maker.add_slack();
    }
    return out;
}

}  // namespace mercer

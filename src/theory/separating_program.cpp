// SPDX-License-Identifier: Apache-2.0
//
// src/theory/separating_program.cpp - the separating linear programme on a growing set of rows.
//
// Method   The dual of  max delta, sign_i <a_i, v> >= delta, |v_j| <= 1:  minimise |p|_1 over
//          p = sum_i lambda_i sign_i a_i, lambda >= 0, sum(lambda) = 1. It has one equation per
//          column of the data; its multipliers are v and delta. It starts with some rows and adds
//          rows on the wrong side of v, until there are none or the rows in use are not separable.
// Cost     a few rounds, each with a simplex method on (columns + 1) equations and one pass over
// the
//          rows.
#include "theory/separating_program.hpp"

#include <algorithm>

#include "mercer/compute/linear_program.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::theory {

namespace {

constexpr index_t kFewestRows = 1000;
constexpr index_t kMostRounds = 60;
// If delta is below this, the exact method decides: CLP's tolerance is 1e-9.
constexpr double kLeastDelta = 1e-8;
// A basic weight below this counts as rounding.
constexpr double kLeastWeight = 1e-11;

/// At most `count` of the rows with a sign, evenly spaced.
std::vector<index_t> first_part(const Sides& sides, index_t count) {
    std::vector<index_t> used;
    for (std::size_t i = 0; i < sides.signs.size(); ++i) {
        if (sides.signs[i] != 0) {
            used.push_back(static_cast<index_t>(i));
        }
    }
    const auto all = static_cast<index_t>(used.size());
    if (all <= count) {
        return used;
    }
    std::vector<index_t> part;
    for (index_t k = 0; k < count; ++k) {
        part.push_back(used[static_cast<std::size_t>(k * all / count)]);
    }
    return part;
}

LinearProgram make_program(const ScaledRows& rows, const Sides& sides,
                           const std::vector<index_t>& part) {
    const index_t dimension = rows.dimension();
    LinearProgram program;
    program.row_lower.assign(static_cast<std::size_t>(dimension) + 1, 0.0);
    program.row_lower.back() = 1.0;
    program.row_upper = program.row_lower;
    for (const index_t i : part) {
        program.add_column(0.0, 0.0, kInfinity);
        rows.for_each(i, [&](index_t j, double a) {
            if (a != 0.0) {
                program.add_entry(j, sides.signs[static_cast<std::size_t>(i)] * a);
            }
        });
        program.add_entry(dimension, 1.0);
    }
    for (index_t j = 0; j < dimension; ++j) {
        for (const double side : {1.0, -1.0}) {
            program.add_column(1.0, 0.0, kInfinity);
            program.add_entry(j, side);
        }
    }
    return program;
}

/// At most `count` rows outside `part` on the wrong side of v, the worst first.
std::vector<index_t> worst_rows(const ScaledRows& rows, const Sides& sides,
                                const std::vector<double>& v, const std::vector<char>& in_part,
                                index_t count) {
    std::vector<std::pair<double, index_t>> wrong;
    for (index_t i = 0; i < rows.rows(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (sides.signs[place] == 0 || in_part[place] != 0) {
            continue;
        }
        const double value = sides.signs[place] * rows.dot(i, v).value;
        if (value <= 0.0) {
            wrong.emplace_back(value, i);
        }
    }
    const auto shown =
        static_cast<std::ptrdiff_t>(std::min<index_t>(count, static_cast<index_t>(wrong.size())));
    std::partial_sort(wrong.begin(), wrong.begin() + shown, wrong.end());
    std::vector<index_t> out;
    for (std::ptrdiff_t k = 0; k < shown; ++k) {
        out.push_back(wrong[static_cast<std::size_t>(k)].second);
    }
    return out;
}

}  // namespace

Proposal propose(const ScaledRows& rows, const Sides& sides, Context& context) {
    const index_t step = std::max(kFewestRows, 4 * rows.dimension());
    std::vector<index_t> part = first_part(sides, step);
    std::vector<char> in_part(sides.signs.size(), 0);
    Proposal proposal;
    for (const index_t i : part) {
        in_part[static_cast<std::size_t>(i)] = 1;
    }
    for (;;) {
        const ProgramSolution solution =
            solve_linear_program(make_program(rows, sides, part), {}, context);
        ++proposal.programs;
        proposal.direction.clear();
        for (index_t j = 0; j < rows.dimension(); ++j) {
            proposal.direction.push_back(-solution.duals[static_cast<std::size_t>(j)]);
        }
        const double delta = solution.duals.back();
        std::vector<index_t> joining;
        if (solution.status == ProgramStatus::optimal && delta > kLeastDelta &&
            proposal.programs < kMostRounds) {
            joining = worst_rows(rows, sides, proposal.direction, in_part, step);
        }
        if (joining.empty()) {
            proposal.rows.clear();
            for (std::size_t k = 0; k < part.size(); ++k) {
                if (solution.x[k] > kLeastWeight) {
                    proposal.rows.push_back(part[k]);
                }
            }
            return proposal;
        }
        context.report({"rows", static_cast<index_t>(part.size()), rows.rows(), kNaN, 0});
        for (const index_t i : joining) {
            in_part[static_cast<std::size_t>(i)] = 1;
            part.push_back(i);
        }
    }
}

}  // namespace mercer::theory

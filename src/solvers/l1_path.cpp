// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_path.cpp - checks of an l1 path problem, and interpolation between its knots.
#include "mercer/solvers/l1_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "solvers/l1_tracer.hpp"

namespace mercer {

namespace {

void require_well_formed(const L1PathProblem& problem, double to) {
    const auto n = at(problem.columns.columns);
    if (problem.targets.size() != n || problem.costs.size() != n || n == 0) {
        throw InvalidArgument(fmt::format("targets, costs: got {} and {}, must be {} > 0",
                                          problem.targets.size(), problem.costs.size(), n));
    }
    if (problem.ridge == L1Ridge::gram && problem.columns.rows != problem.columns.columns) {
        throw InvalidArgument(fmt::format("columns: got {} x {}, a kernel's matrix is square",
                                          problem.columns.rows, problem.columns.columns));
    }
    const std::vector<std::string_view> known = l1_path_losses();
    if (std::find(known.begin(), known.end(), name_of(problem.loss)) == known.end()) {
        throw InvalidArgument(fmt::format("loss: got '{}', must be one of {}",
                                          name_of(problem.loss), fmt::join(known, ", ")));
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double y = problem.targets[i];
        if (!std::isfinite(y) || (is_classification(problem.loss) && y != 1.0 && y != -1.0)) {
            throw InvalidArgument(
                fmt::format("targets: got {} in row {}, must be {}", y, i + 1,
                            is_classification(problem.loss) ? "-1 or +1" : "finite"));
        }
        require_in_range("costs", problem.costs[i], Range::positive());
    }
    require_in_range("to", to, Range::non_negative());
}

}  // namespace

std::vector<std::string_view> l1_path_losses() {
    std::vector<std::string_view> names;
    for (const Loss& loss : all_losses()) {
        const bool fits = std::visit(
            [](const auto& kind) {
                // The pieces must depend only on the class of a row.
                const bool same = kind.kClassification || kCount<decltype(kind.bends(0.0))> == 0;
                return kind.kSlope && kind.kPiecewiseQuadratic && same;
            },
            loss);
        if (fits) {
            names.push_back(name_of(loss));
        }
    }
    return names;
}

std::string_view to_string(L1Event event) noexcept {
    switch (event) {
        case L1Event::enter:
            return "enter";
        case L1Event::leave:
            return "leave";
        case L1Event::zone:
            return "zone";
        case L1Event::restart:
            return "restart";
        case L1Event::end:
            break;
    }
    return "end";
}

L1Point L1Path::at(double lambda) const {
    if (knots.empty() || !(lambda >= knots.back().lambda)) {
        throw InvalidArgument(fmt::format("lambda: got {}, the path ends at {}", lambda,
                                          knots.empty() ? kNaN : knots.back().lambda));
    }
    L1Point out;
    out.lambda = lambda;
    out.beta.assign(mercer::at(columns), 0.0);
    const auto after = std::partition_point(
        knots.begin(), knots.end(), [&](const L1Knot& knot) { return knot.lambda >= lambda; });
    const auto take = [&](std::vector<L1Knot>::const_iterator knot, double share) {
        const auto next = knot + 1;
        const auto end = next == knots.end() ? static_cast<index_t>(index.size()) : next->begin;
        for (index_t k = knot->begin; k < end; ++k) {
            out.beta[mercer::at(index[mercer::at(k)])] += share * value[mercer::at(k)];
        }
        out.intercept += share * knot->intercept;
    };
    if (after == knots.begin()) {  // above lambda_max
        take(after, 1.0);
    } else if (after == knots.end()) {
        take(after - 1, 1.0);
    } else {
        const auto before = after - 1;
        const double share = (before->lambda - lambda) / (before->lambda - after->lambda);
        take(before, 1.0 - share);
        take(after, share);
    }
    return out;
}

L1Path trace_l1_path(const L1PathProblem& problem, double to, Context& context) {
    require_well_formed(problem, to);
    return l1::Tracer(problem, to, context).run();
}

}  // namespace mercer

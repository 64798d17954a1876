// SPDX-License-Identifier: Apache-2.0
//
// src/theory/convexity.cpp - classes of problems, and chords.
#include "mercer/theory/convexity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/quadratic_program.hpp"

namespace mercer {

namespace {

constexpr double kNearestToTheEnd = 0.05;  // closer, the bend is lost in rounding

bool has_bound(const std::vector<double>& bounds) {
    return std::any_of(bounds.begin(), bounds.end(),
                       [](double value) { return std::isfinite(value); });
}

double finite_value(const RealFunction& function, std::span<const double> x) {
    const double value = function(x);
    if (!std::isfinite(value)) {
        throw InvalidArgument(fmt::format("function: got {} at ({:.6g}), must be finite", value,
                                          fmt::join(x.begin(), x.end(), ", ")));
    }
    return value;
}

}  // namespace

std::string_view to_string(ProblemClass kind) noexcept {
    switch (kind) {
        case ProblemClass::unconstrained:
            return "unconstrained";
        case ProblemClass::linear:
            return "linear program";
        case ProblemClass::quadratic:
            return "quadratic program";
        case ProblemClass::nonlinear:
            return "nonlinear program";
    }
    return "nonlinear program";
}

ProblemClass classify(ObjectiveForm objective, FeasibleSet set) noexcept {
    if (set == FeasibleSet::whole_space) {
        return ProblemClass::unconstrained;
    }
    if (set == FeasibleSet::other || objective == ObjectiveForm::nonlinear) {
        return ProblemClass::nonlinear;
    }
    return objective == ObjectiveForm::linear ? ProblemClass::linear : ProblemClass::quadratic;
}

ProblemClass classify(const QuadraticProgram& program) {
    const bool constrained = !program.offsets.empty() || !program.values.empty() ||
                             has_bound(program.lower) || has_bound(program.upper);
    const bool curved = std::any_of(program.quadratic.begin(), program.quadratic.end(),
                                    [](double entry) { return entry != 0.0; });
    return classify(curved ? ObjectiveForm::quadratic : ObjectiveForm::linear,
                    constrained ? FeasibleSet::polyhedron : FeasibleSet::whole_space);
}

ChordReport chord_test(const RealFunction& function, const PointSampler& sampler, index_t chords,
                       Random& random) {
    ChordReport report;
    for (; report.chords < chords; ++report.chords) {
        std::vector<double> a = sampler(random);
        std::vector<double> b = sampler(random);
        const double t =
            report.chords % 4 == 0 ? 0.5 : random.uniform(kNearestToTheEnd, 1.0 - kNearestToTheEnd);
        std::vector<double> between(a.size());
        for (std::size_t j = 0; j < a.size(); ++j) {
            between[j] = t * a[j] + (1.0 - t) * b[j];
        }
        const double left = finite_value(function, a);
        const double right = finite_value(function, b);
        const double bend = (t * left + (1.0 - t) * right - finite_value(function, between)) /
                            (1.0 + std::abs(left) + std::abs(right));
        if (bend < report.least_bend) {
            report.least_bend = bend;
            report.a = std::move(a);
            report.b = std::move(b);
            report.t = t;
        }
    }
    return report;
}

PointSampler normal_points(std::vector<double> centre, double deviation) {
    return [centre = std::move(centre), deviation](Random& random) {
        std::vector<double> point = centre;
        for (double& value : point) {
            value += deviation * random.normal();
        }
        return point;
    };
}

}  // namespace mercer

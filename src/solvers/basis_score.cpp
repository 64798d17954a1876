// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_score.cpp - one-dimensional Newton steps, one thread per function.
//
// Notation   t  coefficient of the function     p  its inner product with f     q  its square
//            value(t) - value(0) = t p + t^2/2 q + sum_i c_i (loss(z_i + t phi_i) - loss(z_i))
#include "solvers/basis_score.hpp"

#include <cmath>
#include <variant>

#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr int kMostScoreSteps = 6;
constexpr double kFlat = 1e-3;  // of the first slope: the decrease then has an error of 1e-6

/// One function and the line it spans.
struct Line {
    const double* phi;
    double p;
    double q;
};

struct LinePoint {
    double value = 0.0;
    double slope = 0.0;
    double rise = 0.0;
};

template <typename LossType>
LinePoint point_at(const LossType& loss, const Problem& problem, std::span<const double> z,
                   const Line& line, double t) {
    LinePoint out;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double phi = line.phi[i];
        const double y = problem.targets[i];
        const double c = problem.costs[i];
        const double here = z[i] + t * phi;
        out.value += c * loss.value(y, here);
        out.slope += c * loss.derivative(y, here) * phi;
        out.rise += c * loss.curvature(y, here) * phi * phi;
    }
    out.value += t * (line.p + 0.5 * t * line.q);
    out.slope += line.p + t * line.q;
    out.rise += line.q;
    return out;
}

/// Slope and curvature at 0, from those of the rows.
LinePoint first_point(const Terms& terms, const Line& line) {
    LinePoint out{terms.value, line.p, line.q};
    for (std::size_t i = 0; i < terms.slope.size(); ++i) {
        const double phi = line.phi[i];
        out.slope += terms.slope[i] * phi;
        out.rise += terms.curvature[i] * phi * phi;
    }
    return out;
}

BasisScore score(const Problem& problem, const BasisFit& fit, const Line& line) {
    const LinePoint first = first_point(fit.terms(), line);
    BasisScore best;
    if (!(first.rise > 0.0) || first.slope == 0.0) {
        return best;
    }
    std::visit(
        [&](const auto& loss) {
            double t = -first.slope / first.rise;
            for (int step = 0; step < kMostScoreSteps; ++step) {
                const LinePoint here = point_at(loss, problem, fit.z(), line, t);
                if (const double decrease = first.value - here.value; decrease > best.decrease) {
                    best = {decrease, t};
                }
                if (std::abs(here.slope) <= kFlat * std::abs(first.slope) || !(here.rise > 0.0)) {
                    break;
                }
                // If the value exceeds that at 0, the curvature at 0 was far too small.
                t = here.value > first.value ? 0.5 * t : t - here.slope / here.rise;
            }
        },
        problem.loss);
    return best;
}

}  // namespace

std::vector<BasisScore> score_functions(const Problem& problem, const BasisFit& fit,
                                        const BasisFunctions& functions,
                                        std::span<const index_t> which,
                                        MatrixView<const double> values, Context& context) {
    std::vector<BasisScore> out(which.size());
    parallel_for(context, static_cast<index_t>(which.size()), [&](index_t k, int) {
        const double* phi = values.row(k);
        const index_t function = which[static_cast<std::size_t>(k)];
        out[static_cast<std::size_t>(k)] =
            score(problem, fit,
                  {phi, fit.product(function, phi), functions.product(function, phi, function)});
    });
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/quadratic_duality.hpp - Lagrangian, duals and optimality of a quadratic program,
// computed from its numbers alone.
//
//     L(x, a) = 1/2 x'Kx + c'x + a'(A x + d) + v'(E x - e) + p'(l - x) + q'(x - u)
//
// with the multipliers a of the rows, v of the equations and p, q of the bounds. Only slater()
// calls the solver's code, for a linear program, and its result is checked.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/quadratic_program.hpp"

namespace mercer {

class Context;

/// 1/2 x'Kx + c'x.
[[nodiscard]] double objective(const QuadraticProgram& program, std::span<const double> x);

/// L(x, multipliers).
[[nodiscard]] double lagrangian(const QuadraticProgram& program, std::span<const double> x,
                                const QuadraticMultipliers& multipliers);

/// The dual function: inf over x of L(x, multipliers). -infinity where the linear part of L leaves
/// the range of K by more than rounding. Cost: one symmetric eigenvalue problem.
[[nodiscard]] double dual_function(const QuadraticProgram& program,
                                   const QuadraticMultipliers& multipliers, Context& context);

/// The largest violation of each of the KKT conditions by a point and multipliers, not normalised.
struct KktResiduals {
    double stationarity = kNaN;        ///< |K x + c + A'a + E'v - p + q|
    double primal_feasibility = kNaN;  ///< A x + d and the bounds above 0, |E x - e|
    double dual_feasibility = kNaN;    ///< a, p, q below 0
    double complementarity = kNaN;     ///< |a_i (A x + d)_i|, and of the bounds

    [[nodiscard]] double worst() const;
};

[[nodiscard]] KktResiduals kkt_residuals(const QuadraticProgram& program, std::span<const double> x,
                                         const QuadraticMultipliers& multipliers);

/// Values of a primal point and multipliers. For feasible x and multipliers >= 0, Wolfe's dual
/// value is a lower bound on the optimum if the stationarity residual is 0.
struct DualityReport {
    double primal = kNaN;         ///< the objective at x
    double dual = kNaN;           ///< L(x, a), Wolfe's dual objective
    double gap = kNaN;            ///< primal - dual, summed term by term
    double dual_function = kNaN;  ///< inf over x of L: a lower bound for any x
    KktResiduals kkt;
};

[[nodiscard]] DualityReport examine(const QuadraticProgram& program, std::span<const double> x,
                                    const QuadraticMultipliers& multipliers, Context& context);

/// Tests L(x*, a) <= L(x*, a*) <= L(x, a*) at random a and x, near the pair and far from it.
struct SaddleReport {
    index_t points = 0;         ///< of each kind
    double value = kNaN;        ///< L(x*, a*)
    double above = -kInfinity;  ///< max L(x*, a) - L(x*, a*), over 1 + |L(x*, a*)|
    double below = -kInfinity;  ///< max L(x*, a*) - L(x, a*), likewise

    [[nodiscard]] bool holds(double tolerance = 1e-9) const {
        return above <= tolerance && below <= tolerance;
    }
};

[[nodiscard]] SaddleReport saddle_test(const QuadraticProgram& program, std::span<const double> x,
                                       const QuadraticMultipliers& multipliers, index_t points,
                                       Context& context);

/// Slater's condition: some x has A x + d < 0 and lies strictly within its bounds, with E x = e.
/// It holds if the greatest s <= 1 with A_i x + d_i + s |A_i| <= 0 is positive (|A_i| is the row's
/// greatest entry).
struct SlaterReport {
    QuadraticStatus status = QuadraticStatus::reduced;  ///< of that linear program
    bool holds = false;     ///< the point is strictly feasible, evaluated row by row
    double slack = kNaN;    ///< s
    std::vector<double> x;  ///< the point of the greatest s
    /// When s <= 0: multipliers >= 0, not all 0, with which the constraints add up to 0 <= 0 or a
    /// contradiction, so that not all of them can be strict.
    QuadraticMultipliers proof;
};

[[nodiscard]] SlaterReport slater(const QuadraticProgram& program, Context& context);

/// The same program with its bounds as rows: A, then lower, then upper bounds.
[[nodiscard]] QuadraticProgram bounds_as_rows(const QuadraticProgram& program);

/// The explicit dual of a program with positive definite K (bounds as rows; the multipliers of
/// equations follow those of the rows and may have either sign):
///     maximise   -1/2 a'A K^-1 A'a - (A K^-1 c - d)'a - 1/2 c'K^-1 c   over   a >= 0.
struct ExplicitDual {
    QuadraticProgram negated;  ///< minimise 1/2 a'Ha + g'a, a >= 0; a of an equation is free
    double constant = 0.0;     ///< -1/2 c'K^-1 c
    std::vector<double> inverse_rows;    ///< K^-1 [A; E]', n x (m + p)
    std::vector<double> inverse_linear;  ///< K^-1 c

    /// The dual objective at a.
    [[nodiscard]] double value(std::span<const double> a) const;
    /// x = -K^-1 (A'a + c).
    [[nodiscard]] std::vector<double> primal_point(std::span<const double> a) const;
};

/// Nothing when K is not positive definite.
[[nodiscard]] std::optional<ExplicitDual> explicit_dual(const QuadraticProgram& program,
                                                        Context& context);

/// The interval of each variable over the convex set of all optima: the feasible points with
/// K x = K x* at which all constraints with a positive multiplier are active. `solution` must be
/// optimal. Cost: two linear programs per variable. An end is NaN if its program was not solved.
[[nodiscard]] std::vector<Interval> optimal_ranges(const QuadraticProgram& program,
                                                   const QuadraticSolution& solution,
                                                   Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/quadratic_duality_test.cpp - Lagrangian, duals, optimality and Slater's
// condition of quadratic programs.
#include "mercer/theory/quadratic_duality.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using Vector = std::vector<double>;

/// min 1/2 x^2 with 1 - x <= 0.
const QuadraticProgram kOneBound{{1}, {0}, {-1}, {1}, {}, {}, {}, {}};

QuadraticMultipliers of_rows(Vector rows, std::size_t n) {
    return {std::move(rows), {}, Vector(n, 0.0), Vector(n, 0.0)};
}

/// A random program with positive definite K, rows around a strictly feasible point, an equation
/// and bounds.
QuadraticProgram random_program(index_t n, index_t m, Random& random) {
    const auto size = static_cast<std::size_t>(n);
    QuadraticProgram program;
    Vector b(size * size);
    for (double& entry : b) {
        entry = random.normal();
    }
    program.quadratic.assign(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            for (std::size_t k = 0; k < size; ++k) {
                program.quadratic[i * size + j] += b[k * size + i] * b[k * size + j];
            }
        }
        program.quadratic[i * size + i] += 0.1;
    }
    Vector inside;
    for (std::size_t j = 0; j < size; ++j) {
        program.linear.push_back(3.0 * random.normal());
        inside.push_back(random.normal());
        program.lower.push_back(j % 3 == 0 ? inside[j] - random.uniform() : -kInfinity);
        program.upper.push_back(j % 2 == 0 ? inside[j] + random.uniform() : kInfinity);
    }
    for (index_t i = 0; i <= m; ++i) {
        double value = 0.0;
        for (std::size_t j = 0; j < size; ++j) {
            const double entry = random.normal();
            (i < m ? program.rows : program.equations).push_back(entry);
            value += entry * inside[j];
        }
        if (i < m) {
            program.offsets.push_back(-value - random.uniform(0.1, 1.0));
        } else {
            program.values.push_back(value);
        }
    }
    return program;
}

TEST(quadratic_duality, the_dual_of_one_bound_written_out) {
    // x = a, -1/2 a^2 + a: greatest at a = 1 with the value 1/2.
    Context context;
    const auto dual = explicit_dual(kOneBound, context);
    ASSERT_TRUE(dual);
    const QuadraticSolution a = solve_quadratic_program(dual->negated, {}, context);
    expect_fact("O07", "alpha of min 1/2 x^2, 1 - x <= 0", a.x[0]);
    expect_fact("O07", "x", dual->primal_point(a.x)[0]);
    expect_fact("O07", "dual value", dual->value(a.x));
    const QuadraticSolution s = solve_quadratic_program(kOneBound, {}, context);
    expect_fact("O07", "primal value", objective(kOneBound, s.x));
    EXPECT_NEAR(s.x[0], dual->primal_point(a.x)[0], 1e-13);
    // Away from the optimum: a = 1/2 has -1/8 + 1/2.
    EXPECT_DOUBLE_EQ(dual->value(Vector{0.5}), 0.375);
}

TEST(quadratic_duality, the_sign_of_d_in_the_dual_is_minus) {
    // min 1/2 x'Kx + c'x, K = diag(2, 1), c = (1, -1), x1 + x2 + 2 <= 0 by hand: x = (-a - 1)/2,
    // 1 - a; the row gives a = 5/3: x = (-4/3, -2/3) with the value 4/3.
    const QuadraticProgram program{{2, 0, 0, 1}, {1, -1}, {1, 1}, {2}, {}, {}, {}, {}};
    Context context;
    const auto dual = explicit_dual(program, context);
    ASSERT_TRUE(dual);
    const QuadraticSolution a = solve_quadratic_program(dual->negated, {}, context);
    expect_fact("O07", "alpha with c and d", a.x[0]);
    expect_fact("O07", "x with c and d", dual->primal_point(a.x));
    expect_fact("O07", "dual value with c and d", dual->value(a.x));
    expect_fact("O07", "primal value with c and d", objective(program, dual->primal_point(a.x)));
}

TEST(quadratic_duality, explicit_duals_of_random_programs_have_the_value_of_the_primal) {
    Random random(91);
    Context context;
    double worst_value = 0.0;
    double worst_point = 0.0;
    for (int round = 0; round < 40; ++round) {
        const QuadraticProgram program =
            random_program(2 + random.below(8), random.below(10), random);
        const QuadraticSolution s = solve_quadratic_program(program, {}, context);
        const auto dual = explicit_dual(program, context);
        ASSERT_TRUE(dual);
        const QuadraticSolution a = solve_quadratic_program(dual->negated, {}, context);
        ASSERT_EQ(s.status, QuadraticStatus::optimal);
        ASSERT_EQ(a.status, QuadraticStatus::optimal);
        const double primal = objective(program, s.x);
        worst_value =
            std::max(worst_value, std::abs(dual->value(a.x) - primal) / (1.0 + std::abs(primal)));
        const Vector x = dual->primal_point(a.x);
        for (std::size_t j = 0; j < x.size(); ++j) {
            worst_point = std::max(worst_point, std::abs(x[j] - s.x[j]));
        }
    }
    expect_fact("O07", "40 random programs: values apart, relative", worst_value);
    expect_fact("O07", "40 random programs: x apart", worst_point);
}

TEST(quadratic_duality, a_singular_k_has_no_explicit_dual) {
    Context context;
    EXPECT_FALSE(explicit_dual({{1, 1, 1, 1}, {0, 0}, {}, {}, {}, {}, {}, {}}, context));
    EXPECT_FALSE(explicit_dual({{}, {1}, {-1}, {0}, {}, {}, {}, {}}, context));
}

TEST(quadratic_duality, the_dual_function_bounds_every_feasible_value_from_below) {
    // Weak duality: any multipliers >= 0, any feasible point.
    Random random(92);
    Context context;
    double excess = -kInfinity;
    int points = 0;
    for (int round = 0; round < 30; ++round) {
        QuadraticProgram program = random_program(1 + random.below(6), random.below(8), random);
        program.equations.clear();
        program.values.clear();
        const SlaterReport inside = slater(program, context);
        ASSERT_TRUE(inside.holds);
        for (int draw = 0; draw < 200; ++draw) {
            Vector x = inside.x;
            for (double& value : x) {
                value += 0.3 * random.normal();
            }
            QuadraticMultipliers m = of_rows(Vector(program.offsets.size()), x.size());
            for (double& a : m.rows) {
                a = std::abs(random.normal());
            }
            if (kkt_residuals(program, x, m).primal_feasibility > 0.0) {
                continue;
            }
            ++points;
            excess = std::max(excess, dual_function(program, m, context) - objective(program, x));
            EXPECT_LE(lagrangian(program, x, m), objective(program, x) + 1e-12);
        }
    }
    EXPECT_GT(points, 500);
    expect_fact("O02", "dual function above the objective, random pairs", excess);
}

TEST(quadratic_duality, the_dual_function_is_minus_infinity_off_the_range_of_k) {
    // min x with x >= 1: L = x + a (1 - x), bounded below at a = 1 only, with the value 1.
    Context context;
    const QuadraticProgram lp{{}, {1}, {-1}, {1}, {}, {}, {}, {}};
    EXPECT_DOUBLE_EQ(dual_function(lp, of_rows({1}, 1), context), 1.0);
    EXPECT_EQ(dual_function(lp, of_rows({0.5}, 1), context), -kInfinity);
    // 1/2 x^2 with 1 - x <= 0: -1/2 a^2 + a.
    EXPECT_DOUBLE_EQ(dual_function(kOneBound, of_rows({0.5}, 1), context), 0.375);
}

TEST(quadratic_duality, optima_meet_all_four_conditions_and_other_points_do_not) {
    Random random(93);
    Context context;
    double worst = 0.0;
    double gap = 0.0;
    for (int round = 0; round < 40; ++round) {
        const QuadraticProgram program =
            random_program(2 + random.below(8), random.below(10), random);
        const QuadraticSolution s = solve_quadratic_program(program, {}, context);
        const DualityReport report = examine(program, s.x, s.multipliers, context);
        worst = std::max(worst, report.kkt.worst());
        gap = std::max(gap, std::abs(report.gap) / (1.0 + std::abs(report.primal)));
        EXPECT_NEAR(report.dual_function, report.dual, 1e-9 * (1.0 + std::abs(report.dual)));
    }
    expect_fact("O05", "worst violation at 40 random optima", worst);
    expect_fact("O06", "gap at 40 random optima, relative", gap);
    // One violation at a time, in min 1/2 x^2 with 1 - x <= 0.
    const auto residuals = [&](double x, double a) {
        const KktResiduals r = kkt_residuals(kOneBound, Vector{x}, of_rows({a}, 1));
        return Vector{r.stationarity, r.primal_feasibility, r.dual_feasibility, r.complementarity};
    };
    expect_fact("O05", "residuals at x = 1, a = 1", residuals(1.0, 1.0));
    expect_fact("O05", "residuals at x = 1, a = 3", residuals(1.0, 3.0));
    expect_fact("O05", "residuals at x = 0.5, a = 0.5", residuals(0.5, 0.5));
    expect_fact("O05", "residuals at x = 2, a = -1", residuals(2.0, -1.0));
    expect_fact("O05", "residuals at x = 2, a = 2", residuals(2.0, 2.0));
}

TEST(quadratic_duality, wolfes_gap_falls_to_zero_along_the_way_to_the_optimum) {
    // x = a stationary; primal feasible from the right: x = 1 + s, a = 1 + s.
    Context context;
    Vector gaps;
    for (const double s : {1.0, 0.5, 0.25, 0.0}) {
        const DualityReport report =
            examine(kOneBound, Vector{1.0 + s}, of_rows({1.0 + s}, 1), context);
        EXPECT_NEAR(report.kkt.stationarity, 0.0, 1e-15);
        EXPECT_NEAR(report.dual, report.dual_function, 1e-15);
        gaps.push_back(report.gap);
    }
    expect_fact("O06", "gap at x = a = 2, 1.5, 1.25, 1", gaps);  // (1 + s) s
}

TEST(quadratic_duality, optima_are_saddle_points_and_other_pairs_are_not) {
    Random random(94);
    Context context;
    double above = -kInfinity;
    double below = -kInfinity;
    for (int round = 0; round < 20; ++round) {
        const QuadraticProgram program =
            random_program(2 + random.below(8), random.below(10), random);
        const QuadraticSolution s = solve_quadratic_program(program, {}, context);
        const SaddleReport report = saddle_test(program, s.x, s.multipliers, 200, context);
        above = std::max(above, report.above);
        below = std::max(below, report.below);
    }
    expect_fact("O03", "L(x*, a) above L(x*, a*), 4000 draws", above);
    expect_fact("O03", "L(x*, a*) above L(x, a*), 4000 draws", below);
    const SaddleReport right = saddle_test(kOneBound, Vector{1.0}, of_rows({1.0}, 1), 100, context);
    expect_fact("O03", "L(x*, a*) of min 1/2 x^2, 1 - x <= 0", right.value);
    EXPECT_TRUE(right.holds());
    EXPECT_FALSE(saddle_test(kOneBound, Vector{1.2}, of_rows({1.0}, 1), 100, context).holds());
    EXPECT_FALSE(saddle_test(kOneBound, Vector{0.9}, of_rows({0.9}, 1), 100, context).holds());
}

TEST(quadratic_duality, slaters_condition_is_decided_with_a_point_or_multipliers) {
    Context context;
    const SlaterReport yes = slater(kOneBound, context);
    expect_fact("O04", "1 - x <= 0", yes.holds);
    expect_fact("O04", "1 - x <= 0: slack", yes.slack);
    EXPECT_GT(yes.x[0], 1.0);
    // x <= 0 and -x <= 0 leave one point: with (1/2, 1/2) they add up to 0 <= 0.
    const SlaterReport one = slater({{1}, {0}, {1, -1}, {0, 0}, {}, {}, {}, {}}, context);
    expect_fact("O04", "x <= 0, -x <= 0", one.holds);
    expect_fact("O04", "x <= 0, -x <= 0: multipliers", one.proof.rows);
    // x <= -1 and -x <= -1 leave no point: the same multipliers give 1 <= 0.
    const SlaterReport none = slater({{1}, {0}, {1, -1}, {1, 1}, {}, {}, {}, {}}, context);
    expect_fact("O04", "x <= -1, x >= 1", none.holds);
    expect_fact("O04", "x <= -1, x >= 1: slack", none.slack);
    // Equations need no slack; bounds do.
    EXPECT_TRUE(slater({{}, {0, 0}, {}, {}, {1, 1}, {1}, {0, 0}, {}}, context).holds);
    EXPECT_FALSE(slater({{}, {0, 0}, {}, {}, {1, 1}, {0}, {0, 0}, {}}, context).holds);
    EXPECT_EQ(slater({{}, {0}, {}, {}, {1, 1}, {0, 1}, {}, {}}, context).status,
              QuadraticStatus::infeasible);
}

TEST(quadratic_duality, every_slater_point_is_strictly_feasible_and_every_no_has_its_proof) {
    Random random(95);
    Context context;
    int yes = 0;
    int no = 0;
    for (int round = 0; round < 100; ++round) {
        const index_t n = 1 + random.below(4);
        QuadraticProgram program;
        program.linear.assign(static_cast<std::size_t>(n), 0.0);
        const index_t m = 1 + random.below(3 * n + 2);
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < n; ++j) {
                program.rows.push_back(static_cast<double>(random.below(7)) - 3.0);
            }
            program.offsets.push_back(static_cast<double>(random.below(5)) - 2.0);
        }
        const SlaterReport report = slater(program, context);
        const QuadraticMultipliers nothing =
            of_rows(Vector(program.offsets.size()), program.linear.size());
        if (report.holds) {
            ++yes;
            EXPECT_LE(kkt_residuals(program, report.x, nothing).primal_feasibility, 0.0);
            continue;
        }
        ++no;
        // With the multipliers the rows add up to 0, and the offsets to >= 0.
        double offset = 0.0;
        double sum = 0.0;
        Vector left(static_cast<std::size_t>(n), 0.0);
        for (std::size_t i = 0; i < program.offsets.size(); ++i) {
            EXPECT_GE(report.proof.rows[i], 0.0);
            sum += report.proof.rows[i];
            offset += report.proof.rows[i] * program.offsets[i];
            for (std::size_t j = 0; j < left.size(); ++j) {
                left[j] += report.proof.rows[i] * program.rows[i * left.size() + j];
            }
        }
        EXPECT_GT(sum, 0.1) << round;
        EXPECT_GE(offset, -1e-9) << round;
        for (const double entry : left) {
            EXPECT_NEAR(entry, 0.0, 1e-9) << round;
        }
    }
    expect_fact("O04", "100 random integer systems: with a point", yes >= 20);
    expect_fact("O04", "100 random integer systems: with multipliers", no >= 20);
}

/// The soft-margin problem of PAIR at C = 1/4 in (w, b, xi1, xi2).
QuadraticProgram soft_pair() {
    QuadraticProgram program;
    program.quadratic.assign(16, 0.0);
    program.quadratic[0] = 1.0;
    program.linear = {0, 0, 0.25, 0.25};
    program.rows = {-1, 1, -1, 0, -1, -1, 0, -1};
    program.offsets = {1, 1};
    program.lower = {-kInfinity, -kInfinity, 0, 0};
    return program;
}

TEST(quadratic_duality, the_optima_of_the_soft_pair_are_an_interval_of_intercepts) {
    Context context;
    const QuadraticProgram program = soft_pair();
    const QuadraticSolution s = solve_quadratic_program(program, {}, context);
    expect_fact("O09", "PAIR, C = 0.25: optimal value", objective(program, s.x));
    const std::vector<Interval> ranges = optimal_ranges(program, s, context);
    expect_fact("O09", "PAIR, C = 0.25: interval of b", Vector{ranges[1].lower, ranges[1].upper});
    expect_fact("O09", "PAIR, C = 0.25: interval of w", Vector{ranges[0].lower, ranges[0].upper});
    // Every point between two optima is an optimum.
    const Vector left{0.5, -0.5, 0, 1};
    const Vector right{0.5, 0.5, 1, 0};
    for (const double t : {0.0, 0.2, 0.5, 0.7, 1.0}) {
        Vector x(4);
        for (std::size_t j = 0; j < 4; ++j) {
            x[j] = t * left[j] + (1.0 - t) * right[j];
        }
        EXPECT_NEAR(objective(program, x), 0.375, 1e-15);
        EXPECT_LE(kkt_residuals(program, x, s.multipliers).worst(), 1e-12);
    }
}

TEST(quadratic_duality, optimal_sets_of_random_programs_hold_all_points_between_two_optima) {
    // Linear objectives over polytopes with a face of optima: the objective is one of the rows.
    Random random(96);
    Context context;
    double worst = 0.0;
    for (int round = 0; round < 20; ++round) {
        QuadraticProgram program;
        const std::size_t n = 3;
        for (int i = 0; i < 6; ++i) {
            double norm = 0.0;
            for (std::size_t j = 0; j < n; ++j) {
                program.rows.push_back(random.normal());
                norm = std::hypot(norm, program.rows.back());
            }
            program.offsets.push_back(-norm);
        }
        program.lower.assign(n, -2.0);
        program.upper.assign(n, 2.0);
        for (std::size_t j = 0; j < n; ++j) {
            program.linear.push_back(-program.rows[j]);
        }
        const QuadraticSolution s = solve_quadratic_program(program, {}, context);
        ASSERT_EQ(s.status, QuadraticStatus::optimal);
        const double value = objective(program, s.x);
        const std::vector<Interval> ranges = optimal_ranges(program, s, context);
        std::vector<Vector> ends;
        for (std::size_t j = 0; j < n; ++j) {
            ASSERT_FALSE(std::isnan(ranges[j].lower)) << round;
            EXPECT_LE(ranges[j].lower, s.x[j] + 1e-7);
            EXPECT_GE(ranges[j].upper, s.x[j] - 1e-7);
            // An end of the interval, as a point of the polytope with that coordinate.
            for (const double end : {ranges[j].lower, ranges[j].upper}) {
                QuadraticProgram pinned = program;
                pinned.lower[j] = pinned.upper[j] = end;
                const QuadraticSolution p = solve_quadratic_program(pinned, {}, context);
                if (p.status == QuadraticStatus::optimal) {
                    EXPECT_NEAR(objective(program, p.x), value, 1e-6) << round;
                    ends.push_back(p.x);
                }
            }
        }
        ASSERT_GE(ends.size(), 2U);
        for (std::size_t k = 1; k < ends.size(); ++k) {
            const double t = random.uniform();
            Vector x(n);
            for (std::size_t j = 0; j < n; ++j) {
                x[j] = t * ends[0][j] + (1.0 - t) * ends[k][j];
            }
            worst = std::max(worst, std::abs(objective(program, x) - value));
            worst = std::max(worst, kkt_residuals(program, x, s.multipliers).primal_feasibility);
        }
    }
    expect_fact("O09", "random faces: points between two optima off the optimum", worst);
}

TEST(quadratic_duality, lengths_that_do_not_fit_are_refused) {
    EXPECT_THROW(static_cast<void>(objective(kOneBound, Vector{1, 2})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(kkt_residuals(kOneBound, Vector{1}, of_rows({1, 2}, 1))),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/quadratic_program_test.cpp - optima, contradictions and rays of quadratic
// programs. The judge of random ones is the tests' own solver (support/quadratic_oracle.hpp), which
// shares no line with the library's, and the values of both points.
#include "mercer/compute/quadratic_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"
#include "support/quadratic_oracle.hpp"

namespace mercer {
namespace {

using Vector = std::vector<double>;

QuadraticSolution solved(const QuadraticProgram& program) {
    Context context;
    return solve_quadratic_program(program, {}, context);
}

Vector times(const Vector& matrix, const Vector& x) {
    Vector out(matrix.size() / x.size(), 0.0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            out[i] += matrix[i * x.size() + j] * x[j];
        }
    }
    return out;
}

double inner(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double value_of(const QuadraticProgram& program, const Vector& x) {
    const double half =
        program.quadratic.empty() ? 0.0 : 0.5 * inner(x, times(program.quadratic, x));
    return half + inner(program.linear, x);
}

/// B'B of a random r x n matrix: positive semidefinite of rank r.
Vector random_gram(index_t n, index_t r, Random& random) {
    Vector b(static_cast<std::size_t>(r * n));
    for (double& entry : b) {
        entry = random.normal();
    }
    Vector out(static_cast<std::size_t>(n * n), 0.0);
    for (index_t k = 0; k < r; ++k) {
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                out[static_cast<std::size_t>(i * n + j)] +=
                    b[static_cast<std::size_t>(k * n + i)] * b[static_cast<std::size_t>(k * n + j)];
            }
        }
    }
    return out;
}

Vector normals(index_t count, Random& random) {
    Vector out(static_cast<std::size_t>(count));
    for (double& entry : out) {
        entry = random.normal();
    }
    return out;
}

TEST(quadratic_program, one_bound_has_its_hand_made_optimum) {
    const QuadraticSolution s = solved({{1}, {0}, {-1}, {1}, {}, {}, {}, {}});
    EXPECT_EQ(s.status, QuadraticStatus::optimal);
    expect_fact("A19", "x of min x^2/2, x >= 1", s.x[0]);
    expect_fact("A19", "its multiplier", s.multipliers.rows[0]);
}

TEST(quadratic_program, a_linear_program_ends_in_its_corner) {
    // max x + 2y with x + y <= 4, x + 3y <= 6, x, y >= 0: (3, 1), prices (1/2, 1/2).
    const QuadraticSolution s = solved({{}, {-1, -2}, {1, 1, 1, 3}, {-4, -6}, {}, {}, {0, 0}, {}});
    EXPECT_EQ(s.status, QuadraticStatus::optimal);
    expect_fact("A19", "corner of max x + 2y, x + y <= 4, x + 3y <= 6", s.x);
    expect_fact("A19", "its prices", s.multipliers.rows);
}

TEST(quadratic_program, equations_and_fixed_variables_have_multipliers_of_either_sign) {
    // min (x^2 + y^2)/2 with x + y = 1: x = y = 1/2, K x + E'v = 0 with v = -1/2.
    const QuadraticSolution s = solved({{1, 0, 0, 1}, {0, 0}, {}, {}, {1, 1}, {1}, {}, {}});
    EXPECT_EQ(s.status, QuadraticStatus::optimal);
    EXPECT_NEAR(s.x[0], 0.5, 1e-14);
    EXPECT_NEAR(s.multipliers.equations[0], -0.5, 1e-14);
    // A variable fixed at 1 that wants to be 3, and one fixed at 1 that wants to be 0.
    const QuadraticSolution f = solved({{1, 0, 0, 1}, {-3, 0}, {}, {}, {}, {}, {1, 1}, {1, 1}});
    EXPECT_EQ(f.status, QuadraticStatus::optimal);
    EXPECT_EQ(f.x, (Vector{1, 1}));
    EXPECT_NEAR(f.multipliers.upper[0], 2.0, 1e-12);
    EXPECT_NEAR(f.multipliers.lower[1], 1.0, 1e-12);
}

TEST(quadratic_program, random_boxes_with_an_equation_agree_with_the_independent_solver) {
    Random random(81);
    double worst = 0.0;
    for (int round = 0; round < 60; ++round) {
        const index_t n = 2 + random.below(20);
        QuadraticProgram program;
        program.quadratic = random_gram(n, 1 + random.below(n), random);
        program.linear = normals(n, random);
        program.equations = normals(n, random);
        program.lower.assign(static_cast<std::size_t>(n), 0.0);
        Vector middle;
        for (index_t j = 0; j < n; ++j) {
            program.upper.push_back(random.uniform(0.1, 10.0));
            middle.push_back(program.upper.back() * random.uniform(0.2, 0.8));
        }
        program.values = {inner(program.equations, middle)};
        const QuadraticSolution s = solved(program);
        ASSERT_EQ(s.status, QuadraticStatus::optimal) << round;

        testing::QuadraticProgramme same;
        const auto size = static_cast<std::size_t>(n);
        for (std::size_t i = 0; i < size; ++i) {
            same.h.emplace_back(
                program.quadratic.begin() + static_cast<std::ptrdiff_t>(i * size),
                program.quadratic.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
        }
        same.g.assign(program.linear.begin(), program.linear.end());
        same.a.emplace_back(program.equations.begin(), program.equations.end());
        same.b = {program.values[0]};
        same.upper.assign(program.upper.begin(), program.upper.end());
        const testing::QuadraticAnswer answer = testing::QuadraticOracle(same).solve();
        const Vector z(answer.z.begin(), answer.z.end());
        const double expected = value_of(program, z);
        worst = std::max(worst,
                         std::abs(value_of(program, s.x) - expected) / (1.0 + std::abs(expected)));
        EXPECT_NEAR(inner(program.equations, s.x), program.values[0], 1e-11) << round;
        for (std::size_t j = 0; j < size; ++j) {
            EXPECT_GE(s.x[j], -1e-11) << round;
            EXPECT_LE(s.x[j], program.upper[j] + 1e-11) << round;
        }
    }
    expect_fact("A19", "60 random boxes with an equation: values apart, relative", worst);
}

/// Rows around a point that meets them with room, or with none.
QuadraticProgram random_feasible(index_t n, index_t m, double room, Random& random) {
    QuadraticProgram program;
    program.linear = normals(n, random);
    program.rows = normals(m * n, random);
    const Vector inside = normals(n, random);
    for (const double value : times(program.rows, inside)) {
        program.offsets.push_back(-value - room * random.uniform());
    }
    return program;
}

TEST(quadratic_program, random_programs_meet_the_optimality_conditions) {
    Random random(82);
    int optimal = 0;
    for (int round = 0; round < 120; ++round) {
        const index_t n = 1 + random.below(12);
        const index_t m = random.below(25);
        QuadraticProgram program = random_feasible(n, m, round % 3 == 0 ? 0.0 : 2.0, random);
        if (round % 4 != 0) {
            program.quadratic = random_gram(n, 1 + random.below(n), random);
        }
        const QuadraticSolution s = solved(program);
        if (s.status == QuadraticStatus::unbounded) {
            EXPECT_LT(inner(program.linear, s.ray), 0.0);
            continue;
        }
        ASSERT_EQ(s.status, QuadraticStatus::optimal) << round;
        ++optimal;
        Vector slope = program.quadratic.empty() ? Vector(static_cast<std::size_t>(n), 0.0)
                                                 : times(program.quadratic, s.x);
        const Vector rows = times(program.rows, s.x);
        for (std::size_t j = 0; j < slope.size(); ++j) {
            slope[j] += program.linear[j];
            for (std::size_t i = 0; i < rows.size(); ++i) {
                slope[j] += s.multipliers.rows[i] * program.rows[i * slope.size() + j];
            }
            EXPECT_NEAR(slope[j], 0.0, 1e-8) << round;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_LE(rows[i] + program.offsets[i], 1e-8) << round;
            EXPECT_GE(s.multipliers.rows[i], 0.0) << round;
            EXPECT_NEAR(s.multipliers.rows[i] * (rows[i] + program.offsets[i]), 0.0, 1e-7) << round;
        }
    }
    EXPECT_GE(optimal, 60);  // not all are unbounded
}

TEST(quadratic_program, contradictions_come_with_multipliers_that_add_up_to_one) {
    // Random feasible rows, and one more that a combination of them contradicts by `gap`.
    Random random(83);
    for (int round = 0; round < 60; ++round) {
        const index_t n = 1 + random.below(8);
        const index_t m = 2 + random.below(10);
        QuadraticProgram program = random_feasible(n, m, 1.0, random);
        program.quadratic = random_gram(n, n, random);
        Vector last(static_cast<std::size_t>(n), 0.0);
        double offset = std::pow(10.0, random.uniform(-4.0, 2.0));
        for (index_t i = 0; i < m; ++i) {
            const double weight = random.uniform();
            offset -= weight * program.offsets[static_cast<std::size_t>(i)];
            for (index_t j = 0; j < n; ++j) {
                last[static_cast<std::size_t>(j)] -=
                    weight * program.rows[static_cast<std::size_t>(i * n + j)];
            }
        }
        program.rows.insert(program.rows.end(), last.begin(), last.end());
        program.offsets.push_back(offset);
        const QuadraticSolution s = solved(program);
        ASSERT_EQ(s.status, QuadraticStatus::infeasible) << round;
        double sum = 0.0;
        Vector left(static_cast<std::size_t>(n), 0.0);
        for (std::size_t i = 0; i < s.multipliers.rows.size(); ++i) {
            EXPECT_GE(s.multipliers.rows[i], 0.0);
            sum += s.multipliers.rows[i] * program.offsets[i];
            for (std::size_t j = 0; j < left.size(); ++j) {
                left[j] += s.multipliers.rows[i] * program.rows[i * left.size() + j];
            }
        }
        EXPECT_GT(sum, 0.0) << round;
        for (const double entry : left) {
            EXPECT_LE(std::abs(entry), 1e-6 * sum) << round;
        }
    }
}

TEST(quadratic_program, contradicting_equations_and_bounds_are_found_too) {
    const QuadraticSolution e =
        solved({{1, 0, 0, 1}, {0, 0}, {}, {}, {1, 1, 1, 1}, {1, 2}, {}, {}});
    EXPECT_EQ(e.status, QuadraticStatus::infeasible);
    EXPECT_NEAR(e.multipliers.equations[0], -e.multipliers.equations[1], 1e-12);
    const QuadraticSolution b = solved({{}, {1}, {}, {}, {}, {}, {2}, {1}});
    EXPECT_EQ(b.status, QuadraticStatus::infeasible);
    EXPECT_GT(b.multipliers.lower[0], 0.0);
    EXPECT_NEAR(b.multipliers.lower[0], b.multipliers.upper[0], 1e-12);
    const QuadraticSolution zero = solved({{1}, {0}, {0}, {1}, {}, {}, {}, {}});  // 1 <= 0
    EXPECT_EQ(zero.status, QuadraticStatus::infeasible);
}

TEST(quadratic_program, an_objective_without_end_has_a_feasible_point_and_a_ray) {
    // min x^2/2 - y with x, y >= 0.
    const QuadraticSolution s = solved({{1, 0, 0, 0}, {0, -1}, {}, {}, {}, {}, {0, 0}, {}});
    EXPECT_EQ(s.status, QuadraticStatus::unbounded);
    EXPECT_GE(s.x[0], 0.0);
    EXPECT_GE(s.x[1], 0.0);
    EXPECT_NEAR(s.ray[0], 0.0, 1e-9);
    EXPECT_NEAR(s.ray[1], 1.0, 1e-9);
    // No constraint at all: (x + y)^2/2 - x - 2y falls along (-1, 1).
    const QuadraticSolution f = solved({{1, 1, 1, 1}, {-1, -2}, {}, {}, {}, {}, {}, {}});
    EXPECT_EQ(f.status, QuadraticStatus::unbounded);
    EXPECT_NEAR(f.ray[0] + f.ray[1], 0.0, 1e-9);
}

/// Small integers: redundant rows, contradictions, degenerate corners and rays are common.
QuadraticProgram random_integers(Random& random) {
    const index_t n = 1 + random.below(6);
    const index_t m = random.below(10);
    const index_t p = random.below(3);
    const auto integer = [&](index_t most) {
        return static_cast<double>(random.below(2 * most + 1) - most);
    };
    QuadraticProgram program;
    for (index_t j = 0; j < n; ++j) {
        program.linear.push_back(integer(3));
    }
    for (index_t i = 0; i < m * n; ++i) {
        program.rows.push_back(random.below(2) == 0 ? 0.0 : integer(3));
    }
    for (index_t i = 0; i < m; ++i) {
        program.offsets.push_back(integer(4));
    }
    for (index_t i = 0; i < p * n; ++i) {
        program.equations.push_back(integer(2));
    }
    for (index_t i = 0; i < p; ++i) {
        program.values.push_back(integer(2));
    }
    for (index_t j = 0; j < n; ++j) {
        program.lower.push_back(random.below(3) == 0 ? -kInfinity : 0.0);
        program.upper.push_back(random.below(3) == 0 ? static_cast<double>(random.below(4))
                                                     : kInfinity);
    }
    program.quadratic.assign(static_cast<std::size_t>(n * n), 0.0);
    for (index_t k = random.below(n + 1); k > 0; --k) {
        Vector b;
        for (index_t j = 0; j < n; ++j) {
            b.push_back(integer(2));
        }
        for (std::size_t i = 0; i < b.size(); ++i) {
            for (std::size_t j = 0; j < b.size(); ++j) {
                program.quadratic[i * b.size() + j] += b[i] * b[j];
            }
        }
    }
    return program;
}

/// The greatest violation of the constraints at x.
double violation(const QuadraticProgram& program, const Vector& x) {
    double out = 0.0;
    const Vector rows = times(program.rows, x);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out = std::max(out, rows[i] + program.offsets[i]);
    }
    const Vector equations = times(program.equations, x);
    for (std::size_t i = 0; i < equations.size(); ++i) {
        out = std::max(out, std::abs(equations[i] - program.values[i]));
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        out = std::max({out, program.lower[j] - x[j], x[j] - program.upper[j]});
    }
    return out;
}

/// A'rows + E'equations - lower + upper.
Vector pull_of(const QuadraticProgram& program, const QuadraticMultipliers& m) {
    Vector out(program.linear.size(), 0.0);
    for (std::size_t j = 0; j < out.size(); ++j) {
        for (std::size_t i = 0; i < m.rows.size(); ++i) {
            out[j] += m.rows[i] * program.rows[i * out.size() + j];
        }
        for (std::size_t i = 0; i < m.equations.size(); ++i) {
            out[j] += m.equations[i] * program.equations[i * out.size() + j];
        }
        out[j] += m.upper[j] - m.lower[j];
    }
    return out;
}

/// The value of the constraints added up at x = 0.
double price_of(const QuadraticProgram& program, const QuadraticMultipliers& m) {
    double sum = inner(program.offsets, m.rows) - inner(program.values, m.equations);
    for (std::size_t j = 0; j < program.linear.size(); ++j) {
        sum += std::isfinite(program.lower[j]) ? m.lower[j] * program.lower[j] : 0.0;
        sum -= std::isfinite(program.upper[j]) ? m.upper[j] * program.upper[j] : 0.0;
    }
    return sum;
}

TEST(quadratic_program, every_program_of_small_integers_ends_with_an_optimum_or_a_proof) {
    Random random(86);
    int counts[3] = {0, 0, 0};
    for (int round = 0; round < 1500; ++round) {
        const QuadraticProgram program = random_integers(random);
        const QuadraticSolution s = solved(program);
        if (s.status == QuadraticStatus::unbounded) {
            ++counts[1];
            EXPECT_LE(violation(program, s.x), 1e-8) << round;
            EXPECT_LT(inner(program.linear, s.ray), -1e-9) << round;
            Vector far = s.x;
            for (std::size_t j = 0; j < far.size(); ++j) {
                far[j] += 1e3 * s.ray[j];
            }
            EXPECT_LE(violation(program, far), 1e-5) << round;
            EXPECT_LE(std::abs(inner(s.ray, times(program.quadratic, s.ray))), 1e-12) << round;
            continue;
        }
        for (const Vector* part :
             {&s.multipliers.rows, &s.multipliers.lower, &s.multipliers.upper}) {
            for (const double value : *part) {
                EXPECT_GE(value, 0.0) << round;
            }
        }
        const Vector pull = pull_of(program, s.multipliers);
        const double price = price_of(program, s.multipliers);
        if (s.status == QuadraticStatus::infeasible) {
            ++counts[2];
            EXPECT_GT(price, 0.0) << round;
            for (const double entry : pull) {
                EXPECT_LE(std::abs(entry), 1e-6 * price) << round;
            }
            continue;
        }
        ASSERT_EQ(s.status, QuadraticStatus::optimal) << round;
        ++counts[0];
        EXPECT_LE(violation(program, s.x), 1e-7) << round;
        const Vector slope = times(program.quadratic, s.x);
        for (std::size_t j = 0; j < slope.size(); ++j) {
            EXPECT_NEAR(slope[j] + program.linear[j] + pull[j], 0.0, 1e-7) << round;
        }
        // Wolfe's dual, -1/2 x'Kx + the price of the constants, has the value of the primal.
        const double primal = value_of(program, s.x);
        EXPECT_NEAR(price - 0.5 * inner(s.x, slope), primal, 1e-7 * (1.0 + std::abs(primal)))
            << round;
    }
    for (const int count : counts) {
        EXPECT_GE(count, 100);
    }
}

TEST(quadratic_program, bounds_far_beyond_the_optimum_change_nothing) {
    Random random(87);
    const index_t n = 30;
    QuadraticProgram program;
    program.quadratic = random_gram(n, n, random);
    for (index_t j = 0; j < n; ++j) {
        program.linear.push_back(-1.0);
        program.equations.push_back(j % 2 == 0 ? 1.0 : -1.0);
    }
    program.values = {0.0};
    program.lower.assign(static_cast<std::size_t>(n), 0.0);
    const double open = value_of(program, solved(program).x);
    for (const double upper : {1e4, 1e8, 1e12}) {
        program.upper.assign(static_cast<std::size_t>(n), upper);
        const QuadraticSolution s = solved(program);
        ASSERT_EQ(s.status, QuadraticStatus::optimal);
        EXPECT_NEAR(value_of(program, s.x), open, 1e-10 * std::abs(open)) << upper;
    }
}

TEST(quadratic_program, units_of_the_numbers_change_nothing) {
    Random random(84);
    const index_t n = 6;
    QuadraticProgram program = random_feasible(n, 10, 1.0, random);
    program.quadratic = random_gram(n, n, random);
    const QuadraticSolution plain = solved(program);
    for (const double unit : {1e-6, 1e6}) {
        QuadraticProgram other = program;  // x in other units: K / u^2, c / u, A / u
        for (double& entry : other.quadratic) {
            entry /= unit * unit;
        }
        for (double& entry : other.linear) {
            entry /= unit;
        }
        for (double& entry : other.rows) {
            entry /= unit;
        }
        const QuadraticSolution s = solved(other);
        ASSERT_EQ(s.status, QuadraticStatus::optimal);
        for (std::size_t j = 0; j < plain.x.size(); ++j) {
            EXPECT_NEAR(s.x[j] / unit, plain.x[j], 1e-9);
        }
    }
}

TEST(quadratic_program, limits_and_stop_requests_are_statuses) {
    Random random(85);
    const QuadraticProgram program = [&] {
        QuadraticProgram p = random_feasible(8, 12, 1.0, random);
        p.quadratic = random_gram(8, 8, random);
        return p;
    }();
    Context context;
    const QuadraticOptions one{.max_iterations = 1, .polish = false};
    EXPECT_EQ(solve_quadratic_program(program, one, context).status,
              QuadraticStatus::iteration_limit);
    const std::atomic<bool> stop{true};
    Context stopped({.stop_flag = &stop});
    EXPECT_EQ(solve_quadratic_program(program, {}, stopped).status, QuadraticStatus::interrupted);
}

TEST(quadratic_program, malformed_programs_are_refused_by_the_name_of_the_part) {
    const auto message = [](const QuadraticProgram& program) -> std::string {
        try {
            require_well_formed(program);
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message({{}, {}, {}, {}, {}, {}, {}, {}}),
              "linear: has no numbers, must have one for each variable");
    EXPECT_EQ(message({{1, 2}, {0, 0}, {}, {}, {}, {}, {}, {}}),
              "quadratic: has 2 numbers, must have 4");
    EXPECT_EQ(message({{1, 2, 3, 1}, {0, 0}, {}, {}, {}, {}, {}, {}}),
              "quadratic: not symmetric, entries (1, 0) and (0, 1) are 3 and 2");
    EXPECT_EQ(message({{}, {0, 0}, {1}, {1}, {}, {}, {}, {}}), "rows: has 1 numbers, must have 2");
    EXPECT_EQ(message({{}, {0, kNaN}, {}, {}, {}, {}, {}, {}}),
              "linear: entry 1 is nan, must be finite");
    EXPECT_EQ(message({{}, {0}, {}, {}, {}, {}, {kInfinity}, {}}),
              "lower: entry 0 is inf, must be finite");
}

}  // namespace
}  // namespace mercer

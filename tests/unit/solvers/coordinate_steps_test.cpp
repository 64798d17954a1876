// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/coordinate_steps_test.cpp - single steps of the coordinate solvers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/decomposition.hpp"
#include "mercer/solvers/smo.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "solvers/membership.hpp"
#include "solvers/working_set.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::rows_of;

const std::vector<double> kPair{-1.0, 1.0};

Problem pair_problem() {
    Problem problem;
    problem.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(kPair.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    problem.costs = {10.0, 10.0};
    return problem;
}

/// Rows of small integers: their products are exact even in float32.
struct Integers {
    std::vector<double> values;
    Problem problem;

    explicit Integers(std::uint64_t seed) {
        Random random(seed);
        constexpr index_t kRows = 60;
        for (index_t i = 0; i < kRows; ++i) {
            for (int k = 0; k < 4; ++k) {
                values.push_back(static_cast<double>(random.below(9)) - 4.0);
            }
            problem.targets.push_back(
                values[static_cast<std::size_t>(4 * i)] + random.normal() > 0 ? 1.0 : -1.0);
            problem.costs.push_back(0.5);
        }
        problem.gram =
            make_gram(linear_kernel(), Dataset(MatrixView<const double>(values.data(), kRows, 4)));
    }
};

TEST(coordinate_steps, the_pair_starts_at_violation_two_and_takes_one_step) {
    const Problem problem = pair_problem();
    Context context;
    std::vector<double> zero(2, 0.0);
    expect_fact("A08", "PAIR, C = 10: violation at 0",
                certify(problem, zero, context).kkt_violation);
    SolveOptions options;
    options.solver = "smo";
    options.gap_tolerance = 1e-12;
    const Solution solution = solve(problem, options, context);
    expect_fact("A08", "PAIR, C = 10: steps", solution.iterations);
    expect_fact("A08", "PAIR, C = 10: the step, violation over curvature = 2 / 4",
                solution.beta[1]);
}

TEST(coordinate_steps, the_dual_value_never_falls) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Integers data(seed);
        Context context;
        double last = -kInfinity;
        for (index_t limit = 1; limit <= 40; ++limit) {
            SmoSolver solver(data.problem, {.max_iterations = limit}, context);
            (void)solver.run(1e-10, context);
            std::vector<double> beta(solver.beta().begin(), solver.beta().end());
            const double dual = certify(data.problem, beta, context).dual;
            expect_fact("X13",
                        "smo, 40 steps of three problems: greatest fall of the dual, relative",
                        limit == 1 ? 0.0 : std::max(0.0, (last - dual) / std::abs(last)));
            last = dual;
        }
        EXPECT_GT(last, 0.0);
    }
}

TEST(coordinate_steps, the_maximal_violating_pair_moves_first_and_ends_at_the_same_optimum) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Integers data(seed);
        Context context;
        SmoSolver first(data.problem,
                        {.max_iterations = 1, .selection = Selection::maximal_violating}, context);
        (void)first.run(1e-10, context);
        // At 0 every y - f is y: all rows of a class violate equally, so the first one is chosen.
        std::vector<double> moved;
        for (std::size_t i = 0; i < data.problem.targets.size(); ++i) {
            if (first.beta()[i] != 0.0) {
                moved.push_back(data.problem.targets[i]);
            }
        }
        std::sort(moved.begin(), moved.end());
        expect_fact("A10", "60 rows: y of the pair that moves first", moved);
        SolveOptions options;
        options.solver = "smo";
        options.gap_tolerance = 1e-10;
        const Solution second_order = solve(data.problem, options, context);
        options.coordinates.selection = Selection::maximal_violating;
        const Solution pairs = solve(data.problem, options, context);
        EXPECT_EQ(pairs.status, SolveStatus::converged);
        expect_fact("A10", "60 rows: |D - that of the second-order rule|, relative",
                    std::abs(pairs.certificate().dual - second_order.certificate().dual) /
                        second_order.certificate().dual);
        expect_fact(
            "A10", "60 rows: steps over those of the second-order rule",
            static_cast<double>(pairs.iterations) / static_cast<double>(second_order.iterations));
    }
}

TEST(coordinate_steps, a_step_of_the_maximal_violating_pair_is_the_closed_form) {
    const Problem problem = pair_problem();
    Context context;
    std::vector<double> zero(2, 0.0);
    expect_fact("A10", "PAIR, C = 10: violation of the first pair",
                certify(problem, zero, context).kkt_violation);
    SolveOptions options;
    options.solver = "smo";
    options.coordinates.selection = Selection::maximal_violating;
    options.gap_tolerance = 1e-12;
    const Solution solution = solve(problem, options, context);
    expect_fact("A10", "PAIR, C = 10: steps", solution.iterations);
    expect_fact("A10", "PAIR, C = 10: the step", solution.beta[1]);
}

TEST(coordinate_steps, a_step_takes_two_kernel_columns_at_most) {
    for (const Selection selection : {Selection::second_order, Selection::maximal_violating}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            const Integers data(seed);
            Context context;
            SmoSolver solver(data.problem, {.cache_bytes = 0, .selection = selection}, context);
            EXPECT_EQ(solver.estimated_values(), std::vector<double>(60, 0.0));  // -e + 1
            (void)solver.run(1e-3, context);
            EXPECT_GT(solver.rows_computed(), 0);
            expect_fact("A11", "60 rows, no row cache: kernel columns over steps",
                        static_cast<double>(solver.rows_computed()) /
                            static_cast<double>(solver.iterations()));
        }
    }
}

/// m, the greatest y - f of the variables that may increase, and M, the least of those that may
/// decrease.
struct Sides {
    double up = -kInfinity;
    double low = kInfinity;
};

Sides sides_of(const Problem& problem, std::span<const double> beta, const std::vector<double>& f) {
    Sides out;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const Interval box = dual_box(problem, static_cast<index_t>(i));
        const double v = problem.targets[i] - f[i];
        out.up = beta[i] < box.upper ? std::max(out.up, v) : out.up;
        out.low = beta[i] > box.lower ? std::min(out.low, v) : out.low;
    }
    return out;
}

TEST(coordinate_steps, at_the_optimum_every_row_allows_the_intercept_between_m_and_big_m) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const Integers data(seed);
        Context context;
        SolveOptions options;
        options.solver = "smo";
        options.gap_tolerance = 1e-12;
        const Solution solution = solve(data.problem, options, context);
        EXPECT_EQ(solution.status, SolveStatus::converged);
        const std::vector<double> f = decision_values(data.problem, solution.beta, context);
        const Sides sides = sides_of(data.problem, solution.beta, f);
        expect_fact("A09", "60 rows, gap 1e-12: m - M", std::max(0.0, sides.up - sides.low));
        // With a row strictly inside its box both ends equal its y - f, and so does b.
        const auto beyond = [&](double b) { return std::max({0.0, sides.up - b, b - sides.low}); };
        expect_fact("A09", "60 rows, gap 1e-12: how far b is beside [m, M]",
                    beyond(solution.intercept()));
        // Before the optimum, m is above M.
        SmoSolver early(data.problem, {.max_iterations = 3}, context);
        (void)early.run(1e-10, context);
        const Sides before = sides_of(data.problem, early.beta(),
                                      decision_values(data.problem, early.beta(), context));
        expect_fact("A09", "60 rows, after three steps: m - M", before.up - before.low);
    }
}

TEST(coordinate_steps, updated_values_equal_computed_ones) {
    const Integers data(4);
    Context context;
    for (const bool pairs : {true, false}) {
        std::unique_ptr<CoordinateSolver> solver;
        if (pairs) {
            solver = std::make_unique<SmoSolver>(data.problem, CoordinateOptions{}, context);
        } else {
            solver =
                std::make_unique<DecompositionSolver>(data.problem, CoordinateOptions{}, context);
        }
        ASSERT_EQ(solver->run(1e-3, context), SolveStatus::converged);
        EXPECT_GT(solver->iterations(), 10);
        const std::vector<double> f = decision_values(data.problem, solver->beta(), context);
        const std::vector<double> updated = solver->estimated_values();
        double drift = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            drift = std::max(drift, std::abs(updated[i] - f[i]));
        }
        expect_fact("A08", "60 rows of whole numbers: |updated values - computed ones|", drift);
        expect_fact("A11", "60 rows of whole numbers: |updated values - computed ones|", drift);
        const Sides sides = sides_of(data.problem, solver->beta(), f);
        expect_fact("A09", "60 rows, tolerance 1e-3: m - M at the end",
                    std::max(0.0, sides.up - sides.low));
    }
}

/// y'b - 1/2 b'Kb, K of whole numbers.
double dual_value(const Problem& problem, const std::vector<double>& beta, Context& context) {
    const std::vector<double> f = decision_values(problem, beta, context);
    double value = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        value += beta[i] * (problem.targets[i] - 0.5 * f[i]);
    }
    return value;
}

/// What a round of decomposition does with the variables of `rows` (A07).
struct Round {
    double violation = 0.0;  ///< of the worst pair among them
    index_t steps = 0;
    double gain = 0.0;
};

Round solve_rows(const Problem& problem, const std::vector<double>& beta,
                 const std::vector<index_t>& rows, Context& context) {
    const std::vector<double> f = decision_values(problem, beta, context);
    WorkingSet set(static_cast<index_t>(rows.size()), context);
    set.clear(1, {}, context);
    double highest = -kInfinity;
    double lowest = kInfinity;
    std::vector<double> values(16);
    for (const index_t row : rows) {
        const auto i = static_cast<std::size_t>(row);
        const Interval box = dual_box(problem, row);
        const double v = problem.targets[i] - f[i];
        rows_of(problem).copy_row(row, std::span(values).first(4));
        double norm = 0.0;
        for (int k = 0; k < 4; ++k) {
            norm += values[static_cast<std::size_t>(k)] * values[static_cast<std::size_t>(k)];
        }
        set.add({beta[i], v, box.lower, box.upper, static_cast<float>(norm), 0});
        highest = beta[i] < box.upper ? std::max(highest, v) : highest;
        lowest = beta[i] > box.lower ? std::min(lowest, v) : lowest;
    }
    const MatrixView<float> block = set.rows_from(0);
    std::vector<double> x(4);
    std::vector<double> z(4);
    for (index_t i = 0; i < block.rows; ++i) {
        for (index_t j = 0; j < block.columns; ++j) {
            rows_of(problem).copy_row(rows[static_cast<std::size_t>(i)], x);
            rows_of(problem).copy_row(rows[static_cast<std::size_t>(j)], z);
            block(i, j) = static_cast<float>(x[0] * z[0] + x[1] * z[1] + x[2] * z[2] + x[3] * z[3]);
        }
    }
    Round out{highest - lowest, set.solve(1e-9, 1000), 0.0};
    std::vector<double> after = beta;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        after[static_cast<std::size_t>(rows[k])] = set.b(static_cast<index_t>(k));
    }
    out.gain = dual_value(problem, after, context) - dual_value(problem, beta, context);
    return out;
}

TEST(coordinate_steps, a_working_set_gains_exactly_when_it_holds_a_violating_pair) {
    index_t seen[2] = {0, 0};
    for (const std::uint64_t seed : {5, 6, 7}) {
        const Integers data(seed);
        Context context;
        SmoSolver solver(data.problem, {.max_iterations = 25}, context);
        (void)solver.run(1e-10, context);
        const std::vector<double> beta(solver.beta().begin(), solver.beta().end());
        Random random(seed, 3);
        for (int trial = 0; trial < 200; ++trial) {
            std::vector<index_t> rows;
            const index_t size = 2 + random.below(4);
            while (static_cast<index_t>(rows.size()) < size) {
                const index_t row = random.below(data.problem.size());
                if (std::find(rows.begin(), rows.end(), row) == rows.end()) {
                    rows.push_back(row);
                }
            }
            const Round round = solve_rows(data.problem, beta, rows, context);
            const bool violating = round.violation > 1e-9;
            ++seen[violating ? 1 : 0];
            EXPECT_EQ(round.steps > 0, violating);
            expect_fact("A07", "600 random sets of 2 to 5 rows: the dual rises iff a pair violates",
                        (round.gain > 0.0) == violating);
        }
    }
    expect_fact("A07", "600 random sets: those of the rarer kind", std::min(seen[0], seen[1]));
}

TEST(coordinate_steps, working_sets_of_any_size_reach_the_same_objective) {
    for (const std::uint64_t seed : {8, 9}) {
        Integers data(seed);
        for (const Loss& loss : {Loss(HingeLoss{}), Loss(SquaredHingeLoss{}), Loss(AbsoluteLoss{}),
                                 Loss(EpsilonInsensitiveLoss{0.2})}) {
            data.problem.loss = loss;
            Context context;
            double reached = kNaN;
            for (const index_t size : {60, 2, 3, 4, 10, 59}) {
                DecompositionSolver solver(data.problem, {.working_set = size}, context);
                EXPECT_EQ(solver.working_set(), size);
                SolveStatus status = solver.run(1e-7, context);
                for (int again = 0; again < 50 && status == SolveStatus::reduced; ++again) {
                    solver.reset_values(decision_values(data.problem, solver.beta(), context));
                    status = solver.run(1e-7, context);
                }
                EXPECT_EQ(status, SolveStatus::converged) << name_of(loss) << size;
                std::vector<double> beta(solver.beta().begin(), solver.beta().end());
                const Certificate proof = certify(data.problem, beta, context);
                reached = std::isnan(reached) ? proof.dual : reached;
                expect_fact("A07",
                            "four losses, sets of 2, 3, 4, 10, 59, 60 of 60: |D / D of all - 1|",
                            std::abs(proof.dual / reached - 1.0));
                expect_fact("A07", "four losses, sets of 2, 3, 4, 10, 59, 60 of 60: relative gap",
                            relative_gap(proof));
            }
        }
    }
}

TEST(coordinate_steps, rounds_of_a_small_set_never_lower_the_dual) {
    const Integers data(10);  // A06: monotone
    Context context;
    double last = -kInfinity;
    for (index_t limit = 1; limit <= 60; ++limit) {
        DecompositionSolver solver(data.problem, {.max_iterations = limit, .working_set = 6},
                                   context);
        (void)solver.run(1e-10, context);
        const std::vector<double> beta(solver.beta().begin(), solver.beta().end());
        const double dual = dual_value(data.problem, beta, context);
        expect_fact("A06", "decomposition, 60 limits, 6 rows a round: greatest fall of the dual",
                    limit == 1 ? 0.0 : std::max(0.0, (last - dual) / std::abs(last)));
        last = dual;
    }
    EXPECT_GT(last, 0.0);
}

TEST(coordinate_steps, one_pass_finds_the_maximal_violating_pair) {
    // The pair found by comparing all pairs; ties go to the smaller number. It decides when to
    // stop, and its first row is the first row of a step; the second is chosen by the gain (below).
    Random random(12);
    for (index_t size = 1; size < 200; ++size) {
        const auto padded = static_cast<std::size_t>((size + 15) / 16 * 16);
        std::vector<double> v(padded, 0.0);
        std::vector<std::uint8_t> up(padded / 8 + 8, 0);
        std::vector<std::uint8_t> down(padded / 8 + 8, 0);
        const std::vector<float> diagonal(padded, 1.0F);
        for (index_t k = 0; k < size; ++k) {
            v[static_cast<std::size_t>(k)] = static_cast<double>(random.below(30)) - 15.0;
            set_bit(up, k, random.below(3) > 0);
            set_bit(down, k, random.below(3) > 0);
        }
        double worst = -kInfinity;
        index_t highest = -1;
        index_t lowest = -1;
        for (index_t i = 0; i < size; ++i) {
            for (index_t j = 0; j < size; ++j) {
                const double gap = v[static_cast<std::size_t>(i)] - v[static_cast<std::size_t>(j)];
                if (get_bit(up, i) && get_bit(down, j) && gap > worst) {
                    worst = gap;
                    highest = i;
                    lowest = j;
                }
            }
        }
        const Extremes found =
            find_extremes({v.data(), diagonal.data(), up.data(), down.data(), size}, Device::cpu);
        if (worst > -kInfinity) {
            expect_fact("X14", "sets of 1 to 199: one pass finds the maximal violating pair",
                        found.maximum - found.minimum == worst && found.highest == highest &&
                            found.lowest == lowest);
        } else {
            EXPECT_TRUE(found.highest < 0 || found.lowest < 0);
        }
    }
}

TEST(coordinate_steps, a_step_moves_the_worst_violator_and_the_partner_of_greatest_gain) {
    // Among the rows that may decrease, the one with the greatest (v_i - v_j)^2 / (k_ii + k_jj - 2
    // k_ij), which may differ from the second row of the maximal violating pair.
    index_t steps = 0;
    index_t other = 0;
    for (const std::uint64_t seed : {21, 22, 23, 24}) {
        const Integers data(seed);
        const Problem& problem = data.problem;
        Context context;
        std::vector<double> before(60, 0.0);
        for (index_t limit = 1; limit <= 20; ++limit) {
            SmoSolver solver(problem, {.max_iterations = limit}, context);
            (void)solver.run(1e-10, context);
            const std::vector<double> after(solver.beta().begin(), solver.beta().end());
            const std::vector<double> f = decision_values(problem, before, context);
            const auto value = [&](std::size_t i) { return problem.targets[i] - f[i]; };
            const auto kernel = [&](std::size_t i, std::size_t j) {
                double sum = 0.0;
                for (std::size_t k = 0; k < 4; ++k) {
                    sum += data.values[4 * i + k] * data.values[4 * j + k];
                }
                return sum;
            };
            const auto box = [&](std::size_t i) {
                return dual_box(problem, static_cast<index_t>(i));
            };
            double highest = -kInfinity;
            std::size_t lowest = 60;
            for (std::size_t i = 0; i < 60; ++i) {
                highest = before[i] < box(i).upper ? std::max(highest, value(i)) : highest;
                if (before[i] > box(i).lower && (lowest == 60 || value(i) < value(lowest))) {
                    lowest = i;
                }
            }
            std::vector<std::size_t> grown;
            std::vector<std::size_t> shrunk;
            for (std::size_t i = 0; i < 60; ++i) {
                if (after[i] != before[i]) {
                    (after[i] > before[i] ? grown : shrunk).push_back(i);
                }
            }
            ASSERT_EQ(grown.size(), 1U);
            ASSERT_EQ(shrunk.size(), 1U);
            const auto gain = [&](std::size_t j) {
                const std::size_t i = grown[0];
                const double violation = value(i) - value(j);
                const double curvature = kernel(i, i) + kernel(j, j) - 2.0 * kernel(i, j);
                const bool open = before[j] > box(j).lower && violation > 0.0;
                return open ? violation * violation / std::max(1e-12, curvature) : 0.0;
            };
            double greatest = 0.0;
            for (std::size_t j = 0; j < 60; ++j) {
                greatest = std::max(greatest, gain(j));
            }
            expect_fact("X14", "smo, 80 steps: v of the row that grows below the greatest",
                        highest - value(grown[0]));
            expect_fact("X14", "smo, 80 steps: second-order gain of its partner over the greatest",
                        gain(shrunk[0]) / greatest);
            ++steps;
            other += static_cast<index_t>(shrunk[0] != lowest);
            before = after;
        }
    }
    EXPECT_EQ(steps, 80);
    expect_fact("X14", "smo, 80 steps: those whose partner is not of the maximal violating pair",
                other);
}

TEST(coordinate_steps, a_step_takes_two_rows_of_few_columns_and_a_block_of_many) {
    const Integers data(11);
    Context context;
    for (const index_t limit : {1, 2, 5, 20, 100}) {
        SmoSolver solver(data.problem, {.max_iterations = limit, .cache_bytes = 0}, context);
        (void)solver.run(1e-6, context);
        expect_fact(
            "X15", "4 columns: kernel rows a step",
            static_cast<double>(solver.rows_computed()) / static_cast<double>(solver.iterations()));
        EXPECT_GE(solver.rows_computed(), 2);
    }
    // From 40 stored entries per row on, rows that are likely to be needed soon are computed in the
    // same block: up to 16 with the first of the pair, up to 15 with the second.
    testing::RowSet wide(200, 100, 3);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.01), wide.dense());
    for (index_t i = 0; i < 200; ++i) {
        problem.targets.push_back(wide.at(i, 0) > 0.0 ? 1.0 : -1.0);
        problem.costs.push_back(1.0);
    }
    SmoSolver solver(problem, {.max_iterations = 1}, context);
    (void)solver.run(1e-6, context);
    EXPECT_GT(solver.rows_computed(), 2);
    expect_fact("X15", "100 columns: kernel rows of the first step", solver.rows_computed());
    SmoSolver whole(problem, {}, context);
    EXPECT_EQ(whole.run(1e-3, context), SolveStatus::converged);
    expect_fact("X15", "100 columns, 200 rows, all cached: kernel rows to the end",
                whole.rows_computed());
}

}  // namespace
}  // namespace mercer

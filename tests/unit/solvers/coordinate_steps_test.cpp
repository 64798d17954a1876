// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/coordinate_steps_test.cpp - what single steps of the coordinate solvers do.
#include <gtest/gtest.h>

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

namespace mercer {
namespace {

const std::vector<double> kPair{-1.0, 1.0};

Problem pair_problem() {
    Problem problem;
    problem.kernel = linear_kernel();
    problem.rows = Dataset(MatrixView<const double>(kPair.data(), 2, 1));
    problem.targets = {-1.0, 1.0};
    problem.costs = {10.0, 10.0};
    return problem;
}

/// Rows of small integers: their products are exact in float32, too.
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
        problem.kernel = linear_kernel();
        problem.rows = Dataset(MatrixView<const double>(values.data(), kRows, 4));
    }
};

TEST(coordinate_steps, the_pair_starts_at_violation_two_and_takes_one_step) {
    const Problem problem = pair_problem();
    Context context;
    std::vector<double> zero(2, 0.0);
    EXPECT_NEAR(certify(problem, zero, context).kkt_violation, 2.0, 1e-15);
    SolveOptions options;
    options.solver = "smo";
    options.gap_tolerance = 1e-12;
    const Solution solution = solve(problem, options, context);
    EXPECT_EQ(solution.iterations, 1);
    EXPECT_NEAR(solution.beta[1], 0.5, 1e-15);  // the step 2 / 4
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
            EXPECT_GE(dual, last - 1e-12 * std::abs(last)) << seed << " after " << limit;
            last = dual;
        }
        EXPECT_GT(last, 0.0);
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
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(updated[i], f[i], 1e-10) << i;
        }
        // m <= M: the rows' intervals for b meet to the tolerance.
        std::vector<double> beta(solver->beta().begin(), solver->beta().end());
        EXPECT_LE(certify(data.problem, beta, context).kkt_violation, 1.1e-3);
    }
}

}  // namespace
}  // namespace mercer

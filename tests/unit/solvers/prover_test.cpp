// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/prover_test.cpp - the solution with the best certificate is retained.
#include "solvers/prover.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

/// x = -1 and x = 1 with the hinge, C = 1 and no intercept: the optimum is beta = (-1/2, 1/2),
/// of value 1/2.
struct Pair {
    std::vector<double> values{-1.0, 1.0};
    Problem problem;

    Pair() {
        problem.gram = make_gram(linear_kernel(),
                                 Dataset(MatrixView<const double>(values.data(), 2, 1), nullptr));
        problem.targets = {-1.0, 1.0};
        problem.costs = {1.0, 1.0};
        problem.intercept = false;
    }
};

TEST(prover, the_first_is_kept_and_then_what_is_better) {
    const Pair pair;
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-9};
    Prover<Problem> prover(pair.problem, options, context);
    EXPECT_FALSE(prover.proved());
    EXPECT_FALSE(prover.certify({0.0, 0.0}, 0));
    EXPECT_TRUE(prover.proved());
    EXPECT_DOUBLE_EQ(computed_gap(prover.best().certificate()), 2.0);
    EXPECT_FALSE(prover.certify({-0.25, 0.25}, 1));
    const double gap = prover.best().certificate().gap;
    EXPECT_LT(gap, 2.0);
    EXPECT_FALSE(prover.certify({-0.1, 0.1}, 2));
    EXPECT_DOUBLE_EQ(prover.best().certificate().gap, gap);
    EXPECT_EQ(prover.best().beta, (std::vector<double>{-0.25, 0.25}));
    const Solution out = prover.finish(SolveStatus::converged, 2, "a test");
    EXPECT_EQ(out.status, SolveStatus::reduced) << "what is not proved is not converged";
}

TEST(prover, what_is_proved_is_converged_however_the_solver_ended) {
    const Pair pair;
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-9, .trace = true};
    Prover<Problem> prover(pair.problem, options, context);
    EXPECT_FALSE(prover.certify({0.0, 0.0}, 0));
    EXPECT_TRUE(prover.certify({-0.5, 0.5}, 7));
    const Solution out = prover.finish(SolveStatus::iteration_limit, 7, "a test");
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_EQ(out.solver, "a test");
    EXPECT_DOUBLE_EQ(out.certificate().primal, 0.5);
    ASSERT_EQ(out.trace.size(), 2U);
    EXPECT_EQ(out.trace[1].iteration, 7);
}

}  // namespace
}  // namespace mercer

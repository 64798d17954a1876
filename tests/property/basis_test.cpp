// SPDX-License-Identifier: Apache-2.0
//
// tests/property/basis_test.cpp - random bases: the objective lies between f = 0 and all functions.
#include "mercer/solvers/basis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

TEST(basis_property, no_basis_is_better_than_the_whole_machine_and_its_bound_says_by_how_much) {
    const Loss losses[] = {SquaredHingeLoss{}, ModifiedHuberLoss{}, LogisticLoss{},
                           HalfSquaredLoss{}, SquaredEpsilonLoss{0.1}};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const index_t n = 10 + random.below(70);
        const index_t columns = 1 + random.below(5);
        const bool grid = seed % 2 == 0;  // with duplicates and conflicting targets
        std::vector<double> x;
        for (index_t i = 0; i < n * columns; ++i) {
            x.push_back(grid ? static_cast<double>(random.below(4)) : random.normal());
        }
        Problem problem;
        set_rows(problem, Dataset(MatrixView<const double>(x.data(), n, columns)));
        problem.loss = losses[seed % std::size(losses)];
        set_kernel(problem, seed % 3 == 0 ? linear_kernel() : rbf_kernel(0.5));
        problem.intercept = random.below(3) > 0;
        for (index_t i = 0; i < n; ++i) {
            const double side = x[static_cast<std::size_t>(i * columns)] - 0.4 + random.normal();
            problem.targets.push_back(is_classification(problem.loss) ? (side > 0.0 ? 1.0 : -1.0)
                                                                      : side);
            problem.costs.push_back(std::pow(10.0, random.uniform(-1.0, 1.0)));
        }
        Context context({.seed = seed});
        SolveOptions wanted;
        wanted.gap_tolerance = 1e-9;
        const Solution whole = solve_smooth(problem, wanted, context);
        const index_t size = 1 + random.below(n);
        const Solution found = solve_on_basis(
            problem, {.size = size, .candidates = 1 + random.below(20)}, wanted, context);
        const double scale = std::max(1.0, whole.certificate().primal);
        EXPECT_EQ(found.status, SolveStatus::converged) << "seed " << seed;
        EXPECT_LE(static_cast<index_t>(found.basis->chosen.size()), size);
        EXPECT_GE(found.certificate().primal, whole.certificate().dual - 1e-9 * scale)
            << "seed " << seed;
        EXPECT_LE(found.certificate().primal - found.basis->whole.gap,
                  whole.certificate().primal + 1e-9 * scale)
            << "seed " << seed;
        if (found.basis->end == BasisEnd::optimum) {
            EXPECT_LE(found.certificate().primal - whole.certificate().primal, 1e-6 * scale)
                << "seed " << seed;
        }
        for (std::size_t k = 1; k < found.basis->points.size(); ++k) {
            EXPECT_LE(found.basis->points[k].value, found.basis->points[k - 1].value)
                << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace mercer

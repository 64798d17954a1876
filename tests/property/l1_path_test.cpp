// SPDX-License-Identifier: Apache-2.0
//
// tests/property/l1_path_test.cpp - random l1 paths: every point is optimal.
#include "mercer/solvers/l1_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "support/facts.hpp"
#include "support/l1_conditions.hpp"

namespace mercer {
namespace {

using testing::check;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// Rows on an integer grid with duplicates and conflicting targets, or anywhere.
struct Case {
    index_t n = 0;
    index_t d = 0;
    std::vector<double> x;
    std::vector<double> columns;
    Kernel kernel;
    L1PathProblem problem;

    Case(std::uint64_t seed, const Loss& loss, L1Ridge ridge, bool of_kernel) {
        Random random(seed);
        n = 6 + random.below(55);
        d = 2 + random.below(8);
        const bool grid = seed % 3 != 0;
        for (index_t i = 0; i < n * d; ++i) {
            x.push_back(grid ? static_cast<double>(random.below(4)) - 1.0 : random.normal());
        }
        kernel = seed % 2 == 0 ? linear_kernel() : rbf_kernel(0.5);
        const index_t p = of_kernel ? n : d;
        for (index_t j = 0; j < p; ++j) {
            for (index_t i = 0; i < n; ++i) {
                columns.push_back(of_kernel ? kernel(row(j), row(i)) : x[at(i * d + j)]);
            }
        }
        problem.columns = {columns.data(), p, n};
        problem.loss = loss;
        problem.ridge = ridge;
        problem.intercept = random.below(2) == 0;
        const double cost = std::pow(10.0, random.uniform(-1.5, 1.5));
        for (index_t i = 0; i < n; ++i) {
            const double side = random.below(3) == 0 ? random.normal() : x[at(i * d)] - 0.3;
            problem.targets.push_back(is_classification(loss) ? (side > 0.0 ? 1.0 : -1.0)
                                      : grid                  ? std::round(2.0 * side)
                                                              : side);
            problem.costs.push_back(grid ? cost : cost * random.uniform(0.5, 2.0));
        }
    }

    [[nodiscard]] std::span<const double> row(index_t i) const { return {x.data() + i * d, at(d)}; }
};

struct Kind {
    L1Ridge ridge;
    bool of_kernel;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{{L1Ridge::none, false},
                                       {L1Ridge::identity, false},
                                       {L1Ridge::none, true},
                                       {L1Ridge::gram, true}};
    return all;
}

TEST(l1_path_property, every_point_of_a_random_path_is_optimal) {
    double worst = 0.0;
    double understated = 0.0;
    index_t knots = 0;
    index_t restarts = 0;
    for (const std::string_view name : l1_path_losses()) {
        for (const Kind& kind : kinds()) {
            for (std::uint64_t seed = 0; seed < 120; ++seed) {
                const Case each(seed, *loss_by_name(name), kind.ridge, kind.of_kernel);
                Context context(ContextOptions{.threads = 1});
                const L1Path path = trace_l1_path(each.problem, 0.0, context);
                // With a kernel matrix that is singular in double precision the end may be out of
                // reach; the status says so.
                EXPECT_TRUE(path.status == SolveStatus::converged ||
                            path.knots.back().lambda < 1e-4 * path.lambda_max)
                    << name << " " << seed;
                const double unit = std::max(path.lambda_max, 1e-300);
                double own = 0.0;
                for (std::size_t k = 0; k < path.knots.size(); ++k) {
                    const double here = path.knots[k].lambda;
                    const double before = path.knots[k == 0 ? 0 : k - 1].lambda;
                    for (const double lambda : {here, 0.5 * (here + before)}) {
                        own = std::max(own, static_cast<double>(
                                                check(each.problem, path.at(lambda)).violation));
                    }
                }
                worst = std::max(worst, own / unit);
                understated = std::max(understated, (own - path.max_violation) / unit);
                knots += static_cast<index_t>(path.knots.size());
                restarts += path.restarts;
            }
        }
    }
    expect_fact("A13", "1920 random paths: violation at knots and in the middles over lambda_max",
                worst);
    expect_fact("A14", "1920 random paths: restarts over events",
                static_cast<double>(restarts) / static_cast<double>(knots));
    EXPECT_LE(understated, 5e-9);
    EXPECT_GT(knots, 20000);
}

TEST(l1_path_property, a_point_of_a_kernel_path_has_the_certified_objective_of_descent) {
    double worst = 0.0;
    for (const std::string_view name : l1_path_losses()) {
        for (const bool rkhs : {false, true}) {
            for (std::uint64_t seed = 0; seed < 12; ++seed) {
                const Case each(seed, *loss_by_name(name), rkhs ? L1Ridge::gram : L1Ridge::none,
                                true);
                Context context(ContextOptions{.threads = 1});
                const L1Path path = trace_l1_path(each.problem, 0.0, context);
                const double lambda =
                    path.lambda_max * std::exp(-Random(seed, 7).uniform(0.1, 4.0));
                SparseProblem sparse;
                sparse.risk.gram = make_gram(
                    each.kernel, Dataset(MatrixView<const double>(each.x.data(), each.n, each.d)));
                sparse.risk.targets = each.problem.targets;
                sparse.risk.costs = each.problem.costs;
                sparse.risk.loss = each.problem.loss;
                sparse.risk.intercept = each.problem.intercept;
                sparse.l1 = lambda;
                sparse.rkhs = rkhs;
                if (!(lambda > 0.0)) {
                    continue;
                }
                SolveOptions options;
                options.gap_tolerance = 1e-9;
                const Solution solved = solve_sparse(sparse, options, context);
                const auto objective =
                    static_cast<double>(check(each.problem, path.at(lambda)).objective);
                const double scale = std::max(1.0, std::abs(objective));
                // Nothing is below the proved dual value, and the solver is not below the path.
                worst = std::max(worst, (solved.certificate().dual - objective) / scale);
                worst = std::max(worst, (objective - solved.certificate().primal) / scale);
                const Certificate proof = certify(sparse, path.at(lambda).beta, context);
                worst = std::max(worst, relative_gap(proof));
            }
        }
    }
    expect_fact("A15", "96 kernel paths at a random lambda: distance from the certified objective",
                worst);
}

}  // namespace
}  // namespace mercer

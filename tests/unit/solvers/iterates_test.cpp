// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/iterates_test.cpp - weak duality holds wherever a solver stops, and all starts
// lead to the same function.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::RowSet;

Problem overlapping(const RowSet& rows, index_t n) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    Random random(31);
    for (index_t i = 0; i < n; ++i) {
        problem.targets.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        problem.costs.push_back(random.uniform(0.5, 5.0));
    }
    return problem;
}

TEST(iterates, the_dual_rises_below_the_optimum_and_the_primal_stays_above_it) {
    const RowSet rows(80, 3, 32);
    Context context;
    for (const bool intercept : {true, false}) {
        Problem problem = overlapping(rows, 80);
        problem.intercept = intercept;
        const Solution best = solve(problem, {.gap_tolerance = 1e-10}, context);
        const double optimum = best.certificate().primal;
        for (const std::string& solver : solvers_for(problem)) {
            SolveOptions options{.gap_tolerance = 1e-10};
            options.solver = solver;
            double last = 0.0;
            index_t seen = 0;
            for (index_t limit = 1;; limit += 1 + limit / 4) {
                options.max_iterations = limit;
                const Solution here = solve(problem, options, context);
                const auto above = [&](double a, double b) {
                    return std::max(0.0, a - b) / optimum;
                };
                expect_fact("X13", "svc, 80 rows, wherever a solver stops: (D - optimum) / optimum",
                            above(here.certificate().dual, optimum));
                expect_fact("X13", "svc, 80 rows, wherever a solver stops: (optimum - P) / optimum",
                            above(optimum, here.certificate().primal));
                expect_fact("X13", "svc, 80 rows, after more steps: greatest fall of D / optimum",
                            above(last, here.certificate().dual));
                EXPECT_GE(here.certificate().gap, 0.0) << limit;
                last = here.certificate().dual;
                ++seen;
                if (here.status == SolveStatus::converged) {
                    break;
                }
            }
            EXPECT_GT(seen, 5) << solver;
        }
    }
}

TEST(iterates, every_start_leads_to_the_same_function) {
    const RowSet rows(80, 3, 33);
    Context context;
    const Problem problem = overlapping(rows, 80);
    const Solution cold = solve(problem, {.gap_tolerance = 1e-12}, context);
    const std::vector<double> f = decision_values(problem, cold.beta, context);
    Random random(34);
    double values = 0.0;
    double functions = 0.0;
    for (int round = 0; round < 5; ++round) {
        std::vector<double> start(80);
        for (double& value : start) {
            value = 3.0 * random.normal();
        }
        project_onto_dual(problem, start);
        const Solution warm = solve(problem, {.gap_tolerance = 1e-12, .start = start}, context);
        values = std::max(values, std::abs(warm.certificate().primal - cold.certificate().primal) /
                                      cold.certificate().primal);
        const std::vector<double> g = decision_values(problem, warm.beta, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            functions = std::max(functions, std::abs(f[i] - g[i]));
        }
    }
    expect_fact("RT2", "hinge, 5 random starts: objectives apart, relative", values);
    expect_fact("RT2", "hinge, 5 random starts: functions apart", functions);
}

}  // namespace
}  // namespace mercer

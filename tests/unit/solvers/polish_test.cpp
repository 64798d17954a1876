// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/polish_test.cpp - polishing finds the optimum from any start, also where
// coordinate steps converge slowly.
#include "solvers/polish.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/quadratic_oracle.hpp"

namespace mercer {
namespace {

using testing::QuadraticOracle;
using testing::QuadraticProgramme;
using testing::Real;
using testing::RealVector;
using testing::RowSet;

constexpr double kWork = 1e9;
constexpr double kGamma = 0.5;

Problem random_problem(RowSet& rows, index_t n, const Loss& loss, bool intercept) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(kGamma), rows.dense());
    problem.loss = loss;
    problem.intercept = intercept;
    Random random(11);
    for (index_t i = 0; i < n; ++i) {
        const double y = rows.at(i, 0) + random.normal();
        problem.targets.push_back(is_classification(loss) ? (y > 0.0 ? 1.0 : -1.0) : y);
        problem.costs.push_back(random.below(8) == 0 ? 0.0 : random.uniform(0.2, 3.0));
    }
    return problem;
}

/// The optimum of the dual in long double, over the positive and negative parts of beta.
double optimum(const Problem& problem, RowSet& rows, index_t columns) {
    struct Half {
        index_t row;
        Real sign;
        DualTerm term;
    };
    std::vector<Half> halves;
    QuadraticProgramme q;
    for (index_t i = 0; i < problem.size(); ++i) {
        const DualTerm term = dual_term(problem, i);
        for (const Real sign : {Real{1}, Real{-1}}) {
            const double room = sign > 0 ? term.box.upper : -term.box.lower;
            if (room > 0.0) {
                halves.push_back({i, sign, term});
                q.upper.push_back(room);
                q.g.push_back(static_cast<Real>(term.width) -
                              sign * static_cast<Real>(term.linear));
            }
        }
    }
    for (const Half& x : halves) {
        q.h.emplace_back();
        for (const Half& z : halves) {
            Real distance = 0;
            for (index_t c = 0; c < columns; ++c) {
                const Real d = static_cast<Real>(rows.at(x.row, c)) - rows.at(z.row, c);
                distance += d * d;
            }
            const Real ridge = x.row == z.row ? static_cast<Real>(x.term.ridge) : Real{0};
            q.h.back().push_back(x.sign * z.sign *
                                 (std::exp(-static_cast<Real>(kGamma) * distance) + ridge));
        }
    }
    if (problem.intercept) {
        q.a.emplace_back();
        for (const Half& half : halves) {
            q.a.back().push_back(half.sign);
        }
        q.b.push_back(0);
    }
    const RealVector z = QuadraticOracle(q).solve().z;
    Real value = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        value -= q.g[i] * z[i];
        for (std::size_t j = 0; j < z.size(); ++j) {
            value -= z[i] * q.h[i][j] * z[j] / 2;
        }
    }
    return static_cast<double>(value);
}

/// The coefficients after polishing from `start`; nullopt if it did not finish.
std::optional<std::vector<double>> polished(const Problem& problem,
                                            const std::vector<double>& start, double work,
                                            Context& context) {
    Solution solution;
    solution.beta = start;
    solution.status = SolveStatus::iteration_limit;
    solution.certificate().gap = kInfinity;
    if (!polish(problem, {.gap_tolerance = 1e-14}, work, solution, context)) {
        return std::nullopt;
    }
    return solution.beta;
}

TEST(polish, ends_at_the_optimum_of_an_independent_programme_from_zero_and_from_anywhere) {
    constexpr index_t kRows = 25;
    RowSet rows(kRows, 2, 5);
    for (const Loss& loss :
         {Loss(HingeLoss{}), Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}),
          Loss(AbsoluteLoss{}), Loss(EpsilonInsensitiveLoss{0.3}), Loss(SquaredEpsilonLoss{0.3})}) {
        for (const bool intercept : {true, false}) {
            const Problem problem = random_problem(rows, kRows, loss, intercept);
            const double known = optimum(problem, rows, 2);
            Random random(12);
            for (int round = 0; round < 4; ++round) {
                Context context;
                std::vector<double> start(kRows, 0.0);
                for (double& beta : start) {
                    beta = round == 0 ? 0.0 : random.normal();
                }
                project_onto_dual(problem, start);
                std::optional<std::vector<double>> beta = polished(problem, start, kWork, context);
                ASSERT_TRUE(beta.has_value()) << name_of(loss) << intercept << round;
                EXPECT_LE(project_onto_dual(problem, *beta), 1e-13);
                const Certificate proof = certify(problem, *beta, context);
                expect_fact("X23",
                            "six losses, 25 rows, from 0 and three random starts: |D - that of "
                            "a programme in long double|",
                            std::abs(proof.dual - known) / std::max(1.0, known));
                expect_fact("X23", "six losses, 25 rows: relative gap", relative_gap(proof));
                expect_fact("X23", "six losses, 25 rows: KKT violation", proof.kkt_violation);
            }
        }
    }
}

TEST(polish, of_a_free_width_ends_where_the_solver_does) {
    RowSet rows(60, 2, 9);
    struct Machine {
        Loss loss;
        bool intercept;
        double share;
    };
    for (const Machine& machine :
         {Machine{EpsilonInsensitiveLoss{0.0}, true, 0.3}, Machine{HingeLoss{}, true, 0.4},
          Machine{EpsilonInsensitiveLoss{0.0}, true, 0.05}, Machine{HingeLoss{}, false, 0.2}}) {
        Problem problem = random_problem(rows, 60, machine.loss, machine.intercept);
        problem.costs.assign(60, 1.0);
        if (!machine.intercept) {
            problem.targets.assign(60, 1.0);  // one class
        }
        problem.mass = 60.0 * machine.share;
        Context context;
        const Solution known = solve(problem, {.gap_tolerance = 1e-10}, context);
        ASSERT_EQ(known.status, SolveStatus::converged);
        const Solution rough = solve(problem, {.tolerance = 0.5}, context);
        std::optional<std::vector<double>> beta = polished(problem, rough.beta, kWork, context);
        ASSERT_TRUE(beta.has_value()) << machine.share;
        EXPECT_LE(project_onto_dual(problem, *beta), 1e-12);
        const Certificate proof = certify(problem, *beta, context, {.relative = 1e-12});
        EXPECT_LE(relative_gap(proof), 1e-12) << machine.share;
        EXPECT_NEAR(proof.primal, known.certificate().primal,
                    1e-9 * std::max(1.0, std::abs(proof.primal)));
        EXPECT_NEAR(proof.width, known.certificate().width, 1e-5);
    }
}

TEST(polish, proves_points_so_near_that_pairs_of_them_crawl) {
    // Thirty points of a line, some of them 1e-3 apart, with a cost of 1e10: the last bits of f
    // cost more than the requested gap, and pairwise steps would take more than 1e7.
    Random random(4);
    std::vector<double> x;
    Problem problem;
    for (int i = 0; i < 30; ++i) {
        x.push_back(random.normal());
        problem.targets.push_back(std::sin(3.0 * x.back()) + 0.1 * random.normal());
        problem.costs.push_back(1e10);
    }
    problem.gram = make_gram(rbf_kernel(20.0), Dataset(MatrixView<const double>(x.data(), 30, 1)));
    // sum |beta| is 1e6 and 3e9: the rounding of f alone is 1e-7 and 2e-5 of the objective.
    for (const auto& [epsilon, gap] : {std::pair{0.1, 1e-5}, std::pair{0.02, 1e-4}}) {
        problem.loss = EpsilonInsensitiveLoss{epsilon};
        Context context;
        Solution solution = solve(problem, {.gap_tolerance = gap}, context);
        EXPECT_EQ(solution.status, SolveStatus::converged) << epsilon;
        expect_fact("X24", "30 clustered points, C = 1e10: steps", solution.iterations);
        const double found =
            relative_gap(certify(problem, solution.beta, context, {.relative = gap}));
        EXPECT_LE(found, gap) << epsilon;
        expect_fact("X24", "30 clustered points, C = 1e10: relative gap", found);
    }
}

TEST(polish, does_not_touch_what_it_is_not_for) {
    RowSet rows(20, 2, 6);
    Problem problem = random_problem(rows, 20, EpsilonInsensitiveLoss{0.1}, true);
    Context context;
    const std::vector<double> zero(20, 0.0);
    EXPECT_FALSE(polished(problem, zero, 0.0, context).has_value());  // no work is allowed
    Context tight({.memory = index_t{8} << 10});
    EXPECT_FALSE(polished(problem, zero, kWork, tight).has_value());
    RowSet few(20, 2, 6);
    const Problem logistic = random_problem(few, 20, LogisticLoss{}, true);
    EXPECT_FALSE(polished(logistic, zero, kWork, context).has_value());
}

TEST(polish, bits_do_not_depend_on_the_threads) {
    RowSet rows(150, 3, 8);
    const Problem problem = random_problem(rows, 150, EpsilonInsensitiveLoss{0.1}, true);
    std::vector<double> known;
    for (const int threads : {1, 2, 5}) {
        Context context({.threads = threads});
        const auto beta = polished(problem, std::vector<double>(150, 0.0), 1e10, context);
        ASSERT_TRUE(beta.has_value());
        known = known.empty() ? *beta : known;
        EXPECT_EQ(*beta, known);
    }
}

}  // namespace
}  // namespace mercer

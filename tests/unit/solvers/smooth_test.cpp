// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/smooth_test.cpp - smooth machines on problems solved by hand, and solvers
// against each other.
#include "mercer/solvers/smooth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/kernel_newton.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::RowSet;

/// x = -1 (-), x = 1 (+), linear kernel.
Problem pair(const Loss& loss, double cost) {
    static const std::vector<double> rows{-1.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    problem.costs = {cost, cost};
    problem.loss = loss;
    return problem;
}

Problem random_classes(const RowSet& rows, index_t n, const Loss& loss, bool intercept) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.4), rows.dense());
    problem.loss = loss;
    problem.intercept = intercept;
    Random random(5);
    for (index_t i = 0; i < n; ++i) {
        problem.targets.push_back(random.uniform(0.0, 1.0) < 0.4 ? -1.0 : 1.0);
        problem.costs.push_back(random.uniform(0.5, 4.0));
    }
    return problem;
}

SolveOptions with(const std::string& solver, double gap) {
    SolveOptions options;
    options.solver = solver;
    options.gap_tolerance = gap;
    return options;
}

TEST(smooth, logistic_pair_has_the_values_of_its_equation) {
    // w solves w = 2 C / (1 + e^w); alpha = w / 2.
    Context context;
    for (const double cost : {1.0, 10.0}) {
        const std::string key = cost == 1.0 ? "PAIR, C = 1: " : "PAIR, C = 10: ";
        const Problem problem = pair(LogisticLoss{}, cost);
        for (const std::string& solver : smooth_solvers(problem.loss)) {
            const Solution solution = solve_smooth(problem, with(solver, 1e-12), context);
            EXPECT_EQ(solution.status, SolveStatus::converged) << solver;
            expect_fact("S12", key + "w", solution.beta[1] - solution.beta[0]);
            expect_fact("S12", key + "alpha", solution.beta[1]);
            expect_fact("S12", key + "P and D", solution.certificate().primal);
            expect_fact("S12", key + "P and D", solution.certificate().dual);
            // The dual by its definition: 1/2 a'Qa + C sum g(a / C), g(u) = u ln u + (1-u) ln(1-u).
            double dual = 0.5 * std::pow(solution.beta[1] - solution.beta[0], 2.0);
            for (const double beta : solution.beta) {
                const double u = std::abs(beta) / cost;
                dual += cost * (u * std::log(u) + (1.0 - u) * std::log1p(-u));
            }
            expect_fact("S12", key + "P and D", -dual);
            EXPECT_NEAR(solution.intercept(), 0.0, 1e-6) << solver;
        }
    }
}

TEST(smooth, squared_hinge_and_modified_huber_pair_need_one_newton_step) {
    // alpha = C / (2 C + 1); C = 1: w = 2/3, P = D = 1/3.
    Context context;
    for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{})}) {
        const char* id = std::holds_alternative<SquaredHingeLoss>(loss) ? "S11" : "S13";
        std::vector<double> alphas[2];
        for (const double cost : {0.1, 1.0, 25.0}) {
            const Solution solution =
                solve_smooth(pair(loss, cost), with("finite-newton", 1e-13), context);
            EXPECT_EQ(solution.status, SolveStatus::converged);
            expect_fact("A16", "PAIR, C = 0.1, 1, 25: Newton steps in the rows",
                        solution.iterations);
            alphas[0].push_back(-solution.beta[0]);
            alphas[1].push_back(solution.beta[1]);
            if (cost == 1.0) {
                const Certificate& proof = solution.certificate();
                expect_fact(id, "PAIR, C = 1, finite Newton: P, D",
                            std::vector{proof.primal, proof.dual});
            }
        }
        for (const std::vector<double>& alpha : alphas) {
            expect_fact(id, "PAIR, C = 0.1, 1, 25, finite Newton: alpha of each row", alpha);
        }
    }
}

struct Case {
    const char* name;
    Loss loss;
    bool intercept;
};

class smooth_random : public ::testing::TestWithParam<Case> {};

TEST_P(smooth_random, every_solver_proves_the_same_value) {
    Context context;
    const RowSet rows(60, 3, 7);
    const Problem problem = random_classes(rows, 60, GetParam().loss, GetParam().intercept);
    double known = kNaN;
    for (const std::string& solver : smooth_solvers(problem.loss)) {
        const Solution solution = solve_smooth(problem, with(solver, 1e-10), context);
        EXPECT_EQ(solution.status, SolveStatus::converged) << solver;
        const std::string loss(name_of(problem.loss));
        expect_fact("S14", loss + ", 60 rows: (P - D) / P", relative_gap(solution.certificate()));
        known = std::isnan(known) ? solution.certificate().primal : known;
        expect_fact("S14", loss + ", 60 rows: P by each solver over P by the first, - 1",
                    std::abs(solution.certificate().primal / known - 1.0));
        // 1/2 beta'Q beta + C sum loss, by its definition, at the coefficients found.
        const std::vector<double> f = decision_values(problem, solution.beta, context);
        double written = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            written += 0.5 * solution.beta[i] * f[i] +
                       problem.costs[i] * std::visit(
                                              [&](const auto& kind) {
                                                  return kind.value(problem.targets[i],
                                                                    f[i] + solution.intercept());
                                              },
                                              problem.loss);
        }
        expect_fact("S14", loss + ", 60 rows: 1/2 beta'Q beta + C sum loss over P, - 1",
                    std::abs(written / solution.certificate().primal - 1.0));
    }
}

TEST_P(smooth_random, the_value_never_rises_and_newton_needs_few_steps) {
    Context context;
    const RowSet rows(80, 3, 8);
    const Problem problem = random_classes(rows, 80, GetParam().loss, GetParam().intercept);
    NewtonState state;
    double before = kInfinity;
    index_t steps = 0;
    const SolveStatus ended = kernel_newton(
        problem, state, 0,
        [&](const NewtonState& now, const NewtonStep& step) {
            EXPECT_LE(now.value, before + 1e-12);
            before = now.value;
            steps = step.iteration;
            return true;
        },
        context);
    EXPECT_EQ(ended, SolveStatus::converged);
    EXPECT_LE(steps, 20);
}

INSTANTIATE_TEST_SUITE_P(
    losses, smooth_random,
    ::testing::Values(Case{"logistic", LogisticLoss{}, true},
                      Case{"logistic_no_intercept", LogisticLoss{}, false},
                      Case{"squared_hinge", SquaredHingeLoss{}, true},
                      Case{"squared_hinge_no_intercept", SquaredHingeLoss{}, false},
                      Case{"modified_huber", ModifiedHuberLoss{}, true},
                      Case{"modified_huber_no_intercept", ModifiedHuberLoss{}, false}),
    [](const auto& one) { return one.param.name; });

TEST(smooth, newton_shortens_a_step_that_would_overshoot) {
    // 1/2 f^2 + C log(1 + e^-f) for two orthogonal rows, C = 100 and 1. From f = -10, where the loss
    // is almost straight, the full step ends near f = 100, with a value of 5,000 instead of 1,050.
    const std::vector<double> rows{1.0, 0.0, 0.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 2, 2)));
    problem.loss = LogisticLoss{};
    problem.targets = {1.0, 1.0};
    problem.costs = {100.0, 1.0};
    problem.intercept = false;
    NewtonState state;
    state.beta = {-10.0, 3.0};
    state.f = state.beta;
    std::vector<double> values;
    std::vector<double> lengths;
    Context context;
    const SolveStatus ended = kernel_newton(
        problem, state, 0,
        [&](const NewtonState& now, const NewtonStep& step) {
            values.push_back(now.value);
            lengths.push_back(step.length);
            EXPECT_EQ(now.f, now.beta);  // K is the identity
            return true;
        },
        context);
    EXPECT_EQ(ended, SolveStatus::converged);
    ASSERT_GE(values.size(), 3U);
    EXPECT_LT(lengths.front(), 0.5);
    for (std::size_t k = 1; k < values.size(); ++k) {
        EXPECT_LE(values[k], values[k - 1] + 1e-12) << k;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(state.f[i], problem.costs[i] / (1.0 + std::exp(state.f[i])), 1e-9);
    }
}

TEST(smooth, great_costs_are_solved_by_newton_and_by_pairs) {
    Context context;
    const RowSet rows(60, 3, 7);
    for (const double cost : {1e3, 1e6}) {
        Problem problem = random_classes(rows, 60, LogisticLoss{}, true);
        problem.costs.assign(60, cost);
        const Solution newton = solve_smooth(problem, with("newton", 1e-8), context);
        EXPECT_EQ(newton.status, SolveStatus::converged);
        SolveOptions options = with("smo", 1e-4);
        options.max_iterations = 200'000;
        const Solution pairs = solve_smooth(problem, options, context);
        EXPECT_NEAR(pairs.certificate().primal, newton.certificate().primal,
                    2e-4 * newton.certificate().primal);
        EXPECT_EQ(pairs.status, SolveStatus::converged) << relative_gap(pairs.certificate());
    }
}

TEST(smooth, the_bits_do_not_depend_on_the_threads) {
    const RowSet rows(300, 4, 9);
    const Problem problem = random_classes(rows, 300, LogisticLoss{}, true);
    for (const std::string& solver : {std::string("newton"), std::string("lbfgs")}) {
        Context one({.threads = 1});
        Context three({.threads = 3});
        const Solution a = solve_smooth(problem, with(solver, 1e-8), one);
        const Solution b = solve_smooth(problem, with(solver, 1e-8), three);
        EXPECT_EQ(a.beta, b.beta) << solver;
        EXPECT_EQ(a.intercept(), b.intercept()) << solver;
        EXPECT_EQ(a.iterations, b.iterations) << solver;
    }
}

TEST(smooth, a_trace_holds_gaps_that_fall_to_the_tolerance) {
    Context context;
    const RowSet rows(60, 3, 7);
    const Problem problem = random_classes(rows, 60, LogisticLoss{}, true);
    SolveOptions options = with("newton", 1e-9);
    options.trace = true;
    const Solution solution = solve_smooth(problem, options, context);
    ASSERT_GE(solution.trace.size(), 3U);
    EXPECT_GT(solution.trace.front().relative_gap, 1e-3);
    EXPECT_LE(solution.trace.back().relative_gap, 1e-9);
}

TEST(smooth, leave_one_out_is_exact_for_the_squared_loss_and_close_for_the_logistic) {
    Context context;
    const RowSet rows(30, 2, 11);
    for (const bool intercept : {false, true}) {
        for (const Loss& loss : {Loss(HalfSquaredLoss{}), Loss(LogisticLoss{})}) {
            const Problem problem = random_classes(rows, 30, loss, intercept);
            const Solution whole = solve_smooth(problem, with("auto", 1e-13), context);
            const std::vector<double> z =
                approximate_leave_one_out(problem, whole.beta, whole.intercept(), context);
            const bool exact = std::holds_alternative<HalfSquaredLoss>(loss);
            for (std::size_t out = 0; out < 30; out += 6) {
                Problem rest = problem;
                rest.costs[out] = 0.0;
                const Solution refit = solve_smooth(rest, with("auto", 1e-13), context);
                const double f =
                    decision_values(rest, refit.beta, context)[out] + refit.intercept();
                EXPECT_NEAR(z[out], f, exact ? 1e-9 : 0.05 * (1.0 + std::abs(f)));
            }
        }
    }
}

TEST(smooth, a_stop_leaves_an_honest_gap) {
    const std::atomic<bool> stop{true};
    ContextOptions stopped;
    stopped.stop_flag = &stop;
    Context context(stopped);
    const RowSet rows(60, 3, 7);
    const Problem problem = random_classes(rows, 60, LogisticLoss{}, true);
    for (const char* solver : {"newton", "lbfgs", "smo"}) {
        const Solution solution = solve_smooth(problem, with(solver, 1e-9), context);
        EXPECT_EQ(solution.status, SolveStatus::interrupted) << solver;
        EXPECT_GT(relative_gap(solution.certificate()), 1e-9) << solver;
        EXPECT_EQ(solution.beta.size(), 60U) << solver;
    }
}

TEST(smooth, refusals_name_what_fits) {
    Context context;
    try {
        (void)solve_smooth(pair(LogisticLoss{}, 1.0), with("cholesky", 1e-8), context);
        FAIL();
    } catch (const InvalidArgument& fault) {
        EXPECT_NE(std::string(fault.what()).find("newton, lbfgs"), std::string::npos)
            << fault.what();
    }
    EXPECT_THROW((void)solve_smooth(pair(HingeLoss{}, 1.0), with("auto", 1e-8), context),
                 InvalidArgument);
    EXPECT_THROW((void)solve_smooth(pair(LogisticLoss{}, 1.0), with("auto", -1.0), context),
                 InvalidArgument);
}

TEST(smooth, logistic_coefficients_are_costs_times_the_sigmoid_of_minus_the_margin) {
    Context context;
    const RowSet rows(60, 3, 7);
    for (const bool intercept : {true, false}) {
        const Problem problem = random_classes(rows, 60, LogisticLoss{}, intercept);
        for (const char* solver : {"newton", "lbfgs", "smo"}) {
            const Solution solution = solve_smooth(problem, with(solver, 1e-11), context);
            const std::vector<double> f = decision_values(problem, solution.beta, context);
            double sum = 0.0;
            double apart = 0.0;
            bool inside = true;
            for (std::size_t i = 0; i < f.size(); ++i) {
                const double t = problem.targets[i];
                const double alpha = t * solution.beta[i];
                inside = inside && alpha > 0.0 && alpha < problem.costs[i];
                const double other = 1.0 / (1.0 + std::exp(t * (f[i] + solution.intercept())));
                apart = std::max(apart, std::abs(alpha / problem.costs[i] - other));
                sum += solution.beta[i];
            }
            expect_fact("S12", "60 random rows: 0 < alpha < C for every row", inside);
            expect_fact("S12", "60 random rows: |alpha / C - S(-t f)|", apart);
            if (intercept) {
                expect_fact("S12", "60 random rows: |sum alpha t|", std::abs(sum));
            }
        }
    }
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/softmax_test.cpp - the joint problem of many classes against references.
#include "mercer/solvers/softmax.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "row_sets.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::rows_of;

using testing::kernel_of;

using testing::RowSet;

/// Eleven points of a plane in three classes that are not linearly separable.
SoftmaxProblem eleven(double cost, bool intercept, const std::vector<double>& weights = {}) {
    static const std::vector<double> rows{0, 1, 1, 3, 2, 0, 3, 2, 4, 4, 1,
                                          1, 5, 1, 2, 5, 3, 3, 6, 2, 0, 4};
    SoftmaxProblem problem;
    problem.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 11, 2)));
    problem.classes = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 2};
    problem.class_count = 3;
    problem.intercept = intercept;
    for (std::size_t i = 0; i < 11; ++i) {
        problem.costs.push_back(cost * (weights.empty() ? 1.0 : weights[i]));
    }
    return problem;
}

SoftmaxProblem random_classes(const RowSet& rows, index_t n, index_t classes, bool intercept) {
    SoftmaxProblem problem;
    problem.gram = make_gram(rbf_kernel(0.4), rows.dense());
    problem.class_count = classes;
    problem.intercept = intercept;
    Random random(5);
    for (index_t i = 0; i < n; ++i) {
        problem.classes.push_back(
            i < classes ? i
                        : static_cast<index_t>(random.uniform(0.0, static_cast<double>(classes))));
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

/// w_k = sum_i beta_ik x_i.
double weight(const SoftmaxProblem& problem, const Solution& solution, index_t k, index_t column) {
    std::vector<double> row(2);
    double sum = 0.0;
    for (index_t i = 0; i < problem.size(); ++i) {
        rows_of(problem).copy_row(i, row);
        sum += solution.beta[static_cast<std::size_t>(i * problem.class_count + k)] *
               row[static_cast<std::size_t>(column)];
    }
    return sum;
}

TEST(softmax, optimum_is_that_of_multinomial_logistic_regression) {
    // scikit-learn 1.9.1, LogisticRegression(C=C, fit_intercept=..., solver='newton-cg', tol=1e-14,
    // max_iter=100000).fit(X, y, sample_weight=w); the objective 1/2 sum |w|^2 + C sum of log
    // losses is computed from its coef_ and intercept_ (moved to mean 0). solver='lbfgs' agrees to
    // 15 digits in the objective and to 8 in the coefficients.
    struct Known {
        double cost;
        bool intercept;
        std::vector<double> weights;
        double objective;
        std::vector<double> intercepts;
        std::vector<double> w;
    };
    const std::vector<Known> known{
        {2.0,
         true,
         {},
         21.041093476799517,
         {1.2735997830591186, -0.1456310872439553, -1.1279686958151631},
         {-0.0786325648789515, -0.4437791767307564, 0.033486454202744355, -0.0019981017557011973,
          0.045146110676207205, 0.4457772784864577}},
        {0.5,
         false,
         {},
         5.745427037970355,
         {0.0, 0.0, 0.0},
         {0.08036442689146812, -0.14693922338479168, 0.0004997595492377588, -0.04002813751309997,
          -0.08086418644070473, 0.18696736089789245}},
        {2.0,
         true,
         {1, 2, 1, 1, 0.5, 1, 3, 1, 1, 1, 0.25},
         23.3731918565665,
         {1.3845234046025545, 0.1171188426633406, -1.5016422472658952},
         {-0.2652185359632874, -0.2066219311119383, -0.12128343629060141, -0.07418745305758372,
          0.3865019722538903, 0.28080938416952367}}};
    Context context;
    for (const Known& k : known) {
        const SoftmaxProblem problem = eleven(k.cost, k.intercept, k.weights);
        for (const std::string& solver : solver_names(SolverForm::softmax)) {
            const Solution solution = solve_softmax(problem, with(solver, 1e-13), context);
            EXPECT_EQ(solution.status, SolveStatus::converged) << solver;
            EXPECT_NEAR(solution.certificate().primal, k.objective, 1e-11 * k.objective) << solver;
            EXPECT_NEAR(solution.certificate().dual, k.objective, 1e-11 * k.objective) << solver;
            EXPECT_LE(relative_gap(solution.certificate()), 1e-13) << solver;
            for (index_t c = 0; c < 3; ++c) {
                EXPECT_NEAR(solution.intercepts[static_cast<std::size_t>(c)],
                            k.intercepts[static_cast<std::size_t>(c)], 2e-6)
                    << solver;
                for (index_t j = 0; j < 2; ++j) {
                    EXPECT_NEAR(weight(problem, solution, c, j),
                                k.w[static_cast<std::size_t>(2 * c + j)], 1e-6)
                        << solver;
                }
            }
        }
    }
}

TEST(softmax, two_classes_are_half_the_binary_machine_of_twice_the_cost) {
    // f_1 - f_0 = g: 1/2 (|f_0|^2 + |f_1|^2) = |g|^2 / 4, so the joint problem of cost C is half
    // the binary one of cost 2 C.
    Context context;
    const RowSet rows(40, 3, 8);
    for (const bool intercept : {true, false}) {
        const SoftmaxProblem joint = random_classes(rows, 40, 2, intercept);
        Problem binary;
        set_kernel(binary, kernel_of(joint));
        set_rows(binary, rows_of(joint));
        binary.loss = LogisticLoss{};
        binary.intercept = intercept;
        for (std::size_t i = 0; i < 40; ++i) {
            binary.targets.push_back(joint.classes[i] == 1 ? 1.0 : -1.0);
            binary.costs.push_back(2.0 * joint.costs[i]);
        }
        const Solution both = solve_softmax(joint, with("newton", 1e-13), context);
        const Solution one = solve_smooth(binary, with("newton", 1e-13), context);
        EXPECT_NEAR(2.0 * both.certificate().primal, one.certificate().primal,
                    1e-12 * one.certificate().primal);
        EXPECT_NEAR(2.0 * both.certificate().dual, one.certificate().dual,
                    1e-12 * one.certificate().primal);
        EXPECT_NEAR(both.intercepts[1] - both.intercepts[0], one.intercept(), 1e-6);
        for (std::size_t i = 0; i < 40; ++i) {
            EXPECT_NEAR(2.0 * both.beta[2 * i + 1], one.beta[i], 1e-6);
        }
    }
}

TEST(softmax, every_solver_reaches_one_optimum_and_one_dual_set) {
    Context context;
    const RowSet rows(60, 3, 9);
    for (const bool intercept : {true, false}) {
        const SoftmaxProblem problem = random_classes(rows, 60, 4, intercept);
        const double best =
            solve_softmax(problem, with("newton", 1e-13), context).certificate().dual;
        for (const std::string& solver : solver_names(SolverForm::softmax)) {
            const Solution s = solve_softmax(problem, with(solver, 1e-9), context);
            EXPECT_EQ(s.status, SolveStatus::converged) << solver;
            EXPECT_NEAR(s.certificate().primal, best, 1e-8 * best) << solver;
            std::vector<double> columns(4, 0.0);
            for (std::size_t i = 0; i < 60; ++i) {
                double row = 0.0;
                for (std::size_t k = 0; k < 4; ++k) {
                    const double b = s.beta[4 * i + k];
                    row += b;
                    columns[k] += b;
                    EXPECT_TRUE(static_cast<index_t>(k) == problem.classes[i]
                                    ? b >= 0.0 && b <= problem.costs[i]
                                    : b <= 0.0);
                }
                EXPECT_NEAR(row, 0.0, 1e-14);
            }
            for (const double sum : columns) {
                EXPECT_TRUE(!intercept || std::abs(sum) < 1e-12) << sum;
            }
            EXPECT_NEAR(s.intercepts[0] + s.intercepts[1] + s.intercepts[2] + s.intercepts[3], 0.0,
                        1e-14);
        }
    }
}

TEST(softmax, renamed_classes_are_the_same_machine) {
    Context context;
    const RowSet rows(50, 2, 4);
    const SoftmaxProblem problem = random_classes(rows, 50, 3, true);
    SoftmaxProblem renamed = problem;
    const std::vector<index_t> name{2, 0, 1};
    for (index_t& y : renamed.classes) {
        y = name[static_cast<std::size_t>(y)];
    }
    const Solution a = solve_softmax(problem, with("newton", 1e-12), context);
    const Solution b = solve_softmax(renamed, with("newton", 1e-12), context);
    EXPECT_NEAR(a.certificate().primal, b.certificate().primal, 1e-12 * a.certificate().primal);
    for (std::size_t k = 0; k < 3; ++k) {
        const auto to = static_cast<std::size_t>(name[k]);
        EXPECT_NEAR(a.intercepts[k], b.intercepts[to], 1e-9);
        for (std::size_t i = 0; i < 50; ++i) {
            EXPECT_NEAR(a.beta[3 * i + k], b.beta[3 * i + to], 1e-9);
        }
    }
}

TEST(softmax, bits_do_not_depend_on_the_threads) {
    const RowSet rows(150, 3, 2);
    const SoftmaxProblem problem = random_classes(rows, 150, 3, true);
    for (const std::string& solver : {std::string("newton"), std::string("lbfgs")}) {
        std::vector<Solution> solutions;
        for (const int threads : {1, 2, 5}) {
            Context context({.threads = threads});
            solutions.push_back(solve_softmax(problem, with(solver, 1e-9), context));
        }
        for (const Solution& other : solutions) {
            EXPECT_EQ(other.beta, solutions[0].beta) << solver;
            EXPECT_EQ(other.intercepts, solutions[0].intercepts) << solver;
            EXPECT_EQ(other.certificate().gap, solutions[0].certificate().gap) << solver;
        }
    }
}

TEST(softmax, any_coefficients_give_a_true_bound) {
    Context context;
    const RowSet rows(30, 2, 6);
    Random random(7);
    for (const bool intercept : {true, false}) {
        const SoftmaxProblem problem = random_classes(rows, 30, 3, intercept);
        const double best =
            solve_softmax(problem, with("newton", 1e-12), context).certificate().dual;
        for (int trial = 0; trial < 20; ++trial) {
            std::vector<double> beta(90);
            for (double& b : beta) {
                b = std::exp(3.0 * random.normal()) * random.normal();
            }
            const SoftmaxCertificate proof = certify(problem, beta, context);
            const Certificate& c = proof.certificate;
            EXPECT_GE(c.primal, best * (1.0 - 1e-12));
            EXPECT_LE(c.dual, best * (1.0 + 1e-12));
            EXPECT_NEAR(c.gap, c.primal - c.dual, 1e-10 * (1.0 + std::abs(c.dual)));
            EXPECT_GT(c.dual_infeasibility, 0.0);
        }
        std::vector<double> nothing(90, 0.0);
        const Certificate zero = certify(problem, nothing, context).certificate;
        EXPECT_EQ(zero.dual, 0.0);
        EXPECT_NEAR(zero.primal, zero.gap, 1e-12 * zero.gap);
        std::vector<double> bad(90, kNaN);
        EXPECT_TRUE(std::isnan(certify(problem, bad, context).certificate.gap));
    }
}

/// Three separated classes of two points each; the caller sets the costs.
SoftmaxProblem three_on_a_line(double scale = 1.0) {
    std::vector<double> line{-5, -4, 0, 1, 6, 7};
    for (double& value : line) {
        value *= scale;
    }
    const auto owned = std::make_shared<std::vector<double>>(std::move(line));
    SoftmaxProblem problem;
    problem.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(owned->data(), 6, 1), owned));
    problem.classes = {0, 0, 1, 1, 2, 2};
    problem.class_count = 3;
    return problem;
}

TEST(softmax, separated_classes_and_great_costs_still_converge) {
    // Probabilities of the other classes are e^-20 and less: 1 - p must not lose their digits.
    SoftmaxProblem problem = three_on_a_line();
    Context context;
    for (const double cost : {1e-6, 1.0, 1e4, 1e6}) {
        problem.costs.assign(6, cost);
        // Beyond 1e4 it depends on the order of sums whether Newton's method alone converges.
        const char* solver = cost > 1e4 ? "auto" : "newton";
        const Solution s = solve_softmax(problem, with(solver, 1e-8), context);
        EXPECT_EQ(s.status, SolveStatus::converged) << cost;
        EXPECT_LE(relative_gap(s.certificate()), 1e-8) << cost;
    }
}

TEST(softmax, auto_goes_on_with_lbfgs_where_rounding_ends_newton) {
    // Great costs on separated points of a line: Newton's matrix is nearly singular in double
    // precision. Which of these costs end it depends on the order in which the BLAS adds.
    Context context({.threads = 1});
    int ended = 0;
    for (const double scale : {0.3, 1.0}) {
        for (const double cost : {1e7, 1e8, 1e9}) {
            SCOPED_TRACE(::testing::Message() << "scale " << scale << ", cost " << cost);
            SoftmaxProblem problem = three_on_a_line(scale);
            problem.costs.assign(6, cost);
            const Solution newton = solve_softmax(problem, with("newton", 1e-8), context);
            const Solution found = solve_softmax(problem, with("auto", 1e-8), context);
            EXPECT_EQ(found.status, SolveStatus::converged);
            EXPECT_LE(relative_gap(found.certificate()), 1e-8);
            // The certificate is that of the returned coefficients.
            std::vector<double> beta = found.beta;
            EXPECT_LE(relative_gap(certify(problem, beta, context).certificate), 1e-8);
            if (newton.status == SolveStatus::converged) {
                EXPECT_EQ(found.solver, "newton");
                EXPECT_EQ(found.iterations, newton.iterations);
                continue;
            }
            ++ended;
            EXPECT_EQ(newton.status, SolveStatus::reduced);
            EXPECT_EQ(found.solver, "lbfgs");
            EXPECT_GT(found.iterations, newton.iterations);
            // With an unreachable tolerance it does not converge, but is no worse than Newton alone.
            SolveOptions more = with("auto", 1e-300);
            more.max_iterations = 20 * found.iterations;
            const Solution most = solve_softmax(problem, more, context);
            EXPECT_NE(most.status, SolveStatus::converged);
            EXPECT_LE(most.certificate().gap, newton.certificate().gap);
        }
    }
    EXPECT_GT(ended, 0);  // the premise of this test
}

/// Two rows, one of each class, both with a value larger by `apart` for the second class: the best
/// intercepts move the boundary to the middle of both.
TEST(softmax, best_intercepts_are_found_where_the_curvature_underflows) {
    SoftmaxProblem problem;
    const std::vector<double> rows{0.0, 1.0};
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 2, 1)));
    problem.classes = {0, 1};
    problem.class_count = 2;
    problem.costs = {1.0, 1.0};
    for (const double apart : {30.0, 700.0, 735.0, 740.0, 744.0, 800.0, 1e4, 3e6}) {
        const std::vector<double> f{0.0, apart, 0.0, apart};
        const std::vector<double> b = best_intercepts(problem, f);
        EXPECT_NEAR(b[0] - b[1], apart, 1e-9 * apart) << apart;
    }
}

TEST(softmax, a_start_of_the_wrong_length_is_refused) {
    Context context;
    const std::vector<double> five(5, 0.0);
    SolveOptions options = with("lbfgs", 1e-8);
    options.start = five;
    EXPECT_THROW(static_cast<void>(solve_softmax(eleven(1.0, true), options, context)),
                 InvalidArgument);
}

TEST(softmax, malformed_problems_are_named) {
    Context context;
    SoftmaxProblem problem = eleven(1.0, true);
    problem.classes[4] = 3;
    EXPECT_THROW(static_cast<void>(solve_softmax(problem, {}, context)), InvalidArgument);
    problem = eleven(1.0, true);
    problem.costs[2] = -1.0;
    EXPECT_THROW(static_cast<void>(solve_softmax(problem, {}, context)), InvalidArgument);
    problem = eleven(1.0, true);
    problem.class_count = 4;  // the class has no row: its intercept has no minimum
    EXPECT_THROW(static_cast<void>(solve_softmax(problem, {}, context)), InvalidArgument);
    try {
        static_cast<void>(solve_softmax(eleven(1.0, true), with("smo", 1e-8), context));
        FAIL() << "smo does not fit";
    } catch (const InvalidArgument& fault) {
        EXPECT_THAT(fault.what(), ::testing::HasSubstr("newton, lbfgs, conjugate-gradient"));
    }
}

/// Three clusters of 50 rows in four columns, the second and the third overlapping.
SoftmaxProblem clusters(const Kernel& kernel, double cost) {
    const auto values = std::make_shared<std::vector<double>>();
    SoftmaxProblem problem;
    Random random(11);
    for (index_t i = 0; i < 150; ++i) {
        const double place = std::vector<double>{0.0, 4.0, 5.5}[static_cast<std::size_t>(i / 50)];
        for (const double share : {1.0, -0.4, 1.3, 0.5}) {
            values->push_back(share * place + 0.5 * random.normal());
        }
        problem.classes.push_back(i / 50);
        problem.costs.push_back(cost);
    }
    problem.class_count = 3;
    problem.gram =
        make_gram(kernel, Dataset(MatrixView<const double>(values->data(), 150, 4), values));
    return problem;
}

TEST(softmax, rounding_does_not_prevent_ordinary_goals) {
    Context context;
    for (const Kernel& kernel : {linear_kernel(), rbf_kernel(0.2)}) {
        for (const double cost : {1e-3, 1.0, 1e3, 1e5}) {
            const Solution solution =
                solve_softmax(clusters(kernel, cost), with("auto", 1e-8), context);
            EXPECT_EQ(solution.status, SolveStatus::converged) << cost;
            const Certificate& proof = solution.certificate();
            EXPECT_GT(proof.rounding, 0.0);
            EXPECT_LE(proof.rounding, 1e-10 * std::max(1.0, proof.primal)) << cost;
        }
    }
}

TEST(softmax, what_only_rounding_prevents_is_not_claimed) {
    Context context;
    const SoftmaxProblem problem = eleven(2.0, true);
    const Certificate first = solve_softmax(problem, with("newton", 1e-13), context).certificate();
    ASSERT_LT(computed_gap(first), 0.1 * first.rounding);
    const double tolerance = 0.5 * first.rounding / first.primal;
    const Solution solution = solve_softmax(problem, with("newton", tolerance), context);
    EXPECT_EQ(solution.status, SolveStatus::reduced);
    EXPECT_LE(computed_gap(solution.certificate()), tolerance * first.primal);
    EXPECT_GT(relative_gap(solution.certificate()), tolerance);
}

}  // namespace
}  // namespace mercer

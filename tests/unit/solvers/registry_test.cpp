// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/registry_test.cpp - the tables are complete, and a registered solver is
// certified like any other.
#include "mercer/solvers/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smo.hpp"
#include "mercer/solvers/smooth.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using ::testing::HasSubstr;
using testing::RowSet;

constexpr index_t kRows = 30;

Problem problem_of(RowSet& rows, const Loss& loss) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(1.0), rows.dense());
    problem.loss = loss;
    problem.intercept = false;
    Random random(3);
    for (index_t i = 0; i < kRows; ++i) {
        problem.targets.push_back(rows.at(i, 0) + 0.5 * random.normal() > 0.0 ? 1.0 : -1.0);
        problem.costs.push_back(1.0);
    }
    return problem;
}

bool has_box(const Problem& problem) { return has_box_dual(problem.loss); }

KernelSolver named(const std::string& name,
                   std::function<Solution(const Problem&, const SolveOptions&, Context&)> solve) {
    return {.facts = {.name = name}, .fits = has_box, .solve = std::move(solve)};
}

Solution answer_of(std::vector<double> beta, SolveStatus status = SolveStatus::converged) {
    Solution out;
    out.beta = std::move(beta);
    out.status = status;
    out.iterations = 1;
    return out;
}

std::string fault_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InvalidArgument& fault) {
        return fault.what();
    }
    return "";
}

TEST(registry, every_row_has_a_name_of_its_own_form_and_a_summary) {
    std::map<SolverForm, std::set<std::string>> names;
    for (const SolverFacts& facts : all_solvers()) {
        EXPECT_FALSE(facts.summary.empty()) << facts.name;
        EXPECT_TRUE(names[facts.form].insert(facts.name).second) << facts.name << " twice";
        EXPECT_EQ(SolverChoice(facts.name).name(), facts.name);
    }
    EXPECT_EQ(names.size(), 9U);
    EXPECT_EQ(names[SolverForm::box_dual],
              (std::set<std::string>{"decomposition", "smo", "active-set", "interior-point",
                                     "dual-descent"}));
}

TEST(registry, a_name_is_read_back_as_its_id) {
    for (int i = 0; i < static_cast<int>(SolverId::other); ++i) {
        const auto id = static_cast<SolverId>(i);
        ASSERT_FALSE(name_of(id).empty());
        EXPECT_EQ(parse_solver(name_of(id)), id);
        EXPECT_TRUE(SolverChoice(name_of(id)) == id);
    }
    EXPECT_EQ(parse_solver("newto"), SolverId::other);
    EXPECT_EQ(SolverChoice("newto").name(), "newto");
    EXPECT_TRUE(SolverChoice().is_automatic());
}

TEST(registry, words_are_listed_once) {
    const std::vector<std::string> words = solver_words();
    EXPECT_EQ(words.front(), "auto");
    EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
    EXPECT_THAT(words, ::testing::IsSupersetOf({"smo", "cholesky", "svd", "l1-descent"}));
}

TEST(registry, a_new_solver_needs_a_free_name_a_form_and_its_functions) {
    SolverRegistry registry;
    const auto zero = [](const Problem& problem, const SolveOptions&, Context&) {
        return answer_of(std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0));
    };
    EXPECT_THAT(fault_of([&] { registry.add(named("", zero)); }), HasSubstr("is empty"));
    EXPECT_THAT(fault_of([&] { registry.add(named("smo", zero)); }), HasSubstr("is taken"));
    EXPECT_THAT(fault_of([&] { registry.add(named("auto", zero)); }), HasSubstr("is taken"));
    EXPECT_THAT(fault_of([&] { registry.add(named("mine", {})); }), HasSubstr("`solve`"));
    KernelSolver other = named("mine", zero);
    other.facts.form = SolverForm::softmax;
    EXPECT_THAT(fault_of([&] { registry.add(other); }), HasSubstr("one output"));
    registry.add(named("mine", zero));
    EXPECT_THAT(fault_of([&] { registry.add(named("mine", zero)); }), HasSubstr("is taken"));
    EXPECT_EQ(registry.solvers().size(), 1U);
}

TEST(registry, an_answer_is_certified_whatever_the_solver_says_of_it) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    SolverRegistry registry;
    registry.add(named("liar", [](const Problem& p, const SolveOptions&, Context&) {
        return answer_of(std::vector<double>(static_cast<std::size_t>(p.size()), 0.0));
    }));
    SolveOptions options;
    options.registry = &registry;
    options.solver = "liar";
    const Solution out = solve(problem, options, context);
    EXPECT_EQ(out.status, SolveStatus::reduced);
    EXPECT_EQ(out.solver, "liar");
    EXPECT_DOUBLE_EQ(out.certificate().primal, static_cast<double>(kRows));
    EXPECT_GT(relative_gap(out.certificate()), 0.1);
}

TEST(registry, an_answer_outside_the_dual_set_is_projected) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    SolverRegistry registry;
    registry.add(named("wild", [](const Problem& p, const SolveOptions&, Context&) {
        return answer_of(std::vector<double>(static_cast<std::size_t>(p.size()), 100.0));
    }));
    const Solution out = solve(problem, {.solver = "wild", .registry = &registry}, context);
    for (index_t i = 0; i < problem.size(); ++i) {
        const Interval box = dual_box(problem, i);
        EXPECT_GE(out.beta[static_cast<std::size_t>(i)], box.lower);
        EXPECT_LE(out.beta[static_cast<std::size_t>(i)], box.upper);
    }
    EXPECT_GT(out.certificate().dual_infeasibility, 50.0);
}

TEST(registry, a_solver_is_called_again_with_a_smaller_tolerance_until_the_proof_is_there) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    std::vector<double> tolerances;
    std::vector<std::size_t> starts;
    SolverRegistry registry;
    registry.add(named("rough", [&](const Problem& p, const SolveOptions& asked, Context& c) {
        tolerances.push_back(*asked.tolerance);
        starts.push_back(asked.start.size());
        return solve(p, {.tolerance = 100.0 * *asked.tolerance, .start = asked.start}, c);
    }));
    const Solution out =
        solve(problem, {.gap_tolerance = 1e-7, .solver = "rough", .registry = &registry}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_LE(relative_gap(out.certificate()), 1e-7);
    ASSERT_GE(tolerances.size(), 2U);
    EXPECT_TRUE(std::is_sorted(tolerances.rbegin(), tolerances.rend()));
    EXPECT_EQ(starts.front(), 0U);
    EXPECT_EQ(starts.back(), static_cast<std::size_t>(kRows));
}

TEST(registry, an_answer_of_the_wrong_length_or_of_no_numbers_is_not_taken) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    SolverRegistry registry;
    registry.add(named(
        "short", [](const Problem&, const SolveOptions&, Context&) { return answer_of({1.0}); }));
    registry.add(named("nan", [](const Problem& p, const SolveOptions&, Context&) {
        return answer_of(std::vector<double>(static_cast<std::size_t>(p.size()), kNaN));
    }));
    EXPECT_THAT(
        fault_of([&] {
            static_cast<void>(solve(problem, {.solver = "short", .registry = &registry}, context));
        }),
        HasSubstr("'short' gave 1 coefficients, must be 30"));
    const Solution out = solve(problem, {.solver = "nan", .registry = &registry}, context);
    EXPECT_EQ(out.status, SolveStatus::reduced);
    EXPECT_DOUBLE_EQ(out.certificate().primal, static_cast<double>(kRows));  // of f = 0
}

TEST(registry, a_coordinate_solver_of_the_callers_is_driven_like_a_built_in_one) {
    RowSet rows(kRows, 2, 1.0, 5);
    Problem problem = problem_of(rows, HingeLoss{});
    problem.intercept = true;
    Context context;
    SolverRegistry registry;
    registry.add({.facts = {.name = "pairs"},
                  .fits = SmoSolver::fits,
                  .make = [](const Problem& p, const CoordinateOptions& options, Context& c) {
                      return std::make_unique<SmoSolver>(p, options, c);
                  }});
    const Solution own = solve(problem, {.solver = "pairs", .registry = &registry}, context);
    const Solution built_in = solve(problem, {.solver = SolverId::smo}, context);
    EXPECT_EQ(own.solver, "pairs");
    EXPECT_EQ(own.status, SolveStatus::converged);
    EXPECT_EQ(own.beta, built_in.beta);
    EXPECT_EQ(own.iterations, built_in.iterations);
}

TEST(registry, a_smooth_problem_takes_a_callers_solver_and_a_message_names_it) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, LogisticLoss{});
    Context context;
    SolverRegistry registry;
    registry.add(
        {.facts = {.name = "newton-again", .form = SolverForm::smooth},
         .fits = [](const Problem& p) { return std::holds_alternative<LogisticLoss>(p.loss); },
         .solve =
             [](const Problem& p, const SolveOptions& asked, Context& c) {
                 return solve_smooth(p, {.gap_tolerance = 1e-10, .start = asked.start}, c);
             }});
    const Solution out =
        solve_smooth(problem, {.solver = "newton-again", .registry = &registry}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_LE(relative_gap(out.certificate()), kSmoothGapTolerance);
    EXPECT_EQ(out.solver, "newton-again");
    const Problem hinge = problem_of(rows, HingeLoss{});
    registry.add(named("mine", [](const Problem& p, const SolveOptions&, Context&) {
        return answer_of(std::vector<double>(static_cast<std::size_t>(p.size()), 0.0));
    }));
    EXPECT_THAT(
        fault_of([&] {
            static_cast<void>(solve(hinge, {.solver = "yours", .registry = &registry}, context));
        }),
        HasSubstr("got 'yours', this machine is solved by: decomposition, smo, active-set, "
                  "interior-point, dual-descent, mine"));
}

}  // namespace
}  // namespace mercer

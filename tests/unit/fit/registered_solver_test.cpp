// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/registered_solver_test.cpp - a solver from outside the library trains a machine,
// using public headers only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/fit/plan.hpp"
#include "mercer/mercer.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

/// Accelerated projected gradient on the dual 1/2 beta'(K + ridge) beta - linear'beta over a box.
Solution projected_gradient(const Problem& problem, const SolveOptions& options, Context& context) {
    const auto n = static_cast<std::size_t>(problem.size());
    Solution out;
    out.beta.assign(options.start.begin(), options.start.end());
    out.beta.resize(n, 0.0);
    double steepest = 0.0;  // the trace of K + ridge bounds its greatest eigenvalue
    const std::vector<double> diagonal = problem.gram->diagonal();
    for (std::size_t i = 0; i < n; ++i) {
        steepest += diagonal[i] + dual_term(problem, static_cast<index_t>(i)).ridge;
    }
    const index_t limit = options.max_iterations > 0 ? options.max_iterations : 20000;
    std::vector<double> ahead = out.beta;
    double momentum = 1.0;
    out.status = SolveStatus::iteration_limit;
    while (out.iterations < limit) {
        ++out.iterations;
        const std::vector<double> f = decision_values(problem, ahead, context);
        const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
        double moved = 0.0;
        std::vector<double> last = out.beta;
        for (std::size_t i = 0; i < n; ++i) {
            const DualTerm term = dual_term(problem, static_cast<index_t>(i));
            const double slope = f[i] + term.ridge * ahead[i] - term.linear;
            out.beta[i] = std::clamp(ahead[i] - slope / steepest, term.box.lower, term.box.upper);
            moved = std::max(moved, std::abs(out.beta[i] - ahead[i]));
            ahead[i] = out.beta[i] + (momentum - 1.0) / next * (out.beta[i] - last[i]);
        }
        momentum = next;
        if (moved * steepest <= *options.tolerance) {
            out.status = SolveStatus::converged;
            break;
        }
    }
    return out;
}

SolverRegistry with_projected_gradient() {
    SolverRegistry registry;
    registry.add({.facts = {.name = "projected-gradient",
                            .summary = "accelerated projected gradient on the dual"},
                  .fits =
                      [](const Problem& problem) {
                          return has_box_dual(problem.loss) && !problem.intercept &&
                                 !problem.has_mass() && width_of(problem.loss) <= 1.0;
                      },
                  .solve = projected_gradient});
    return registry;
}

Dataset rows_of_two_classes() {
    std::vector<std::vector<double>> rows;
    std::vector<double> classes;
    for (int i = 0; i < 12; ++i) {
        rows.push_back({std::cos(0.9 * i), std::sin(1.7 * i)});
        classes.push_back(rows.back()[0] + 0.4 * rows.back()[1] * rows.back()[1] > 0.1 ? 1 : 0);
    }
    return toys::make_classes(rows, classes);
}

TEST(RegisteredSolver, TrainsAMachineWhoseProofHolds) {
    const SolverRegistry registry = with_projected_gradient();
    const Dataset data = rows_of_two_classes();
    for (const char* model : {"svc", "l2-svc"}) {
        TrainOptions options = toys::svc_options("rbf(gamma=2)", 3.0);
        options.model = model;
        options.objective.intercept = false;
        options.run.gap_tolerance = 1e-6;
        const double usual = toys::fit(data, options).model.certificates.front().primal;
        options.run.solver = "projected-gradient";
        options.run.registry = &registry;
        const Model trained = toys::fit(data, options).model;
        EXPECT_EQ(trained.solver, "projected-gradient") << model;
        EXPECT_NEAR(trained.certificates.front().primal, usual, 1e-5 * usual) << model;
        EXPECT_TRUE(toys::failures(trained, data).empty()) << model;
    }
}

TEST(RegisteredSolver, StandsInThePlan) {
    const SolverRegistry registry = with_projected_gradient();
    TrainOptions options = toys::svc_options("rbf(gamma=2)", 3.0);
    options.objective.intercept = false;
    options.run.solver = "projected-gradient";
    options.run.registry = &registry;
    Context context;
    EXPECT_EQ(plan_training(rows_of_two_classes(), options, context).solver, "projected-gradient");
}

TEST(RegisteredSolver, IsRefusedWhereItDoesNotFitOrIsNotPassed) {
    const SolverRegistry registry = with_projected_gradient();
    const Dataset data = rows_of_two_classes();
    TrainOptions options = toys::svc_options("rbf(gamma=2)", 3.0);
    options.run.solver = "projected-gradient";
    Context context;
    EXPECT_THROW(static_cast<void>(train(data, options, context)), InvalidArgument);
    options.run.registry = &registry;  // with an intercept it does not apply
    EXPECT_THROW(static_cast<void>(train(data, options, context)), InvalidArgument);
}

}  // namespace
}  // namespace mercer

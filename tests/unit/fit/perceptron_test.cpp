// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/perceptron_test.cpp - the perceptron as a machine: its bound, model and
// certificate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mercer/base/error.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using ::testing::HasSubstr;

TrainOptions perceptron(const Kernel& kernel = linear_kernel(), bool intercept = true) {
    TrainOptions options;
    options.model = "perceptron";
    options.kernel = kernel;
    options.objective.intercept = intercept;
    return options;
}

Dataset unit_pair() { return toys::make_classes({{1.0, 0.0}, {0.0, 1.0}}, {1, 0}); }

TrainResult run(const Dataset& data, const TrainOptions& options) {
    Context context;
    TrainResult result = train(data, options, context);
    EXPECT_EQ(toys::failures(result.model, data), std::vector<std::string>{});
    return result;
}

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const InvalidArgument& fault) {
        return fault.what();
    }
    return "not refused";
}

TEST(perceptron_machine, two_orthonormal_rows_reach_the_bound) {
    const TrainResult result = run(unit_pair(), perceptron(linear_kernel(), false));
    ASSERT_TRUE(result.perceptron);
    EXPECT_EQ(result.model.status, "converged");
    expect_fact("P06", "e1(+), e2(-): T", result.perceptron->mistakes);
    expect_fact("P06", "e1(+), e2(-): R", result.perceptron->radius);
    expect_fact("P06", "e1(+), e2(-): B", result.perceptron->margin_norm);
    expect_fact("P06", "e1(+), e2(-): bound", result.perceptron->bound);
}

TEST(perceptron_machine, the_steps_of_two_orthonormal_rows_are_those_of_the_proof) {
    TrainOptions options = perceptron(linear_kernel(), false);
    options.perceptron.record_steps = true;
    const TrainResult result = run(unit_pair(), options);
    std::vector<double> products;
    std::vector<double> norms;
    std::vector<double> limits;
    for (const ProofStep& step : result.perceptron->steps) {
        products.push_back(step.product);
        norms.push_back(step.squared_norm);
        limits.push_back(step.limit);
    }
    expect_fact("P07", "e1(+), e2(-): <w*, w>", products);
    expect_fact("P07", "e1(+), e2(-): |w|^2", norms);
    expect_fact("P07", "e1(+), e2(-): T R^2", limits);
}

TEST(perceptron_machine, the_pair_is_embedded_with_a_one) {
    const TrainResult result = run(toys::pair(), perceptron());
    expect_fact("P06", "PAIR embedded: R^2", result.perceptron->radius * result.perceptron->radius);
    expect_fact("P06", "PAIR embedded: B", result.perceptron->margin_norm);
    expect_fact("P06", "PAIR embedded: T", result.perceptron->mistakes);
}

TEST(perceptron_machine, exclusive_or_is_learned_with_a_quadratic_kernel) {
    const TrainResult result = run(toys::exclusive_or(), perceptron(poly_kernel(2.0)));
    const MistakeBound& bound = *result.perceptron;
    expect_fact("P08", "XOR, (1+x.z)^2: status", result.model.status);
    expect_fact("P08", "XOR, (1+x.z)^2, embedded: R^2", bound.radius * bound.radius);
    expect_fact("P08", "XOR, (1+x.z)^2, embedded: B^2", bound.margin_norm * bound.margin_norm);
    EXPECT_LE(static_cast<double>(bound.mistakes), bound.bound);
    EXPECT_EQ(result.model.certificates[0].gap, 0.0);
    const TrainResult flat = run(toys::exclusive_or(), perceptron(poly_kernel(2.0), false));
    expect_fact("P08", "XOR, (1+x.z)^2, homogeneous: R^2",
                flat.perceptron->radius * flat.perceptron->radius);
    EXPECT_EQ(flat.model.intercepts, std::vector<double>{0.0});
}

TEST(perceptron_machine, coefficients_are_signed_mistake_counts) {
    TrainOptions options = perceptron(rbf_kernel(0.5));
    options.perceptron.record_steps = true;
    const Dataset data =
        toys::make_classes({{0, 0}, {1, 0.5}, {0.4, 1}, {2, 2}, {1.5, 1.6}}, {0, 1, 0, 1, 1});
    const TrainResult result = run(data, options);
    std::vector<double> counts(5, 0.0);
    double sum = 0.0;
    for (const ProofStep& step : result.perceptron->steps) {
        const auto row = static_cast<std::size_t>(step.row);
        counts[row] += data.targets[row] == 1.0 ? 1.0 : -1.0;
    }
    bool equal = true;
    const Model& model = result.model;
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        const auto row = static_cast<std::size_t>(model.support_rows[j]);
        equal = equal && model.coefficients[j] == counts[row];
        sum += counts[row];
        counts[row] = 0.0;
    }
    equal = equal && counts == std::vector<double>(5, 0.0);
    expect_fact("P08", "coefficients are y_i times the mistakes at row i", equal);
    EXPECT_EQ(model.intercepts[0], sum);
}

TEST(perceptron_machine, rows_that_are_not_separable_stop_by_the_budget_with_their_count) {
    TrainOptions options = perceptron();
    options.run.max_iterations = 400;
    const TrainResult result = run(toys::exclusive_or(), options);
    EXPECT_EQ(result.model.status, "iteration-limit");
    EXPECT_EQ(result.perceptron->mistakes, 400);
    EXPECT_GE(result.model.certificates[0].gap, 1.0);
    EXPECT_TRUE(std::isnan(result.perceptron->bound));
    EXPECT_THAT(result.perceptron->reason, HasSubstr("did not separate"));
    EXPECT_FALSE(result.separability);
    options.perceptron.bound = "always";
    EXPECT_THAT(run(toys::exclusive_or(), options).perceptron->reason, HasSubstr("not separable"));
    options.perceptron.bound = "never";
    EXPECT_THAT(run(toys::pair(), options).perceptron->reason, HasSubstr("never"));
}

TEST(perceptron_machine, a_stopped_run_tells_exactly_whether_the_classes_are_separable) {
    TrainOptions options = perceptron();
    options.run.max_iterations = 50;
    options.perceptron.separability = true;
    const TrainResult never = run(toys::exclusive_or(), options);
    ASSERT_TRUE(never.separability);
    EXPECT_EQ(never.separability->answer, SeparabilityAnswer::not_separable);
    EXPECT_TRUE(never.separability->exact_check);
    EXPECT_EQ(never.separability->hulls.rows, (std::vector<index_t>{0, 1, 2, 3}));
    EXPECT_EQ(never.separability->hulls.weights, std::vector<double>(4, 0.5));
    options.run.max_iterations = 1;
    const TrainResult later = run(toys::pair(), options);
    ASSERT_TRUE(later.separability);
    EXPECT_EQ(later.separability->answer, SeparabilityAnswer::separable);
    options.run.max_iterations = 0;
    EXPECT_FALSE(run(toys::pair(), options).separability);  // the model itself is the answer
    // Without an intercept: the hull of labels times rows contains 0.
    const Dataset same = toys::make_classes({{1.0}, {2.0}}, {0, 1});
    options.objective.intercept = false;
    options.run.max_iterations = 20;
    EXPECT_EQ(run(same, options).separability->answer, SeparabilityAnswer::not_separable);
}

TEST(perceptron_machine, the_proof_fails_for_another_count_sign_or_intercept) {
    const Dataset data = toys::trio();
    const Model model = run(data, perceptron()).model;
    Model claims = model;
    claims.certificates[0].primal = 1.0;
    EXPECT_THAT(toys::failures(claims, data), ::testing::Contains("primal value"));
    Model turned = model;
    for (double& value : turned.coefficients) {
        value = -value;
    }
    turned.intercepts[0] = -turned.intercepts[0];
    turned.certificates[0].intercept = turned.intercepts[0];
    EXPECT_THAT(toys::failures(turned, data), ::testing::Contains("dual feasibility"));
    EXPECT_THAT(toys::failures(turned, data), ::testing::Contains("primal value"));
    Model moved = model;
    moved.intercepts[0] += 0.125;
    moved.certificates[0].intercept = moved.intercepts[0];
    EXPECT_THAT(toys::failures(moved, data), ::testing::Contains("dual feasibility"));
}

TEST(perceptron_machine, weights_of_zero_leave_rows_out_and_others_are_refused) {
    Dataset data = toys::exclusive_or();
    data.weights = {1.0, 0.0, 1.0, 1.0};
    const TrainResult result = run(data, perceptron());
    EXPECT_EQ(result.model.status, "converged");
    EXPECT_THAT(result.model.support_rows, ::testing::Not(::testing::Contains(1)));
    Context context;
    data.weights = {1.0, 2.0, 1.0, 1.0};
    EXPECT_THAT(refusal([&] { (void)train(data, perceptron(), context); }),
                HasSubstr("weights: row 2 has 2, must be 0 or 1"));
}

TEST(perceptron_machine, what_it_has_no_use_for_is_refused) {
    Context context;
    const auto refused = [&](const std::function<void(TrainOptions&)>& change) {
        TrainOptions options = perceptron();
        change(options);
        return refusal([&] { (void)train(toys::pair(), options, context); });
    };
    EXPECT_THAT(refused([](TrainOptions& o) { o.objective.cost = 2.0; }),
                HasSubstr("cost: perceptron does not take it; these do: svc, "));
    EXPECT_THAT(refused([](TrainOptions& o) { o.objective.nu = 0.2; }),
                HasSubstr("nu: perceptron does not take it; these do: nu-svc, one-class, nu-svr"));
    EXPECT_THAT(refused([](TrainOptions& o) { o.objective.class_weights["1"] = 2.0; }),
                HasSubstr("weight"));
    EXPECT_THAT(refused([](TrainOptions& o) { o.outputs.probability = true; }),
                HasSubstr("probability"));
    EXPECT_THAT(refused([](TrainOptions& o) { o.outputs.leave_one_out = true; }),
                HasSubstr("leave_one"));
    EXPECT_THAT(refused([](TrainOptions& o) { o.order = "best"; }), HasSubstr("order"));
    EXPECT_THAT(refused([](TrainOptions& o) { o.perceptron.bound = "maybe"; }), HasSubstr("bound"));
    EXPECT_THAT(refused([](TrainOptions& o) {
                    o.model = "svc";
                    o.order = "cyclic";
                }),
                HasSubstr("order: belongs to perceptron and ordinal"));
    EXPECT_THAT(refused([](TrainOptions& o) {
                    o.model = "svc";
                    o.perceptron.average = true;
                }),
                HasSubstr("average: belongs to model perceptron"));
    Dataset three = toys::make_classes({{0.0}, {1.0}, {2.0}}, {0, 1, 2});
    three.label_names = {"a", "b", "c"};
    EXPECT_THAT(refusal([&] { (void)train(three, perceptron(), context); }),
                HasSubstr("perceptron needs two classes"));
}

TEST(perceptron_machine, given_kernel_values_make_the_mistakes_of_the_kernel) {
    // (1 + x.z)^2 of XOR: 9 on the diagonal, 1 elsewhere, whatever the classes.
    const Dataset values =
        toys::make_classes({{9, 1, 1, 1}, {1, 9, 1, 1}, {1, 1, 9, 1}, {1, 1, 1, 9}}, {0, 0, 1, 1});
    const TrainResult given = run(values, perceptron(precomputed_kernel()));
    const TrainResult named = run(toys::exclusive_or(), perceptron(poly_kernel(2.0)));
    EXPECT_EQ(given.model.coefficients, named.model.coefficients);
    EXPECT_EQ(given.perceptron->mistakes, named.perceptron->mistakes);
    EXPECT_NEAR(given.perceptron->bound, named.perceptron->bound, 1e-6);
}

TEST(perceptron_machine, an_indefinite_kernel_has_a_count_but_no_bound) {
    TrainOptions options = perceptron(parse_kernel("sigmoid(gamma=1, coef0=0)").value());
    options.allow_indefinite = true;
    const TrainResult result = run(toys::pair(), options);
    EXPECT_EQ(result.model.status, "converged");
    EXPECT_TRUE(result.model.certificates[0].exact);
    EXPECT_TRUE(std::isnan(result.perceptron->bound));
    EXPECT_THAT(result.perceptron->reason, HasSubstr("positive definite"));
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/audit/verify_test.cpp - valid proofs hold, altered ones do not.
#include "mercer/audit/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/runtime/context.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

std::vector<TrainedModel> exact_models() {
    return {pair_model(), trio_model(), xor_model(), krr2_model()};
}

/// The conditions that fail, by name.
std::vector<std::string> failures(const VerifyReport& report) {
    std::vector<std::string> names;
    for (const VerifyCondition& condition : report.conditions) {
        if (!condition.holds) {
            names.push_back(condition.name);
        }
    }
    return names;
}

VerifyReport verified(const TrainedModel& trained, int threads = 1) {
    Context context({.threads = threads});
    return verify_model(trained.model, trained.data, context);
}

bool fails(const VerifyReport& report, const std::string& name) {
    const std::vector<std::string> names = failures(report);
    return !report.holds && std::find(names.begin(), names.end(), name) != names.end();
}

TEST(verify, exact_models_hold) {
    for (const TrainedModel& trained : exact_models()) {
        const VerifyReport report = verified(trained);
        EXPECT_TRUE(report.holds) << ::testing::PrintToString(failures(report));
        ASSERT_EQ(report.recomputed.size(), 1U);
        const Certificate& stated = trained.model.certificates.front();
        EXPECT_NEAR(report.recomputed.front().primal, stated.primal, 1e-14);
        EXPECT_NEAR(report.recomputed.front().dual, stated.dual, 1e-14);
        EXPECT_NEAR(report.recomputed.front().gap, 0.0, 1e-14);
        EXPECT_NEAR(report.recomputed.front().squared_norm, stated.squared_norm, 1e-14);
        EXPECT_NEAR(report.recomputed.front().kkt_violation, 0.0, 1e-14);
        EXPECT_TRUE(report.recomputed.front().exact);
        for (const VerifyCondition& condition : report.conditions) {
            EXPECT_FALSE(condition.explanation.empty()) << condition.name;
        }
    }
}

TEST(verify, sparse_data_and_numeric_labels_hold_too) {
    TrainedModel trained = xor_model();
    Dataset sparse = sparse_rows({1, 1, 1, -1, -1, 1, -1, -1}, 2);
    sparse.targets = {-1, 1, 1, -1};
    trained.data = sparse;
    EXPECT_TRUE(verified(trained, 3).holds);
}

TEST(verify, class_and_row_weights_multiply_the_cost) {
    TrainedModel trained = pair_model();
    trained.model.cost = 0.1;
    trained.model.class_weights = {{"-1", 2.0}};
    trained.model.row_weights = true;
    trained.data.weights = {1.25, 2.5};  // 0.25 on both rows
    trained.model.fingerprint = fingerprint_of(trained.data);
    EXPECT_TRUE(verified(trained).holds);
    trained.model.class_weights.clear();
    EXPECT_TRUE(fails(verified(trained), "dual feasibility"));
    trained.data.weights.clear();
    EXPECT_TRUE(fails(verified(trained), "training data"));
}

TEST(verify, several_outputs_are_told_apart) {
    TrainedModel trained = krr2_model();
    Model& model = trained.model;
    model.intercepts = {0.0, 0.0};
    model.coefficients = {0.375, -0.125, -0.125, 0.375};
    model.certificates.push_back(model.certificates.front());
    trained.data.targets = {1, 0, 0, 1};
    model.fingerprint = fingerprint_of(trained.data);
    EXPECT_TRUE(verified(trained).holds);
    model.coefficients[1] = 0.0;
    EXPECT_TRUE(fails(verified(trained), "primal value of output 2"));
}

TEST(verify, scaled_rows_are_scaled_again) {
    TrainedModel trained = pair_model();
    trained.data = dense_rows(std::vector<double>{3, 7}, 1);
    trained.data.targets = {0, 1};
    trained.data.label_names = trained.model.labels;
    trained.model.scaling = Scaling{"standard", 1, {}, {5}, {0.5}, 0.0};
    trained.model.fingerprint = fingerprint_of(trained.data);
    EXPECT_TRUE(verified(trained).holds);
    trained.model.scaling->offset = {4.0};
    EXPECT_TRUE(fails(verified(trained), "support rows"));
}

TEST(verify, each_condition_has_its_failure) {
    TrainedModel trained = trio_model();
    trained.model.certificates[0].gap = 1e-3;
    EXPECT_EQ(failures(verified(trained)), std::vector<std::string>{"gap"});
    trained = trio_model();
    trained.model.certificates[0].primal += 1e-6;
    EXPECT_EQ(failures(verified(trained)), std::vector<std::string>{"primal value"});
    trained = trio_model();
    trained.model.certificates[0].dual += 1e-6;
    EXPECT_EQ(failures(verified(trained)), std::vector<std::string>{"dual value"});
    trained = trio_model();
    trained.model.intercepts[0] = 0.7;  // equally good, but not the intercept of the certificate
    EXPECT_EQ(failures(verified(trained)), std::vector<std::string>{"intercept"});
    trained = trio_model();
    trained.model.fingerprint.hash ^= 1;
    EXPECT_EQ(failures(verified(trained)), std::vector<std::string>{"training data"});
    trained = trio_model();
    trained.model.coefficients[0] = -0.2;
    EXPECT_TRUE(fails(verified(trained), "dual feasibility"));
    trained = trio_model();
    trained.data = pair_model().data;
    EXPECT_EQ(failures(verified(trained)), std::vector<std::string>{"training data"});
}

TEST(verify, an_indefinite_kernel_voids_the_certificate) {
    TrainedModel trained = pair_model();
    trained.model.kernel = parse_kernel("sigmoid(gamma=1, coef0=0)").value();
    const VerifyReport report = verified(trained);
    EXPECT_TRUE(fails(report, "kernel"));
    const auto kernel = std::find_if(report.conditions.begin(), report.conditions.end(),
                                     [](const VerifyCondition& c) { return c.name == "kernel"; });
    EXPECT_NE(kernel->explanation.find("certificate void"), std::string::npos);
}

/// A random noticeable change to the model or its data.
TrainedModel mutant(Random& random) {
    std::vector<TrainedModel> exact = exact_models();
    TrainedModel out = exact[static_cast<std::size_t>(random.below(4))];
    const double change = (random.below(2) == 0 ? -1.0 : 1.0) * random.uniform(1e-3, 1.0);
    Model& model = out.model;
    switch (random.below(5)) {
        case 0:
            model.coefficients[static_cast<std::size_t>(
                random.below(std::ssize(model.coefficients)))] += change;
            break;
        case 1:
            model.has_intercept = true;
            model.intercepts[0] += change;
            break;
        case 2: {
            double& target =
                out.data
                    .targets[static_cast<std::size_t>(random.below(std::ssize(out.data.targets)))];
            target = model.labels.empty() ? target + change : 1.0 - target;
            break;
        }
        case 3:
            model.kernel = (1.0 + 0.5 * change) * model.kernel;
            break;
        default: {
            std::vector<double> values;
            std::vector<double> row(static_cast<std::size_t>(model.columns));
            for (index_t j = 0; j < model.support.rows(); ++j) {
                model.support.copy_row(j, row);
                values.insert(values.end(), row.begin(), row.end());
            }
            values[static_cast<std::size_t>(random.below(std::ssize(values)))] += change;
            model.support = dense_rows(values, model.columns);
        }
    }
    return out;
}

TEST(verify, mutants_saved_and_loaded_are_caught) {
    Random random(13);
    Context context({.threads = 1});
    for (int round = 0; round < 500; ++round) {
        TrainedModel changed = mutant(random);
        changed.model = loaded(saved(changed.model), context).value();
        EXPECT_FALSE(verified(changed).holds) << "mutant " << round;
    }
}

}  // namespace
}  // namespace mercer

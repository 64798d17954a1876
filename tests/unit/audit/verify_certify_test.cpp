// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/audit/verify_certify_test.cpp - two independent certificates: verify_model()
// reproduces what certify() states for any coefficients, however far from optimal.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/hand_models.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::rows_of;

using testing::kernel_of;

using namespace testing;

constexpr index_t kRows = 40;
constexpr double kClassWeight = 3.0;  // of the label -1

struct Case {
    Problem problem;
    Dataset data;
    double cost = 1.0;
};

Case random_case(const char* loss, RowSet& set, Random& random, std::uint64_t seed) {
    Case out;
    out.problem.gram = make_gram(parse_kernel(seed % 2 == 0 ? "linear" : "rbf(gamma=0.3)").value(),
                                 seed % 3 == 0 ? set.sparse() : set.dense());
    out.problem.loss = loss_by_name(loss, 0.1).value();
    out.problem.intercept = seed % 5 != 0;
    out.data = rows_of(out.problem);
    out.cost = std::pow(10.0, random.uniform(-2.0, 3.0));
    const bool classes = is_classification(out.problem.loss);
    for (index_t i = 0; i < kRows; ++i) {
        const double y = !classes ? random.normal() : random.below(2) == 0 ? -1.0 : 1.0;
        out.data.targets.push_back(y);
        out.data.weights.push_back(random.uniform(0.1, 2.0));
        out.problem.costs.push_back(out.cost * out.data.weights.back() *
                                    (classes && y < 0.0 ? kClassWeight : 1.0));
    }
    out.problem.targets = out.data.targets;
    if (classes) {
        out.data = align_classes(out.data, {"-1", "1"});
    }
    return out;
}

Model model_of(const Case& made, const char* loss, const std::vector<double>& beta,
               const Certificate& certificate) {
    Model model;
    const bool classes = is_classification(made.problem.loss);
    model.machine = classes ? "svc" : "krr";
    model.kernel = kernel_of(made.problem);
    model.columns = made.data.columns();
    model.loss = loss;
    model.epsilon = 0.1;
    model.cost = made.cost;
    model.row_weights = true;
    model.has_intercept = made.problem.intercept;
    if (classes) {
        model.labels = {"-1", "1"};
        model.class_weights = {{"-1", kClassWeight}};
    }
    for (std::size_t i = 0; i < beta.size(); ++i) {
        if (beta[i] != 0.0) {
            model.support_rows.push_back(static_cast<index_t>(i));
            model.coefficients.push_back(beta[i]);
        }
    }
    model.support = made.data.select(model.support_rows);
    model.intercepts = {certificate.intercept};
    model.certificates = {certificate};
    model.fingerprint = fingerprint_of(made.data);
    return model;
}

TEST(verify, finds_what_certify_states) {
    Context context({.threads = 1});
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Random random(seed);
        RowSet set(kRows, 3, seed, 0.8);
        for (const char* loss : {"hinge", "squared-hinge", "logistic", "modified-huber", "squared",
                                 "epsilon", "absolute"}) {
            const Case made = random_case(loss, set, random, seed);
            std::vector<double> beta;
            for (index_t i = 0; i < kRows; ++i) {
                beta.push_back(random.below(2) == 0 ? 0.0 : made.cost * random.normal());
            }
            const Certificate stated = certify(made.problem, beta, context);
            const Model model = model_of(made, loss, beta, stated);
            const VerifyReport report =
                verify_model(loaded(saved(model), context).value(), made.data, context);
            for (const VerifyCondition& condition : report.conditions) {
                EXPECT_TRUE(condition.holds) << loss << ", seed " << seed << ": " << condition.name
                                             << ": " << condition.explanation;
            }
            ASSERT_EQ(report.recomputed.size(), 1U);
            const double violation = report.recomputed.front().kkt_violation;
            EXPECT_TRUE(violation == stated.kkt_violation ||  // both may be infinite
                        std::abs(violation - stated.kkt_violation) <= 1e-8 * (1.0 + violation))
                << loss << ": " << violation << " and " << stated.kkt_violation;
        }
    }
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/comparisons_test.cpp - the certificate of comparisons, for any multipliers.
#include "mercer/problems/comparisons.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

/// Rows on a line, and their comparisons, which the problem refers to.
struct Instance {
    ComparisonProblem problem;
    std::vector<Comparison> comparisons;

    explicit Instance(const std::vector<double>& x) {
        std::vector<std::vector<double>> rows;
        for (const double value : x) {
            rows.push_back({value});
        }
        problem.gram = make_gram(rbf_kernel(0.5), toys::make_rows(rows, x));
        problem.weights.assign(x.size(), 1.0);
    }
    Instance(const Instance&) = delete;

    ComparisonProblem& with(std::vector<Comparison> all, index_t thresholds) {
        comparisons = std::move(all);
        problem.comparisons = comparisons;
        problem.thresholds = thresholds;
        return problem;
    }
};

TEST(Comparisons, the_gap_is_never_negative_and_is_the_difference_of_the_values) {
    Random random(1, 0);
    Context context;
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> x;
        for (int i = 0; i < 8; ++i) {
            x.push_back(random.normal());
        }
        Instance instance(x);
        std::vector<Comparison> all;
        const index_t thresholds = trial % 2 == 0 ? 0 : 2;
        for (index_t i = 0; i < 8; ++i) {
            for (index_t k = 0; k < (thresholds == 0 ? i : thresholds); ++k) {
                const index_t other = thresholds == 0 ? k : 8 + k;
                all.push_back(thresholds == 0 || i % 3 > k ? Comparison{i, other}
                                                           : Comparison{other, i});
            }
        }
        ComparisonProblem& problem = instance.with(all, thresholds);
        problem.cost = std::exp(random.uniform(-2.0, 2.0));
        std::vector<double> alpha;
        for (std::size_t e = 0; e < all.size(); ++e) {
            alpha.push_back(random.uniform(-0.5, 1.5) * problem.cost);
        }
        const ComparisonCertificate found = certify(problem, alpha, context);
        const Certificate& proof = found.certificate;
        EXPECT_GE(proof.gap, 0.0);
        EXPECT_NEAR(proof.gap, proof.primal - proof.dual, 1e-9 * (1.0 + proof.primal));
        EXPECT_TRUE(std::is_sorted(found.thresholds.begin(), found.thresholds.end()));
        EXPECT_GT(proof.dual_infeasibility, 0.0);
        EXPECT_LE(project_onto_dual(problem, alpha), 1e-12 * problem.cost);
        EXPECT_TRUE(proof.exact);
    }
}

TEST(Comparisons, a_threshold_has_multipliers_that_balance) {
    Instance instance({0.0, 1.0, 2.0});
    const ComparisonProblem& problem = instance.with({{3, 0}, {3, 1}, {2, 3}}, 1);
    std::vector<double> alpha{0.25, 0.5, 1.0};
    static_cast<void>(project_onto_dual(problem, alpha));
    EXPECT_NEAR(alpha[2], alpha[0] + alpha[1], 1e-15);
    const std::vector<double> beta = coefficients_of(problem, alpha);
    EXPECT_EQ(beta, (std::vector<double>{-alpha[0], -alpha[1], alpha[2]}));
}

TEST(Comparisons, malformed_problems_are_refused) {
    Instance instance({0.0, 1.0});
    EXPECT_THROW(require_well_formed(instance.with({{0, 0}}, 0)), InvalidArgument);
    EXPECT_THROW(require_well_formed(instance.with({{0, 2}}, 0)), InvalidArgument);
    EXPECT_THROW(require_well_formed(instance.with({{2, 3}}, 2)), InvalidArgument);
    EXPECT_THROW(require_well_formed(instance.with({{1, 2}}, 1)), InvalidArgument);  // none below
    EXPECT_NO_THROW(require_well_formed(instance.with({{1, 2}, {2, 0}}, 1)));
    instance.problem.weights = {1.0, -1.0};
    EXPECT_THROW(require_well_formed(instance.problem), InvalidArgument);
    instance.problem.weights = {1.0};
    EXPECT_THROW(require_well_formed(instance.problem), InvalidArgument);
}

TEST(Comparisons, numbers_that_are_none_have_no_gap) {
    Instance instance({0.0, 1.0});
    const ComparisonProblem& problem = instance.with({{1, 0}}, 0);
    Context context;
    std::vector<double> alpha{kNaN};
    EXPECT_TRUE(std::isnan(certify(problem, alpha, context).certificate.gap));
    std::vector<double> two{0.0, 0.0};
    EXPECT_THROW(static_cast<void>(certify(problem, two, context)), InvalidArgument);
}

}  // namespace
}  // namespace mercer

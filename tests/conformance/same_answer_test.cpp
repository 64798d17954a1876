// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/same_answer_test.cpp - an answer depends only on data and options:
// rows N1 to N10 of the catalogue of known failures, for every machine of the support vector family
// and every solver that fits it.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "mercer/base/random.hpp"
#include "mercer/models/predict.hpp"
#include "row_sets.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

struct Case {
    std::string model;
    std::string solver;
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& one) {
    std::string name = one.param.model + "_by_" + one.param.solver;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

const Case kCases[] = {
    {"svc", "decomposition"},
    {"svc", "smo"},
    {"hard-margin", "decomposition"},
    {"hard-margin", "smo"},
    {"nu-svc", "decomposition"},
    {"one-class", "decomposition"},
    {"svr", "decomposition"},
    {"absolute", "decomposition"},
    {"nu-svr", "decomposition"},
    {"l2-svc", "decomposition"},
    {"l2-svc", "smo"},
    {"l2-svc", "finite-newton"},
    {"l2-svc", "lbfgs"},
    {"huber-svc", "decomposition"},
    {"huber-svc", "smo"},
    {"huber-svc", "finite-newton"},
    {"ls-svc", "auto"},
};

class SameAnswer : public ::testing::TestWithParam<Case> {
protected:
    [[nodiscard]] static bool classes() {
        const std::string& model = GetParam().model;
        return model.ends_with("svc") || model == "hard-margin";
    }

    /// The machine of a test: the absolute loss is a tube of width 0.
    static TrainOptions options() {
        TrainOptions made;
        made.model = GetParam().model == "absolute" ? "svr" : GetParam().model;
        made.objective.epsilon = GetParam().model == "absolute" ? std::optional(0.0) : std::nullopt;
        made.objective.nu =
            GetParam().model == "nu-svc" ? std::optional(0.2) : std::nullopt;  // one class is small
        made.run.solver = GetParam().solver;
        made.kernel = parse_kernel("rbf(gamma=0.5)").value();
        return made;
    }

    /// A hard margin has no upper bounds: pairwise steps take very long to its last digits.
    static double small_gap() { return GetParam().model == "hard-margin" ? 1e-7 : 1e-9; }

    /// Three classes, or numbers; for a hard margin the classes are separable.
    static void add_targets(Dataset& data) {
        Random random(7);
        std::vector<double> x(static_cast<std::size_t>(data.columns()));
        for (index_t i = 0; i < data.rows(); ++i) {
            data.copy_row(i, x);
            const double height = x[0] - x[1] * x[2] + 0.3 * random.normal();
            data.targets.push_back(classes() ? std::clamp(std::floor(height + 1.0), 0.0, 2.0)
                                             : height);
        }
        if (classes()) {
            data.label_names = {"low", "middle", "high"};
        }
    }

    static Dataset dense() {
        static testing::RowSet rows(120, 6, 40, 0.9);
        Dataset data = rows.dense();
        add_targets(data);
        return data;
    }
    static Dataset sparse() {
        static testing::RowSet rows(120, 6, 40, 0.9);
        Dataset data = rows.sparse();
        add_targets(data);
        return data;
    }

    static Model fit(const Dataset& data, int threads = 1) {
        Context context({.threads = threads});
        return train(data, options(), context).model;
    }

    static void expect_same_bits(const Model& a, const Model& b) {
        EXPECT_EQ(a.coefficients, b.coefficients);
        EXPECT_EQ(a.intercepts, b.intercepts);
        EXPECT_EQ(a.support_rows, b.support_rows);
        EXPECT_EQ(a.iterations, b.iterations);
        EXPECT_EQ(a.status, b.status);
    }
};

TEST_P(SameAnswer, ARowAloneHasTheBitsItHasInABatch) {  // N1
    Context context({.threads = 2});
    const Model model = fit(dense());
    for (const Dataset& probe : {dense(), sparse()}) {
        const std::vector<double> batch = decision_function(model, probe, context);
        const std::size_t width = batch.size() / static_cast<std::size_t>(probe.rows());
        for (index_t i = 0; i < probe.rows(); i += 3) {
            const index_t one[] = {i};
            const std::vector<double> alone = decision_function(model, probe.select(one), context);
            for (std::size_t t = 0; t < width; ++t) {
                EXPECT_EQ(alone[t], batch[static_cast<std::size_t>(i) * width + t]) << i;
            }
        }
    }
}

TEST_P(SameAnswer, ConcurrentFitsAreThoseMadeOneByOne) {  // N4, N5
    const Dataset data = dense();
    const Model alone = fit(data);
    std::vector<Model> models(6);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < models.size(); ++t) {
        threads.emplace_back([&, t] { models[t] = fit(data, t % 2 == 0 ? 1 : 2); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const Model& model : models) {
        expect_same_bits(model, alone);
    }
}

TEST_P(SameAnswer, EveryInstructionSetReachesTheSameObjective) {  // N6
    const Dataset data = dense();
    Context context;
    TrainOptions wanted = options();
    wanted.run.gap_tolerance = small_gap();
    double reached = kNaN;
    double gap = 0.0;
    for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
         targets &= targets - 1) {
        const std::int64_t target = targets & -targets;
        hwy::SetSupportedTargetsForTest(target);
        const Certificate proof =
            total_certificate(train(data, wanted, context).model.certificates);
        if (!std::isnan(reached)) {
            EXPECT_LE(std::abs(proof.primal - reached),
                      std::max(gap, proof.gap) + 1e-12 * std::abs(reached))
                << hwy::TargetName(target);
        }
        reached = proof.primal;
        gap = proof.gap;
    }
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_LE(gap, 1e-6 * std::max(1.0, std::abs(reached)));
}

TEST_P(SameAnswer, SparseAndDenseRowsGiveTheSameMachine) {  // N7
    Context context;
    const Model a = fit(dense());
    const Model b = fit(sparse());
    EXPECT_EQ(a.status, "converged");
    EXPECT_EQ(b.status, "converged");
    const Certificate p = total_certificate(a.certificates);
    const Certificate q = total_certificate(b.certificates);
    // Both primal values exceed the optimum by at most their gap.
    EXPECT_LE(std::abs(p.primal - q.primal), std::max(p.gap, q.gap) + 1e-12 * std::abs(p.primal));
    const std::vector<double> f = decision_function(a, dense(), context);
    const std::vector<double> g = decision_function(a, sparse(), context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], g[i], 1e-12 * (1.0 + std::abs(f[i])));
    }
}

TEST_P(SameAnswer, RunsAndThreadCountsDoNotChangeABit) {  // N8, N9
    const Dataset data = sparse();
    const Model first = fit(data);
    expect_same_bits(fit(data), first);
    for (const int threads : {2, 3, 8}) {
        expect_same_bits(fit(data, threads), first);
    }
}

TEST_P(SameAnswer, DuplicatesKeepTheObjectiveAndTheDecisions) {  // N10
    // The coefficients of equal rows may be split in any way; the function is the same.
    Context context;
    const Dataset data = dense();
    std::vector<index_t> twice;
    for (index_t i = 0; i < data.rows(); ++i) {
        twice.insert(twice.end(), {i, i});
    }
    std::vector<index_t> turned(twice.rbegin(), twice.rend());
    TrainOptions wanted = options();
    wanted.run.gap_tolerance = small_gap();
    const Model a = train(data.select(twice), wanted, context).model;
    const Model b = train(data.select(turned), wanted, context).model;
    const Certificate p = total_certificate(a.certificates);
    const Certificate q = total_certificate(b.certificates);
    const double gap = std::max(p.gap, q.gap);
    EXPECT_LE(std::abs(p.primal - q.primal), gap + 1e-12 * std::abs(p.primal));
    EXPECT_LE(gap, 1e-6 * std::max(1.0, std::abs(p.primal)));
    // |f - f*| <= sqrt(2 gap) in norm, and k(x, x) = 1; intercepts are within the intervals of the
    // rows.
    const std::vector<double> f = decision_function(a, data, context);
    const std::vector<double> g = decision_function(b, data, context);
    const double apart = 4.0 * std::sqrt(2.0 * gap) + 1e-6;
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], g[i], apart + 0.01) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, SameAnswer, ::testing::ValuesIn(kCases), name_of_case);

}  // namespace
}  // namespace mercer

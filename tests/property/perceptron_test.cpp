// SPDX-License-Identifier: Apache-2.0
//
// tests/property/perceptron_test.cpp - the mistake bound and its proof on random separable rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

/// Rows that the kernel separates: on two sides of a plane for the linear kernel, any rows for rbf.
Dataset separable(bool linear, Random& random) {
    const auto columns = static_cast<std::size_t>(2 + random.below(4));
    const index_t rows = 10 + random.below(40);
    std::vector<double> w(columns);
    for (double& value : w) {
        value = random.normal();
    }
    const double b = 0.5 * random.normal();
    std::vector<std::vector<double>> points;
    std::vector<double> classes;
    bool both[2] = {false, false};
    while (static_cast<index_t>(points.size()) < rows || !both[0] || !both[1]) {
        std::vector<double> x(columns);
        double value = b;
        for (std::size_t j = 0; j < columns; ++j) {
            x[j] = random.normal();
            value += w[j] * x[j];
        }
        if (linear && std::abs(value) < 0.1) {
            continue;
        }
        const bool positive = linear ? value > 0.0 : random.uniform() < 0.5;
        both[positive ? 1 : 0] = true;
        points.push_back(x);
        classes.push_back(positive ? 1.0 : 0.0);
    }
    return toys::make_classes(points, classes);
}

/// Calls use(result) for runs of every order, with and without intercept, average and kernel.
template <typename Use>
void each_run(std::uint64_t seed, const Use& use) {
    Random random(seed);
    for (int k = 0; k < 12; ++k) {
        for (const bool linear : {true, false}) {
            const Dataset data = separable(linear, random);
            for (const char* order : {"cyclic", "random", "worst"}) {
                TrainOptions options;
                options.model = "perceptron";
                options.kernel = linear ? linear_kernel() : rbf_kernel(2.0);
                options.order = order;
                options.perceptron.average = k % 3 == 1;
                options.perceptron.record_steps = true;
                Context context({.seed = seed + static_cast<std::uint64_t>(k)});
                const TrainResult result = train(data, options, context);
                ASSERT_EQ(result.model.status, "converged") << order;
                ASSERT_EQ(toys::failures(result.model, data), std::vector<std::string>{});
                ASSERT_EQ(result.perceptron->reason, "") << order;
                use(*result.perceptron);
            }
        }
    }
}

TEST(PerceptronProperty, MistakesStayWithinTheBound) {
    double most = 0.0;
    int runs = 0;
    each_run(1, [&](const MistakeBound& run) {
        ++runs;
        most = std::max(most, static_cast<double>(run.mistakes) / run.bound);
    });
    EXPECT_EQ(runs, 72);
    expect_fact("P06", "T / (R^2 B^2) over random separable rows, three orders, linear and rbf",
                most);
}

TEST(PerceptronProperty, TheProofHoldsAfterEveryMistake) {
    double least = kInfinity;
    double most = 0.0;
    each_run(2, [&](const MistakeBound& run) {
        ASSERT_EQ(static_cast<index_t>(run.steps.size()), run.mistakes);
        for (std::size_t t = 0; t < run.steps.size(); ++t) {
            const ProofStep& step = run.steps[t];
            least = std::min(least, step.product / static_cast<double>(t + 1));
            most = std::max(most, step.squared_norm / step.limit);
        }
    });
    expect_fact("P07", "least <w*, w> / T over all steps", least);
    expect_fact("P07", "greatest |w|^2 / (T R^2) over all steps", most);
}

}  // namespace
}  // namespace mercer

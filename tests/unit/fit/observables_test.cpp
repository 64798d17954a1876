// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/observables_test.cpp - observable properties of a support vector classifier: its
// support vectors, its margin, and the rows that determine it.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mercer/base/random.hpp"
#include "mercer/models/expansion.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

TrainOptions hard(const std::string& kernel) {
    TrainOptions options = toys::svc_options(kernel, kNaN);
    options.model = "hard-margin";
    return options;
}

TEST(Observables, OfTheToysAreKnown) {
    const auto observe = [](const std::string& name, const Dataset& data,
                            const std::string& kernel) {
        const Model model = toys::fit(data, hard(kernel)).model;
        expect_fact("S06", name + ": support vectors", model.support.rows());
        expect_fact("S06", name + ": margin", margin_width(model));
        const std::vector<index_t> counts = support_by_class(model);
        expect_fact("S06", name + ": support vectors of each class",
                    std::vector<double>(counts.begin(), counts.end()));
    };
    observe("PAIR", toys::pair(), "linear");
    observe("TRIO", toys::trio(), "linear");
    observe("XOR, (1 + xz)^2", toys::exclusive_or(), "poly(degree=2, coef0=1, scale=1)");
}

TEST(Observables, EveryClassHasARowOnTheHardMargin) {
    Random random(12);
    Context context;
    index_t missing = 0;
    index_t inside = 0;
    for (int round = 0; round < 40; ++round) {
        std::vector<std::vector<double>> x;
        std::vector<double> classes;
        for (int i = 0; i < 30; ++i) {
            classes.push_back(static_cast<double>(i % 2));
            x.push_back({random.normal() + 8.0 * classes.back(), random.normal()});
        }
        const Dataset data = toys::make_classes(x, classes);
        const Model model = train(data, hard("linear"), context).model;
        const std::vector<double> f = decision_function(model, data, context);
        std::vector<index_t> active(2, 0);
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double margin = (classes[i] == 0.0 ? -1.0 : 1.0) * f[i];
            active[static_cast<std::size_t>(classes[i])] += std::abs(margin - 1.0) <= 1e-4;
            inside += margin < 1.0 - 1e-4;
        }
        missing += (active[0] == 0) + (active[1] == 0);
        const std::vector<index_t> counts = support_by_class(model);
        EXPECT_EQ(counts[0] + counts[1], model.support.rows());
    }
    expect_fact("S06", "random separable rows: classes without a row on the margin", missing);
    expect_fact("S06", "random separable rows: rows inside the margin by more than 1e-4", inside);
}

TEST(Observables, SignsOfOtherMachinesTellNoClasses) {
    Context context;
    TrainOptions least_squares = toys::svc_options("linear", 1.0);
    least_squares.model = "ls-svc";
    EXPECT_TRUE(support_by_class(train(toys::trio(), least_squares, context).model).empty());
    const Model ridge = train(toys::ridge_pair(), toys::krr_options("linear", 1.0), context).model;
    EXPECT_TRUE(support_by_class(ridge).empty());
    EXPECT_TRUE(std::isnan(margin_width(ridge)));
}

TEST(Observables, MarginOfANuMachineIsThatOfItsOwnWidth) {
    // f = 2 nu x on the pair with margin rho = 2 nu: the planes f = -rho and f = rho stay 2 apart.
    Context context;
    TrainOptions options = toys::svc_options("linear", kNaN);
    options.model = "nu-svc";
    options.objective.nu = 0.4;
    EXPECT_NEAR(margin_width(train(toys::pair(), options, context).model), 2.0, 1e-6);
}

}  // namespace
}  // namespace mercer

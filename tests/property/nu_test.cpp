// SPDX-License-Identifier: Apache-2.0
//
// tests/property/nu_test.cpp - nu bounds the share of rows outside from above and that of support
// vectors from below, for any data, kernel and solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

// Rows this close to an edge may be on either side: f is known to sqrt(2 gap k(x, x)), 5e-5 for k =
// 1.
constexpr double kEdge = 1e-3;
constexpr int kRounds = 40;

/// A kernel, a solver and the rows of a round.
struct Round {
    TrainOptions options;
    std::vector<std::vector<double>> x;

    Round(Random& random, const std::string& machine) {
        const std::vector<std::string> solvers = machine_solvers(machine);
        options.model = machine;
        options.run.solver =
            solvers[static_cast<std::size_t>(random.below(static_cast<index_t>(solvers.size())))];
        options.run.gap_tolerance = 1e-9;
        const index_t kind = random.below(3);
        options.kernel = kind == 0   ? linear_kernel()
                         : kind == 1 ? poly_kernel(2.0, 1.0, random.uniform(0.2, 1.0))
                                     : rbf_kernel(std::pow(10.0, random.uniform(-1.0, 1.0)));
        const index_t rows = 20 + random.below(81);
        const index_t columns = 1 + random.below(3);
        for (index_t i = 0; i < rows; ++i) {
            x.emplace_back();
            for (index_t j = 0; j < columns; ++j) {
                x.back().push_back(random.normal());
            }
        }
    }

    [[nodiscard]] double rows() const { return static_cast<double>(x.size()); }
};

double beyond(double count, double limit) { return std::max(0.0, count - limit - 1e-9); }

TEST(Nu, OfATubeCountsTheRowsOutsideAndTheSupport) {
    Random random(61);
    Context context;
    index_t open = 0;
    for (int round = 0; round < kRounds; ++round) {
        Round drawn(random, "nu-svr");
        std::vector<double> y;
        const double noise = random.uniform(0.1, 1.0);
        for (const std::vector<double>& row : drawn.x) {
            y.push_back(std::sin(2.0 * row[0]) + noise * random.normal());
        }
        drawn.options.objective.cost = std::pow(10.0, random.uniform(-1.0, 1.0));
        const Dataset data = toys::make_rows(drawn.x, y);
        for (const double nu : {0.1, 0.3, 0.5, 0.8, random.uniform(0.02, 0.98)}) {
            drawn.options.objective.nu = nu;
            const TrainResult result = toys::fit(data, drawn.options);
            if (!(result.tube > kEdge)) {  // the theorem requires a positive tube width
                continue;
            }
            ++open;
            const std::vector<double> f = decision_function(result.model, data, context);
            double above = 0.0;
            double below = 0.0;
            for (std::size_t i = 0; i < f.size(); ++i) {
                above += y[i] - f[i] > result.tube + kEdge ? 1.0 : 0.0;
                below += f[i] - y[i] > result.tube + kEdge ? 1.0 : 0.0;
            }
            const double share = nu * drawn.rows();
            expect_fact("E11", "nu-svr, 40 random problems, five nu each: rows outside - nu n",
                        beyond(above + below, share));
            for (const double side : {above, below}) {
                expect_fact("E11", "nu-svr, 40 random problems: rows of a side outside - nu n / 2",
                            beyond(side, share / 2.0));
            }
            double support[2] = {0.0, 0.0};
            for (const double beta : result.model.coefficients) {
                ++support[beta > 0.0 ? 1 : 0];
            }
            expect_fact("E11", "nu-svr, 40 random problems, five nu each: nu n - support rows",
                        beyond(share, support[0] + support[1]));
            for (const double side : support) {
                expect_fact("E11", "nu-svr, 40 random problems: nu n / 2 - support rows of a side",
                            beyond(share / 2.0, side));
            }
        }
    }
    expect_fact("E11", "nu-svr, 200 runs: those whose tube is open", open);
}

TEST(Nu, OfAMarginCountsTheRowsInsideItAndTheSupport) {
    Random random(62);
    Context context;
    index_t open = 0;
    for (int round = 0; round < kRounds; ++round) {
        Round drawn(random, "nu-svc");
        drawn.options.run.max_iterations = 300'000;
        std::vector<double> classes;
        double positive = 0.0;
        const double noise = random.uniform(0.05, 0.7);
        for (std::size_t i = 0; i < drawn.x.size(); ++i) {
            const bool up = i < 2 ? i == 0 : drawn.x[i][0] + noise * random.normal() > 0.0;
            classes.push_back(up ? 1.0 : 0.0);
            positive += up ? 1.0 : 0.0;
        }
        const Dataset data = toys::make_classes(drawn.x, classes);
        const double most = 2.0 * std::min(positive, drawn.rows() - positive) / drawn.rows();
        for (const double part : {0.1, 0.3, 0.5, 0.8, random.uniform(0.02, 0.98)}) {
            drawn.options.objective.nu = part * most;
            const TrainResult result = train(data, drawn.options, context);
            const double rho = result.model.certificates[0].width;
            if (!(rho > kEdge)) {  // no margin: the hulls reduced by nu still intersect
                continue;
            }
            EXPECT_EQ(result.model.status, "converged");
            ++open;
            const std::vector<double> f = decision_function(result.model, data, context);
            double inside[2] = {0.0, 0.0};
            for (std::size_t i = 0; i < f.size(); ++i) {
                const double margin = (classes[i] == 1.0 ? 1.0 : -1.0) * f[i];
                inside[classes[i] == 1.0 ? 1 : 0] += margin < rho - kEdge ? 1.0 : 0.0;
            }
            double support[2] = {0.0, 0.0};
            for (const double beta : result.model.coefficients) {
                ++support[beta > 0.0 ? 1 : 0];
            }
            const double half = part * most * drawn.rows() / 2.0;
            for (const std::size_t side : {0U, 1U}) {
                expect_fact("X03",
                            "nu-svc, 40 random problems, five nu each: rows of a class inside the "
                            "margin - nu n / 2",
                            beyond(inside[side], half));
                expect_fact(
                    "X03",
                    "nu-svc, 40 random problems, five nu each: nu n / 2 - support rows of a "
                    "class",
                    beyond(half, support[side]));
            }
        }
    }
    expect_fact("X03", "nu-svc, 200 runs: those with a margin", open);
}

TEST(Nu, OfOneClassCountsTheRowsOutsideAndTheSupport) {
    Random random(63);
    Context context;
    for (int round = 0; round < kRounds; ++round) {
        Round drawn(random, "one-class");
        drawn.options.kernel = rbf_kernel(std::pow(10.0, random.uniform(-1.0, 1.0)));
        const Dataset data = toys::make_rows(drawn.x, std::vector<double>(drawn.x.size(), 1.0));
        for (const double nu : {0.1, 0.3, 0.5, 0.8, random.uniform(0.02, 0.98)}) {
            drawn.options.objective.nu = nu;
            const TrainResult result = toys::fit(data, drawn.options);
            const std::vector<double> f = decision_function(result.model, data, context);
            double outside = 0.0;
            for (const double value : f) {
                outside += value < -kEdge ? 1.0 : 0.0;
            }
            const double share = nu * drawn.rows();
            expect_fact("X06", "40 random problems, five nu each: rows outside - nu n",
                        beyond(outside, share));
            expect_fact("X06", "40 random problems, five nu each: nu n - support rows",
                        beyond(share, static_cast<double>(result.model.support_rows.size())));
        }
    }
}

}  // namespace
}  // namespace mercer

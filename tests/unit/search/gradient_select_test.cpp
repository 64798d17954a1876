// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/gradient_select_test.cpp - hyperparameters found by gradients.
#include "mercer/search/gradient_select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/hyperparameters.hpp"
#include "mercer/search/select.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

const char* const kCriteria[] = {"loo", "gcv", "likelihood"};

Dataset waves(index_t rows) {
    Random random(11);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (index_t i = 0; i < rows; ++i) {
        x.push_back({random.uniform(0.0, 3.0), random.uniform(0.0, 3.0)});
        y.push_back(std::sin(2.0 * x.back()[0]) + 0.3 * x.back()[1] + 0.1 * random.normal());
    }
    return toys::make_rows(x, y);
}

GradientOptions options_for(const std::string& criterion, const std::string& kernel,
                            double alpha = 0.5) {
    GradientOptions options;
    options.criterion = criterion;
    options.train.model = "krr";
    options.train.kernel = parse_kernel(kernel).value();
    options.train.objective.alpha = alpha;
    return options;
}

TEST(gradient_select, slopes_are_those_of_central_differences) {
    const Dataset data = waves(30);
    Context context;
    double largest = 0.0;
    for (const char* criterion : kCriteria) {
        for (const char* kernel :
             {"rbf(gamma=0.7)", "2 * matern(nu=1.5, length=1.2) + 0.5 * linear",
              "3 * rational-quadratic(alpha=1.5, length=2)",
              "poly(degree=2, coef0=0.6, scale=0.4)"}) {
            GradientOptions options = options_for(criterion, kernel);
            options.max_iterations = 0;
            options.refit = false;
            const GradientResult here = select_by_gradient(data, options, context);
            EXPECT_EQ(here.value, here.start_value);
            for (std::size_t j = 0; j < here.hyperparameters.size(); ++j) {
                double sides[2];
                constexpr double h = 1e-4;
                for (const int side : {0, 1}) {
                    GradientOptions moved = options;
                    const double factor = std::exp(side == 0 ? -h : h);
                    std::vector<double> values;
                    for (const Hyperparameter& one : free_hyperparameters(options.train.kernel)) {
                        values.push_back(one.value);
                    }
                    if (j == 0) {
                        moved.train.objective.alpha.value() *= factor;
                    } else {
                        values[j - 1] *= factor;
                        moved.train.kernel = with_hyperparameters(options.train.kernel, values);
                    }
                    const double value = select_by_gradient(data, moved, context).value;
                    sides[side] = std::string(criterion) == "likelihood" ? value : std::log(value);
                }
                const double wanted = (sides[1] - sides[0]) / (2.0 * h);
                largest = std::max(largest, std::abs(here.hyperparameters[j].slope - wanted) /
                                                std::max(0.1, std::abs(wanted)));
            }
        }
    }
    expect_fact("A20",
                "largest relative error of a slope by a logarithm, three criteria, four kernels",
                largest);
}

double measure_of(const SelectResult& result, const std::string& name, bool greatest) {
    double best = greatest ? -kInfinity : kInfinity;
    for (const SelectRow& row : result.table) {
        for (const auto& [known, value] : row.measures) {
            if (known == name) {
                best = greatest ? std::max(best, value) : std::min(best, value);
            }
        }
    }
    return best;
}

TEST(gradient_select, is_no_worse_than_a_fine_grid) {
    const Dataset data = waves(40);
    Context context;
    SelectOptions grid;
    grid.train = options_for("loo", "rbf(gamma=1)").train;
    grid.train.objective.alpha.reset();
    grid.grid = {parse_grid_axis("gamma=0.01:100:log10:41").value(),
                 parse_grid_axis("alpha=1e-4:10:log10:41").value()};
    grid.leave_one_out = true;
    grid.refit = false;
    const SelectResult table = select_model(data, grid, context);
    const auto found = [&](const char* criterion) {
        const GradientResult result =
            select_by_gradient(data, options_for(criterion, "rbf(gamma=1)"), context);
        EXPECT_EQ(result.status, "converged") << criterion;
        EXPECT_LE(result.value, result.start_value);
        EXPECT_EQ(result.refit.model.status, "converged");
        EXPECT_EQ(result.hyperparameters[0].name, "alpha");
        EXPECT_EQ(result.hyperparameters[1].name, "gamma");
        EXPECT_EQ(result.refit.model.kernel, rbf_kernel(result.hyperparameters[1].value));
        EXPECT_NEAR(result.refit.model.cost, 0.5 / result.hyperparameters[0].value,
                    1e-12 * result.refit.model.cost);
        return result.value;
    };
    expect_fact("A20", "loo found / best loo of a grid of 41 x 41",
                found("loo") / measure_of(table, "loo_mse", false));
    expect_fact("A20", "gcv found / best gcv of a grid of 41 x 41",
                found("gcv") / measure_of(table, "gcv", false));
    expect_fact("A20", "log likelihood found less the best of a grid of 41 x 41",
                -found("likelihood") - measure_of(table, "log_likelihood", true));
}

TEST(Slow_gradient_select, more_starts_are_never_worse) {
    const Dataset data = waves(25);
    Context context;
    GradientOptions options = options_for("loo", "2 * rbf(gamma=30)", 3.0);
    options.refit = false;
    const GradientResult one = select_by_gradient(data, options, context);
    options.starts = 5;
    const GradientResult five = select_by_gradient(data, options, context);
    EXPECT_LE(five.value, one.value);
    EXPECT_GT(five.evaluations, one.evaluations);
    EXPECT_EQ(five.starts, 5);
    EXPECT_EQ(select_by_gradient(data, options, context).value, five.value);
}

TEST(gradient_select, the_unit_of_the_targets_does_not_matter_for_errors) {
    Dataset data = waves(25);
    Context context;
    GradientOptions options = options_for("loo", "rbf(gamma=1)");
    options.refit = false;
    const GradientResult large = select_by_gradient(data, options, context);
    for (double& y : data.targets) {
        y *= 0x1p-20;
    }
    const GradientResult small = select_by_gradient(data, options, context);
    EXPECT_EQ(small.iterations, large.iterations);
    EXPECT_NEAR(small.hyperparameters[1].value, large.hyperparameters[1].value,
                1e-6 * large.hyperparameters[1].value);
}

TEST(gradient_select, a_noiseless_function_draws_alpha_to_its_limit) {
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (int i = 0; i < 12; ++i) {
        x.push_back({0.5 * i});
        y.push_back(std::exp(-0.1 * i) * std::cos(0.4 * i));
    }
    Context context;
    GradientOptions options = options_for("likelihood", "matern(nu=1.5, length=1)", 1e-3);
    options.refit = false;
    const GradientResult result = select_by_gradient(toys::make_rows(x, y), options, context);
    EXPECT_EQ(result.status, "converged");
    EXPECT_TRUE(result.hyperparameters[0].at_limit);
    EXPECT_NEAR(result.hyperparameters[0].value, 1e-11, 1e-20);
    EXPECT_FALSE(result.hyperparameters[1].at_limit);
    EXPECT_LT(result.evaluations, 200);
}

TEST(gradient_select, row_weights_and_scaling_are_those_of_the_fit) {
    Dataset data = waves(25);
    for (index_t i = 0; i < 25; ++i) {
        data.weights.push_back(i % 5 == 0 ? 0.0 : 1.0 + static_cast<double>(i % 2));
    }
    Context context;
    GradientOptions options = options_for("likelihood", "rbf(gamma=scale)");
    options.train.scale.method = "standard";
    const GradientResult result = select_by_gradient(data, options, context);
    EXPECT_EQ(result.status, "converged");
    EXPECT_TRUE(result.refit.model.row_weights);
    EXPECT_EQ(toys::failures(result.refit.model, data), std::vector<std::string>{});
}

TEST(gradient_select, other_machines_and_precomputed_values_are_refused) {
    const Dataset data = waves(6);
    Context context;
    GradientOptions options = options_for("loo", "rbf(gamma=1)");
    options.train.model = "svr";
    EXPECT_THROW((void)select_by_gradient(data, options, context), InvalidArgument);
    options = options_for("loo", "precomputed");
    EXPECT_THROW((void)select_by_gradient(data, options, context), InvalidArgument);
    options = options_for("aic", "rbf(gamma=1)");
    EXPECT_THROW((void)select_by_gradient(data, options, context), InvalidArgument);
    options = options_for("loo", "rbf(gamma=1)", 0.0);
    EXPECT_THROW((void)select_by_gradient(data, options, context), InvalidArgument);
    options = options_for("loo", "rbf(gamma=1)");
    options.train.objective.class_weights = {{"1", 2.0}};
    EXPECT_THROW((void)select_by_gradient(data, options, context), InvalidArgument);
}

}  // namespace
}  // namespace mercer

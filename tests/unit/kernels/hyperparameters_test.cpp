// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/hyperparameters_test.cpp - names, values and slopes of kernel hyperparameters.
#include "mercer/kernels/hyperparameters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

const char* const kKernels[] = {
    "rbf(gamma=0.7)",
    "laplace(gamma=0.4)",
    "chi2(gamma=0.3)",
    "matern(nu=0.5, length=1.3)",
    "matern(nu=1.5, length=0.8)",
    "matern(nu=2.5, length=1.7)",
    "matern(nu=3.2, length=1.1)",
    "matern(nu=0.8, length=0.9)",
    "rational-quadratic(alpha=1.4, length=0.9)",
    "poly(degree=3, coef0=0.5, scale=0.7)",
    "2 * rbf(gamma=0.5) + 0.3 * linear + constant(0.2)",
    "rbf(gamma=0.5) * matern(nu=1.5, length=2)",
    "exp(0.3 * linear)",
    "polynomial(rbf(gamma=0.4); 0.5, 1, 2)",
    "normalized(0.5 * linear + rbf(gamma=0.8) + constant(1))",
    "columns(rbf(gamma=0.9); 0:2) + 0.5 * columns(laplace(gamma=0.2); 2)",
    "rbf(gamma=0.3) ^ 3",
};

std::vector<double> values_of(const Kernel& kernel) {
    std::vector<double> values;
    for (const Hyperparameter& one : free_hyperparameters(kernel)) {
        values.push_back(one.value);
    }
    return values;
}

TEST(hyperparameters, slopes_are_those_of_central_differences) {
    Random random(4);
    double largest = 0.0;
    for (const char* text : kKernels) {
        const Kernel kernel = parse_kernel(text).value();
        const std::vector<double> values = values_of(kernel);
        const HyperparameterDerivative derivative(kernel);
        ASSERT_EQ(derivative.size(), static_cast<index_t>(values.size())) << text;
        ASSERT_FALSE(values.empty()) << text;
        for (int pair = 0; pair < 10; ++pair) {
            std::vector<double> x(3);
            std::vector<double> z(3);
            for (std::size_t c = 0; c < 3; ++c) {
                x[c] = random.uniform(0.0, 1.5);
                z[c] = pair == 0 ? x[c] : random.uniform(0.0, 1.5);
            }
            std::vector<double> slopes(values.size(), 0.0);
            EXPECT_NEAR(derivative(x, z, slopes), kernel(x, z), 1e-14) << text;
            for (std::size_t j = 0; j < values.size(); ++j) {
                constexpr double h = 1e-5;
                std::vector<double> up = values;
                std::vector<double> down = values;
                up[j] *= std::exp(h);
                down[j] *= std::exp(-h);
                const double wanted = (with_hyperparameters(kernel, up)(x, z) -
                                       with_hyperparameters(kernel, down)(x, z)) /
                                      (2.0 * h);
                EXPECT_NEAR(slopes[j], wanted, 1e-8 * std::max(1.0, std::abs(wanted)))
                    << text << " " << j;
                largest = std::max(largest,
                                   std::abs(slopes[j] - wanted) / std::max(0.01, std::abs(wanted)));
            }
        }
    }
    expect_fact("A20", "largest relative error of dk/dlog t, 17 kernels", largest);
}

TEST(hyperparameters, have_names_and_come_back_as_they_were) {
    const Kernel kernel =
        parse_kernel("2 * rbf(gamma=0.5) + 3 * rbf(gamma=4) + poly(degree=2, coef0=0, scale=2)")
            .value();
    std::vector<std::string> names;
    for (const Hyperparameter& one : free_hyperparameters(kernel)) {
        names.push_back(one.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"weight[1]", "gamma[1]", "weight[2]", "gamma[2]",
                                               "scale"}));
    EXPECT_EQ(with_hyperparameters(kernel, values_of(kernel)), kernel);
    EXPECT_EQ(fixed_hyperparameters(kernel),
              (std::vector<std::string>{"degree of poly", "coef0 of poly"}));
    EXPECT_EQ(fixed_hyperparameters(parse_kernel("matern(nu=1.5, length=2)").value()),
              std::vector<std::string>{"nu of matern"});
    EXPECT_TRUE(free_hyperparameters(linear_kernel()).empty());
}

TEST(hyperparameters, a_weight_of_one_stays_in_its_place_for_slopes) {
    const Kernel kernel = parse_kernel("2 * rbf(gamma=0.5)").value();
    const std::vector<double> values{1.0, 0.5};
    EXPECT_EQ(with_hyperparameters(kernel, values), parse_kernel("rbf(gamma=0.5)").value());
    const HyperparameterDerivative derivative(kernel, values);
    const std::vector<double> x{1.0};
    const std::vector<double> z{3.0};
    std::vector<double> slopes(2, 0.0);
    const double value = derivative(x, z, slopes);
    EXPECT_DOUBLE_EQ(value, std::exp(-2.0));
    EXPECT_DOUBLE_EQ(slopes[0], value);
    EXPECT_DOUBLE_EQ(slopes[1], -2.0 * value);
}

TEST(hyperparameters, a_polynomial_has_slopes_by_those_of_its_numbers_that_are_positive) {
    const std::vector<double> x{2.0};
    const std::vector<double> z{1.0};
    const auto slopes_of = [&](const char* text) {
        const HyperparameterDerivative derivative(parse_kernel(text).value());
        std::vector<double> slopes(static_cast<std::size_t>(derivative.size()), kNaN);
        static_cast<void>(derivative(x, z, slopes));
        return slopes;
    };
    // (3 * 2)^2: twice its value by log scale. (3 * 2 + 1)^2 = 49: 2 * 7 * 6 by it, 2 * 7 * 1 by
    // log coef0.
    EXPECT_EQ(slopes_of("poly(degree=2, coef0=0, scale=3)"), std::vector<double>{72.0});
    EXPECT_EQ(slopes_of("poly(degree=2, coef0=1, scale=3)"), (std::vector<double>{14.0, 84.0}));
    EXPECT_EQ(slopes_of("constant(5) + poly(degree=2, coef0=0, scale=3) + constant(7)"),
              (std::vector<double>{5.0, 72.0, 7.0}));
}

TEST(hyperparameters, wrong_values_are_refused) {
    const Kernel kernel = rbf_kernel(1.0);
    EXPECT_THROW((void)with_hyperparameters(kernel, {}), InvalidArgument);
    EXPECT_THROW((void)with_hyperparameters(kernel, std::vector<double>{-1.0}), InvalidArgument);
    EXPECT_THROW((void)free_hyperparameters(parse_kernel("rbf(gamma=scale)").value()),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/linear_form_test.cpp - which expressions are a number times <x, z>.
#include "mercer/kernels/linear_form.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "mercer/kernels/catalogue.hpp"

namespace mercer {
namespace {

TEST(linear_form, factors_of_linear_expressions_multiply_and_add) {
    for (const auto& [text, factor] : {std::pair<std::string, double>{"linear", 1.0},
                                       {"2.5 * linear", 2.5},
                                       {"2 * 3 * linear", 6.0},
                                       {"constant(4) * linear", 4.0},
                                       {"0.25 * linear + 0.5 * linear", 0.75}}) {
        const Kernel kernel = parse_kernel(text).value();
        EXPECT_DOUBLE_EQ(linear_factor(kernel), factor) << text;
        const std::vector<double> x{1.0, -2.0};
        const std::vector<double> z{3.0, 0.5};
        EXPECT_DOUBLE_EQ(kernel(x, z), factor * 2.0) << text;  // <x, z> = 2
    }
}

TEST(linear_form, other_kernels_have_none) {
    for (const std::string text :
         {"rbf(gamma=1)", "poly(degree=1, coef0=1)", "linear + constant(1)", "linear * linear",
          "columns(linear; 0:1)", "normalized(linear)", "linear ^ 2", "constant(2)"}) {
        EXPECT_EQ(linear_factor(parse_kernel(text).value()), 0.0) << text;
    }
}

}  // namespace
}  // namespace mercer

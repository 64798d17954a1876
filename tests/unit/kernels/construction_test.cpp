// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/construction_test.cpp - the rules that make kernels from kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gram_of.hpp"
#include "kernel_files.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::eigenvalues;
using testing::gram_of;
using testing::normal_rows;
using testing::Rows;
using testing::SquareMatrix;
using testing::trace;

Kernel parse(const std::string& text) { return parse_kernel(text).value(); }

/// The least of smallest eigenvalue over trace, over random Gram matrices.
double least_eigenvalue_share(const Kernel& kernel, Random& random) {
    double least = kInfinity;
    for (int repeat = 0; repeat < 10; ++repeat) {
        const SquareMatrix gram = gram_of(kernel, normal_rows(random, 8, 3));
        least = std::min(least, eigenvalues(gram).front() / trace(gram));
    }
    return least;
}

TEST(Construction, every_rule_keeps_random_gram_matrices_positive_semidefinite) {
    Random random(11);
    testing::MemoryKernelFiles files;
    files.matrices["A.npy"] = {"", 3, 3, {2, 1, 0, 1, 2, 1, 0, 1, 2}};
    const struct {
        const char* rule;
        const char* text;
    } rules[] = {{"KC1", "3 * linear"},
                 {"KC2", "polynomial(linear; 0.5, 1, 2)"},
                 {"KC3", "scaled(linear; column(0) + norm2)"},
                 {"KC4", "exp(0.3 * linear)"},
                 {"KC5", "linear + rbf(gamma=0.4)"},
                 {"KC6", "linear * rbf(gamma=0.4)"},
                 {"KC7", "quadratic-form(A.npy)"}};
    for (const auto& item : rules) {
        expect_fact(item.rule, "random Gram matrices: least eigenvalue over the trace",
                    least_eigenvalue_share(parse_kernel(item.text, &files).value(), random));
    }
    for (const char* text : {"normalized(poly(degree=2, coef0=1))", "linear ^ 3",
                             "columns(rbf(gamma=1); 0, 2)", "exp(negative-distance(power=1.5))",
                             "matern(nu=0.7)", "rational-quadratic", "latent-gaussian", "cosine"}) {
        EXPECT_GE(least_eigenvalue_share(parse(text), random), -1e-12) << text;
    }
    for (const char* text : {"chi2", "intersection", "chi2 * intersection"}) {
        const SquareMatrix gram = gram_of(parse(text), testing::uniform_rows(random, 9, 3));
        EXPECT_GE(eigenvalues(gram).front(), -1e-12 * trace(gram)) << text;
    }
    for (const char* text : {"brownian-bridge", "sinc(bandwidth=2)"}) {
        const SquareMatrix gram = gram_of(parse(text), testing::uniform_rows(random, 9, 1));
        EXPECT_GE(eigenvalues(gram).front(), -1e-12 * trace(gram)) << text;
    }
}

TEST(Construction, an_exponential_of_the_inner_product_rebuilds_the_gaussian) {
    // exp(x'z / s^2) f(x) f(z) with f = exp(-|x|^2 / 2 s^2), s = 2
    const Kernel built = parse("scaled(exp(0.25 * linear); exp(-0.125 * norm2))");
    const Kernel gaussian = parse("rbf(sigma=2)");
    double largest = 0.0;
    Random random(5);
    const Rows rows = normal_rows(random, 10, 2);
    for (const auto& x : rows) {
        for (const auto& z : rows) {
            largest = std::max(largest, std::fabs(built(x, z) - gaussian(x, z)));
        }
    }
    expect_fact("KC4", "exp(x'z/sigma^2) f(x) f(z) less the Gaussian", largest);
    EXPECT_EQ(built.definiteness(), Definiteness::strictly_positive_definite);
}

TEST(Construction, a_function_of_each_row_alone_has_rank_one) {
    const Kernel kernel = parse("scaled(constant(1); 1 + column(0) ^ 2)");
    Random random(8);
    const std::vector<double> spectrum = eigenvalues(gram_of(kernel, normal_rows(random, 6, 1)));
    EXPECT_GT(spectrum.back(), 1.0);
    EXPECT_LT(std::fabs(spectrum[4]), 1e-13 * spectrum.back());
}

TEST(Construction, normalized_kernels_have_a_diagonal_of_exactly_one) {
    Random random(9);
    double largest = 0.0;
    for (const char* text : {"normalized(poly(degree=5))", "normalized(linear)",
                             "normalized(exp(linear) + 3 * laplace)"}) {
        for (const auto& x : normal_rows(random, 20, 3)) {
            largest = std::max(largest, std::fabs(diagonal(parse(text), x) - 1.0));
        }
    }
    expect_fact("KC8", "random rows: largest |k(x, x) - 1|", largest);
    EXPECT_EQ(diagonal(parse("normalized(linear)"), std::vector<double>{0.0}), 0.0);
    EXPECT_NEAR(diagonal(parse("normalized(poly(degree=100))"), std::vector<double>{30.0}), 1.0,
                1e-15);
}

TEST(Construction, minus_squared_distance_and_sigmoid_fail_the_eigenvalue_test) {
    Random random(13);
    const Rows rows = normal_rows(random, 6, 2);
    EXPECT_LT(eigenvalues(gram_of(parse("negative-distance"), rows)).front(), -0.1);
    EXPECT_LT(eigenvalues(gram_of(parse("sigmoid(gamma=1, coef0=-1)"), rows)).front(), -0.1);
}

TEST(Construction, parameters_out_of_range_name_themselves) {
    const auto message = [](auto&& make) {
        try {
            static_cast<void>(make());
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message([] { return rbf_kernel(-1.0); }), "gamma: got -1, must be finite and > 0");
    EXPECT_EQ(message([] { return rbf_kernel(0.0); }), "gamma: got 0, must be finite and > 0");
    EXPECT_EQ(message([] { return rbf_kernel(kNaN); }), "gamma: got nan, must be finite and > 0");
    EXPECT_EQ(message([] { return rbf_kernel(kInfinity); }),
              "gamma: got inf, must be finite and > 0");
    EXPECT_EQ(message([] { return poly_kernel(2.5); }),
              "degree: got 2.5, must be an integer >= 1 and <= 2147483647");
    EXPECT_EQ(message([] { return pow(linear_kernel(), 0); }),
              "exponent: got 0, must be an integer >= 1 and <= 2147483647");
    EXPECT_EQ(message([] { return -1.0 * linear_kernel(); }),
              "factor: got -1, must be finite and > 0");
    expect_fact("KC2", "P(s) = s - 1 is refused", message([] {
                    return polynomial(linear_kernel(), {-1.0, 1.0});
                }));
    EXPECT_EQ(message([] { return 1e200 * (1e200 * linear_kernel()); }),
              "factor: got inf, must be finite and > 0");
    EXPECT_EQ(message([] {
                  return columns(precomputed_kernel(), {{0, 1}});
              }),
              "columns: a precomputed kernel has no rows to look at");
}

TEST(Construction, a_polynomial_with_a_negative_coefficient_can_be_negative_on_the_diagonal) {
    // P(s) = s - 1 of the linear kernel at x = 0: no inner product has <phi, phi> = -1. The same
    // numbers under another name, which is taken for what it is.
    const Kernel kernel = parse("poly(degree=1, coef0=-1)");
    expect_fact("KC2", "P(s) = s - 1, linear kernel, x=0: value",
                diagonal(kernel, std::vector<double>{0.0}));
    EXPECT_EQ(kernel.definiteness(), Definiteness::conditionally_positive_definite);
}

TEST(Construction, nodes_of_the_wrong_shape_are_refused) {
    KernelNode node;
    node.type = KernelType::rbf;
    EXPECT_THROW(static_cast<void>(make_kernel(node)), InvalidArgument);  // no parameter
    node.type = KernelType::sum;
    EXPECT_THROW(static_cast<void>(make_kernel(node)), InvalidArgument);  // no children
    node.type = KernelType::linear;
    node.selection = {{0, 1}};
    EXPECT_THROW(static_cast<void>(make_kernel(node)), InvalidArgument);
    node.selection = {};
    node.children = {linear_kernel()};
    EXPECT_THROW(static_cast<void>(make_kernel(node)), InvalidArgument);
    node.children = {};
    node.type = KernelType::row_scaled;
    EXPECT_THROW(static_cast<void>(make_kernel(node)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(columns(linear_kernel(), {})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(columns(linear_kernel(), {{3, 3}})), InvalidArgument);
}

TEST(Construction, trees_stay_bounded_however_they_are_built) {
    Kernel deep = linear_kernel();
    EXPECT_THROW(
        for (int i = 0; i < 300; ++i) { deep = exp(deep); }, InvalidArgument);
    Kernel wide = linear_kernel();
    EXPECT_THROW(
        for (int i = 0; i < 300; ++i) { wide = wide * wide; }, InvalidArgument);
}

TEST(Construction, canonical_form_flattens_and_collects_factors) {
    const Kernel a = rbf_kernel(1.0);
    const Kernel b = laplace_kernel(2.0);
    const Kernel c = linear_kernel();
    EXPECT_TRUE((a + b) + c == a + (b + c));
    EXPECT_TRUE((a * b) * c == a * (b * c));
    EXPECT_TRUE((2.0 * a) * (3.0 * b) == 6.0 * (a * b));
    EXPECT_TRUE(2.0 * (3.0 * a) == 6.0 * a);
    EXPECT_TRUE(1.0 * a == a);
    EXPECT_FALSE(a + b == b + a);
    EXPECT_FALSE(a == rbf_kernel(2.0));
}

TEST(Construction, columns_that_do_not_exist_are_refused_before_any_value) {
    EXPECT_NO_THROW(require_columns(parse("columns(linear; 0:3, 6)"), 7));
    EXPECT_THROW(require_columns(parse("columns(linear; 9:12)"), 7), InvalidArgument);
    EXPECT_THROW(require_columns(parse("columns(columns(linear; 2); 0:2)"), 7), InvalidArgument);
    EXPECT_NO_THROW(require_columns(parse("columns(brownian-bridge; 3)"), 7));
    EXPECT_THROW(require_columns(parse("2 * brownian-bridge + linear"), 2), InvalidArgument);
    EXPECT_THROW(require_columns(parse("scaled(linear; exp(column(7)))"), 7), InvalidArgument);
    EXPECT_THROW(
        require_columns(parse("columns(linear; 0:9223372036854775807, 0:9223372036854775807)"), 7),
        InvalidArgument);
}

TEST(Construction, domain_violations_name_the_column_of_the_data) {
    const std::vector<double> row{0.5, 2.0, -1.0};
    EXPECT_EQ(domain_violation(parse("chi2"), row), "column 2: got -1, chi2 needs entries >= 0");
    EXPECT_EQ(domain_violation(parse("columns(chi2; 0:2)"), row), "");
    EXPECT_EQ(domain_violation(parse("linear + columns(brownian-bridge; 1)"), row),
              "column 1: got 2, brownian-bridge needs entries in [0, 1]");
    EXPECT_EQ(domain_violation(parse("columns(columns(intersection; 1); 1:3)"), row),
              "column 2: got -1, intersection needs entries >= 0");
    EXPECT_EQ(domain_violation(parse("rbf"), row), "");
}

TEST(Construction, scale_is_filled_in_and_checked) {
    const Kernel kernel = parse("rbf + 2 * laplace(gamma=scale) * linear");
    EXPECT_FALSE(kernel.is_resolved());
    EXPECT_EQ(to_string(resolve_kernel(kernel, 0.25)),
              "rbf(gamma=0.25) + 2 * laplace(gamma=0.25) * linear");
    EXPECT_THROW(static_cast<void>(resolve_kernel(kernel, 0.0)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(resolve_kernel(kernel, kNaN)), InvalidArgument);
    EXPECT_NO_THROW(static_cast<void>(resolve_kernel(linear_kernel(), kNaN)));
}

TEST(Construction, precomputed_is_found_anywhere_in_the_tree) {
    EXPECT_TRUE(is_precomputed(parse("2 * precomputed + 1")));
    EXPECT_FALSE(is_precomputed(parse("2 * linear + 1")));
}

}  // namespace
}  // namespace mercer

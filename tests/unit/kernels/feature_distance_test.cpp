// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/feature_distance_test.cpp - distances of close rows keep their digits.
#include "mercer/kernels/feature_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gram_of.hpp"
#include "kernel_files.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using Row = std::vector<double>;

double apart(const std::string& text, const Row& x, const Row& z) {
    return squared_feature_distance(parse_kernel(text).value(), x, z);
}

TEST(FeatureDistance, the_three_kernel_values_add_up_to_it) {
    // (1,2) and (3,1): 5 + 10 - 2 * 5 = 5, and (x'z)^2 gives 25 + 100 - 50.
    expect_fact("K24", "linear, (1,2) and (3,1)", apart("linear", {1, 2}, {3, 1}));
    expect_fact("K24", "monomial(degree=2), (1,2) and (3,1)",
                apart("monomial(degree=2)", {1, 2}, {3, 1}));
    expect_fact("K24", "rbf(sigma=1), 0.5 and 1", apart("rbf(sigma=1)", {0.5}, {1.0}));
}

TEST(FeatureDistance, every_kernel_agrees_with_its_three_values_where_nothing_cancels) {
    testing::MemoryKernelFiles files;
    files.matrices["A.npy"] = {"", 3, 3, {2, 1, 0, 1, 2, 1, 0, 1, 2}};
    Random random(3);
    for (const char* text : {"linear",
                             "monomial(3)",
                             "poly(degree=4, coef0=0.7, scale=0.3)",
                             "constant(2)",
                             "cosine",
                             "rbf(gamma=0.4)",
                             "laplace(gamma=0.3)",
                             "matern(nu=0.5)",
                             "matern(nu=1.5, length=2)",
                             "matern(nu=2.5)",
                             "matern(nu=0.8)",
                             "rational-quadratic(alpha=0.7, length=2)",
                             "delta",
                             "latent-gaussian(s=0.7, tau=1.3)",
                             "negative-distance(1.5)",
                             "sigmoid(gamma=0.1, coef0=0.2)",
                             "quadratic-form(A.npy)",
                             "2 * linear + poly(2)",
                             "linear * poly(2) * 3",
                             "polynomial(linear; 1, 0, 2, 0.5)",
                             "exp(0.1 * linear)",
                             "(linear + 1) ^ 3",
                             "normalized(poly(2))",
                             "normalized(linear + rbf(gamma=1))",
                             "scaled(poly(2); exp(-0.1 * norm2) + column(1))",
                             "columns(poly(2); 2, 0) + columns(scaled(linear; column(0)); 1:3)"}) {
        const Kernel kernel = parse_kernel(text, &files).value();
        for (int repeat = 0; repeat < 20; ++repeat) {
            const testing::Rows rows = testing::normal_rows(random, 2, 3);
            const double a = diagonal(kernel, rows[0]);
            const double b = diagonal(kernel, rows[1]);
            const double plain = a + b - 2.0 * kernel(rows[0], rows[1]);
            EXPECT_NEAR(squared_feature_distance(kernel, rows[0], rows[1]), plain,
                        1e-13 * (1.0 + std::abs(a) + std::abs(b)))
                << text;
            EXPECT_EQ(squared_feature_distance(kernel, rows[0], rows[0]), 0.0) << text;
        }
    }
    for (const char* text : {"chi2(gamma=0.5)", "intersection"}) {
        const testing::Rows rows = testing::uniform_rows(random, 2, 3);
        const Kernel kernel = parse_kernel(text).value();
        EXPECT_NEAR(
            squared_feature_distance(kernel, rows[0], rows[1]),
            diagonal(kernel, rows[0]) + diagonal(kernel, rows[1]) - 2.0 * kernel(rows[0], rows[1]),
            1e-14);
    }
    for (const char* text : {"brownian-bridge", "sinc(bandwidth=0.7)"}) {
        const Kernel kernel = parse_kernel(text).value();
        for (const double z : {0.1, 0.55, 0.9}) {
            EXPECT_NEAR(squared_feature_distance(kernel, Row{0.5}, Row{z}),
                        kernel(Row{0.5}, Row{0.5}) + kernel(Row{z}, Row{z}) -
                            2.0 * kernel(Row{0.5}, Row{z}),
                        1e-14);
        }
    }
}

TEST(FeatureDistance, close_rows_keep_the_digits_that_the_three_values_lose) {
    // Rows t apart: the leading term of the squared distance, known by hand; t = 2^-30.
    const double t = std::ldexp(1.0, -30);
    const double square = t * t;
    const struct {
        const char* kernel;
        Row x;
        Row z;
        double leading;
    } cases[] = {
        {"linear", {1e8}, {1e8 + 0x1.0p-26}, 0x1.0p-52},
        {"rbf(gamma=1)", {1}, {1 + t}, 2 * square},
        {"laplace(gamma=1)", {1}, {1 + t}, 2 * t},
        {"matern(nu=1.5)", {1}, {1 + t}, 3 * square},
        {"matern(nu=2.5)", {1}, {1 + t}, 5.0 / 3.0 * square},
        {"rational-quadratic", {1}, {1 + t}, square},
        {"sinc(bandwidth=0.5)", {1}, {1 + t}, std::pow(3.14159265358979323846, 2) / 3 * square},
        {"brownian-bridge", {0.5}, {0.5 + t}, t},
        {"intersection", {1}, {1 + t}, t},
        {"monomial(2)", {1}, {1 + t}, 4 * square},
        {"poly(degree=3, coef0=1)", {1}, {1 + t}, 3 * 4 * square + 6 * 2 * square},
        {"exp(linear)", {0}, {t}, square},
        {"normalized(exp(linear))", {1}, {1 + t}, square},  // which is rbf(gamma=0.5)
        {"cosine", {1, 0}, {1, t}, square},
        {"normalized(linear)", {3, 0}, {3, 3 * t}, square},
        {"latent-gaussian(s=1, tau=1)", {0}, {t}, 0.0918881492369654 / 3 * square},
        {"negative-distance", {1}, {1 + t}, 2 * square},
    };
    for (const auto& item : cases) {
        EXPECT_NEAR(apart(item.kernel, item.x, item.z) / item.leading, 1.0, 1e-8) << item.kernel;
    }
}

TEST(FeatureDistance, values_near_the_largest_number_have_a_distance) {
    // |x|^2 = 2^511 and z = -x / 2: (x'z)^2 is 2^1022, 2^1018 and 2^1020, while the products of
    // distances on the way exceed every double.
    const Row x{0x1p255, 0x1p255};
    const Row z{-0x1p254, -0x1p254};
    EXPECT_EQ(apart("monomial(degree=2)", x, z), 0x1p1022 + 0x1p1018 - 2.0 * 0x1p1020);
}

TEST(FeatureDistance, rows_the_kernel_is_not_defined_on_are_refused) {
    EXPECT_THROW(apart("linear", {1}, {1, 2}), InvalidArgument);
    EXPECT_THROW(apart("chi2", {-1}, {1}), InvalidArgument);
    EXPECT_THROW(apart("precomputed", {1}, {1}), InvalidArgument);
    EXPECT_EQ(apart("linear", {}, {}), 0.0);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/definiteness_test.cpp - what each construction lets us claim.
#include <gtest/gtest.h>

#include "mercer/kernels/catalogue.hpp"

namespace mercer {
namespace {

std::string claim(const std::string& text) {
    return std::string(to_string(parse_kernel(text).value().definiteness()));
}

TEST(Definiteness, strict_claims) {
    for (const char* text : {"rbf",
                             "laplace",
                             "matern",
                             "rational-quadratic",
                             "delta",
                             "sinc",
                             "chi2",
                             "latent-gaussian",
                             "linear + rbf",
                             "3 * rbf",
                             "rbf * laplace",
                             "rbf * poly(coef0=1)",
                             "rbf * exp(linear)",
                             "rbf * constant(2)",
                             "rbf * (1 + linear)",
                             "exp(linear)",
                             "exp(0.5 * linear)",
                             "exp(linear + monomial(2))",
                             "exp(monomial(3))",
                             "exp(poly(2, 1))",
                             "exp(negative-distance)",
                             "exp(0.3 * negative-distance(1) + linear)",
                             "exp(poly(1, -2))",
                             "exp(intersection)",
                             "rbf ^ 3",
                             "polynomial(rbf; 0, 0, 1)",
                             "normalized(rbf + linear)",
                             "scaled(rbf; exp(norm2))",
                             "scaled(rbf; -2 * exp(norm) ^ 3)",
                             "exp(exp(linear))",
                             "exp(polynomial(linear; 0, 0, 0, 1))"}) {
        EXPECT_EQ(claim(text), "strictly positive definite") << text;
    }
}

TEST(Definiteness, plain_claims) {
    for (const char* text : {"linear",
                             "poly",
                             "poly(coef0=0)",
                             "monomial",
                             "brownian-bridge",
                             "cosine",
                             "intersection",
                             "constant(0)",
                             "precomputed",
                             "linear + poly",
                             "linear * rbf",
                             "rbf * monomial",
                             "rbf * constant(0)",
                             "exp(monomial(2))",
                             "exp(cosine)",
                             "exp(constant(1))",
                             "linear ^ 2",
                             "polynomial(linear; 1, 1)",
                             "polynomial(rbf; 1)",
                             "polynomial(rbf; 1, 0)",
                             "normalized(linear)",
                             "scaled(rbf; norm)",
                             "scaled(rbf; 0)",
                             "scaled(rbf; 1 + norm2)",
                             "columns(rbf; 0)",
                             "columns(delta; 0:9)",
                             "exp(columns(linear; 0))",
                             "rbf * columns(linear; 0)",
                             "exp(linear * cosine)"}) {
        EXPECT_EQ(claim(text), "positive definite") << text;
    }
}

TEST(Definiteness, conditional_claims) {
    for (const char* text : {"negative-distance", "negative-distance(0.5)", "2 * negative-distance",
                             "negative-distance + rbf", "negative-distance + negative-distance(1)",
                             "columns(negative-distance; 0)", "negative-distance ^ 1",
                             "polynomial(negative-distance; 3, 2)", "poly(degree=1, coef0=-1)"}) {
        EXPECT_EQ(claim(text), "conditionally positive definite") << text;
    }
}

TEST(Definiteness, nothing_is_claimed_where_nothing_can_be_shown) {
    for (const char* text :
         {"sigmoid", "poly(coef0=-1)", "sigmoid + rbf", "sigmoid * rbf", "exp(sigmoid)",
          "negative-distance * rbf", "negative-distance ^ 2",
          "polynomial(negative-distance; 0, 0, 1)", "normalized(negative-distance)",
          "scaled(negative-distance; 2)", "columns(sigmoid; 0)", "normalized(sigmoid)",
          "rbf * exp(sigmoid)", "sigmoid ^ 2"}) {
        EXPECT_EQ(claim(text), "indefinite") << text;
    }
}

}  // namespace
}  // namespace mercer

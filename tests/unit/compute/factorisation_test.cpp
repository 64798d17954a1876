// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/factorisation_test.cpp - factors and solves against what defines them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

/// B B' / n + I of random B: positive definite, condition below 10.
std::vector<double> definite(index_t n, std::uint64_t seed, Context& context) {
    Random random(seed);
    std::vector<double> b(static_cast<std::size_t>(n * n));
    for (double& value : b) {
        value = random.normal();
    }
    std::vector<double> a(b.size(), 0.0);
    const MatrixView<const double> view(b.data(), n, n);
    multiply(view, false, view, true, 1.0 / static_cast<double>(n), 0.0,
             MatrixView<double>(a.data(), n, n), context);
    for (index_t i = 0; i < n; ++i) {
        a[static_cast<std::size_t>(i * n + i)] += 1.0;
    }
    return a;
}

std::vector<double> normals(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> out(static_cast<std::size_t>(count));
    for (double& value : out) {
        value = random.normal();
    }
    return out;
}

/// A x for the columns of x.
std::vector<double> times(const std::vector<double>& a, const std::vector<double>& x, index_t n,
                          index_t t) {
    std::vector<double> out(static_cast<std::size_t>(n * t), 0.0);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            for (index_t c = 0; c < t; ++c) {
                out[static_cast<std::size_t>(i * t + c)] +=
                    a[static_cast<std::size_t>(i * n + j)] * x[static_cast<std::size_t>(j * t + c)];
            }
        }
    }
    return out;
}

// 600 rows are three panels and two tiles; 1, 3 and 40 right-hand sides take both ways of solving.
TEST(factorisation, solves_meet_their_equations_with_the_same_bits_on_any_number_of_threads) {
    const index_t n = 600;
    Context maker;
    const std::vector<double> a = definite(n, 1, maker);
    for (const index_t t : {1, 3, 40}) {
        const std::vector<double> known = normals(n * t, 2);
        const std::vector<double> right = times(a, known, n, t);
        std::vector<double> first;
        for (const int threads : {1, 2, 4}) {
            Context context({.threads = threads});
            std::vector<double> factor = a;
            ASSERT_TRUE(cholesky(MatrixView<double>(factor.data(), n, n), context));
            std::vector<double> x = right;
            cholesky_solve(MatrixView<const double>(factor.data(), n, n),
                           MatrixView<double>(x.data(), n, t), context);
            for (std::size_t k = 0; k < x.size(); ++k) {
                ASSERT_NEAR(x[k], known[k], 1e-11);
            }
            first = threads == 1 ? x : first;
            EXPECT_EQ(x, first);
        }
    }
}

TEST(factorisation, a_float32_factor_solves_to_float32_digits) {
    const index_t n = 600;
    Context context;
    const std::vector<double> a = definite(n, 3, context);
    const std::vector<double> known = normals(n, 4);
    std::vector<double> x = times(a, known, n, 1);
    std::vector<float> factor(a.begin(), a.end());
    ASSERT_TRUE(cholesky(MatrixView<float>(factor.data(), n, n), context));
    cholesky_solve(MatrixView<const float>(factor.data(), n, n), MatrixView<double>(x.data(), n, 1),
                   context);
    double worst = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        worst = std::max(worst, std::abs(x[k] - known[k]));
    }
    EXPECT_LT(worst, 1e-3);
    EXPECT_GT(worst, 1e-9);  // it is float32, not float64 by accident
}

TEST(factorisation, a_matrix_that_is_not_definite_is_refused_in_both_precisions) {
    Context context;
    std::vector<double> wide{1.0, 2.0, 2.0, 1.0};
    std::vector<float> narrow{1.0F, 2.0F, 2.0F, 1.0F};
    EXPECT_FALSE(cholesky(MatrixView<double>(wide.data(), 2, 2), context));
    EXPECT_FALSE(cholesky(MatrixView<float>(narrow.data(), 2, 2), context));
}

TEST(factorisation, products_of_many_tiles_have_the_same_bits_on_any_number_of_threads) {
    const index_t m = 300;
    const index_t n = 1100;
    const index_t k = 70;
    const std::vector<double> a = normals(m * k, 5);
    const std::vector<double> b = normals(n * k, 6);
    std::vector<double> first;
    // Repeated, because calls that share a library's buffers go wrong only now and then.
    for (const int threads : {1, 2, 5, 2, 5, 2, 5, 2, 5, 2, 5, 2, 5}) {
        Context context({.threads = threads});
        std::vector<double> c(static_cast<std::size_t>(m * n));
        multiply(MatrixView<const double>(a.data(), m, k), false,
                 MatrixView<const double>(b.data(), n, k), true, 2.0, 0.0,
                 MatrixView<double>(c.data(), m, n), context);
        first = threads == 1 ? c : first;
        EXPECT_TRUE(c == first) << threads << " threads";
    }
    for (const index_t i : {0, 255, 256, 299}) {
        for (const index_t j : {0, 1023, 1024, 1099}) {
            double sum = 0.0;
            for (index_t e = 0; e < k; ++e) {
                sum +=
                    a[static_cast<std::size_t>(i * k + e)] * b[static_cast<std::size_t>(j * k + e)];
            }
            EXPECT_NEAR(first[static_cast<std::size_t>(i * n + j)], 2.0 * sum, 1e-11);
        }
    }
}

TEST(factorisation, singular_values_rebuild_the_matrix_wide_and_tall) {
    Context context;
    for (const auto& [m, n] : {std::pair<index_t, index_t>{7, 4}, {4, 7}, {5, 5}}) {
        const std::vector<double> a = normals(m * n, 8);
        std::vector<double> copy = a;
        const index_t k = std::min(m, n);
        std::vector<double> left(static_cast<std::size_t>(m * k));
        std::vector<double> right(static_cast<std::size_t>(k * n));
        std::vector<double> s(static_cast<std::size_t>(k));
        singular_values(MatrixView<double>(copy.data(), m, n),
                        MatrixView<double>(left.data(), m, k), s,
                        MatrixView<double>(right.data(), k, n), context);
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < n; ++j) {
                double sum = 0.0;
                for (index_t e = 0; e < k; ++e) {
                    sum += left[static_cast<std::size_t>(i * k + e)] *
                           s[static_cast<std::size_t>(e)] *
                           right[static_cast<std::size_t>(e * n + j)];
                }
                EXPECT_NEAR(sum, a[static_cast<std::size_t>(i * n + j)], 1e-13);
            }
        }
        for (std::size_t e = 1; e < s.size(); ++e) {
            EXPECT_GE(s[e - 1], s[e]);
        }
    }
    // diag(3, 4) in disguise: rotate the rows by 3-4-5.
    std::vector<double> known{0.6 * 3.0, -0.8 * 4.0, 0.8 * 3.0, 0.6 * 4.0};
    std::vector<double> left(4);
    std::vector<double> right(4);
    std::vector<double> s(2);
    singular_values(MatrixView<double>(known.data(), 2, 2), MatrixView<double>(left.data(), 2, 2),
                    s, MatrixView<double>(right.data(), 2, 2), context);
    EXPECT_NEAR(s[0], 4.0, 1e-14);
    EXPECT_NEAR(s[1], 3.0, 1e-14);
    EXPECT_THROW(singular_values(MatrixView<double>(known.data(), 2, 2),
                                 MatrixView<double>(left.data(), 2, 1), s,
                                 MatrixView<double>(right.data(), 2, 2), context),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer

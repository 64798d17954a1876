// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/audit/cholesky_test.cpp - verification's own factorisation compared with LAPACK's.
#include "audit/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

/// A'A / d + 1/10 of random numbers: positive definite.
std::vector<double> random_matrix(index_t d) {
    Random random(11, static_cast<std::uint64_t>(d));
    std::vector<double> a(static_cast<std::size_t>(d * d));
    for (double& value : a) {
        value = random.normal();
    }
    std::vector<double> out(a.size(), 0.0);
    Context context;
    const MatrixView<const double> view(a.data(), d, d);
    multiply(view, true, view, false, 1.0 / static_cast<double>(d), 0.0,
             MatrixView<double>(out.data(), d, d), context);
    for (index_t i = 0; i < d; ++i) {
        out[static_cast<std::size_t>(i * d + i)] += 0.1;
    }
    return out;
}

TEST(audit_cholesky, a_matrix_factored_by_hand) {
    // L = [[2, 0], [1, 3]]: L L' = [[4, 2], [2, 10]], L^-1 = [[1/2, 0], [-1/6, 1/3]]
    std::vector<double> values = {4, 7, 2, 10};
    const MatrixView<double> matrix(values.data(), 2, 2);
    Context context;
    ASSERT_TRUE(audit::factor(matrix, context));
    EXPECT_EQ(values, (std::vector<double>{2, 7, 1, 3}));  // the upper triangle is unchanged
    EXPECT_EQ(audit::solve_factor(matrix, {4, 8}), (std::vector<double>{2, 2}));
    EXPECT_NEAR(audit::inverse_trace(matrix, context), 0.25 + 1.0 / 36.0 + 1.0 / 9.0, 1e-15);
}

TEST(audit_cholesky, agrees_with_lapack_at_any_size_and_thread_count) {
    for (const index_t d : {1, 7, 63, 64, 65, 200}) {
        std::vector<double> own = random_matrix(d);
        std::vector<double> other = own;
        std::vector<double> threaded = own;
        const MatrixView<double> mine(own.data(), d, d);
        const MatrixView<double> theirs(other.data(), d, d);
        Context context({.threads = 1});
        Context many({.threads = 5});
        ASSERT_TRUE(audit::factor(mine, context));
        ASSERT_TRUE(cholesky(theirs, context));
        ASSERT_TRUE(audit::factor(MatrixView<double>(threaded.data(), d, d), many));
        EXPECT_EQ(own, threaded);
        std::vector<double> b(static_cast<std::size_t>(d), 1.0);
        const std::vector<double> x = audit::solve_factor(mine, b);
        solve_lower(theirs, MatrixView<double>(b.data(), d, 1), context);
        for (index_t i = 0; i < d; ++i) {
            EXPECT_NEAR(x[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(i)], 1e-11);
        }
        std::vector<double> diagonal(b.size());
        inverse_diagonal(theirs, diagonal, context);
        const double trace = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
        EXPECT_NEAR(audit::inverse_trace(mine, context), trace, 1e-11 * trace);
        EXPECT_EQ(audit::inverse_trace(mine, context), audit::inverse_trace(mine, many));
    }
}

TEST(audit_cholesky, a_matrix_that_is_not_positive_definite_has_no_factor) {
    Context context;
    for (std::vector<double> values :
         {std::vector<double>{1, 0, 2, 4}, std::vector<double>{1, 0, 3, 4},
          std::vector<double>{std::nan(""), 0, 0, 1}, std::vector<double>{0, 0, 0, 1}}) {
        EXPECT_FALSE(audit::factor(MatrixView<double>(values.data(), 2, 2), context));
    }
}

}  // namespace
}  // namespace mercer

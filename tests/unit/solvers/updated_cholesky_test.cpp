// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/updated_cholesky_test.cpp - updates of a Cholesky factor.
#include "solvers/updated_cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// Appends all rows of a positive definite matrix.
UpdatedCholesky factor_of(const Matrix& m, Context& context) {
    UpdatedCholesky out;
    for (std::size_t j = 0; j < m.size(); ++j) {
        const std::span<const double> column(m[j].data(), j);
        out.append(out.pivot(column, m[j][j]), context);
    }
    return out;
}

/// Greatest entry of M x - b for the factor's x.
double residual(const UpdatedCholesky& factor, const Matrix& m) {
    std::vector<double> b(m.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = 1.0 + static_cast<double>(i);
    }
    std::vector<double> x = b;
    factor.solve(x);
    double worst = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        double sum = -b[i];
        for (std::size_t j = 0; j < b.size(); ++j) {
            sum += m[i][j] * x[j];
        }
        worst = std::max(worst, std::abs(sum));
    }
    return worst;
}

struct Random4 {
    Matrix m = Matrix(6, std::vector<double>(6));
    std::vector<double> w = std::vector<double>(6);
    explicit Random4(std::uint64_t seed) {
        Random random(seed);
        Matrix a(9, std::vector<double>(6));
        for (auto& row : a) {
            for (double& x : row) {
                x = random.normal();
            }
        }
        for (std::size_t i = 0; i < 6; ++i) {
            w[i] = random.normal();
            for (std::size_t j = 0; j < 6; ++j) {
                for (const auto& row : a) {
                    m[i][j] += row[i] * row[j];
                }
            }
        }
    }
    [[nodiscard]] Matrix plus(double weight) const {
        Matrix out = m;
        for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t j = 0; j < 6; ++j) {
                out[i][j] += weight * w[i] * w[j];
            }
        }
        return out;
    }
};

TEST(updated_cholesky, adding_an_outer_product_is_the_factor_of_the_sum) {
    Context context;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Random4 data(seed);
        UpdatedCholesky factor = factor_of(data.m, context);
        factor.add(data.w);
        EXPECT_LE(residual(factor, data.plus(1.0)), 1e-10);
    }
}

TEST(updated_cholesky, subtracting_an_outer_product_undoes_adding_it) {
    Context context;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Random4 data(seed);
        UpdatedCholesky factor = factor_of(data.plus(1.0), context);
        const double leverage = factor.leverage(data.w);
        EXPECT_GT(leverage, 0.0);
        EXPECT_LT(leverage, 1.0);
        factor.subtract();
        EXPECT_LE(residual(factor, data.m), 1e-9);
    }
}

TEST(updated_cholesky, a_whole_matrix_is_taken_at_once_and_then_followed) {
    Context context;
    const index_t n = 45;  // more than one block, and not a whole number of them
    Random random(7);
    Matrix m(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            m[i][j] = m[j][i] = random.normal() + (i == j ? 20.0 : 0.0);
        }
    }
    std::vector<double> flat;
    for (const std::vector<double>& row : m) {
        flat.insert(flat.end(), row.begin(), row.end());
    }
    UpdatedCholesky factor;
    ASSERT_TRUE(factor.assign({flat.data(), n, n}, 1e-12, context));
    EXPECT_LE(residual(factor, m), 1e-11);
    factor.remove(17);
    m.erase(m.begin() + 17);
    for (std::vector<double>& row : m) {
        row.erase(row.begin() + 17);
    }
    EXPECT_LE(residual(factor, m), 1e-11);
}

TEST(updated_cholesky, a_matrix_with_a_dependent_row_is_not_taken) {
    Context context;
    std::vector<double> m{4.0, 0.0, 2.0, 1.0};  // (2, 1)(2, 1)'
    UpdatedCholesky factor;
    EXPECT_FALSE(factor.assign({m.data(), 2, 2}, 1e-12, context));
    EXPECT_EQ(factor.size(), 0);
}

TEST(updated_cholesky, leverage_is_one_where_nothing_would_be_left) {
    Context context;
    const Matrix m{{4.0, 2.0}, {2.0, 5.0}};  // (2, 1)(2, 1)' + (0, 2)(0, 2)'
    UpdatedCholesky factor = factor_of(m, context);
    const std::vector<double> w{2.0, 1.0};
    EXPECT_NEAR(factor.leverage(w), 1.0, 1e-15);
    // M - ww' is zero along M^-1 w, which is (1/2, 0).
    const std::vector<double> way = factor.explained();
    EXPECT_NEAR(way[0], 0.5, 1e-15);
    EXPECT_NEAR(way[1], 0.0, 1e-15);
}

}  // namespace
}  // namespace mercer

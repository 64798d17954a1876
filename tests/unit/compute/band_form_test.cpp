// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/band_form_test.cpp - the band of a symmetric matrix, against the matrix.
#include "mercer/compute/band_form.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

/// X X' + 1 with X of n rows: symmetric, eigenvalues 1 and above.
std::vector<double> definite(index_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> x;
    for (index_t i = 0; i < 5 * n; ++i) {
        x.push_back(random.normal());
    }
    std::vector<double> a(at(n * n));
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            double sum = i == j ? 1.0 : 0.0;
            for (index_t k = 0; k < 5; ++k) {
                sum += x[at(5 * i + k)] * x[at(5 * j + k)];
            }
            a[at(i * n + j)] = sum + std::exp(-std::abs(static_cast<double>(i - j)));
        }
    }
    return a;
}

/// B as a whole matrix.
std::vector<double> whole_band(const BandForm& form) {
    const index_t n = form.size();
    std::vector<double> out(at(n * n), 0.0);
    for (index_t k = 0; k < form.blocks(); ++k) {
        const index_t first = k * BandForm::kBlock;
        for (index_t i = 0; i < form.block_rows(k); ++i) {
            for (index_t j = 0; j < form.block_rows(k); ++j) {
                out[at((first + i) * n + first + j)] = form.diagonal(k)(i, j);
            }
        }
        for (index_t i = 0; k + 1 < form.blocks() && i < form.block_rows(k + 1); ++i) {
            for (index_t j = 0; j < form.block_rows(k); ++j) {
                const index_t row = first + BandForm::kBlock + i;
                out[at(row * n + first + j)] = form.below(k)(i, j);
                out[at((first + j) * n + row)] = form.below(k)(i, j);
            }
        }
    }
    return out;
}

class band_form : public ::testing::TestWithParam<index_t> {};

TEST_P(band_form, is_the_matrix_in_an_orthogonal_basis) {
    const index_t n = GetParam();
    Context context;
    const std::vector<double> a = definite(n, 3);
    std::vector<double> copy = a;
    const BandForm form(MatrixView<double>(copy.data(), n, n), context);
    const MatrixView<const double> q = form.basis();
    std::vector<double> product(at(n * n));
    const MatrixView<double> view(product.data(), n, n);
    multiply(q, false, q, true, 1.0, 0.0, view, context);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            ASSERT_NEAR(view(i, j), i == j ? 1.0 : 0.0, 1e-13) << i << " " << j;
        }
    }
    // basis' B basis is A again.
    const std::vector<double> b = whole_band(form);
    std::vector<double> half(at(n * n));
    multiply(MatrixView<const double>(b.data(), n, n), false, q, false, 1.0, 0.0,
             MatrixView<double>(half.data(), n, n), context);
    multiply(q, true, MatrixView<const double>(half.data(), n, n), false, 1.0, 0.0, view, context);
    for (index_t i = 0; i < n * n; ++i) {
        ASSERT_NEAR(product[at(i)], a[at(i)], 1e-12 * static_cast<double>(n));
    }
}

TEST_P(band_form, with_a_shift_it_solves_and_has_the_inverse_of_the_matrix) {
    const index_t n = GetParam();
    Context context;
    const std::vector<double> a = definite(n, 4);
    std::vector<double> copy = a;
    const BandForm form(MatrixView<double>(copy.data(), n, n), context);
    for (const double shift : {0.0, 0.7, 20.0}) {
        std::vector<double> shifted = a;
        for (index_t i = 0; i < n; ++i) {
            shifted[at(i * n + i)] += shift;
        }
        ASSERT_TRUE(cholesky(MatrixView<double>(shifted.data(), n, n), context));
        double determinant = 0.0;
        for (index_t i = 0; i < n; ++i) {
            determinant += 2.0 * std::log(shifted[at(i * n + i)]);
        }
        std::vector<double> known(at(n));
        inverse_diagonal(MatrixView<const double>(shifted.data(), n, n), known, context);
        const ShiftedBand band(form, shift);
        ASSERT_TRUE(band.definite());
        EXPECT_NEAR(band.log_determinant(), determinant, 1e-11 * static_cast<double>(n));
        std::vector<double> found(at(n));
        band.inverse_diagonal(form, found, context);
        for (index_t i = 0; i < n; ++i) {
            EXPECT_NEAR(found[at(i)], known[at(i)], 1e-12) << i;
        }
        // solve(): (B + shift) x = b, and |L^-1 b|^2 = b' x.
        std::vector<double> b(at(2 * n));
        for (index_t i = 0; i < 2 * n; ++i) {
            b[at(i)] = std::sin(static_cast<double>(i));
        }
        std::vector<double> x = b;
        std::vector<double> z = b;
        band.solve(MatrixView<double>(x.data(), n, 2));
        band.forward(MatrixView<double>(z.data(), n, 2), context);
        const std::vector<double> whole = whole_band(form);
        for (index_t c = 0; c < 2; ++c) {
            double squares = 0.0;
            double inner = 0.0;
            for (index_t i = 0; i < n; ++i) {
                double sum = shift * x[at(2 * i + c)];
                for (index_t j = 0; j < n; ++j) {
                    sum += whole[at(i * n + j)] * x[at(2 * j + c)];
                }
                EXPECT_NEAR(sum, b[at(2 * i + c)], 1e-11) << i;
                squares += z[at(2 * i + c)] * z[at(2 * i + c)];
                inner += b[at(2 * i + c)] * x[at(2 * i + c)];
            }
            EXPECT_NEAR(squares, inner, 1e-11 * (1.0 + inner));
        }
    }
    EXPECT_FALSE(ShiftedBand(form, -1e3).definite());
}

// Less than a block, whole blocks, and blocks with a rest.
INSTANTIATE_TEST_SUITE_P(sizes, band_form, ::testing::Values(1, 20, 64, 65, 128, 130, 300));

TEST(band_forms, have_the_same_bits_for_any_number_of_threads) {
    const index_t n = 400;
    Context one({.threads = 1});
    Context three({.threads = 3});
    std::vector<double> a = definite(n, 5);
    std::vector<double> b = a;
    const BandForm first(MatrixView<double>(a.data(), n, n), one);
    const BandForm second(MatrixView<double>(b.data(), n, n), three);
    EXPECT_EQ(whole_band(first), whole_band(second));
    std::vector<double> x(at(n));
    std::vector<double> y(at(n));
    ShiftedBand(first, 0.5).inverse_diagonal(first, x, one);
    ShiftedBand(second, 0.5).inverse_diagonal(second, y, three);
    EXPECT_EQ(x, y);
}

TEST(band_forms, of_what_is_no_matrix_of_numbers_are_refused) {
    Context context;
    std::vector<double> a{1.0, kNaN, kNaN, 1.0};
    EXPECT_THROW(BandForm(MatrixView<double>(a.data(), 2, 2), context), InvalidArgument);
    EXPECT_THROW(BandForm(MatrixView<double>(a.data(), 1, 2), context), InvalidArgument);
    Context small({.memory = 16});
    std::vector<double> ones(16, 1.0);
    EXPECT_THROW(BandForm(MatrixView<double>(ones.data(), 4, 4), small), ResourceError);
}

}  // namespace
}  // namespace mercer

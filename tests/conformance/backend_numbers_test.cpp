// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/backend_numbers_test.cpp - what every backend offers besides tiles: sums, exp,
// coordinate passes and dense linear algebra, against the reference or their definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

constexpr Device kReference = Device::reference;

template <typename T = double>
std::vector<T> normals(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> out(static_cast<std::size_t>(count));
    std::generate(out.begin(), out.end(), [&] { return static_cast<T>(random.normal()); });
    return out;
}

template <typename T>
MatrixView<T> view(std::vector<T>& values, index_t rows, index_t columns) {
    return {values.data(), rows, columns};
}
template <typename T>
MatrixView<const T> view(const std::vector<T>& values, index_t rows, index_t columns) {
    return {values.data(), rows, columns};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                 double tolerance) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_NEAR(found[k], wanted[k], tolerance * (1.0 + std::abs(wanted[k]))) << "entry " << k;
    }
}

class backend_numbers : public ::testing::TestWithParam<const Backend*> {
protected:
    [[nodiscard]] static Device device() { return GetParam()->device(); }

    Context context_{{.device = device()}};
    Context reference_{{.device = kReference}};
};

TEST_P(backend_numbers, is_found_by_its_name_and_by_its_device) {
    EXPECT_EQ(find_backend(GetParam()->name()), GetParam());
    EXPECT_EQ(&backend_of(device()), GetParam());
    EXPECT_FALSE(GetParam()->description().empty());
    EXPECT_EQ(find_backend("abacus"), nullptr);
}

template <typename T>
void expect_tile_sums(Device device) {
    for (const auto& [m, n, t] : {std::tuple<index_t, index_t, index_t>{1, 1, 1},
                                  {64, 512, 1},
                                  {13, 37, 1},
                                  {13, 37, 3},
                                  {5, 70, 25}}) {
        const std::vector<T> tile = normals<T>(m * n, 1);
        const std::vector<double> v = normals(n * t, 2);
        const std::vector<double> u = normals(m * t, 3);
        std::vector<double> along = normals(m * t, 4);
        std::vector<double> across = normals(n * t, 5);
        std::vector<double> along_known = along;
        std::vector<double> across_known = across;
        accumulate_product(view(tile, m, n), view(v, n, t), view(along, m, t), device);
        accumulate_product(view(tile, m, n), view(v, n, t), view(along_known, m, t), kReference);
        accumulate_transposed(view(tile, m, n), view(u, m, t), view(across, n, t), device);
        accumulate_transposed(view(tile, m, n), view(u, m, t), view(across_known, n, t),
                              kReference);
        expect_near(along, along_known, 1e-12);
        expect_near(across, across_known, 1e-12);
    }
}

TEST_P(backend_numbers, sums_against_a_tile_agree_with_the_reference) {
    expect_tile_sums<float>(device());
    expect_tile_sums<double>(device());
}

TEST_P(backend_numbers, sums_against_a_tile_of_the_wrong_shape_are_refused) {
    std::vector<double> a(6);
    EXPECT_THROW(accumulate_product(MatrixView<const double>(a.data(), 2, 3), {a.data(), 2, 1},
                                    {a.data(), 2, 1}, device()),
                 InvalidArgument);
    EXPECT_THROW(accumulate_transposed(MatrixView<const double>(a.data(), 2, 3), {a.data(), 3, 1},
                                       {a.data(), 3, 1}, device()),
                 InvalidArgument);
}

TEST_P(backend_numbers, exp_is_that_of_the_standard_library_to_two_ulp) {
    std::vector<double> x = normals(1003, 6);
    std::vector<float> narrow(x.begin(), x.end());
    std::vector<double> out(x.size());
    std::vector<float> narrow_out(x.size());
    exponential(std::span<const double>(x), std::span<double>(out), device());
    exponential(std::span<const float>(narrow), std::span<float>(narrow_out), device());
    for (std::size_t k = 0; k < x.size(); ++k) {
        ASSERT_NEAR(out[k] / std::exp(x[k]), 1.0, 5e-16);
        ASSERT_NEAR(static_cast<double>(narrow_out[k]) / std::exp(static_cast<double>(narrow[k])),
                    1.0, 2.5e-7);
    }
}

TEST_P(backend_numbers, streamed_rows_are_copies) {
    const std::vector<float> tile = normals<float>(3 * 41, 7);
    std::vector<float> out(3 * 41);
    const std::vector<float*> targets{out.data(), out.data() + 41, out.data() + 82};
    stream_rows(view(tile, 3, 41), targets, device());
    EXPECT_EQ(out, tile);
}

/// Random variables of a coordinate method, with ties among the values.
struct Variables {
    Variables(index_t count, std::uint64_t seed) : size(count), random(seed) {
        const auto full = static_cast<std::size_t>((count + kCoordinateLanes - 1) /
                                                   kCoordinateLanes * kCoordinateLanes);
        for (std::vector<float>* each : {&diagonal, &row, &other}) {
            each->assign(full, 0.0F);
        }
        values.assign(full, 0.0);
        up.assign(full / 8 + 8, 0);
        down.assign(full / 8 + 8, 0);
        for (index_t k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>(k);
            values[at] = static_cast<double>(random.below(9)) - 4.0;
            diagonal[at] = 1.0F + static_cast<float>(random.below(4));
            row[at] = static_cast<float>(random.below(5)) / 8.0F;
            other[at] = static_cast<float>(random.below(5)) / 8.0F;
            up[at / 8] |= static_cast<std::uint8_t>(random.below(2) << (k % 8));
            down[at / 8] |= static_cast<std::uint8_t>(random.below(2) << (k % 8));
        }
    }
    [[nodiscard]] CoordinateArrays arrays() {
        return {values.data(), diagonal.data(), up.data(), down.data(), size};
    }

    index_t size;
    Random random;
    std::vector<double> values;
    std::vector<float> diagonal;
    std::vector<float> row;
    std::vector<float> other;
    std::vector<std::uint8_t> up;
    std::vector<std::uint8_t> down;
};

void expect_equal(const Extremes& found, const Extremes& known) {
    EXPECT_EQ(found.highest, known.highest);
    EXPECT_EQ(found.lowest, known.lowest);
    EXPECT_EQ(found.maximum, known.maximum);
    EXPECT_EQ(found.minimum, known.minimum);
}

// All numbers are small multiples of powers of two: no pass rounds, so all answers are equal.
TEST_P(backend_numbers, coordinate_passes_have_one_answer) {
    for (index_t size = 0; size < 70; ++size) {
        Variables ours(size, static_cast<std::uint64_t>(size));
        Variables known(size, static_cast<std::uint64_t>(size));
        expect_equal(find_extremes(ours.arrays(), device()),
                     find_extremes(known.arrays(), kReference));
        expect_equal(
            step_and_find(ours.arrays(), ours.row.data(), ours.other.data(), 0.25, device()),
            step_and_find(known.arrays(), known.row.data(), known.other.data(), 0.25, kReference));
        EXPECT_EQ(choose_partner(ours.arrays(), ours.row.data(), 2.0, 3.0, device()),
                  choose_partner(known.arrays(), known.row.data(), 2.0, 3.0, kReference));
        const std::vector<const float*> rows{ours.row.data(), ours.other.data(), ours.row.data(),
                                             ours.other.data(), ours.row.data()};
        const std::vector<double> weights{0.5, -1.0, 2.0, 0.25, 1.0};
        subtract_rows(ours.values.data(), 0, size, {rows.data(), weights.data(), 5}, device());
        subtract_rows(known.values.data(), 0, size, {rows.data(), weights.data(), 5}, kReference);
        for (std::size_t k = 0; k < static_cast<std::size_t>(size); ++k) {
            EXPECT_EQ(ours.values[k], known.values[k]);
        }
    }
}

TEST_P(backend_numbers, products_agree_with_the_reference_transposed_or_not) {
    constexpr index_t kM = 7;
    constexpr index_t kN = 5;
    constexpr index_t kK = 11;
    const std::vector<double> a = normals(kM * kK, 8);
    const std::vector<double> b = normals(kK * kN, 9);
    const std::vector<float> narrow_a(a.begin(), a.end());
    const std::vector<float> narrow_b(b.begin(), b.end());
    const std::vector<double> start = normals(kM * kN, 10);
    for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
            const auto left = [&](const auto& x) { return ta ? view(x, kK, kM) : view(x, kM, kK); };
            const auto right = [&](const auto& x) {
                return tb ? view(x, kN, kK) : view(x, kK, kN);
            };
            std::vector<double> c = start;
            std::vector<double> known = start;
            multiply(left(a), ta, right(b), tb, 0.5, 2.0, view(c, kM, kN), context_);
            multiply(left(a), ta, right(b), tb, 0.5, 2.0, view(known, kM, kN), reference_);
            expect_near(c, known, 1e-13);
            std::vector<float> narrow(kM * kN, std::nanf(""));  // beta = 0 must overwrite it
            multiply(left(narrow_a), ta, right(narrow_b), tb, 1.0F, 0.0F, view(narrow, kM, kN),
                     context_);
            multiply(left(a), ta, right(b), tb, 1.0, 0.0, view(known, kM, kN), reference_);
            expect_near({narrow.begin(), narrow.end()}, known, 1e-5);
        }
    }
    std::vector<double> scaled = start;  // inner size 0: only beta matters
    multiply(view(a, kM, 0), false, view(b, 0, kN), false, 1.0, 3.0, view(scaled, kM, kN),
             context_);
    EXPECT_EQ(scaled[4], 3.0 * start[4]);
}

/// B B' / n + I: positive definite.
std::vector<double> definite(index_t n, Context& context) {
    const std::vector<double> b = normals(n * n, 11);
    std::vector<double> a(b.size(), 0.0);
    for (index_t i = 0; i < n; ++i) {
        a[static_cast<std::size_t>(i * n + i)] = 1.0;
    }
    multiply(view(b, n, n), false, view(b, n, n), true, 1.0 / static_cast<double>(n), 1.0,
             view(a, n, n), context);
    return a;
}

TEST_P(backend_numbers, factors_and_solves_agree_with_the_reference) {
    for (const index_t n : {1, 2, 40, 300}) {
        const std::vector<double> a = definite(n, reference_);
        std::vector<double> factor = a;
        std::vector<double> known = a;
        ASSERT_TRUE(cholesky(view(factor, n, n), context_));
        ASSERT_TRUE(cholesky(view(known, n, n), reference_));
        expect_near(factor, known, 1e-12);  // the upper triangle is not changed
        for (const index_t t : {1, 3, 20}) {
            const std::vector<double> b = normals(n * t, 12);
            std::vector<double> x = b;
            std::vector<double> x_known = b;
            solve_lower(view(std::as_const(factor), n, n), view(x, n, t), context_);
            solve_lower(view(std::as_const(known), n, n), view(x_known, n, t), reference_);
            expect_near(x, x_known, 1e-12);
            x = b;
            cholesky_solve(view(std::as_const(factor), n, n), view(x, n, t), context_);
            std::vector<double> back(x.size());
            multiply(view(a, n, n), false, view(std::as_const(x), n, t), false, 1.0, 0.0,
                     view(back, n, t), reference_);
            expect_near(back, b, 1e-11);
        }
        std::vector<double> diagonal(static_cast<std::size_t>(n));
        std::vector<double> diagonal_known(static_cast<std::size_t>(n));
        inverse_diagonal(view(std::as_const(factor), n, n), diagonal, context_);
        inverse_diagonal(view(std::as_const(known), n, n), diagonal_known, reference_);
        expect_near(diagonal, diagonal_known, 1e-12);
        std::vector<float> narrow(a.begin(), a.end());
        ASSERT_TRUE(cholesky(view(narrow, n, n), context_));
        std::vector<double> x = normals(n, 13);
        std::vector<double> x_known = x;
        cholesky_solve(view(std::as_const(narrow), n, n), view(x, n, 1), context_);
        cholesky_solve(view(std::as_const(known), n, n), view(x_known, n, 1), reference_);
        expect_near(x, x_known, 1e-4);
    }
    std::vector<double> indefinite{1.0, 2.0, 2.0, 1.0};
    EXPECT_FALSE(cholesky(view(indefinite, 2, 2), context_));
    std::vector<double> nothing;
    EXPECT_TRUE(cholesky(view(nothing, 0, 0), context_));
}

/// Largest |rows rows' - I|.
double off_orthonormal(MatrixView<const double> rows) {
    double worst = 0.0;
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            double sum = i == j ? -1.0 : 0.0;
            for (index_t k = 0; k < rows.columns; ++k) {
                sum += rows(i, k) * rows(j, k);
            }
            worst = std::max(worst, std::abs(sum));
        }
    }
    return worst;
}

TEST_P(backend_numbers, eigenvectors_rebuild_the_matrix_whose_lower_triangle_is_given) {
    for (const index_t n : {1, 2, 5, 60}) {
        const index_t rank = std::max<index_t>(1, n / 2);  // half of the eigenvalues are 0
        const std::vector<double> b = normals(n * rank, 14);
        std::vector<double> a(static_cast<std::size_t>(n * n));
        multiply(view(b, n, rank), false, view(b, n, rank), true, 1.0, 0.0, view(a, n, n),
                 reference_);
        std::vector<double> vectors = a;
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = i + 1; j < n; ++j) {
                vectors[static_cast<std::size_t>(i * n + j)] = 77.0;  // not read
            }
        }
        std::vector<double> values(static_cast<std::size_t>(n));
        symmetric_eigen(view(vectors, n, n), values, true, context_);
        EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
        EXPECT_LE(off_orthonormal(view(std::as_const(vectors), n, n)), 1e-13);
        std::vector<double> scaled = vectors;
        for (index_t k = 0; k < n * n; ++k) {
            scaled[static_cast<std::size_t>(k)] *= values[static_cast<std::size_t>(k / n)];
        }
        std::vector<double> back(a.size());
        multiply(view(std::as_const(vectors), n, n), true, view(std::as_const(scaled), n, n), false,
                 1.0, 0.0, view(back, n, n), reference_);
        expect_near(back, a, 1e-12);
        std::vector<double> alone(values.size());
        vectors = a;
        symmetric_eigen(view(vectors, n, n), alone, false, context_);
        for (std::size_t k = 0; k < values.size(); ++k) {
            EXPECT_NEAR(alone[k], values[k], 1e-13 * (1.0 + values.back()));
        }
    }
}

TEST_P(backend_numbers, singular_vectors_rebuild_the_matrix_also_of_lower_rank) {
    for (const auto& [m, n, rank] : {std::tuple<index_t, index_t, index_t>{1, 1, 1},
                                     {7, 4, 4},
                                     {4, 7, 4},
                                     {30, 12, 5},
                                     {12, 30, 5},
                                     {6, 6, 0}}) {
        const std::vector<double> b = normals(m * rank, 15);
        const std::vector<double> c = normals(rank * n, 16);
        std::vector<double> a(static_cast<std::size_t>(m * n));
        multiply(view(b, m, rank), false, view(c, rank, n), false, 1.0, 0.0, view(a, m, n),
                 reference_);
        const index_t k = std::min(m, n);
        std::vector<double> work = a;
        std::vector<double> left(static_cast<std::size_t>(m * k));
        std::vector<double> right(static_cast<std::size_t>(k * n));
        std::vector<double> values(static_cast<std::size_t>(k));
        singular_values(view(work, m, n), view(left, m, k), values, view(right, k, n), context_);
        EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
        EXPECT_LE(off_orthonormal(view(std::as_const(right), k, n)), 1e-12);
        std::vector<double> turned(left.size());
        for (index_t i = 0; i < m; ++i) {
            for (index_t e = 0; e < k; ++e) {
                turned[static_cast<std::size_t>(e * m + i)] =
                    left[static_cast<std::size_t>(i * k + e)];
            }
        }
        EXPECT_LE(off_orthonormal(view(std::as_const(turned), k, m)), 1e-12);
        for (index_t e = 0; e < k * n; ++e) {
            right[static_cast<std::size_t>(e)] *= values[static_cast<std::size_t>(e / n)];
        }
        std::vector<double> back(a.size());
        multiply(view(std::as_const(left), m, k), false, view(std::as_const(right), k, n), false,
                 1.0, 0.0, view(back, m, n), reference_);
        expect_near(back, a, 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(all, backend_numbers,
                         ::testing::ValuesIn(backends().begin(), backends().end()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace mercer

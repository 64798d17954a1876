// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/linear_rows_test.cpp - X v, X'u and X'WX against plain loops, in every
// storage.
#include "mercer/operators/linear_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/operators/row_steps.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 1300;  // three blocks, the last one short

std::vector<double> drawn(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> out;
    for (index_t i = 0; i < count; ++i) {
        out.push_back(random.normal());
    }
    return out;
}

/// Weights, every third of them zero.
std::vector<double> weights() {
    std::vector<double> out = drawn(kRows, 3);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = i % 3 == 0 ? 0.0 : std::abs(out[i]);
    }
    return out;
}

double entry(const RowSet& set, index_t columns, index_t i, index_t j) {
    return set.values()[static_cast<std::size_t>(i * columns + j)];
}

/// Moves each row by a number that depends on its product, and remembers whom it was told of.
struct NoteSteps {
    std::vector<index_t>& expected;
    void expect(index_t i) const { expected.push_back(i); }
    double operator()(index_t i, double product) const {
        return i % 2 == 0 ? 0.5 - 0.01 * product : 0.0;
    }
};

TEST(linear_rows, steps_along_rows_equal_a_dot_and_an_add_for_each) {
    for (const index_t d : {3, 19}) {
        RowSet set(40, d, 1, 0.6);
        std::vector<index_t> order;
        for (index_t k = 0; k < 40; ++k) {
            order.push_back((7 * k) % 40);
        }
        for (const Dataset& data :
             {set.dense(), set.strided(), set.sparse(), set.sparse().view(order)}) {
            const LinearRows rows(data);
            std::vector<double> w = drawn(d, 2);
            std::vector<double> plain = w;
            std::vector<index_t> expected;
            rows.step_along(order, w, NoteSteps{expected});
            for (const index_t i : order) {
                const double scale = NoteSteps{expected}(i, rows.dot_row(i, plain));
                rows.add_row(i, scale, plain);
            }
            for (std::size_t j = 0; j < w.size(); ++j) {
                EXPECT_NEAR(w[j], plain[j], 1e-12);
            }
            EXPECT_FALSE(expected.empty());
        }
    }
}

TEST(linear_rows, products_equal_plain_loops) {
    Context context;
    for (const double density : {1.0, 0.1}) {
        const index_t d = 7;
        RowSet set(kRows, d, 1, density);
        const std::vector<double> v = drawn(d * 2, 4);
        const std::vector<double> u = drawn(kRows * 2, 5);
        for (const Dataset& data : {set.dense(), set.strided(), set.sparse()}) {
            const LinearRows rows(data);
            std::vector<double> xv(static_cast<std::size_t>(kRows * 2));
            std::vector<double> xu(static_cast<std::size_t>(d * 2));
            rows.multiply(MatrixView<const double>(v.data(), d, 2), {xv.data(), kRows, 2}, context);
            rows.multiply_transposed(MatrixView<const double>(u.data(), kRows, 2),
                                     {xu.data(), d, 2}, context);
            for (index_t c = 0; c < 2; ++c) {
                for (index_t i = 0; i < kRows; ++i) {
                    double sum = 0.0;
                    for (index_t j = 0; j < d; ++j) {
                        sum += entry(set, d, i, j) * v[static_cast<std::size_t>(2 * j + c)];
                    }
                    EXPECT_NEAR(xv[static_cast<std::size_t>(2 * i + c)], sum, 1e-13);
                }
                for (index_t j = 0; j < d; ++j) {
                    double sum = 0.0;
                    for (index_t i = 0; i < kRows; ++i) {
                        sum += entry(set, d, i, j) * u[static_cast<std::size_t>(2 * i + c)];
                    }
                    EXPECT_NEAR(xu[static_cast<std::size_t>(2 * j + c)], sum, 1e-11);
                }
            }
        }
    }
}

TEST(linear_rows, columns_are_copied_in_the_order_asked_for) {
    const index_t d = 7;
    const std::vector<index_t> wanted{5, 0, 3};
    RowSet set(kRows, d, 6, 0.4);
    for (const Dataset& data : {set.dense(), set.strided(), set.sparse()}) {
        std::vector<double> out(static_cast<std::size_t>(3 * kRows), kNaN);
        LinearRows(data).copy_columns(wanted, {out.data(), 3, kRows});
        for (index_t k = 0; k < 3; ++k) {
            for (index_t i = 0; i < kRows; ++i) {
                EXPECT_EQ(out[static_cast<std::size_t>(k * kRows + i)],
                          entry(set, d, i, wanted[static_cast<std::size_t>(k)]));
            }
        }
        EXPECT_THROW(LinearRows(data).copy_columns(wanted, {out.data(), 2, kRows}),
                     InvalidArgument);
    }
}

TEST(linear_rows, compensated_sums_keep_what_plain_ones_lose) {
    // Powers of two that cancel, and a 1 among them that a plain sum loses.
    const index_t n = 2000;
    std::vector<double> x(static_cast<std::size_t>(2 * n));
    std::vector<double> u(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) {
        u[static_cast<std::size_t>(i)] = i < n / 2 ? 1.0 : -1.0;
        x[static_cast<std::size_t>(2 * i)] = 0x1p60;  // cancels
        x[static_cast<std::size_t>(2 * i + 1)] = i == 7 ? 1.0 : 0x1p60;
    }
    // Column 0: one row has 1 and one on the other side 0, so that 1 is left of the powers. Column
    // 1: a power more on one side, 1 - 2^60, which is -2^60 in double precision.
    x[2 * 8] = 1.0;
    x[2 * (n - 1)] = 0.0;
    Context context;
    const Dataset data(MatrixView<const double>(x.data(), n, 2));
    std::vector<double> found(2);
    LinearRows(data).compensated_transposed({u.data(), n, 1}, {found.data(), 2, 1}, context);
    EXPECT_EQ(found[0], 1.0);
    EXPECT_EQ(found[1], -0x1p60);
    // (1 + e)^2 - (1 + 2e): products that are rounded leave nothing of e^2.
    RowSet squares(2, 1, 1);
    squares.at(0, 0) = 1.0 + 0x1p-30;
    squares.at(1, 0) = -1.0;
    const std::vector<double> factors{1.0 + 0x1p-30, 1.0 + 0x1p-29};
    for (const Dataset& rows : {squares.dense(), squares.sparse()}) {
        double square = 0.0;
        LinearRows(rows).compensated_transposed({factors.data(), 2, 1}, {&square, 1, 1}, context);
        EXPECT_EQ(square, 0x1p-60);
    }
    // And equal to the plain product where nothing cancels, in every storage.
    RowSet set(kRows, 5, 21, 0.4);
    const std::vector<double> v = drawn(kRows * 2, 5);
    std::vector<double> plain(10);
    std::vector<double> careful(10);
    for (const Dataset& rows : {set.dense(), set.strided(), set.sparse()}) {
        LinearRows(rows).multiply_transposed({v.data(), kRows, 2}, {plain.data(), 5, 2}, context);
        LinearRows(rows).compensated_transposed({v.data(), kRows, 2}, {careful.data(), 5, 2},
                                                context);
        for (std::size_t k = 0; k < plain.size(); ++k) {
            EXPECT_NEAR(careful[k], plain[k], 1e-11);
        }
    }
}

TEST(linear_rows, the_normal_matrix_is_centred_and_weighted) {
    Context context;
    const std::vector<double> w = weights();
    double total = 0.0;
    for (const double value : w) {
        total += value;
    }
    for (const auto& [d, density] : {std::pair<index_t, double>{6, 1.0}, {40, 0.02}}) {
        RowSet set(kRows, d, 2, density);
        std::vector<double> mean(static_cast<std::size_t>(d), 0.0);
        for (index_t i = 0; i < kRows; ++i) {
            for (index_t j = 0; j < d; ++j) {
                mean[static_cast<std::size_t>(j)] +=
                    w[static_cast<std::size_t>(i)] * entry(set, d, i, j) / total;
            }
        }
        for (const Dataset& data : {set.dense(), set.sparse()}) {
            for (const bool centred : {false, true}) {
                std::vector<double> found(static_cast<std::size_t>(d * d));
                const std::span<const double> centre =
                    centred ? std::span<const double>(mean) : std::span<const double>();
                LinearRows(data).normal_matrix(w, centre, {found.data(), d, d}, context);
                for (index_t j = 0; j < d; ++j) {
                    for (index_t k = 0; k <= j; ++k) {
                        double sum = 0.0;
                        for (index_t i = 0; i < kRows; ++i) {
                            const double a = centred ? mean[static_cast<std::size_t>(j)] : 0.0;
                            const double b = centred ? mean[static_cast<std::size_t>(k)] : 0.0;
                            sum += w[static_cast<std::size_t>(i)] * (entry(set, d, i, j) - a) *
                                   (entry(set, d, i, k) - b);
                        }
                        EXPECT_NEAR(found[static_cast<std::size_t>(j * d + k)], sum, 1e-10)
                            << j << " " << k << " " << data.is_sparse();
                    }
                }
            }
            std::vector<double> squares(static_cast<std::size_t>(d));
            LinearRows(data).squared_sums(w, squares, context);
            for (index_t j = 0; j < d; ++j) {
                double sum = 0.0;
                for (index_t i = 0; i < kRows; ++i) {
                    sum +=
                        w[static_cast<std::size_t>(i)] * entry(set, d, i, j) * entry(set, d, i, j);
                }
                EXPECT_NEAR(squares[static_cast<std::size_t>(j)], sum, 1e-10);
            }
        }
    }
}

TEST(linear_rows, the_normal_matrix_costs_the_pairs_of_entries_of_its_rows) {
    // Four rows of 1 and of 8 entries among 4096 columns: 64 times the pairs. A dense matrix of n
    // rows and d columns has d^2 in each row, which sparse rows may not exceed.
    const auto cost_of = [](index_t entries) {
        RowSet set(4, 4096, 1, 0.0);
        for (index_t i = 0; i < 4; ++i) {
            for (index_t j = 0; j < entries; ++j) {
                set.at(i, 5 * j + i) = 1.0;
            }
        }
        return LinearRows(set.sparse()).normal_matrix_cost();
    };
    EXPECT_GT(cost_of(1), 0.0);
    EXPECT_EQ(cost_of(8), 64.0 * cost_of(1));
    RowSet full(4, 16, 1);
    EXPECT_EQ(LinearRows(full.dense()).normal_matrix_cost(), 4.0 * 16.0 * 16.0);
    EXPECT_LE(LinearRows(full.sparse()).normal_matrix_cost(), 4.0 * 16.0 * 16.0);
}

TEST(linear_rows, any_number_of_threads_gives_the_same_bits) {
    const index_t d = 30;
    RowSet set(5000, d, 8, 0.1);
    const std::vector<double> u = drawn(5000, 9);
    std::vector<double> w(u);
    for (double& value : w) {
        value *= value;
    }
    for (const Dataset& data : {set.dense(), set.sparse()}) {
        std::vector<std::vector<double>> all;
        for (const int threads : {1, 2, 5}) {
            ContextOptions options;
            options.threads = threads;
            Context context(options);
            const LinearRows rows(data);
            std::vector<double> out(static_cast<std::size_t>(d + 5000 + d * d));
            const std::span<double> parts(out);
            rows.multiply_transposed(u, parts.first(d), context);
            rows.multiply(parts.first(d), parts.subspan(d, 5000), context);
            rows.normal_matrix(w, {}, {out.data() + d + 5000, d, d}, context);
            std::vector<double> careful(static_cast<std::size_t>(d));
            rows.compensated_transposed({u.data(), 5000, 1}, {careful.data(), d, 1}, context);
            out.insert(out.end(), careful.begin(), careful.end());
            all.push_back(std::move(out));
        }
        EXPECT_EQ(all[0], all[1]);
        EXPECT_EQ(all[0], all[2]);
    }
}

TEST(linear_rows, a_linear_gram_matrix_multiplies_in_two_passes) {
    // The tiles of a kernel that the walk does not know as linear: 2 <x, z> by a polynomial.
    Context context;
    RowSet set(1500, 6, 11, 0.5);
    const std::vector<double> v = drawn(1500, 12);
    const GramMatrix tiles(poly_kernel(1.0, 0.0, 2.0), set.dense(), Precision::float64, context);
    std::vector<double> wanted(1500);
    tiles.multiply({v.data(), 1500, 1}, {wanted.data(), 1500, 1}, context);
    for (const Dataset& data : {set.dense(), set.sparse()}) {
        ASSERT_TRUE(two_passes_are_cheaper(LinearRows(data), 1));
        const auto gram =
            make_gram(2.0 * linear_kernel(), data)->whole(Precision::float64, context);
        std::vector<double> found(1500);
        gram->multiply({v.data(), 1500, 1}, {found.data(), 1500, 1}, context);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found[i], wanted[i], 1e-10);
        }
    }
}

TEST(linear_rows, shapes_that_do_not_fit_are_refused) {
    Context context;
    const RowSet set(5, 3, 1);
    const LinearRows rows(set.dense());
    std::vector<double> five(5);
    std::vector<double> three(3);
    EXPECT_THROW(rows.multiply(five, three, context), InvalidArgument);
    EXPECT_THROW(rows.multiply_transposed(three, five, context), InvalidArgument);
    EXPECT_THROW(rows.squared_sums(three, three, context), InvalidArgument);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/gram_test.cpp - K whole, by rows and multiplied, against plain loops.
#include "mercer/operators/gram.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::RowSet;

std::vector<double> normals(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> out(static_cast<std::size_t>(count));
    for (double& value : out) {
        value = random.normal();
    }
    return out;
}

std::vector<double> whole(const GramMatrix& gram, Context& context) {
    std::vector<double> out(static_cast<std::size_t>(gram.rows() * gram.columns()));
    gram.copy_rows(0, MatrixView<double>(out.data(), gram.rows(), gram.columns()), context);
    return out;
}

TEST(gram, rows_equal_the_reference) {
    RowSet left(150, 9, 1);
    RowSet right(700, 9, 2);
    Context context;
    const Kernel kernel = rbf_kernel(0.1);
    const GramMatrix gram(kernel, left.dense(), right.dense(), Precision::float64, context);
    EXPECT_LE(
        testing::largest_difference(whole(gram, context),
                                    testing::reference_gram(kernel, left.dense(), right.dense())),
        1e-13);
}

TEST(gram, blocks_of_rows_equal_the_whole) {
    RowSet set(333, 5, 3);
    Context context;
    const GramMatrix gram(rbf_kernel(0.3), set.dense(), Precision::float64, context);
    const std::vector<double> all = whole(gram, context);
    for (const index_t begin : {index_t{0}, index_t{1}, index_t{100}, index_t{332}}) {
        const index_t count = std::min<index_t>(77, 333 - begin);
        std::vector<double> part(static_cast<std::size_t>(count * 333));
        gram.copy_rows(begin, MatrixView<double>(part.data(), count, 333), context);
        EXPECT_EQ(std::memcmp(part.data(), all.data() + begin * 333, part.size() * sizeof(double)),
                  0);
    }
}

TEST(gram, half_of_a_symmetric_matrix_tells_the_other) {
    RowSet set(1300, 7, 40);
    Context context({.threads = 2});
    {
        const GramMatrix gram(rbf_kernel(0.1), set.dense(), Precision::float64, context);
        ASSERT_TRUE(gram.engine().is_symmetric());
        const std::vector<double> mirrored = whole(gram, context);
        std::vector<double> plain(mirrored.size());
        for (index_t begin = 0; begin < 1300; begin += 100) {  // blocks are never mirrored
            gram.copy_rows(begin, MatrixView<double>(plain.data() + begin * 1300, 100, 1300),
                           context);
        }
        EXPECT_EQ(mirrored, plain);
    }
    const GramMatrix given(precomputed_kernel(), set.dense(), Precision::float64, context);
    EXPECT_FALSE(given.engine().is_symmetric());
}

TEST(gram, is_symmetric_to_the_bit) {
    RowSet set(200, 31, 4);
    Context context;
    for (const char* text : {"rbf(gamma=0.02)", "laplace(gamma=0.1)", "poly(degree=3)",
                             "normalized(poly(degree=2)) * matern(nu=2.5, length=3)"}) {
        const GramMatrix gram(parse_kernel(text).value(), set.dense(), Precision::float64, context);
        const std::vector<double> all = whole(gram, context);
        for (std::size_t i = 0; i < 200; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                ASSERT_EQ(all[i * 200 + j], all[j * 200 + i]) << text;
            }
        }
    }
}

TEST(gram, products_equal_plain_sums) {
    RowSet left(201, 4, 5);
    RowSet right(1100, 4, 6);
    for (const index_t t : {1, 2, 5, 16, 33}) {
        Context context;
        const std::vector<double> v = normals(1100 * t, 7);
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            const GramMatrix gram(rbf_kernel(0.2), left.dense(), right.dense(), precision, context);
            const std::vector<double> k =
                testing::reference_gram(rbf_kernel(0.2), left.dense(), right.dense());
            std::vector<double> out(static_cast<std::size_t>(201 * t));
            gram.multiply(MatrixView<const double>(v.data(), 1100, t),
                          MatrixView<double>(out.data(), 201, t), context);
            for (index_t i = 0; i < 201; ++i) {
                for (index_t c = 0; c < t; ++c) {
                    double sum = 0.0;
                    for (index_t j = 0; j < 1100; ++j) {
                        sum += k[static_cast<std::size_t>(i * 1100 + j)] *
                               v[static_cast<std::size_t>(j * t + c)];
                    }
                    const double tolerance = precision == Precision::float32 ? 1e-4 : 1e-11;
                    ASSERT_NEAR(out[static_cast<std::size_t>(i * t + c)], sum, tolerance);
                }
            }
        }
    }
}

TEST(gram, a_symmetric_product_by_halves_equals_plain_sums_on_any_number_of_threads) {
    const index_t n = 1234;  // more than one tile, and no multiple of one
    RowSet rows(n, 4, 5);
    for (const index_t t : {1, 3}) {
        const std::vector<double> v = normals(n * t, 7);
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            std::vector<double> first;
            for (const int threads : {1, 2, 5}) {
                Context context({.threads = threads});
                const GramMatrix gram(rbf_kernel(0.2), rows.dense(), precision, context);
                std::vector<double> out(static_cast<std::size_t>(n * t));
                gram.multiply(MatrixView<const double>(v.data(), n, t),
                              MatrixView<double>(out.data(), n, t), context);
                first = threads == 1 ? out : first;
                EXPECT_EQ(out, first);
            }
            const std::vector<double> k =
                testing::reference_gram(rbf_kernel(0.2), rows.dense(), rows.dense());
            for (index_t i = 0; i < n; ++i) {
                for (index_t c = 0; c < t; ++c) {
                    double sum = 0.0;
                    for (index_t j = 0; j < n; ++j) {
                        sum += k[static_cast<std::size_t>(i * n + j)] *
                               v[static_cast<std::size_t>(j * t + c)];
                    }
                    const double tolerance = precision == Precision::float32 ? 1e-4 : 1e-11;
                    ASSERT_NEAR(first[static_cast<std::size_t>(i * t + c)], sum, tolerance);
                }
            }
        }
    }
}

TEST(gram, one_pass_multiplies_both_ways_on_any_number_of_threads) {
    constexpr index_t m = 413;
    constexpr index_t n = 1100;
    RowSet left(m, 6, 20);
    RowSet right(n, 6, 21);
    const Kernel kernel = rbf_kernel(0.2);
    const std::vector<double> k = testing::reference_gram(kernel, left.dense(), right.dense());
    const std::vector<double> v = normals(n, 22);
    const std::vector<double> u = normals(m, 23);
    for (const Precision precision : {Precision::float64, Precision::float32}) {
        std::vector<double> first;
        for (const int threads : {1, 2, 5}) {
            Context context({.threads = threads});
            const GramMatrix columns(kernel, right.dense(), precision, context);
            const GramMatrix gram(columns, left.dense(), context);  // the columns serve again
            ASSERT_EQ(gram.rows(), m);
            ASSERT_EQ(gram.columns(), n);
            std::vector<double> out(m, kNaN);
            std::vector<double> transposed(n, kNaN);
            gram.multiply_both(v, u, out, transposed, context);
            const double bound = precision == Precision::float64 ? 1e-11 : 1e-4;
            for (index_t i = 0; i < m; ++i) {
                double sum = 0.0;
                for (index_t j = 0; j < n; ++j) {
                    sum += k[static_cast<std::size_t>(i * n + j)] * v[static_cast<std::size_t>(j)];
                }
                ASSERT_NEAR(out[static_cast<std::size_t>(i)], sum, bound);
            }
            for (index_t j = 0; j < n; ++j) {
                double sum = 0.0;
                for (index_t i = 0; i < m; ++i) {
                    sum += k[static_cast<std::size_t>(i * n + j)] * u[static_cast<std::size_t>(i)];
                }
                ASSERT_NEAR(transposed[static_cast<std::size_t>(j)], sum, bound);
            }
            out.insert(out.end(), transposed.begin(), transposed.end());
            if (first.empty()) {
                first = out;
            }
            EXPECT_EQ(std::memcmp(first.data(), out.data(), out.size() * sizeof(double)), 0);
            std::vector<double> shorter(n - 1);
            EXPECT_THROW(gram.multiply_both(v, u, out, shorter, context), InvalidArgument);
        }
    }
}

TEST(gram, the_lower_triangle_alone_has_the_bits_of_the_whole) {
    RowSet rows(700, 3, 8);
    Context context;
    for (const char* text : {"rbf(gamma=0.5)", "poly(degree=2, coef0=1, scale=1)"}) {
        const GramMatrix gram(parse_kernel(text).value(), rows.dense(), Precision::float64,
                              context);
        const std::vector<double> all = whole(gram, context);
        std::vector<double> lower(all.size(), -1.0);
        gram.copy_lower(MatrixView<double>(lower.data(), 700, 700), context);
        for (std::size_t i = 0; i < 700; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                ASSERT_EQ(lower[i * 700 + j], all[i * 700 + j]) << text;
            }
        }
    }
}

/// K'(W(Kv) - Z) by plain loops.
std::vector<double> plain_normal(const std::vector<double>& k, index_t n, index_t m, index_t t,
                                 const std::vector<double>& v, const std::vector<double>& w,
                                 const std::vector<double>& z) {
    std::vector<double> out(static_cast<std::size_t>(m * t), 0.0);
    for (index_t i = 0; i < n; ++i) {
        for (index_t c = 0; c < t; ++c) {
            double u = 0.0;
            for (index_t j = 0; j < m; ++j) {
                u +=
                    k[static_cast<std::size_t>(i * m + j)] * v[static_cast<std::size_t>(j * t + c)];
            }
            u = u * w[static_cast<std::size_t>(i)] - z[static_cast<std::size_t>(i * t + c)];
            for (index_t j = 0; j < m; ++j) {
                out[static_cast<std::size_t>(j * t + c)] +=
                    k[static_cast<std::size_t>(i * m + j)] * u;
            }
        }
    }
    return out;
}

TEST(gram, the_normal_product_equals_plain_sums) {
    constexpr index_t n = 700;
    constexpr index_t m = 90;
    RowSet left(n, 4, 8);
    RowSet right(m, 4, 9);
    Context context;
    const std::vector<double> k =
        testing::reference_gram(rbf_kernel(0.2), left.dense(), right.dense());
    for (const index_t t : {1, 3, 9}) {
        const std::vector<double> v = normals(m * t, 10);
        std::vector<double> w = normals(n, 11);
        const std::vector<double> z = normals(n * t, 12);
        const GramMatrix gram(rbf_kernel(0.2), left.dense(), right.dense(), Precision::float64,
                              context);
        std::vector<double> out(static_cast<std::size_t>(m * t));
        gram.multiply_normal(MatrixView<const double>(v.data(), m, t), w,
                             MatrixView<const double>(z.data(), n, t),
                             MatrixView<double>(out.data(), m, t), context);
        EXPECT_LE(testing::largest_difference(out, plain_normal(k, n, m, t, v, w, z)), 1e-11);
    }
}

TEST(gram, thread_count_changes_no_bit) {
    RowSet left(500, 6, 13);
    RowSet right(600, 6, 14);
    const std::vector<double> v = normals(600 * 2, 15);
    std::vector<double> first_rows;
    std::vector<double> first_product;
    std::vector<double> first_normal;
    for (const int threads : {1, 2, 3, 5, 16}) {
        Context context({.threads = threads});
        const GramMatrix gram(parse_kernel("rbf(gamma=0.2) + 0.1 * laplace(gamma=1)").value(),
                              left.dense(), right.dense(), Precision::float32, context);
        std::vector<float> rows(500 * 600);
        gram.copy_rows(0, MatrixView<float>(rows.data(), 500, 600), context);
        std::vector<double> product(500 * 2);
        gram.multiply(MatrixView<const double>(v.data(), 600, 2),
                      MatrixView<double>(product.data(), 500, 2), context);
        std::vector<double> normal(600 * 2);
        gram.multiply_normal(MatrixView<const double>(v.data(), 600, 2), {}, {},
                             MatrixView<double>(normal.data(), 600, 2), context);
        const std::vector<double> wide(rows.begin(), rows.end());
        if (threads == 1) {
            first_rows = wide;
            first_product = product;
            first_normal = normal;
        }
        EXPECT_EQ(wide, first_rows);
        EXPECT_EQ(product, first_product);
        EXPECT_EQ(normal, first_normal);
    }
}

TEST(gram, a_budget_too_small_is_refused_by_name) {
    RowSet set(1000, 100, 16);
    Context context({.memory = 10000});
    try {
        const GramMatrix gram(rbf_kernel(1.0), set.dense(), Precision::float64, context);
        FAIL() << "no refusal";
    } catch (const ResourceError& error) {
        EXPECT_NE(std::string(error.what()).find("panels"), std::string::npos) << error.what();
    }
}

TEST(gram, a_stop_request_ends_the_work) {
    RowSet set(600, 10, 17);
    std::atomic<bool> stop{true};
    Context context;
    const GramMatrix gram(rbf_kernel(1.0), set.dense(), Precision::float64, context);
    Context stopping({.stop_flag = &stop});
    std::vector<double> out(600 * 600);
    EXPECT_THROW(gram.copy_rows(0, MatrixView<double>(out.data(), 600, 600), stopping),
                 Interrupted);
}

TEST(gram, no_rows_and_no_columns_work) {
    Context context;
    const Dataset none(MatrixView<const double>(nullptr, 0, 3));
    const GramMatrix empty(rbf_kernel(1.0), none, Precision::float64, context);
    EXPECT_EQ(empty.rows(), 0);
    empty.copy_rows(0, MatrixView<double>(nullptr, 0, 0), context);
    const Dataset narrow(MatrixView<const double>(nullptr, 4, 0));
    const GramMatrix ones(rbf_kernel(1.0), narrow, Precision::float64, context);
    EXPECT_EQ(whole(ones, context), std::vector<double>(16, 1.0));
}

}  // namespace
}  // namespace mercer

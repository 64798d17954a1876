// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/operators/gram_operator_test.cpp - every kind of operator is the same matrix from all
// sides: values, blocks, rows and products.
#include "mercer/operators/gram_operator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/operators/precise_values.hpp"
#include "mercer/operators/row_cache.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 70;

using GramPointer = std::shared_ptr<const GramOperator>;

/// An operator, and its matrix by scalar formulas.
struct Subject {
    std::string name;
    std::shared_ptr<RowSet> set;
    GramPointer gram;
    std::vector<double> matrix;

    [[nodiscard]] index_t size() const { return gram->size(); }
    [[nodiscard]] double at(index_t i, index_t j) const {
        return matrix[static_cast<std::size_t>(i * size() + j)];
    }
};

std::vector<double> plain_matrix(const Kernel& kernel, const Dataset& rows) {
    const index_t n = rows.rows();
    std::vector<double> out(static_cast<std::size_t>(n * n));
    std::vector<double> x(static_cast<std::size_t>(rows.columns()));
    std::vector<double> z(x.size());
    for (index_t i = 0; i < n; ++i) {
        rows.copy_row(i, x);
        for (index_t j = 0; j < n; ++j) {
            rows.copy_row(j, z);
            out[static_cast<std::size_t>(i * n + j)] = kernel(x, z);
        }
    }
    return out;
}

Subject make(std::string name, const Kernel& kernel, double density) {
    Subject out;
    out.name = std::move(name);
    out.set = std::make_shared<RowSet>(kRows, 6, 3, density);
    const Dataset rows = density < 1.0 ? out.set->sparse() : out.set->dense();
    out.gram = make_gram(kernel, rows);
    out.matrix = plain_matrix(kernel, rows);
    return out;
}

/// A table that is not quite symmetric.
Subject make_table() {
    Subject out;
    out.name = "table";
    out.set = std::make_shared<RowSet>(kRows, kRows + 1, 4);
    for (index_t i = 0; i < kRows; ++i) {
        out.set->at(i, 0) = static_cast<double>(i + 1);
    }
    const Dataset rows = out.set->dense();
    out.gram = make_gram(trusted_lookup_kernel(), rows);
    out.matrix = plain_matrix(trusted_lookup_kernel(), rows);
    return out;
}

std::vector<index_t> some_places() {
    std::vector<index_t> places;
    for (index_t i = 0; i < kRows; i += 3) {
        places.push_back((i * 11 + 1) % kRows);
    }
    return places;
}

Subject subset_of(const Subject& all) {
    Subject out = all;
    const std::vector<index_t> places = some_places();
    out.name = "subset_of_" + all.name;
    out.gram = subset(all.gram, places);
    out.matrix.clear();
    for (const index_t i : places) {
        for (const index_t j : places) {
            out.matrix.push_back(all.at(i, j));
        }
    }
    return out;
}

Subject shifted_of(const Subject& all) {
    Subject out = all;
    std::vector<double> shift(static_cast<std::size_t>(all.size()));
    for (std::size_t i = 0; i < shift.size(); ++i) {
        shift[i] = 0.25 + 0.5 * static_cast<double>(i % 3);
        out.matrix[i * shift.size() + i] += shift[i];
    }
    out.name = "shifted_" + all.name;
    out.gram = shifted(all.gram, shift);
    return out;
}

std::vector<Subject> subjects() {
    std::vector<Subject> out{make("tiled_dense", rbf_kernel(0.3), 1.0),
                             make("tiled_sparse", rbf_kernel(0.3), 0.4),
                             make("linear_dense", 1.5 * linear_kernel(), 1.0),
                             make("linear_sparse", linear_kernel(), 0.4), make_table()};
    const std::size_t plain = out.size();
    for (std::size_t k = 0; k < plain; ++k) {
        out.push_back(subset_of(out[k]));
        out.push_back(shifted_of(out[k]));
    }
    out.push_back(shifted_of(out[plain]));              // of a subset
    out.push_back(subset_of(shifted_of(out.front())));  // and the other way round
    return out;
}

std::vector<double> weights(index_t count) {
    std::vector<double> out(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<double>(i % 5) - 1.5;
    }
    return out;
}

class gram_operator : public ::testing::TestWithParam<Subject> {
protected:
    [[nodiscard]] const Subject& subject() const { return GetParam(); }
    [[nodiscard]] const GramOperator& gram() const { return *GetParam().gram; }

    void expect_block(const GramBlock& block, const std::vector<index_t>& left,
                      const std::vector<index_t>& right) {
        ASSERT_EQ(block.rows(), static_cast<index_t>(left.size()));
        ASSERT_EQ(block.columns(), static_cast<index_t>(right.size()));
        std::vector<double> values(left.size() * right.size());
        block.copy_rows(0, {values.data(), block.rows(), block.columns()}, context_);
        for (std::size_t i = 0; i < left.size(); ++i) {
            for (std::size_t j = 0; j < right.size(); ++j) {
                EXPECT_NEAR(values[i * right.size() + j], subject().at(left[i], right[j]), 1e-13)
                    << left[i] << ", " << right[j];
            }
        }
    }

    Context context_;
};

TEST_P(gram_operator, has_the_diagonal_of_its_matrix) {
    const std::vector<double> diagonal = gram().diagonal();
    ASSERT_EQ(static_cast<index_t>(diagonal.size()), gram().size());
    for (index_t i = 0; i < gram().size(); ++i) {
        EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], subject().at(i, i), 1e-14) << i;
    }
    EXPECT_EQ(gram().cost().rows, gram().size());
}

TEST_P(gram_operator, blocks_are_parts_of_the_matrix) {
    std::vector<index_t> all(static_cast<std::size_t>(gram().size()));
    std::iota(all.begin(), all.end(), index_t{0});
    const std::vector<index_t> left{3, 0, 11, 5};
    const std::vector<index_t> right{5, 3, 2, 11, 19, 7};
    expect_block(*gram().whole(Precision::float64, context_), all, all);
    const auto block = gram().block(left, right, Precision::float64, context_);
    expect_block(*block, left, right);
    expect_block(*block->beside(std::vector<index_t>{7, 1}, context_), {7, 1}, right);
    expect_block(*gram().block(left, left, Precision::float64, context_), left, left);
}

TEST_P(gram_operator, products_are_those_of_the_matrix) {
    const index_t n = gram().size();
    std::vector<double> beta = weights(n);
    beta[2] = 0.0;
    const std::vector<double> f = gram().multiply(beta, context_);
    std::vector<double> few(beta.size(), 0.0);
    few[4] = 2.0;
    const std::vector<double> sparse = gram().multiply(few, context_);
    const std::vector<index_t> rows{1, 6, 4};
    const std::vector<index_t> columns{4, 9};
    const std::vector<double> part = gram().multiply(rows, columns, std::vector<double>{1.0, -2.0},
                                                     Precision::float64, context_);
    for (index_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (index_t j = 0; j < n; ++j) {
            sum += subject().at(i, j) * beta[static_cast<std::size_t>(j)];
        }
        // K beta of a shifted operator is that of its blocks: the shift is part of it.
        EXPECT_NEAR(f[static_cast<std::size_t>(i)], sum, 1e-11) << i;
        EXPECT_NEAR(sparse[static_cast<std::size_t>(i)], 2.0 * subject().at(i, 4), 1e-12) << i;
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_NEAR(part[r], subject().at(rows[r], 4) - 2.0 * subject().at(rows[r], 9), 1e-12);
    }
}

TEST_P(gram_operator, normal_products_are_those_of_the_matrix) {
    const index_t n = gram().size();
    const std::vector<double> v = weights(n);
    std::vector<double> w(v.size(), 0.5);
    w[1] = 0.0;
    const std::vector<double> z(v.size(), 0.75);
    std::vector<double> out(v.size());
    gram()
        .whole(Precision::float64, context_)
        ->multiply_normal({v.data(), n, 1}, w, {z.data(), n, 1}, {out.data(), n, 1}, context_);
    std::vector<double> residual(v.size());
    for (index_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (index_t j = 0; j < n; ++j) {
            sum += subject().at(i, j) * v[static_cast<std::size_t>(j)];
        }
        residual[static_cast<std::size_t>(i)] = w[static_cast<std::size_t>(i)] * sum - 0.75;
    }
    for (index_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (index_t i = 0; i < n; ++i) {
            sum += subject().at(i, j) * residual[static_cast<std::size_t>(i)];
        }
        EXPECT_NEAR(out[static_cast<std::size_t>(j)], sum, 1e-9 * std::max(1.0, std::abs(sum)));
    }
}

TEST_P(gram_operator, rows_of_a_cache_are_rows_of_the_matrix_whole_and_cut) {
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        RowCache cache(gram(), 1 << 16, precision, context_);
        const std::vector<index_t> wanted{2, 13, 0};
        std::vector<const float*> rows(wanted.size());
        cache.fetch(wanted, rows, context_);
        std::vector<index_t> active{13, 2, 5, 8};
        for (int cut = 0; cut < 2; ++cut) {
            for (std::size_t r = 0; r < wanted.size(); ++r) {
                for (index_t j = 0; j < cache.row_length(); ++j) {
                    const index_t column = cut == 1 ? active[static_cast<std::size_t>(j)] : j;
                    EXPECT_NEAR(rows[r][j], subject().at(wanted[r], column), 2e-5)
                        << wanted[r] << ", " << column;
                }
            }
            cache.set_active(active, context_);
            cache.fetch(wanted, rows, context_);
        }
        active.push_back(0);  // what is there is completed
        cache.set_active(active, context_);
        cache.fetch(wanted, rows, context_);
        for (std::size_t r = 0; r < wanted.size(); ++r) {
            for (std::size_t j = 0; j < active.size(); ++j) {
                EXPECT_NEAR(rows[r][j], subject().at(wanted[r], active[j]), 2e-5);
            }
        }
        std::vector<float> block(4);
        const std::vector<index_t> pair{2, 5};
        cache.compute_block(pair, pair, {block.data(), 2, 2}, context_);
        EXPECT_NEAR(block[0], subject().at(2, 2), 2e-5);
        EXPECT_NEAR(block[1], subject().at(2, 5), 2e-5);
    }
}

TEST_P(gram_operator, scales_its_values_or_says_that_it_does_not) {
    const GramPointer half = gram().scaled(0.5);
    if (half == nullptr) {
        EXPECT_NE(subject().name.find("table"), std::string::npos);
        return;
    }
    const std::vector<double> diagonal = half->diagonal();
    for (index_t i = 0; i < half->size(); ++i) {
        EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], 0.5 * subject().at(i, i), 1e-14);
    }
}

INSTANTIATE_TEST_SUITE_P(kinds, gram_operator, ::testing::ValuesIn(subjects()),
                         [](const auto& which) { return which.param.name; });

TEST(gram_operators, the_kernel_chooses_the_kind) {
    const RowSet set(5, 3, 1);
    EXPECT_EQ(make_gram(rbf_kernel(1.0), set.dense())->linear(), nullptr);
    const GramPointer linear = make_gram(2.0 * linear_kernel(), set.dense());
    ASSERT_NE(linear->linear(), nullptr);
    EXPECT_EQ(linear->linear()->factor, 2.0);
    EXPECT_EQ(linear->linear()->rows.columns(), 3);
    ASSERT_NE(subset(linear, {1, 4})->linear(), nullptr);
    EXPECT_EQ(subset(linear, {1, 4})->linear()->rows.rows(), 2);
    EXPECT_TRUE(linear->is_symmetric());
    EXPECT_FALSE(linear->is_part());
    EXPECT_TRUE(subset(linear, {1, 4})->is_part());
    EXPECT_FALSE(make_gram(precomputed_kernel(), set.dense())->is_symmetric());
}

TEST(gram_operators, a_float32_block_multiplies_the_values_that_it_copies) {
    Context context;
    RowSet set(kRows, 6, 5);
    std::vector<double> v(kRows);
    Random random(6);
    for (double& value : v) {
        value = random.normal();
    }
    for (const Kernel& kernel : {linear_kernel(), rbf_kernel(0.3)}) {
        const GramPointer gram = make_gram(kernel, set.dense());
        const auto block = gram->whole(Precision::float32, context);
        std::vector<float> values(kRows * kRows);
        block->copy_rows(0, MatrixView<float>(values.data(), kRows, kRows), context);
        std::vector<double> out(kRows);
        block->multiply({v.data(), kRows, 1}, {out.data(), kRows, 1}, context);
        for (std::size_t i = 0; i < kRows; ++i) {
            double sum = 0.0;
            for (std::size_t j = 0; j < kRows; ++j) {
                sum += static_cast<double>(values[i * kRows + j]) * v[j];
            }
            EXPECT_NEAR(out[i], sum, 1e-11) << to_string(kernel) << " " << i;
        }
    }
}

TEST(gram_operators, linear_values_in_113_bits_are_those_of_the_same_polynomial) {
    // One by two passes over the entries, the other by kernel values.
    RowSet set(40, 7, 3, 0.6);
    const std::vector<index_t> rows{3, 0, 39};
    std::vector<double> beta(40);
    for (std::size_t i = 0; i < beta.size(); ++i) {
        beta[i] = i % 3 == 0 ? 0.0 : 1.0 / static_cast<double>(i) - 0.1;
    }
    Context context;
    for (const Dataset& data : {set.dense(), set.sparse()}) {
        const GramPointer linear = make_gram(0.3 * linear_kernel(), data);
        const GramPointer same =
            make_gram(parse_kernel("0.3 * poly(degree=1, coef0=0, scale=1)").value(), data);
        ASSERT_NE(linear->linear(), nullptr);
        ASSERT_EQ(same->linear(), nullptr);
        const PreciseValues a = linear->multiply_precisely(rows, beta, linear->rounding(), context);
        const PreciseValues b = same->multiply_precisely(rows, beta, same->rounding(), context);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            EXPECT_NEAR(static_cast<double>(a.values[k] - b.values[k]), 0.0, a.error + b.error);
            EXPECT_LT(a.error + b.error, 1e-28);
        }
        const std::vector<double> f = linear->multiply(beta, context);
        EXPECT_LE(std::abs(static_cast<double>(a.values[0] - f[3])),
                  linear->rounding().of_sum(testing::l1_norm(beta),
                                            rounding_of(linear->product_steps(beta))));
    }
}

TEST(gram_operators, the_error_of_values_in_113_bits_grows_with_the_entries_and_the_coefficients) {
    // A table holds its entries exactly, so that what is lost is lost by 113 bits: a term of size s
    // in a sum of two loses s 2^-113 or more, at worst.
    Context context;
    const std::vector<index_t> rows{0};
    const auto error_of = [&](double size, double beta) {
        const RowSet set = [&] {
            RowSet out(2, 2, 1);
            for (index_t i = 0; i < 4; ++i) {
                out.at(i / 2, i % 2) = i % 3 == 0 ? size : 0.0;
            }
            return out;
        }();
        const GramPointer table = make_gram(precomputed_kernel(), set.dense());
        const std::vector<double> coefficients{beta, -beta};
        const PreciseValues found =
            table->multiply_precisely(rows, coefficients, table->rounding(), context);
        EXPECT_EQ(static_cast<double>(found.values[0]), size * beta);
        return found.error;
    };
    EXPECT_GE(error_of(1.0, 1.0), 0x1p-113);
    EXPECT_LE(error_of(1.0, 1.0), 0x1p-100);
    EXPECT_DOUBLE_EQ(error_of(0x1p20, 1.0), 0x1p20 * error_of(1.0, 1.0));
    EXPECT_DOUBLE_EQ(error_of(1.0, 0x1p20), 0x1p20 * error_of(1.0, 1.0));
}

TEST(gram_operators, an_indefinite_kernel_proves_nothing) {
    const RowSet set(5, 3, 1);
    const Kernel sigmoid = parse_kernel("sigmoid(gamma=1, coef0=-1)").value();
    EXPECT_FALSE(make_gram(sigmoid, set.dense())->is_definite());
    EXPECT_TRUE(make_gram(rbf_kernel(1.0), set.dense())->is_definite());
}

TEST(gram_operators, places_and_shifts_that_do_not_fit_are_refused) {
    const RowSet set(5, 3, 1);
    const GramPointer gram = make_gram(rbf_kernel(1.0), set.dense());
    EXPECT_THROW(static_cast<void>(subset(gram, {0, 5})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(subset(gram, {-1})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(subset(gram, {2, 1, 2})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(shifted(gram, std::vector<double>(4, 1.0))), InvalidArgument);
    EXPECT_THROW(static_cast<void>(shifted(gram, std::vector<double>(5, 1.0))->origin()),
                 InvalidArgument);
}

TEST(gram_operators, new_rows_are_kernel_values_beside_the_old_ones) {
    Context context;
    const RowSet old_rows(6, 3, 1);
    const RowSet new_rows(2, 3, 2);
    const GramPointer gram = make_gram(linear_kernel(), old_rows.dense());
    const NewRows beside = subset(gram, {4, 2})->beside(new_rows.dense(), context);
    ASSERT_EQ(beside.cross->rows(), 2);
    ASSERT_EQ(beside.cross->columns(), 2);
    std::vector<double> values(4);
    beside.cross->copy_rows(0, {values.data(), 2, 2}, context);
    const auto dot = [](const RowSet& a, index_t i, const RowSet& b, index_t j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            sum += a.values()[static_cast<std::size_t>(i) * 3 + k] *
                   b.values()[static_cast<std::size_t>(j) * 3 + k];
        }
        return sum;
    };
    EXPECT_NEAR(values[0], dot(old_rows, 4, new_rows, 0), 1e-14);
    EXPECT_NEAR(values[3], dot(old_rows, 2, new_rows, 1), 1e-14);
    EXPECT_NEAR(beside.diagonal[1], dot(new_rows, 1, new_rows, 1), 1e-14);
    ASSERT_NE(beside.linear, nullptr);
    EXPECT_EQ(beside.linear->rows(), 2);
}

TEST(gram_operators, the_shift_goes_by_index_so_duplicates_get_none_off_the_diagonal) {
    const std::vector<double> rows{1.0, 2.0, 1.0, 2.0, 0.5, 0.5};
    const Dataset data(MatrixView<const double>(rows.data(), 3, 2));
    Context context;
    const auto sum = shifted(make_gram(linear_kernel(), data), std::vector<double>(3, 1.0 / 4.0))
                         ->whole(Precision::float64, context);
    std::vector<double> k(9);
    sum->copy_rows(0, MatrixView<double>(k.data(), 3, 3), context);
    expect_fact("KC9", "a row twice, C=4, k=5: 2 x 2 corner",
                std::vector<double>{k[0], k[1], k[3], k[4]});
    const std::vector<double> one(3, 1.0);
    std::vector<double> out(3);
    sum->multiply(MatrixView<const double>(one.data(), 3, 1), MatrixView<double>(out.data(), 3, 1),
                  context);
    EXPECT_DOUBLE_EQ(out[0], k[0] + k[1] + k[2]);
}

}  // namespace
}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/mercer_test_test.cpp - verdicts on matrices whose spectrum is known.
#include "mercer/theory/mercer_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gram_of.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

MercerReport report_of(const testing::SquareMatrix& matrix) {
    std::vector<double> flat;
    for (const std::vector<double>& row : matrix) {
        flat.insert(flat.end(), row.begin(), row.end());
    }
    const auto n = static_cast<index_t>(matrix.size());
    Context context;
    return test_gram(MatrixView<const double>(flat.data(), n, n), context);
}

MercerReport report_of(const std::string& kernel, index_t rows, index_t columns) {
    Random random(31);
    return report_of(testing::gram_of(parse_kernel(kernel).value(),
                                      testing::normal_rows(random, rows, columns)));
}

TEST(MercerTest, a_weight_matrix_with_eigenvalue_minus_one_fails_with_a_checked_witness) {
    const MercerReport report = report_of({{1, 2}, {2, 1}});
    EXPECT_FALSE(report.positive_semidefinite);
    EXPECT_FALSE(report.is_gram());
    expect_fact("K02", "A=[[1,2],[2,1]], least eigenvalue", report.least_eigenvalue);
    EXPECT_NEAR(report.eigenvalues[1], 3.0, 1e-15);
    ASSERT_EQ(report.witness.size(), 2U);
    EXPECT_NEAR(report.witness[0], -report.witness[1], 1e-15);
    EXPECT_NEAR(report.witness_value, -1.0, 1e-15);
    EXPECT_LT(report.witness_value + report.witness_error, 0.0);
    EXPECT_EQ(report.cauchy_schwarz_excess, 1.0);
    EXPECT_EQ(report.cauchy_schwarz_row, 0);
    EXPECT_EQ(report.cauchy_schwarz_column, 1);
    EXPECT_EQ(report.histogram.negative, 1);
}

TEST(MercerTest, kernels_pass_and_distances_fail) {
    bool all_pass = true;
    for (const char* text : {"linear", "rbf(gamma=0.5)", "poly(degree=3)", "laplace", "matern",
                             "cosine", "exp(linear)", "linear * rbf(gamma=1)"}) {
        const MercerReport report = report_of(text, 40, 3);
        EXPECT_TRUE(report.is_gram()) << text << " " << report.least_eigenvalue;
        all_pass = all_pass && report.is_gram();
        EXPECT_EQ(report.cauchy_schwarz_excess, 0.0) << text;
        EXPECT_EQ(report.symmetry_error, 0.0);
        EXPECT_TRUE(report.witness.empty());
    }
    expect_fact("K21", "eight kernels pass", all_pass);
    expect_fact("K21", "-|x-z|^2 passes", report_of("negative-distance", 40, 3).is_gram());
    expect_fact("K21", "sigmoid(gamma=1, coef0=-1) passes",
                report_of("sigmoid(gamma=1, coef0=-1)", 40, 3).is_gram());
    for (const char* text : {"negative-distance", "sigmoid(gamma=1, coef0=-1)"}) {
        const MercerReport report = report_of(text, 40, 3);
        EXPECT_LT(report.witness_value + report.witness_error, 0.0);
        EXPECT_NEAR(report.witness_value, report.least_eigenvalue, 10 * report.eigenvalue_error);
    }
}

TEST(MercerTest, rank_is_that_of_the_features) {
    EXPECT_EQ(report_of("linear", 30, 4).rank, 4);
    EXPECT_EQ(report_of("monomial(2)", 30, 3).rank, 6);
    expect_fact("K07", "rank of the Gram matrix of 10 rows",
                report_of("scaled(constant(1); norm2)", 10, 2).rank);
    const MercerReport report = report_of("rbf(gamma=1)", 10, 5);
    EXPECT_EQ(report.rank, 10);
    EXPECT_TRUE(report.positive_definite);
}

TEST(MercerTest, a_duplicate_point_is_semidefinite_not_definite) {
    const MercerReport report = report_of({{1, 1}, {1, 1}});
    EXPECT_TRUE(report.positive_semidefinite);
    EXPECT_FALSE(report.positive_definite);
    EXPECT_EQ(report.rank, 1);
    EXPECT_EQ(report.histogram.zero, 1);
}

TEST(MercerTest, asymmetry_is_measured_and_located) {
    const MercerReport report = report_of({{2, 0.5, 0}, {0.75, 2, 0}, {0, 0, 2}});
    EXPECT_FALSE(report.symmetric);
    EXPECT_EQ(report.symmetry_error, 0.25);
    EXPECT_EQ(report.symmetry_row, 1);
    EXPECT_EQ(report.symmetry_column, 0);
    EXPECT_TRUE(report.positive_semidefinite);
    EXPECT_FALSE(report.is_gram());
}

TEST(MercerTest, a_negative_diagonal_breaks_cauchy_schwarz_by_itself) {
    const MercerReport report = report_of({{-3}});
    EXPECT_EQ(report.cauchy_schwarz_excess, 3.0);
    EXPECT_EQ(report.cauchy_schwarz_row, 0);
    EXPECT_EQ(report.witness_value, -3.0);
}

TEST(MercerTest, every_eigenvalue_falls_into_one_place_of_the_histogram) {
    const MercerReport report =
        report_of({{100, 0, 0, 0}, {0, 0.05, 0, 0}, {0, 0, 0.02, 0}, {0, 0, 0, 0}});
    const SpectrumHistogram& histogram = report.histogram;
    EXPECT_EQ(histogram.edges, (std::vector<double>{-2, -1, 0, 1, 2, 3}));
    EXPECT_EQ(histogram.counts, (std::vector<index_t>{2, 0, 0, 0, 1}));
    EXPECT_EQ(histogram.zero, 1);
    EXPECT_EQ(histogram.negative, 0);
}

TEST(MercerTest, the_zero_matrix_and_the_empty_one_are_gram_matrices) {
    const MercerReport zero = report_of({{0, 0}, {0, 0}});
    EXPECT_TRUE(zero.is_gram());
    EXPECT_EQ(zero.rank, 0);
    EXPECT_EQ(zero.histogram.zero, 2);
    EXPECT_TRUE(zero.histogram.edges.empty());
    EXPECT_TRUE(report_of(testing::SquareMatrix{}).is_gram());
}

TEST(MercerTest, tiny_negative_eigenvalues_of_rounding_are_forgiven_and_real_ones_are_not) {
    EXPECT_TRUE(report_of({{1, 0}, {0, -1e-16}}).positive_semidefinite);
    const MercerReport report = report_of({{1, 0}, {0, -1e-14}});
    EXPECT_FALSE(report.positive_semidefinite);
    EXPECT_LT(report.witness_value + report.witness_error, 0.0);
}

TEST(MercerTest, matrices_that_are_not_numbers_in_a_square_are_refused) {
    EXPECT_THROW(static_cast<void>(report_of({{1, kNaN}, {0, 1}})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(report_of({{kInfinity}})), InvalidArgument);
    const std::vector<double> flat{1, 2};
    Context context;
    EXPECT_THROW(static_cast<void>(test_gram(MatrixView<const double>(flat.data(), 1, 2), context)),
                 InvalidArgument);
}

TEST(MercerTest, the_copy_is_paid_for_from_the_budget) {
    ContextOptions options;
    options.memory = 100;
    Context context(options);
    const std::vector<double> flat(100, 1.0);
    EXPECT_THROW(
        static_cast<void>(test_gram(MatrixView<const double>(flat.data(), 10, 10), context)),
        ResourceError);
}

}  // namespace
}  // namespace mercer

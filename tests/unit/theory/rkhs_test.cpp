// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/rkhs_test.cpp - norms, distances and bounds of functions known by hand.
#include "mercer/theory/rkhs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gram_of.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

/// Rows that own their numbers.
Dataset rows_of(const testing::Rows& rows, index_t columns) {
    auto values = std::make_shared<std::vector<double>>();
    for (const std::vector<double>& row : rows) {
        values->insert(values->end(), row.begin(), row.end());
    }
    return Dataset(
        MatrixView<const double>(values->data(), static_cast<index_t>(rows.size()), columns),
        values);
}

RkhsFunctions function(const std::string& kernel, const testing::Rows& rows,
                       std::vector<double> coefficients, index_t count = 1) {
    return {parse_kernel(kernel).value(), rows_of(rows, static_cast<index_t>(rows[0].size())),
            std::move(coefficients), count};
}

EvaluationBound bound_on(const RkhsFunctions& f, const Dataset& rows, Context& context) {
    std::vector<double> diagonal(static_cast<std::size_t>(rows.rows()));
    kernel_diagonal(f.kernel, rows, diagonal);
    return evaluation_bound(reproduced_values(f, rows, context), squared_norms(f, context),
                            diagonal);
}

TEST(Rkhs, norms_are_beta_k_beta) {
    Context context;
    // KRR2: K = [[2,1],[1,2]], a = (3,-1)/8: a'Ka = (2*9 - 2*3 + 2) / 64 = 14/64.
    const RkhsFunctions ridge = function("linear", {{1, 1, 0}, {0, 1, 1}}, {0.375, -0.125});
    expect_fact("RK1", "KRR2, a=(3/8,-1/8)", squared_norms(ridge, context)[0].value);
    // XOR by (1 + x'z)^2, beta = t / 8: |f|^2 = 1/2.
    const RkhsFunctions parity =
        function("poly(degree=2, coef0=1)", {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}},
                 {-0.125, -0.125, 0.125, 0.125});
    expect_fact("RK1", "XOR by (1+x'z)^2, beta=t/8", squared_norms(parity, context)[0].value);
}

TEST(Rkhs, sums_that_cancel_keep_their_digits) {
    // f = 2^40 (k_1 - k_2) + k_3 with delta: the squares are exact, 2^81 + 1 needs 82 bits; with
    // coefficients of opposite sign at one row only the last term remains.
    Context context;
    const double large = std::ldexp(1.0, 40);
    const RkhsFunctions f = function("linear", {{1}, {1}, {1}}, {large, -large, 1.0});
    EXPECT_EQ(squared_norms(f, context)[0].value, 1.0);
    const std::vector<RkhsNumber> values = reproduced_values(f, rows_of({{3}}, 1), context);
    EXPECT_EQ(values[0].value, 3.0);
}

TEST(Rkhs, inner_products_are_those_of_the_weights_of_linear_functions) {
    Context context;
    const RkhsFunctions f = function("linear", {{1, 2}, {0, 1}}, {2, -1});  // w = (2, 3)
    const RkhsFunctions g = function("linear", {{3, 0}}, {1});              // w = (3, 0)
    EXPECT_EQ(inner_products(f, g, context)[0].value, 6.0);
    EXPECT_EQ(squared_norms(f, context)[0].value, 13.0);
    const RkhsFunctions gap = difference(f, g, context);
    EXPECT_EQ(squared_norms(gap, context)[0].value, 10.0);  // (-1, 3)
}

TEST(Rkhs, several_functions_are_measured_at_once) {
    Context context;
    const testing::Rows rows{{1, 0}, {0, 2}};
    const RkhsFunctions both = function("linear", rows, {1, 3, 0, 1}, 2);
    const std::vector<RkhsNumber> norms = squared_norms(both, context);
    EXPECT_EQ(norms[0].value, 1.0);
    EXPECT_EQ(norms[1].value, 9.0 + 4.0);
    const std::vector<RkhsNumber> values = reproduced_values(both, rows_of({{1, 1}}, 2), context);
    EXPECT_EQ(values[0].value, 1.0);
    EXPECT_EQ(values[1].value, 3.0 + 2.0);
}

TEST(Rkhs, two_ways_to_write_one_function_are_at_distance_zero) {
    // DUP: one point twice; (1/3, 1/3) and (2/3, 0) are the same function.
    Context context;
    const testing::Rows twice{{2.0, 1.0}, {2.0, 1.0}};
    const RkhsFunctions a = function("rbf(gamma=1)", twice, {1.0 / 3.0, 1.0 / 3.0});
    const RkhsFunctions b = function("rbf(gamma=1)", twice, {2.0 / 3.0, 0.0});
    const RkhsFunctions gap = difference(a, b, context);
    expect_fact("RK6", "DUP, (1/3,1/3) and (2/3,0)", squared_norms(gap, context)[0].value);
    expect_fact("RK6", "DUP, |f|^2 of both",
                std::vector<double>{squared_norms(a, context)[0].value,
                                    squared_norms(b, context)[0].value});
    EXPECT_EQ(gap.rows.rows(), 0);
    // A row moved by one unit in the last place is another point.
    const RkhsFunctions near =
        function("rbf(gamma=1)", {{2.0, std::nextafter(1.0, 2.0)}}, {2.0 / 3.0});
    EXPECT_EQ(difference(a, near, context).rows.rows(), 2);
}

TEST(Rkhs, sparse_and_dense_rows_are_the_same_points) {
    Context context;
    const std::vector<index_t> offsets{0, 1, 3};
    const std::vector<index_t> indices{2, 0, 1};
    const std::vector<double> values{4.0, 1.0, 0.0};  // a stored zero is a zero
    RkhsFunctions sparse = function("rbf(gamma=1)", {{0, 0, 4}, {1, 0, 0}}, {1.5, -2.0});
    const RkhsFunctions dense = sparse;
    sparse.rows = Dataset(CsrView{offsets, indices, values, 3});
    EXPECT_EQ(difference(sparse, dense, context).rows.rows(), 0);
}

TEST(Rkhs, the_reproducing_property_is_a_sum_over_the_rows) {
    Context context;
    Random random(4);
    const testing::Rows rows = testing::normal_rows(random, 30, 3);
    std::vector<double> beta(30);
    for (double& value : beta) {
        value = random.normal();
    }
    const RkhsFunctions f = function("rbf(gamma=0.7) + 0.2 * linear", rows, beta);
    const testing::Rows points = testing::normal_rows(random, 20, 3);
    const Dataset probe = rows_of(points, 3);
    const std::vector<RkhsNumber> values = reproduced_values(f, probe, context);
    std::vector<double> plain;
    double largest = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < rows.size(); ++j) {
            sum += beta[j] * f.kernel(rows[j], points[i]);
        }
        plain.push_back(sum + 0.5);
        // <f, k_x> as an inner product of two functions.
        const RkhsFunctions at_x = function("rbf(gamma=0.7) + 0.2 * linear", {points[i]}, {1.0});
        largest = std::max(largest,
                           std::abs(inner_products(f, at_x, context)[0].value - (plain[i] - 0.5)));
    }
    expect_fact("RK2", "largest |f(x) - <f, k_x>|", largest);
    const std::vector<double> intercept{0.5};
    const ReproducingProperty property = reproducing_property(plain, intercept, values, 30);
    expect_fact("RK2", "holds within the stated rounding", property.holds);
    EXPECT_LE(property.largest_difference, 1e-13);
    plain[7] += 1e-9;
    const ReproducingProperty broken = reproducing_property(plain, intercept, values, 30);
    EXPECT_FALSE(broken.holds);
    EXPECT_EQ(broken.row, 7);
}

TEST(Rkhs, the_evaluation_bound_is_reached_by_the_kernel_function_itself) {
    Context context;
    const RkhsFunctions f = function("poly(degree=3, coef0=1)", {{1, 2}}, {-2.5});
    const EvaluationBound bound = bound_on(f, rows_of({{0, 1}, {1, 2}, {3, -1}}, 2), context);
    expect_fact("RK3", "ratio of f = k_x at x", bound.largest_ratio);
    EXPECT_EQ(bound.row, 1);
    EXPECT_TRUE(bound.holds);
}

TEST(Rkhs, a_value_beyond_the_bound_is_found) {
    const std::vector<RkhsNumber> values{{1.0, 1e-15}, {-2.1, 1e-15}};
    const std::vector<RkhsNumber> norms{{4.0, 1e-15}};
    const std::vector<double> diagonal{1.0, 1.0};
    const EvaluationBound bound = evaluation_bound(values, norms, diagonal);
    EXPECT_FALSE(bound.holds);
    EXPECT_EQ(bound.row, 1);
    EXPECT_DOUBLE_EQ(bound.largest_ratio, 1.05);
    EXPECT_THROW(static_cast<void>(evaluation_bound(values, norms, {})), InvalidArgument);
}

TEST(Rkhs, functions_of_the_sobolev_and_paley_wiener_spaces_stay_below_their_bounds) {
    Context context;
    Random random(5);
    double sobolev = 0.0;
    double root = 0.0;
    double waves = 0.0;
    for (int repeat = 0; repeat < 50; ++repeat) {
        const testing::Rows points = testing::uniform_rows(random, 6, 1);
        std::vector<double> beta(6);
        for (double& value : beta) {
            value = random.normal();
        }
        const RkhsFunctions f = function("brownian-bridge", points, beta);
        const RkhsFunctions g = function("sinc(bandwidth=0.8)", points, beta);
        const testing::Rows where = testing::uniform_rows(random, 40, 1);
        const Dataset probe = rows_of(where, 1);
        const std::vector<RkhsNumber> at = reproduced_values(f, probe, context);
        const std::vector<RkhsNumber> wave = reproduced_values(g, probe, context);
        const double norm = std::sqrt(squared_norms(f, context)[0].value);
        const double wave_norm = std::sqrt(squared_norms(g, context)[0].value);
        for (std::size_t i = 0; i < where.size(); ++i) {
            const double x = where[i][0];
            sobolev = std::max(sobolev, std::abs(at[i].value) / (norm * std::sqrt(x * (1 - x))));
            root = std::max(root, std::abs(at[i].value) / (norm * std::sqrt(x)));
            waves = std::max(waves, std::abs(wave[i].value) / (wave_norm * std::sqrt(2 * 0.8)));
        }
    }
    expect_fact("RK3", "H_0^1: largest |f(x)| / (sqrt(x (1-x)) |f|)", sobolev);
    expect_fact("RK3", "H_0^1: largest |f(x)| / (sqrt(x) |f|)", root);
    expect_fact("RK3", "PW: largest |f(x)| / (sqrt(2A) |f|)", waves);
}

TEST(Rkhs, functions_of_different_spaces_are_refused_by_name) {
    Context context;
    const RkhsFunctions f = function("rbf(gamma=1)", {{1}}, {1});
    const RkhsFunctions g = function("rbf(gamma=2)", {{1}}, {1});
    try {
        static_cast<void>(inner_products(f, g, context));
        FAIL() << "no refusal";
    } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(),
                     "kernel: rbf(gamma=1) and rbf(gamma=2) span different spaces; functions are "
                     "compared in one");
    }
    RkhsFunctions wrong = f;
    wrong.coefficients = {1, 2};
    EXPECT_THROW(static_cast<void>(squared_norms(wrong, context)), InvalidArgument);
    const RkhsFunctions two = function("rbf(gamma=1)", {{1}}, {1, 2}, 2);
    EXPECT_THROW(static_cast<void>(difference(f, two, context)), InvalidArgument);
}

TEST(Rkhs, blocks_and_threads_change_no_bit) {
    Random random(6);
    const testing::Rows rows = testing::normal_rows(random, 300, 4);
    std::vector<double> beta(300);
    for (double& value : beta) {
        value = random.normal();
    }
    const RkhsFunctions f = function("rbf(gamma=0.3)", rows, beta);
    ContextOptions small;
    small.threads = 3;
    small.memory = index_t{4} << 20;
    Context narrow(small);
    ContextOptions one;
    one.threads = 1;
    Context wide(one);
    EXPECT_EQ(squared_norms(f, narrow)[0].value, squared_norms(f, wide)[0].value);
}

}  // namespace
}  // namespace mercer

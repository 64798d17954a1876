// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/precise_test.cpp - values in 113 bits against known digits, and the size of the
// bounds on rounding. That tiles keep the bounds is tested on every backend (conformance).
#include "mercer/kernels/precise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "gram_of.hpp"
#include "kernel_files.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "random_kernel.hpp"
#include "row_sizes.hpp"
#include "sample_kernels.hpp"

namespace mercer {
namespace {

using Row = std::vector<double>;

Kernel parsed(const std::string& text) { return parse_kernel(text).value(); }

/// The number whose decimals, fifteen at a time, follow its whole part.
Quad decimal(double whole, std::initializer_list<double> groups) {
    Quad value = whole;
    Quad unit = 1.0;
    for (const double group : groups) {
        unit /= 1e15;
        value += group * unit;
    }
    return value;
}

void expect_digits(const std::string& text, const Row& x, const Row& z, Quad known) {
    const Quad value = evaluate_precisely(parsed(text), x, z);
    EXPECT_LE(static_cast<double>(fabs(value - known)), 1e-32 * (1.0 + std::fabs(double(known))))
        << text;
}

TEST(PreciseFeatures, have_the_kernel_as_their_inner_product) {
    const Row x{0.1, -0.2, 3e7};
    const Row z{0.3, 0.7, -1e-5};
    const auto expect_product = [&](const std::string& text, std::size_t count) {
        const std::vector<Quad> a = precise_features(parsed(text), x, 100);
        const std::vector<Quad> b = precise_features(parsed(text), z, 100);
        ASSERT_EQ(a.size(), count) << text;
        ASSERT_EQ(b.size(), count) << text;
        Quad sum = 0.0;
        Quad size = 0.0;
        for (std::size_t k = 0; k < count; ++k) {
            sum += a[k] * b[k];
            size += fabs(a[k] * b[k]);
        }
        EXPECT_LE(static_cast<double>(fabs(sum - evaluate_precisely(parsed(text), x, z)) / size),
                  1e-32)
            << text;
    };
    expect_product("linear", 3);
    expect_product("0.3 * linear", 3);
    expect_product("poly(degree=1, coef0=0.5, scale=2)", 4);
    expect_product("poly(degree=2, coef0=0, scale=0.1)", 6);   // C(4, 2)
    expect_product("poly(degree=2, coef0=1, scale=0.1)", 10);  // C(5, 2)
    expect_product("7 * poly(degree=4, coef0=0.3, scale=2)", 35);
    EXPECT_EQ(precise_features(parsed("poly(degree=4, coef0=0.3, scale=2)"), x, 35).size(), 35U);
    for (const char* none :
         {"rbf(gamma=1)", "poly(degree=4, coef0=1, scale=1)", "linear + rbf(gamma=1)"}) {
        EXPECT_TRUE(precise_features(parsed(none), x, 34).empty()) << none;
    }
    EXPECT_TRUE(precise_features(parsed("linear"), {}, 34).empty());
}

// Digits by mpmath at 60 digits; 0.1 is the double of that name.
TEST(PreciseValues, have_thirty_two_known_digits) {
    const Row x{0.1, 0.2};
    const Row z{0.3, 0.7};
    expect_digits("rbf(gamma=0.3)", {0}, {1},
                  decimal(0, {740818220681717, 874291608235944, 651984876347402}));
    expect_digits("matern(nu=1.5, length=2)", {0}, {1},
                  decimal(0, {784887653957450, 654481473366633, 694349542737482}));
    expect_digits("matern(nu=2.5, length=2)", {0}, {1},
                  decimal(0, {828649142418125, 313075101248425, 481410886912713}));
    expect_digits("poly(degree=3, coef0=1, scale=0.1)", x, z,
                  decimal(1, {51871913000000, 2755899508599, 668300031040950}));
    expect_digits("sigmoid(gamma=0.1, coef0=-0.5)", x, z,
                  -decimal(0, {448642990846797, 326108668422608, 417833072809006}));
    expect_digits("rational-quadratic(alpha=1.5, length=2)", x, z,
                  decimal(0, {964814995351016, 944221640947664, 143745002938960}));
    expect_digits("negative-distance(power=0.7)", x, z,
                  -decimal(0, {648394465618419, 688854402563152, 67441987720412}));
    expect_digits("laplace(gamma=0.2)", x, z,
                  decimal(0, {869358235398805, 825454173593694, 689727880407739}));
    expect_digits("chi2(gamma=0.5)", x, z,
                  decimal(0, {827878488083237, 810081811970572, 94258633548365}));
    expect_digits("cosine", x, z, decimal(0, {998274373174995, 930990526976081, 310698304825498}));
    expect_digits("latent-gaussian(s=1, tau=2)", x, z,
                  decimal(0, {2548059589939, 263434155192500, 792152156210429}));
}

TEST(PreciseValues, sinc_has_them_near_zero_too) {
    expect_digits("sinc(bandwidth=3)", {0.25}, {0.7},
                  decimal(0, {572262460889426, 921188097578580, 828254256859406}));
    expect_digits("sinc(bandwidth=3)", {0}, {0x1.0p-30},
                  decimal(5, {999999999999999, 691821379842872, 944546140966886}));
}

/// |value in double - precise value| is within the bound, and the precise value within its range.
void expect_near(const Kernel& kernel, const Row& x, const Row& z) {
    RowSizes sizes;
    testing::cover(sizes, x);
    testing::cover(sizes, z);
    const KernelRounding rounding = kernel_rounding(kernel, sizes);
    const Quad precise = evaluate_precisely(kernel, x, z);
    EXPECT_LE(static_cast<double>(fabs(Quad(kernel(x, z)) - precise)), rounding.error)
        << to_string(kernel);
    EXPECT_LE(std::fabs(static_cast<double>(precise)), rounding.largest) << to_string(kernel);
}

TEST(PreciseValues, are_the_double_values_up_to_rounding) {
    Random random(5);
    for (int round = 0; round < 20; ++round) {
        const testing::Rows rows = testing::normal_rows(random, 2, 5);
        const testing::Rows counts = testing::uniform_rows(random, 2, 5);
        const testing::Rows numbers = testing::uniform_rows(random, 2, 1);
        for (const auto& list : {testing::kAnyRows, testing::kThreeColumns}) {
            for (const std::string& text : list) {
                expect_near(parsed(text), rows[0], rows[1]);
                expect_near(parsed(text), rows[0], rows[0]);
            }
        }
        for (const std::string& text : testing::kNonNegative) {
            expect_near(parsed(text), counts[0], counts[1]);
        }
        for (const std::string& text : testing::kUnitInterval) {
            expect_near(parsed(text), numbers[0], numbers[1]);
        }
    }
}

TEST(PreciseValues, of_random_expressions_are_the_double_values_up_to_rounding) {
    Random random(6);
    for (int round = 0; round < 500; ++round) {
        testing::RandomKernelOptions options;
        options.positive_definite_only = random.below(2) == 0;
        options.columns = 4;
        const Kernel kernel =
            testing::random_kernel(random, static_cast<int>(random.below(4)), options);
        const testing::Rows rows = testing::normal_rows(random, 2, 4);
        expect_near(kernel, rows[0], rows[1]);
        expect_near(kernel, rows[1], rows[1]);
    }
}

TEST(PreciseValues, of_matrix_kernels_take_the_matrix_as_it_is) {
    testing::MemoryKernelFiles files;
    files.matrices["A.npy"] = {"", 2, 2, {2, 1, 1, 3}};
    files.texts["m.json"] = R"({"prior": [0.3, 0.7], "conditional": [[0.9, 0.1], [0.2, 0.8]]})";
    const Kernel form = parse_kernel("quadratic-form(A.npy)", &files).value();
    const Row x{0.1, 1.0};
    const Row z{1.0, 0.1};
    EXPECT_TRUE(evaluate_precisely(form, x, z) ==
                1.0 + 1.0 * Quad(0.1) * 5.0 + Quad(0.1) * Quad(0.1));
    expect_near(form, x, z);
    const Kernel mixture = parse_kernel("mixture(m.json)", &files).value();
    expect_near(mixture, {0}, {1});
    expect_near(mixture, {1}, {1});
}

TEST(PreciseValues, sums_that_cancel_in_double_are_right) {
    const Row x{1e8, 1.0, -1e8};
    const Row z{1e8, 1.0, 1e8};
    EXPECT_TRUE(evaluate_precisely(linear_kernel(), x, z) == 1.0);
}

struct Halved {
    static constexpr const char* kName = "halved";
    static constexpr Definiteness kDefiniteness = Definiteness::positive_definite;
    double operator()(std::span<const double> x, std::span<const double> z) const {
        return 0.5 * x[0] * z[0];
    }
};

TEST(PreciseValues, there_are_none_of_user_kernels_tables_and_bessel_functions) {
    EXPECT_TRUE(has_precise_values(parsed("matern(nu=2.5) + 2 * exp(linear)")));
    EXPECT_FALSE(has_precise_values(parsed("1 + 2 * matern(nu=0.8)")));
    EXPECT_FALSE(has_precise_values(precomputed_kernel()));
    const Kernel custom = make_custom_kernel(Halved{});
    EXPECT_FALSE(has_precise_values(custom + linear_kernel()));
    EXPECT_TRUE(evaluate_precisely(custom, Row{3}, Row{5}) == 7.5);
    EXPECT_EQ(kernel_rounding(custom, {.columns = 1}).error, 0.0);
    EXPECT_EQ(kernel_rounding(custom, {.columns = 1}).largest, kInfinity);
    EXPECT_THROW((void)evaluate_precisely(precomputed_kernel(), Row{1}, Row{1}), InvalidArgument);
    EXPECT_THROW((void)evaluate_precisely(linear_kernel(), Row{1}, Row{1, 2}), InvalidArgument);
}

TEST(RowSizes, of_gathered_rows_have_the_least_norm_of_those_that_are_not_zero) {
    RowSizesGatherer gatherer(2);
    index_t row = 0;
    for (const auto& [first, second] : {std::pair{3.0, -4.0}, {0.0, 1.0}, {0.0, 0.0}, {2.0, 2.0}}) {
        gatherer.add(row, first);
        gatherer.add(row, second);
        ++row;
    }
    const RowSizes sizes = gatherer.sizes();
    EXPECT_EQ(sizes.columns, 2);
    EXPECT_EQ(sizes.squared_norm, 25.0);
    EXPECT_EQ(sizes.l1_norm, 7.0);
    EXPECT_EQ(sizes.largest_entry, 4.0);
    EXPECT_EQ(sizes.least_squared_norm, 1.0);
}

TEST(KernelRounding, is_small_for_rows_of_ordinary_size) {
    const RowSizes sizes{20, 25.0, 20.0, 4.0, 0.5};
    for (const auto& list : {testing::kAnyRows, testing::kThreeColumns, testing::kNonNegative}) {
        for (const std::string& text : list) {
            const Kernel kernel = parsed(text);
            const KernelRounding rounding = kernel_rounding(kernel, sizes);
            const double most = text == "negative-distance(power=0.7)" ? 1e-9 : 1e-10;
            if (has_precise_values(kernel)) {
                EXPECT_LE(rounding.error, most * (1.0 + rounding.largest)) << text;
            } else {
                EXPECT_EQ(rounding.error, kInfinity) << text << ": nothing can be shown";
            }
        }
    }
}

TEST(KernelRounding, knows_the_largest_value_of_kernels_that_attain_it) {
    const Row row{0.6, 0.8};  // and its opposite: |x|^2 = 1
    RowSizes sizes;
    testing::cover(sizes, row);
    const double height = 1.0 / (2.0 * std::numbers::pi * std::sqrt(3.0));  // 2 tau^2 + s^2 = 3
    const std::vector<std::pair<std::string, double>> largest{
        {"rbf(gamma=0.3)", 1.0},
        {"laplace(gamma=0.3)", 1.0},
        {"linear", 1.0},
        {"poly(degree=3, coef0=1, scale=2)", 27.0},
        {"latent-gaussian(s=1, tau=1)", height * height},
        {"4 * rbf(gamma=1) + 2 * linear", 6.0},
    };
    for (const auto& [text, value] : largest) {
        const double bound = kernel_rounding(parsed(text), sizes).largest;
        EXPECT_GE(bound, value * (1.0 - 1e-15)) << text;
        EXPECT_LE(bound, value * (1.0 + 1e-9)) << text;
    }
}

TEST(KernelRounding, covers_the_largest_row_of_a_matrix) {
    testing::MemoryKernelFiles files;
    files.matrices["a.npy"] = {"a.npy", 2, 2, {1.0, 0.0, 0.0, 9.0}};
    const Kernel kernel = parse_kernel("quadratic-form(a.npy)", &files).value();
    const Row row{0.0, 1.0};  // of value 9
    RowSizes sizes;
    testing::cover(sizes, row);
    EXPECT_GE(kernel_rounding(kernel, sizes).largest, 9.0);
    EXPECT_LE(kernel_rounding(kernel, sizes).largest, std::sqrt(1.0 + 81.0) * (1.0 + 1e-9));
    expect_near(kernel, row, row);
}

TEST(KernelRounding, says_that_it_knows_nothing_rather_than_little) {
    const RowSizes any{3, 9.0, 5.0, 3.0, 0.0};
    EXPECT_EQ(kernel_rounding(parsed("cosine"), any).error, kInfinity);
    EXPECT_EQ(kernel_rounding(parsed("normalized(linear)"), any).error, kInfinity);
    EXPECT_EQ(kernel_rounding(parsed("exp(linear)"), {2, 1e6, 2e3, 1e3}).error, kInfinity);
    EXPECT_EQ(kernel_rounding(parsed("rbf(gamma=1)"), {2, kInfinity, 1.0, 1.0}).error, kInfinity);
    EXPECT_EQ(kernel_rounding(parsed("2 * sigmoid"), {2, kInfinity, 1.0, 1.0}).error, kInfinity);
    EXPECT_THROW((void)kernel_rounding(parsed("rbf"), any), InvalidArgument);
    EXPECT_THROW((void)kernel_rounding(parsed("columns(linear; 5)"), any), InvalidArgument);
}

TEST(KernelRounding, of_a_normalized_kernel_does_not_grow_with_the_rows) {
    for (const char* text :
         {"normalized(poly)", "normalized(linear + monomial(degree=2))",
          "normalized(rbf(gamma=1e-20) * poly(degree=2))", "normalized(scaled(linear; 1 + norm))",
          "cosine", "normalized(polynomial(linear; 1, 2, 3))"}) {
        const RowSizes sizes{3, 1e12, 1.5e6, 1e6, 1e-3};
        EXPECT_LE(kernel_rounding(parsed(text), sizes).error, 1e-13) << text;
    }
    // An indefinite kernel may have a diagonal near 0.
    EXPECT_EQ(kernel_rounding(parsed("normalized(poly(coef0=-1))"), {3, 1e12, 1.5e6, 1e6}).error,
              kInfinity);
}

TEST(KernelRounding, of_a_normalized_sum_uses_every_part_that_is_positive_at_a_zero_row) {
    // Indefinite and 0 on the diagonal: the other part alone bounds the divisor.
    for (const char* text : {"sinc", "rbf(gamma=1)", "laplace", "chi2", "matern(nu=1.5)", "delta",
                             "rational-quadratic", "latent-gaussian", "constant(1)"}) {
        const Kernel kernel =
            parsed("normalized(" + std::string(text) + " + negative-distance(power=1))");
        EXPECT_LE(kernel_rounding(kernel, {1, 4.0, 2.0, 2.0, 1.0}).error, 1e-10) << text;
    }
    for (const char* text : {"linear", "intersection", "monomial", "poly(coef0=0)"}) {
        const Kernel kernel =
            parsed("normalized(" + std::string(text) + " + negative-distance(power=1))");
        EXPECT_EQ(kernel_rounding(kernel, {1, 4.0, 2.0, 2.0, 1.0}).error, kInfinity) << text;
    }
}

TEST(KernelRounding, of_a_function_of_the_distance_is_small_for_rows_of_any_size) {
    const RowSizes sizes{3, 1e16, 1.5e8, 1e8, 1e-3};
    for (const char* text : {"rbf(gamma=1)", "rbf(gamma=1e6)", "matern(nu=1.5)", "matern(nu=2.5)",
                             "rational-quadratic"}) {
        EXPECT_LE(kernel_rounding(parsed(text), sizes).error, 1e-11) << text;
    }
    // A slope of 1 at distances of 2e8.
    EXPECT_GE(kernel_rounding(parsed("laplace(gamma=1)"), sizes).error, 1e-8);
}

TEST(KernelRounding, of_a_product_is_relative_to_the_size_of_both_factors) {
    constexpr double kLarge = 123456789.1;
    constexpr double kLarger = 987654321.3;
    for (const char* text : {"constant(123456789.1) * constant(987654321.3)",
                             "constant(987654321.3) * constant(123456789.1)"}) {
        const double error = kernel_rounding(parsed(text), {.columns = 1}).error;
        EXPECT_GE(error, 0x1.0p-53 * kLarge * kLarger) << text;  // that of one multiplication
        EXPECT_LE(error, 0x1.0p-50 * kLarge * kLarger) << text;
        expect_near(parsed(text), {1.0}, {1.0});
    }
}

TEST(KernelRounding, counts_a_column_as_often_as_it_is_chosen) {
    const RowSizes sizes{2, 4.0, 2.0, 2.0};
    const double once = kernel_rounding(parsed("columns(linear; 0)"), sizes).largest;
    const double twice = kernel_rounding(parsed("columns(linear; 0, 0)"), sizes).largest;
    EXPECT_NEAR(once, 4.0, 1e-9);
    EXPECT_NEAR(twice, 8.0, 1e-9);
}

}  // namespace
}  // namespace mercer

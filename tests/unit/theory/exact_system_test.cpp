// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/exact_system_test.cpp - doubles as rationals, systems of equations in integers.
#include "theory/exact_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::theory {
namespace {

// GMP's numbers are compared by EXPECT_TRUE: printing them would take another library.

TEST(exact_number, doubles_and_rationals_are_the_same_number) {
    Random random(1);
    for (int k = 0; k < 1000; ++k) {
        const double x = std::ldexp(random.normal(), static_cast<int>(random.below(2000)) - 1000);
        EXPECT_EQ(nearest_double(rational_of(x)), x);
        EXPECT_TRUE(shifted(Rational(scaled_integer(x, 1074)), -1074) == rational_of(x));
        if (x != 0.0) {
            EXPECT_TRUE(shifted(rational_of(x), -lowest_exponent(x)).get_den() == 1);
            EXPECT_FALSE(shifted(rational_of(x), -lowest_exponent(x) - 1).get_den() == 1);
        }
    }
    const double least = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(nearest_double(rational_of(least)), least);
    EXPECT_EQ(nearest_double(rational_of(std::numeric_limits<double>::max())),
              std::numeric_limits<double>::max());
    EXPECT_EQ(nearest_double(shifted(Rational(1), 2000)), kInfinity);
    EXPECT_EQ(nearest_double(shifted(Rational(1), -2000)), 0.0);
}

TEST(exact_number, the_nearest_double_is_the_one_that_division_gives) {
    Random random(2);
    for (int k = 0; k < 1000; ++k) {
        const auto p = static_cast<long>(random.below(1L << 53)) - (1L << 52);
        const auto q = static_cast<long>(random.below(1L << 53)) + 1;
        Rational x(p, q);
        x.canonicalize();
        EXPECT_EQ(nearest_double(x), static_cast<double>(p) / static_cast<double>(q));
    }
}

TEST(exact_number, text_that_is_no_rational_is_refused) {
    EXPECT_TRUE(parse_rational("-6/4") == Rational(-3, 2));
    EXPECT_TRUE(parse_rational("7") == 7);
    for (const char* text : {"", "x", "1/0", "1.5"}) {
        EXPECT_THROW((void)parse_rational(text), InvalidArgument) << text;
    }
}

TEST(exact_system, solutions_satisfy_their_equations_exactly) {
    Context context;
    Random random(3);
    for (const std::size_t n : {1u, 2u, 5u, 12u, 30u}) {
        IntegerMatrix a(n);
        std::vector<Integer> b;
        for (Integer& entry : a.entries) {
            entry = scaled_integer(random.normal(), 70);
        }
        for (std::size_t i = 0; i < n; ++i) {
            b.emplace_back(static_cast<long>(random.below(1000)) - 500);
        }
        RationalVector x;
        ASSERT_TRUE(solve_exactly(a, b, x, context));
        EXPECT_TRUE(x.denominator > 0);
        for (std::size_t i = 0; i < n; ++i) {
            Integer sum;
            for (std::size_t j = 0; j < n; ++j) {
                sum += a(i, j) * x.numerators[j];
            }
            EXPECT_TRUE(sum == b[i] * x.denominator);
        }
    }
}

TEST(exact_system, singular_matrices_are_told) {
    Context context;
    IntegerMatrix a(2);
    a.entries = {1, 2, 2, 4};
    RationalVector x;
    EXPECT_FALSE(solve_exactly(a, std::vector<Integer>{1, 2}, x, context));
}

TEST(exact_system, a_matrix_that_is_singular_modulo_the_first_prime_is_solved_by_the_next) {
    Context context;
    IntegerMatrix a(1);
    a.entries = {Integer(2147483647)};
    RationalVector x;
    ASSERT_TRUE(solve_exactly(a, std::vector<Integer>{3}, x, context));
    EXPECT_TRUE(x.numerators[0] == 3);
    EXPECT_TRUE(x.denominator == 2147483647);
}

TEST(exact_system, the_rank_of_a_product_is_its_inner_dimension) {
    Random random(4);
    for (std::size_t inner = 0; inner <= 5; ++inner) {
        std::vector<std::vector<Integer>> product(7, std::vector<Integer>(5));
        for (std::size_t k = 0; k < inner; ++k) {
            std::vector<long> right;
            for (int j = 0; j < 5; ++j) {
                right.push_back(static_cast<long>(random.below(1001)) - 500);
            }
            for (std::vector<Integer>& row : product) {
                const long left = static_cast<long>(random.below(1001)) - 500;
                for (std::size_t j = 0; j < 5; ++j) {
                    row[j] += left * right[j];
                }
            }
        }
        IndependentVectors independent(5);
        for (const std::vector<Integer>& row : product) {
            std::vector<std::uint64_t> residues;
            for (const Integer& x : row) {
                residues.push_back(IndependentVectors::residue(x));
            }
            static_cast<void>(independent.add(residues));
        }
        EXPECT_EQ(exact_rank(product), inner);
        EXPECT_EQ(independent.rank(), inner);
    }
}

}  // namespace
}  // namespace mercer::theory

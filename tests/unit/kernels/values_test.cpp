// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/values_test.cpp - the value of every kernel of the catalogue, by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "gram_of.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/formulas.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::eigenvalues;
using testing::gram_of;
using testing::normal_rows;
using testing::Rows;
using testing::SquareMatrix;

using Row = std::vector<double>;

double value(const std::string& text, const Row& x, const Row& z) {
    return parse_kernel(text).value()(x, z);
}

/// Row by row.
std::vector<double> flat(const SquareMatrix& matrix) {
    std::vector<double> out;
    for (const std::vector<double>& row : matrix) {
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

TEST(KernelValues, linear_is_the_inner_product) {
    expect_fact("K01", "x=(1,2), z=(3,1)", value("linear", {1, 2}, {3, 1}));
    EXPECT_EQ(value("linear", {}, {}), 0.0);
}

TEST(KernelValues, monomial_of_degree_two_is_25) {
    expect_fact("K03", "x=(1,2), z=(3,1), d=2", value("monomial(degree=2)", {1, 2}, {3, 1}));
    EXPECT_EQ(value("monomial(3)", {1, 2}, {3, 1}), 125.0);
}

TEST(KernelValues, poly_with_coef0_three_is_25) {
    expect_fact("K04", "x=(1,2), z=(0,1), c=3, d=2",
                value("poly(degree=2, coef0=3)", {1, 2}, {0, 1}));
    EXPECT_EQ(value("poly(2, 1, 0.5)", {1, 2}, {0, 1}), 4.0);
    EXPECT_EQ(value("poly", {1}, {1}), 8.0);
}

TEST(KernelValues, cubic_sum_kernel_of_two_is_15) {
    expect_fact("K05", "s=2, d=3", value("polynomial(linear; 1, 1, 1, 1)", {2}, {1}));
    expect_fact("K05", "s=2, d=5", value("polynomial(linear; 1, 1, 1, 1, 1, 1)", {2}, {1}));
}

TEST(KernelValues, rbf_matches_the_printed_number_and_is_one_on_the_diagonal) {
    expect_fact("K06", "x=0.5, z=1, sigma=1", value("rbf(sigma=1)", {0.5}, {1.0}));
    expect_fact("K06", "x=z", value("rbf(gamma=3)", {0.1, 1e8}, {0.1, 1e8}));
    EXPECT_EQ(value("rbf(gamma=1)", {1e200}, {-1e200}), 0.0);  // exp(-inf), never NaN
}

TEST(KernelValues, rbf_gram_of_distinct_points_is_invertible) {
    Random random(1);
    const SquareMatrix gram = gram_of(rbf_kernel(0.5), normal_rows(random, 12, 2));
    expect_fact("K06", "12 distinct points: least eigenvalue > 0", eigenvalues(gram).front() > 0.0);
}

TEST(KernelValues, laplace_uses_the_sum_of_absolute_differences) {
    EXPECT_DOUBLE_EQ(value("laplace(gamma=0.2)", {1, 2}, {3, -1}), std::exp(-1.0));
}

TEST(KernelValues, matern_closed_forms_agree_with_the_bessel_form) {
    for (const double nu : {0.5, 1.5, 2.5}) {
        for (const double distance : {1e-9, 1e-3, 0.3, 1.0, 7.0, 40.0}) {
            const double closed = formulas::matern(distance, nu, 2.0);
            const double bessel = formulas::matern_general(distance, nu, 2.0);
            EXPECT_NEAR(closed, bessel, 1e-13 + 1e-12 * closed) << nu << " " << distance;
        }
    }
    EXPECT_DOUBLE_EQ(value("matern(nu=1.5, length=2)", {0}, {2}),
                     (1.0 + std::sqrt(3.0)) * std::exp(-std::sqrt(3.0)));
}

TEST(KernelValues, matern_of_any_smoothness_is_one_at_zero_and_falls) {
    for (const double nu : {0.01, 0.3, 1.0, 3.0, 17.5, 50.0}) {
        EXPECT_EQ(formulas::matern(0.0, nu, 1.0), 1.0);
        double last = 1.0;
        for (double distance = 1e-200; distance < 1e200; distance *= 7.0) {
            const double now = formulas::matern(distance, nu, 1.0);
            EXPECT_LE(now, last + 1e-12) << nu << " " << distance;
            EXPECT_GE(now, 0.0);
            last = now;
        }
        EXPECT_EQ(formulas::matern(kInfinity, nu, 1.0), 0.0);
    }
    EXPECT_EQ(formulas::matern(kInfinity, 1.5, 1.0), 0.0);
    EXPECT_EQ(formulas::matern(kInfinity, 2.5, 1.0), 0.0);
}

TEST(KernelValues, rational_quadratic_of_alpha_one_is_a_cauchy_density) {
    EXPECT_DOUBLE_EQ(value("rational-quadratic(alpha=1, length=1)", {0}, {2}), 1.0 / 3.0);
    EXPECT_NEAR(value("rational-quadratic(alpha=1e12, length=1)", {0}, {2}), std::exp(-2.0), 1e-11);
    EXPECT_EQ(value("rational-quadratic(alpha=2, length=1e-200)", {1}, {1}), 1.0);
}

TEST(KernelValues, sigmoid_is_a_hyperbolic_tangent) {
    EXPECT_DOUBLE_EQ(value("sigmoid(gamma=0.5, coef0=-1)", {2}, {3}), std::tanh(2.0));
    EXPECT_EQ(value("sigmoid(gamma=1e300)", {2}, {3}), 1.0);
}

TEST(KernelValues, delta_gram_of_distinct_rows_is_the_identity) {
    const SquareMatrix gram = gram_of(parse_kernel("delta").value(), {{1, 2}, {1, 3}, {0, 2}});
    expect_fact("K10", "three distinct rows: Gram matrix", flat(gram));
    EXPECT_EQ(value("delta", {0.0}, {-0.0}), 1.0);
}

TEST(KernelValues, brownian_bridge_is_an_eighth_between_a_quarter_and_a_half) {
    expect_fact("K11", "k(0.25, 0.5)", value("brownian-bridge", {0.25}, {0.5}));
    for (const double x : {0.0, 0.3, 1.0}) {
        expect_fact("K11", "k(0, y) and k(1, y)", value("brownian-bridge", {0}, {x}));
        expect_fact("K11", "k(0, y) and k(1, y)", value("brownian-bridge", {1}, {x}));
    }
}

TEST(KernelValues, brownian_bridge_bounds_evaluation_by_the_root_of_its_diagonal) {
    // f = k(0.3, .) + 2 k(0.8, .): |f(x)| <= |f| sqrt(x (1-x)) <= |f| sqrt(x)
    const Kernel k = parse_kernel("brownian-bridge").value();
    const Row a{0.3};
    const Row b{0.8};
    const double norm = std::sqrt(k(a, a) + 4.0 * k(a, b) + 4.0 * k(b, b));
    for (double x = 0.01; x < 1.0; x += 0.01) {
        const double f = k(a, Row{x}) + 2.0 * k(b, Row{x});
        EXPECT_LE(std::fabs(f), norm * std::sqrt(x * (1.0 - x)) * (1.0 + 1e-14));
    }
}

TEST(KernelValues, sinc_of_half_is_the_identity_on_integers) {
    const SquareMatrix gram =
        gram_of(parse_kernel("sinc(bandwidth=0.5)").value(), {{0}, {1}, {-2}, {1000}});
    expect_fact("K12", "A=0.5, whole numbers: Gram matrix", flat(gram));
    expect_fact("K12", "A=0.5: k(0, 0.5)", value("sinc(bandwidth=0.5)", {0}, {0.5}));
    expect_fact("K12", "A=3: k(7, 7)", value("sinc(bandwidth=3)", {7}, {7}));
}

TEST(KernelValues, sinc_is_smooth_where_the_series_takes_over) {
    double largest = 0.0;
    for (double t = 1e-300; t < 1.0; t *= 1.7) {
        const long double angle = 2.0L * 3.14159265358979323846264L * 0.7L * t;
        const long double exact = 1.4L * (angle < 1e-9L ? 1.0L : std::sin(angle) / angle);
        largest = std::max(largest, static_cast<double>(std::fabs(formulas::sinc(t, 0.7) - exact)));
    }
    expect_fact("K12", "A=0.7, differences 1e-300 to 1: largest error", largest);
    EXPECT_EQ(formulas::sinc(1e300, 1e300), 0.0);
}

TEST(KernelValues, cosine_of_a_zero_row_is_zero) {
    EXPECT_EQ(value("cosine", {0, 0}, {1, 2}), 0.0);
    EXPECT_EQ(value("cosine", {0.3, 0.7}, {0.3, 0.7}), 1.0);
    EXPECT_DOUBLE_EQ(value("cosine", {1, 0}, {3, 4}), 0.6);
    EXPECT_DOUBLE_EQ(value("cosine", {1e-160, 0}, {3e-160, 4e-160}), 0.6);
}

TEST(KernelValues, chi2_counts_nothing_where_both_are_zero) {
    EXPECT_DOUBLE_EQ(value("chi2(gamma=1)", {1, 0, 2}, {3, 0, 2}), std::exp(-1.0));
    EXPECT_EQ(value("chi2", {0, 0}, {0, 0}), 1.0);
    EXPECT_EQ(value("chi2(gamma=1e-305)", {1e300}, {0}), std::exp(-1e-5));
}

TEST(KernelValues, intersection_sums_the_smaller_entries) {
    EXPECT_EQ(value("intersection", {1, 5, 0}, {2, 3, 7}), 4.0);
}

TEST(KernelValues, latent_gaussian_matches_the_printed_numbers_and_a_quadrature) {
    expect_fact("K09", "s=tau=1: k(0,0)", value("latent-gaussian", {0}, {0}));
    expect_fact("K09", "s=tau=1: k(1,0)", value("latent-gaussian(s=1, tau=1)", {1}, {0}));
    const auto density = [](double x, double mean, double deviation) {
        const double t = (x - mean) / deviation;
        return std::exp(-0.5 * t * t) / (deviation * std::sqrt(2.0 * formulas::kPi));
    };
    const double s = 0.7;
    const double tau = 1.3;
    double integral = 0.0;
    const double step = 1e-3;
    for (double u = -15.0; u <= 15.0; u += step) {
        integral += density(0.4, u, s) * density(-1.1, u, s) * density(u, 0.0, tau) * step;
    }
    expect_fact("K09", "s=0.7, tau=1.3: difference from a quadrature",
                std::fabs(value("latent-gaussian(s=0.7, tau=1.3)", {0.4}, {-1.1}) - integral));
    EXPECT_NEAR(value("latent-gaussian(s=0.7, tau=1.3)", {0.4, 0.4}, {-1.1, -1.1}),
                integral * integral, 1e-12);
}

TEST(KernelValues, negative_distance_takes_powers_up_to_two) {
    EXPECT_EQ(value("negative-distance", {1, 2}, {4, 6}), -25.0);
    EXPECT_EQ(value("negative-distance(1)", {1, 2}, {4, 6}), -5.0);
    EXPECT_DOUBLE_EQ(value("negative-distance(0.5)", {0}, {9}), -3.0);
}

TEST(KernelValues, integer_power_squares_no_further_than_needed) {
    EXPECT_EQ(formulas::integer_power(2.0, 0), 1.0);
    EXPECT_EQ(formulas::integer_power(-3.0, 3), -27.0);
    EXPECT_EQ(formulas::integer_power(2.0, 1000), std::ldexp(1.0, 1000));
    EXPECT_EQ(formulas::integer_power(1e200, 1), 1e200);
    EXPECT_EQ(formulas::integer_power(1.5, 1 << 20), kInfinity);
    EXPECT_EQ(formulas::integer_power(0.5, 2147483647), 0.0);
}

TEST(KernelValues, distances_survive_a_far_origin) {
    EXPECT_EQ(value("rbf(gamma=1)", {1e8 + 1.0}, {1e8}), std::exp(-1.0));
    EXPECT_EQ(value("negative-distance", {1e150}, {1e150}), 0.0);
}

TEST(KernelValues, inner_product_kernel_norm_is_the_norm_of_the_weights) {
    Random random(3);
    const Rows rows = normal_rows(random, 5, 3);
    const SquareMatrix gram = gram_of(linear_kernel(), rows);
    std::vector<double> beta(5);
    std::vector<double> w(3, 0.0);
    for (std::size_t i = 0; i < 5; ++i) {
        beta[i] = random.normal();
        for (std::size_t j = 0; j < 3; ++j) {
            w[j] += beta[i] * rows[i][j];
        }
    }
    double form = 0.0;
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            form += beta[i] * gram[i][j] * beta[j];
        }
    }
    expect_fact("K13", "difference, random",
                std::fabs(form - (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])));
}

TEST(KernelValues, rows_the_kernel_is_not_defined_on_are_refused) {
    EXPECT_THROW(value("linear", {1}, {1, 2}), InvalidArgument);
    EXPECT_THROW(value("rbf", {1}, {1}), InvalidArgument);  // gamma waits for the data
    EXPECT_THROW(value("precomputed", {1}, {1}), InvalidArgument);
    EXPECT_THROW(value("sinc", {1, 2}, {1, 2}), InvalidArgument);
    EXPECT_THROW(value("brownian-bridge", {1.5}, {0.5}), InvalidArgument);
    EXPECT_THROW(value("chi2", {1, -1}, {1, 1}), InvalidArgument);
    EXPECT_THROW(value("intersection", {1}, {std::nan("")}), InvalidArgument);
    EXPECT_THROW(value("columns(linear; 1:3)", {1, 2}, {1, 2}), InvalidArgument);
    EXPECT_THROW(value("scaled(linear; column(2))", {1, 2}, {1, 2}), InvalidArgument);
}

struct Tanimoto {
    static constexpr const char* kName = "tanimoto";
    static constexpr Definiteness kDefiniteness = Definiteness::positive_definite;
    double operator()(std::span<const double> x, std::span<const double> z) const {
        const auto n = static_cast<index_t>(x.size());
        const double xz = formulas::dot(x.data(), z.data(), n);
        return xz /
               (formulas::squared_norm(x.data(), n) + formulas::squared_norm(z.data(), n) - xz);
    }
};

TEST(KernelValues, a_user_kernel_composes_like_a_built_in_one) {
    const Kernel kernel = 0.5 * make_custom_kernel(Tanimoto{}) + linear_kernel();
    EXPECT_EQ(kernel(Row{1, 1}, Row{1, 0}), 0.25 + 1.0);
    EXPECT_EQ(to_string(kernel), "0.5 * tanimoto + linear");
    EXPECT_EQ(kernel.definiteness(), Definiteness::positive_definite);
}

}  // namespace
}  // namespace mercer

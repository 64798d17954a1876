// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/formulas.hpp - the scalar kernel formulas, written once for host and device.
//
// They turn the numbers two rows give (pairs.hpp) into k(x, z). Nothing here checks its input:
// kernels are checked when they are built.
#pragma once

#include <cmath>
#include <cstdint>

#include "mercer/base/types.hpp"
#include "mercer/kernels/pairs.hpp"

#if defined(__CUDACC__)
#define MERCER_HOST_DEVICE __host__ __device__
#else
#define MERCER_HOST_DEVICE
#endif

namespace mercer::formulas {

inline constexpr double kPi = 3.14159265358979323846;

/// base^exponent, exponent >= 0, by repeated squaring: at most two products per bit, and no
/// square beyond the last one needed (which could overflow for nothing).
MERCER_HOST_DEVICE inline double integer_power(double base, std::int64_t exponent) {
    double result = 1.0;
    while (exponent > 0) {
        if ((exponent & 1) != 0) {
            result *= base;
        }
        exponent >>= 1;
        if (exponent > 0) {
            base *= base;
        }
    }
    return result;
}

/// (scale x'z + coef0)^degree; monomial is scale 1, coef0 0.
MERCER_HOST_DEVICE inline double poly(double dot_product, std::int64_t degree, double coef0,
                                      double scale) {
    return integer_power(scale * dot_product + coef0, degree);
}

/// exp(-gamma |x - z|^2).
MERCER_HOST_DEVICE inline double rbf(double distance2, double gamma) {
    return std::exp(-gamma * distance2);
}

/// exp(-gamma sum |x_i - z_i|).
MERCER_HOST_DEVICE inline double laplace(double l1, double gamma) { return std::exp(-gamma * l1); }

/// exp(-gamma chi2_distance).
MERCER_HOST_DEVICE inline double chi2(double distance, double gamma) {
    return std::exp(-gamma * distance);
}

MERCER_HOST_DEVICE inline double matern_half(double distance, double length) {
    return std::exp(-distance / length);
}
MERCER_HOST_DEVICE inline double matern_three_halves(double distance, double length) {
    const double t = 1.7320508075688772 * (distance / length);
    const double decay = std::exp(-t);
    return decay == 0.0 ? 0.0 : (1.0 + t) * decay;  // not inf * 0 for infinite distances
}
MERCER_HOST_DEVICE inline double matern_five_halves(double distance, double length) {
    const double t = 2.2360679774997897 * (distance / length);
    const double decay = std::exp(-t);
    return decay == 0.0 ? 0.0 : (1.0 + t + t * t / 3.0) * decay;
}

/// 2 (t/2)^nu K_nu(t) / Gamma(nu), t = sqrt(2 nu) |x - z| / length, for 0 < nu <= 50.
inline double matern_general(double distance, double nu, double length) {
    const double t = std::sqrt(2.0 * nu) * (distance / length);
    if (!(t > 0.0)) {
        return t == 0.0 ? 1.0 : t;
    }
    if (t > 705.0) {
        return 0.0;  // K_nu(t) < exp(-t + nu^2 / 2t) is at the edge of underflow
    }
    const double bessel = std::cyl_bessel_k(nu, t);
    if (!std::isfinite(bessel)) {
        // t is so small that K_nu overflows; the value is 1 up to the second term of its series.
        return nu > 1.0 ? 1.0 - t * t / (4.0 * (nu - 1.0)) : 1.0;
    }
    const double value = 2.0 * std::pow(0.5 * t, nu) * bessel / std::tgamma(nu);
    return value < 1.0 ? value : 1.0;  // rounding near t = 0 must not pass the diagonal
}

/// Matern of smoothness nu; closed forms for 1/2, 3/2 and 5/2.
inline double matern(double distance, double nu, double length) {
    if (nu == 0.5) {
        return matern_half(distance, length);
    }
    if (nu == 1.5) {
        return matern_three_halves(distance, length);
    }
    if (nu == 2.5) {
        return matern_five_halves(distance, length);
    }
    return matern_general(distance, nu, length);
}

/// (1 + |x - z|^2 / (2 alpha length^2))^-alpha, through log1p so that a large alpha keeps digits.
MERCER_HOST_DEVICE inline double rational_quadratic(double distance2, double alpha, double length) {
    return std::exp(-alpha * std::log1p(distance2 / length / length / (2.0 * alpha)));
}

/// tanh(gamma x'z + coef0).
MERCER_HOST_DEVICE inline double sigmoid(double dot_product, double gamma, double coef0) {
    return std::tanh(gamma * dot_product + coef0);
}

/// sin(2 pi A t) / (pi t), t = x - z, A the bandwidth. The angle is reduced before it is
/// multiplied by pi, so zeros are exact; near t = 0 the series takes over and the diagonal is 2A.
MERCER_HOST_DEVICE inline double sinc(double difference, double bandwidth) {
    const double half_turns = 2.0 * bandwidth * difference;
    const double angle = kPi * half_turns;
    if (std::fabs(angle) < 1e-4) {
        return 2.0 * bandwidth * (1.0 - angle * angle / 6.0);  // next term: angle^4/120 < 1e-18
    }
    if (std::isinf(half_turns)) {
        return 0.0;
    }
    double turn = std::fmod(half_turns, 2.0);  // exact, in (-2, 2)
    if (turn == 1.0 || turn == -1.0) {
        turn = 0.0;
    }
    return 2.0 * bandwidth * (std::sin(kPi * turn) / angle);
}

/// min(x, z) (1 - max(x, z)) on [0, 1].
MERCER_HOST_DEVICE inline double brownian_bridge(double x, double z) {
    return x < z ? x * (1.0 - z) : z * (1.0 - x);
}

/// k(x,z) / sqrt(k(x,x) k(z,z)), and 0 where a diagonal value is not positive. The square root of
/// a rounded square is exact, so the diagonal is exactly 1; extreme values take two roots.
MERCER_HOST_DEVICE inline double normalized(double value, double diagonal_x, double diagonal_z) {
    if (diagonal_x <= 0.0 || diagonal_z <= 0.0) {
        return 0.0;
    }
    const double product = diagonal_x * diagonal_z;
    if (product > 1e-290 && product < 1e290) {
        return value / std::sqrt(product);
    }
    return value / (std::sqrt(diagonal_x) * std::sqrt(diagonal_z));
}

/// x'z / (|x| |z|), and 0 for a zero row.
MERCER_HOST_DEVICE inline double cosine(double dot_product, double norm2_x, double norm2_z) {
    return normalized(dot_product, norm2_x, norm2_z);
}

/// Product over n columns of the integral over u of N(x; u, s^2) N(z; u, s^2) N(u; 0, tau^2),
/// which is the density of N(0, [[a, tau^2], [tau^2, a]]), a = s^2 + tau^2, written along its axes
/// x + z (variance a + tau^2) and x - z (variance s^2).
MERCER_HOST_DEVICE inline double latent_gaussian(double sum2, double distance2, index_t n, double s,
                                                 double tau) {
    const double wide = 2.0 * tau * tau + s * s;
    const double quadratic = 0.25 * (sum2 / wide + distance2 / (s * s));
    const double log_height = -std::log(2.0 * kPi * s * std::sqrt(wide));
    return std::exp(static_cast<double>(n) * log_height - quadratic);
}

/// -|x - z|^power, 0 < power <= 2.
MERCER_HOST_DEVICE inline double negative_distance(double distance2, double power) {
    if (power == 2.0) {
        return -distance2;
    }
    return power == 1.0 ? -std::sqrt(distance2) : -std::pow(distance2, 0.5 * power);
}

/// c[0] + c[1] v + ... + c[count-1] v^(count-1), by Horner; count >= 1.
MERCER_HOST_DEVICE inline double polynomial(const double* coefficients, index_t count,
                                            double value) {
    double sum = coefficients[count - 1];
    for (index_t i = count - 2; i >= 0; --i) {
        sum = sum * value + coefficients[i];
    }
    return sum;
}

}  // namespace mercer::formulas

#undef MERCER_HOST_DEVICE

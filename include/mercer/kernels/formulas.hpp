// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/formulas.hpp - the scalar kernel formulas, written once for host and device.
//
// They compute k(x, z) from the numbers of a pair of rows (pairs.hpp), in the type of those
// numbers: double, or a type with more digits whose functions have the usual names
// (mercer/base/quad.hpp). Nothing here checks its input: kernels are checked when they are built.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "mercer/base/types.hpp"
#include "mercer/kernels/pairs.hpp"

#if defined(__CUDACC__)
#define MERCER_HOST_DEVICE __host__ __device__
#else
#define MERCER_HOST_DEVICE
#endif

namespace mercer::formulas {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kPiTail = 1.2246467991473531772e-16;  ///< pi - kPi

template <typename Real>
MERCER_HOST_DEVICE Real pi() {
    return Real(kPi) + Real(kPiTail);  // kPi itself in double
}

/// base^exponent, exponent >= 0, by repeated squaring: at most two products per bit, and no
/// square beyond the last one needed, which could overflow needlessly.
template <typename Real>
MERCER_HOST_DEVICE Real integer_power(Real base, std::int64_t exponent) {
    Real result = 1.0;
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
template <typename Real>
MERCER_HOST_DEVICE Real poly(Real dot_product, std::int64_t degree, double coef0, double scale) {
    return integer_power<Real>(scale * dot_product + coef0, degree);
}

/// exp(-gamma |x - z|^2).
template <typename Real>
MERCER_HOST_DEVICE Real rbf(Real distance2, double gamma) {
    using std::exp;
    return exp(-gamma * distance2);
}

/// exp(-gamma sum |x_i - z_i|).
template <typename Real>
MERCER_HOST_DEVICE Real laplace(Real l1, double gamma) {
    using std::exp;
    return exp(-gamma * l1);
}

/// exp(-gamma chi2_distance).
template <typename Real>
MERCER_HOST_DEVICE Real chi2(Real distance, double gamma) {
    using std::exp;
    return exp(-gamma * distance);
}

template <typename Real>
MERCER_HOST_DEVICE Real matern_half(Real distance, double length) {
    using std::exp;
    return exp(-distance / length);
}
template <typename Real>
MERCER_HOST_DEVICE Real matern_three_halves(Real distance, double length) {
    using std::exp;
    using std::sqrt;
    const Real t = sqrt(Real(3.0)) * (distance / length);
    const Real decay = exp(-t);
    return decay == 0.0 ? Real(0.0) : (1.0 + t) * decay;  // not inf * 0 for infinite distances
}
template <typename Real>
MERCER_HOST_DEVICE Real matern_five_halves(Real distance, double length) {
    using std::exp;
    using std::sqrt;
    const Real t = sqrt(Real(5.0)) * (distance / length);
    const Real decay = exp(-t);
    return decay == 0.0 ? Real(0.0) : (1.0 + t + t * t / 3.0) * decay;
}

/// 2 (t/2)^nu K_nu(t) / Gamma(nu), t = sqrt(2 nu) |x - z| / length, for 0 < nu <= 50. In double
/// only: no library offers the Bessel function with more digits.
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
    return value < 1.0 ? value : 1.0;  // rounding near t = 0 must not exceed the diagonal
}

/// True when matern() of that smoothness has a closed form.
inline bool is_closed_matern(double nu) { return nu == 0.5 || nu == 1.5 || nu == 2.5; }

/// Matern of smoothness nu; closed forms for 1/2, 3/2 and 5/2.
template <typename Real>
Real matern(Real distance, double nu, double length) {
    if (nu == 0.5) {
        return matern_half(distance, length);
    }
    if (nu == 1.5) {
        return matern_three_halves(distance, length);
    }
    if (nu == 2.5) {
        return matern_five_halves(distance, length);
    }
    return matern_general(static_cast<double>(distance), nu, length);
}

/// (1 + |x - z|^2 / (2 alpha length^2))^-alpha, by log1p so that a large alpha loses no digits.
template <typename Real>
MERCER_HOST_DEVICE Real rational_quadratic(Real distance2, double alpha, double length) {
    using std::exp;
    using std::log1p;
    return exp(-alpha * log1p(distance2 / length / length / (2.0 * alpha)));
}

/// tanh(gamma x'z + coef0).
template <typename Real>
MERCER_HOST_DEVICE Real sigmoid(Real dot_product, double gamma, double coef0) {
    using std::tanh;
    return tanh(gamma * dot_product + coef0);
}

/// sin(2 pi A t) / (pi t), t = x - z, A the bandwidth. The angle is reduced before it is
/// multiplied by pi, so zeros are exact; near t = 0 a power series is used, and the diagonal is 2A.
template <typename Real>
MERCER_HOST_DEVICE Real sinc(Real difference, double bandwidth) {
    using std::fabs;
    using std::fmod;
    using std::isinf;
    using std::sin;
    // The series' next term is angle^4/120: below 1e-18 in double, 1e-34 in more digits.
    constexpr double kSeries = std::is_same_v<Real, double> ? 1e-4 : 1e-8;
    const Real half_turns = 2.0 * bandwidth * difference;
    const Real angle = pi<Real>() * half_turns;
    if (fabs(angle) < kSeries) {
        return 2.0 * bandwidth * (1.0 - angle * angle / 6.0);
    }
    if (isinf(half_turns)) {
        return 0.0;
    }
    Real turn = fmod(half_turns, Real(2.0));  // exact, in (-2, 2)
    if (turn == 1.0 || turn == -1.0) {
        turn = 0.0;
    }
    return 2.0 * bandwidth * (sin(pi<Real>() * turn) / angle);
}

/// min(x, z) (1 - max(x, z)) on [0, 1].
template <typename Real>
MERCER_HOST_DEVICE Real brownian_bridge(Real x, Real z) {
    return x < z ? x * (1.0 - z) : z * (1.0 - x);
}

/// k(x,z) / sqrt(k(x,x) k(z,z)), and 0 where a diagonal value is not positive. The square root of
/// a rounded square is exact, so the diagonal is exactly 1; extreme values take two roots.
template <typename Real>
MERCER_HOST_DEVICE Real normalized(Real value, Real diagonal_x, Real diagonal_z) {
    using std::sqrt;
    if (diagonal_x <= 0.0 || diagonal_z <= 0.0) {
        return 0.0;
    }
    const Real product = diagonal_x * diagonal_z;
    if (product > 1e-290 && product < 1e290) {
        return value / sqrt(product);
    }
    return value / (sqrt(diagonal_x) * sqrt(diagonal_z));
}

/// x'z / (|x| |z|), and 0 for a zero row.
template <typename Real>
MERCER_HOST_DEVICE Real cosine(Real dot_product, Real norm2_x, Real norm2_z) {
    return normalized(dot_product, norm2_x, norm2_z);
}

/// Product over n columns of the integral over u of N(x; u, s^2) N(z; u, s^2) N(u; 0, tau^2),
/// which is the density of N(0, [[a, tau^2], [tau^2, a]]), a = s^2 + tau^2, written along its axes
/// x + z (variance a + tau^2) and x - z (variance s^2).
template <typename Real>
MERCER_HOST_DEVICE Real latent_gaussian(Real sum2, Real distance2, index_t n, double s,
                                        double tau) {
    using std::exp;
    using std::log;
    using std::sqrt;
    const Real narrow = Real(s) * s;
    const Real wide = 2.0 * Real(tau) * tau + narrow;
    const Real quadratic = 0.25 * (sum2 / wide + distance2 / narrow);
    const Real log_height = -log(2.0 * pi<Real>() * s * sqrt(wide));
    return exp(static_cast<double>(n) * log_height - quadratic);
}

/// -|x - z|^power, 0 < power <= 2.
template <typename Real>
MERCER_HOST_DEVICE Real negative_distance(Real distance2, double power) {
    using std::pow;
    using std::sqrt;
    if (power == 2.0) {
        return -distance2;
    }
    return power == 1.0 ? -sqrt(distance2) : -pow(distance2, Real(0.5 * power));
}

/// c[0] + c[1] v + ... + c[count-1] v^(count-1), by Horner; count >= 1.
template <typename Real>
MERCER_HOST_DEVICE Real polynomial(const double* coefficients, index_t count, Real value) {
    Real sum = coefficients[count - 1];
    for (index_t i = count - 2; i >= 0; --i) {
        sum = sum * value + coefficients[i];
    }
    return sum;
}

}  // namespace mercer::formulas

#undef MERCER_HOST_DEVICE

// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/basis_kernels.hpp - kernels as sums over orthonormal bases; a space without kernel.
//
// In a space of functions with an orthonormal basis e_n and bounded evaluation, the kernel is
// k(x, y) = sum_n e_n(x) e_n(y). Two spaces where both sides are known, and L2[0, 1], where
// evaluation is not bounded and there is no kernel.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer {

/// A partial sum of the series, and how far it may be from k(x, y).
struct BasisSum {
    index_t terms = 0;
    double sum = 0.0;
    double kernel = 0.0;  ///< k(x, y) in closed form
    double tail = 0.0;    ///< bound on |kernel - sum|
};

/// H_0^1[0, 1]: f(0) = f(1) = 0 with <f, g> the integral of f'g'. Basis, n = 1, 2, ...:
/// (cos(2 pi n t) - 1) / (sqrt(2) pi n) and sin(2 pi n t) / (sqrt(2) pi n); `terms` counts n.
///
///     k(x, y) = min(x, y) (1 - max(x, y))        tail <= 2 / (pi^2 terms)
///
/// Throws InvalidArgument unless 0 <= x, y <= 1 and terms >= 1.
[[nodiscard]] BasisSum sobolev_sum(double x, double y, index_t terms);

/// The Paley-Wiener space of band [-A, A], A the bandwidth. Basis, n = 0, 1, -1, 2, -2, ...:
/// the Fourier transforms of exp(i pi n t / A) / sqrt(2 A) on the band,
/// sqrt(2 A) sin(pi (2 A x - n)) / (pi (2 A x - n)); `terms` counts |n|.
///
///     k(x, y) = sin(2 pi A (x - y)) / (pi (x - y))
///     tail <= 2 A |sin(2 pi A x) sin(2 pi A y)| / pi^2 * sqrt(T(2 A x) T(2 A y)),
///     T(u) = 2 N / (N^2 - u^2) for |u| < N = terms
///
/// and 2 A while N <= 2 A max(|x|, |y|). Throws InvalidArgument unless x and y are
/// finite, the bandwidth is finite and > 0, and terms >= 1.
[[nodiscard]] BasisSum paley_wiener_sum(double x, double y, double bandwidth, index_t terms);

/// sup |f(x)| / |f| over the space, which is sqrt(k(x, x)): sqrt(x (1 - x)) or sqrt(2 A).
[[nodiscard]] double sobolev_evaluation_bound(double x);
[[nodiscard]] double paley_wiener_evaluation_bound(double bandwidth);

/// f_n(t) = (t / x)^n up to x and ((1 - t) / (1 - x))^n beyond it: f_n(x) = 1, while the norm in
/// L2[0, 1] goes to 0 like 1 / sqrt(2 n + 1). So no multiple of |f| bounds |f(x)| for all n.
struct PeakFunction {
    index_t power = 0;
    double value = 0.0;         ///< f_n(x)
    double squared_norm = 0.0;  ///< the integral of f_n^2, by quadrature
    double ratio = 0.0;         ///< |f_n(x)| / |f_n|
};

/// Throws InvalidArgument unless 0 < x < 1 and power >= 0.
[[nodiscard]] PeakFunction peak_function(double x, index_t power);

}  // namespace mercer

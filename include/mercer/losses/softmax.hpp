// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/softmax.hpp - log sum_k exp(z_k) - z_y, the logistic loss of many classes.
//
// One value z_k per class; adding the same number to all of them changes nothing. With two classes
// it is log(1 + exp(-(z_y - z_other))), the logistic loss of the difference.
#pragma once

#include <cmath>
#include <span>

#include "mercer/base/types.hpp"

namespace mercer {

/// y is the index of the row's class in z. The derivative is u = p - e_y, p the probabilities; u is
/// also the argument of the conjugate: u_k >= 0 for k != y, u_y in [-1, 0], and u sums to 0.
struct SoftmaxLoss {
    static constexpr const char* kName = "softmax";

    /// Accurate to rounding even when it is tiny.
    [[nodiscard]] static double value(index_t y, std::span<const double> z) {
        const auto own = static_cast<std::size_t>(y);
        const double top = greatest(z);
        double others = 0.0;
        for (std::size_t k = 0; k < z.size(); ++k) {
            others += k == own ? 0.0 : std::exp(z[k] - top);
        }
        return z[own] == top ? std::log1p(others)
                             : (top - z[own]) + std::log(others + std::exp(z[own] - top));
    }

    /// u = p - e_y into `out`; u_y is minus the sum of the others, so that it loses no digits when
    /// p_y is nearly 1.
    static void derivative(index_t y, std::span<const double> z, std::span<double> out) {
        const auto own = static_cast<std::size_t>(y);
        probabilities(z, out);
        double others = 0.0;
        for (std::size_t k = 0; k < z.size(); ++k) {
            others += k == own ? 0.0 : out[k];
        }
        out[own] = -others;
    }

    /// p_k = exp(z_k) / sum_l exp(z_l) without overflow.
    static void probabilities(std::span<const double> z, std::span<double> out) {
        const double top = greatest(z);
        double sum = 0.0;
        for (std::size_t k = 0; k < z.size(); ++k) {
            out[k] = std::exp(z[k] - top);
            sum += out[k];
        }
        for (double& p : out) {
            p /= sum;
        }
    }

    /// sup_z (u z - value(y, z)) = sum_k p_k log p_k, 0 log 0 = 0; +inf outside its domain.
    [[nodiscard]] static double conjugate(index_t y, std::span<const double> u) {
        const auto own = static_cast<std::size_t>(y);
        double sum = 0.0;
        for (std::size_t k = 0; k < u.size(); ++k) {
            if (k == own ? !(u[k] >= -1.0 && u[k] <= 0.0) : !(u[k] >= 0.0)) {
                return kInfinity;
            }
            if (k == own) {
                sum += u[k] > -1.0 ? (1.0 + u[k]) * std::log1p(u[k]) : 0.0;
            } else {
                sum += u[k] > 0.0 ? u[k] * std::log(u[k]) : 0.0;
            }
        }
        return sum;
    }

    /// p log(p / q) - p + q >= 0 for p = exp(log_p) and q = exp(log_q), without cancellation. The
    /// sum over the classes is value + conjugate - u z if p is the row's probabilities in u and q
    /// those at z: both add up to 1. With p = 0 and log_p = -infinity it is q.
    [[nodiscard]] static double divergence(double p, double log_p, double log_q) {
        constexpr double kSeries = 0.1;
        const double s = log_p - log_q;
        if (p == 0.0) {
            return std::exp(log_q);
        }
        if (std::abs(s) > kSeries) {
            return s < -1.0 ? std::exp(log_q) + p * (s - 1.0) : p * (std::expm1(-s) + s);
        }
        double sum = 1.0;  // of exp(-s) - 1 + s in units of s s / 2
        for (int n = 12; n > 2; --n) {
            sum = 1.0 - s / n * sum;
        }
        return p * (0.5 * s * s * sum);
    }

private:
    [[nodiscard]] static double greatest(std::span<const double> z) {
        double top = z[0];
        for (const double value : z) {
            top = value > top ? value : top;
        }
        return top;
    }
};

}  // namespace mercer

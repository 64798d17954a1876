// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/precise_features.cpp - monomials in 113 bits, each with the root of its coefficient.
//
// (s x'z + c)^d is the sum over the partitions (a0, a1, ..., an) of d of
//     d! / (a0! a1! ... an!)  c^a0  s^(a1 + ... + an)  prod_j x_j^aj  prod_j z_j^aj.
#include <cmath>
#include <optional>
#include <utility>

#include "mercer/kernels/precise.hpp"

namespace mercer {

namespace {

/// factor (s x'z + c)^d.
struct PowerOfDot {
    Quad factor = 1.0;
    double scale = 1.0;
    double constant = 0.0;
    int degree = 1;
};

std::optional<PowerOfDot> power_of_dot(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::linear:
            return PowerOfDot{};
        case KernelType::poly: {
            const double degree = node.parameters[0];
            constexpr double kMostDegree = 16.0;
            if (degree != std::floor(degree) || degree < 1.0 || degree > kMostDegree ||
                node.parameters[1] < 0.0 || !(node.parameters[2] > 0.0)) {
                return std::nullopt;
            }
            return PowerOfDot{1.0, node.parameters[2], node.parameters[1],
                              static_cast<int>(degree)};
        }
        case KernelType::scale: {
            std::optional<PowerOfDot> out = power_of_dot(node.children.front());
            if (out && node.parameters.front() > 0.0) {
                out->factor *= node.parameters.front();
                return out;
            }
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

/// Number of monomials with a nonzero coefficient: only those of degree d when c is 0. Infinite
/// when it overflows.
double monomials_of(const PowerOfDot& power, std::size_t columns) {
    const auto n = static_cast<double>(columns) - (power.constant == 0.0 ? 1.0 : 0.0);
    double count = 1.0;
    for (int k = 1; k <= power.degree; ++k) {
        count *= (n + k) / k;
    }
    return std::round(count);
}

/// The monomials of a row.
class Monomials {
public:
    Monomials(const PowerOfDot& power, std::span<const double> x) : power_(power), x_(x) {
        Quad square = power.factor;
        for (int k = 2; k <= power.degree; ++k) {
            square *= static_cast<double>(k);
        }
        append(0, power.degree, square, 1.0);
    }

    [[nodiscard]] std::vector<Quad> take() { return std::move(out_); }

private:
    /// Appends the monomials in the columns from `column` on, of degree at most `left`, times the
    /// product `value` of the columns before. `square` is the coefficient so far, without its power
    /// of c.
    void append(std::size_t column, int left, Quad square, Quad value) {
        if (column == x_.size()) {
            if (left > 0 && power_.constant == 0.0) {
                return;
            }
            for (int k = 1; k <= left; ++k) {
                square *= Quad(power_.constant) / static_cast<double>(k);
            }
            out_.push_back(sqrt(square) * value);
            return;
        }
        for (int exponent = 0; exponent <= left; ++exponent) {
            append(column + 1, left - exponent, square, value);
            square *= Quad(power_.scale) / static_cast<double>(exponent + 1);
            value *= x_[column];
        }
    }

    const PowerOfDot& power_;
    std::span<const double> x_;
    std::vector<Quad> out_;
};

}  // namespace

std::vector<Quad> precise_features(const Kernel& kernel, std::span<const double> x, index_t most) {
    const std::optional<PowerOfDot> power = power_of_dot(kernel);
    if (!power || x.empty() || !(monomials_of(*power, x.size()) <= static_cast<double>(most))) {
        return {};
    }
    return Monomials(*power, x).take();
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/hyperparameters.hpp - the positive hyperparameters of a kernel, and the
// derivatives of k with respect to their logarithms.
//
//     std::vector<Hyperparameter> all = free_hyperparameters(kernel);  // weight, gamma, ...
//     HyperparameterDerivative derivative(kernel);
//     double value = derivative(x, z, slopes);  // slopes[j] = dk / dlog t_j
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// One number of a kernel expression.
struct Hyperparameter {
    std::string name;  ///< "gamma"; "gamma[2]" for the second of several; a factor is a "weight"
    double value = 0.0;
};

/// The hyperparameters that are positive and continuous and have a derivative here: widths and
/// lengths of rbf, laplace, chi2, matern and rational-quadratic, scale and coef0 of poly,
/// constants, factors, and coefficients of polynomial(); in the order of the expression. Throws
/// InvalidArgument when one of them is still `scale`.
[[nodiscard]] std::vector<Hyperparameter> free_hyperparameters(const Kernel& kernel);

/// The other hyperparameters, which a search by derivatives does not change, in words: "nu of
/// matern".
[[nodiscard]] std::vector<std::string> fixed_hyperparameters(const Kernel& kernel);

/// The kernel with new values of its free hyperparameters, in the same order, each > 0.
[[nodiscard]] Kernel with_hyperparameters(const Kernel& kernel, std::span<const double> values);

/// k and its derivatives by the scalar formulas. The expression is analysed once.
class HyperparameterDerivative {
public:
    explicit HyperparameterDerivative(const Kernel& kernel);
    /// With other values of its free hyperparameters; their order and number do not depend on the
    /// values.
    HyperparameterDerivative(const Kernel& kernel, std::span<const double> values);

    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// k(x, z); slopes[j] receives the derivative with respect to the logarithm of free
    /// hyperparameter j. The rows have equal length and lie in the kernel's domain. Safe to call
    /// from several threads.
    double operator()(std::span<const double> x, std::span<const double> z,
                      std::span<double> slopes) const;

private:
    Kernel kernel_;
    index_t size_ = 0;
};

}  // namespace mercer

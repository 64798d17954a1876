// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/hyperparameters.hpp - the positive numbers of a kernel, and k's derivatives by
// their logarithms.
//
//     std::vector<Hyperparameter> all = free_hyperparameters(kernel);   // weight, gamma, length,
//     ... HyperparameterDerivative derivative(kernel); double value = derivative(x, z, slopes); //
//     slopes[j] = dk / dlog t_j
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

/// The numbers that are positive, continuous and have a derivative here: widths and lengths of rbf,
/// laplace, chi2, matern and rational-quadratic, scale and coef0 of poly, constants, factors, and
/// coefficients of polynomial(); in the order they are written. Throws InvalidArgument when one
/// still waits for the data.
[[nodiscard]] std::vector<Hyperparameter> free_hyperparameters(const Kernel& kernel);

/// The other numbers, which a search by derivatives leaves alone, in words: "nu of matern".
[[nodiscard]] std::vector<std::string> fixed_hyperparameters(const Kernel& kernel);

/// The kernel with other values of its free hyperparameters, in their order, each > 0.
[[nodiscard]] Kernel with_hyperparameters(const Kernel& kernel, std::span<const double> values);

/// k and its derivatives by the scalar formulas. The kernel's form is looked at once.
class HyperparameterDerivative {
public:
    explicit HyperparameterDerivative(const Kernel& kernel);
    /// At other values of its free hyperparameters; their order and number stay, whatever these
    /// are.
    HyperparameterDerivative(const Kernel& kernel, std::span<const double> values);

    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// k(x, z); slopes[j] receives the derivative by the logarithm of free hyperparameter j. Rows
    /// where the kernel is defined, of equal length. Safe to call from several threads.
    double operator()(std::span<const double> x, std::span<const double> z,
                      std::span<double> slopes) const;

private:
    Kernel kernel_;
    index_t size_ = 0;
};

}  // namespace mercer

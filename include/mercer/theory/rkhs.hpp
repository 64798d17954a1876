// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/rkhs.hpp - functions sum_j beta_j k(x_j, .) as vectors of the RKHS.
//
// The space has one inner product, fixed by <k(x, .), k(z, .)> = k(x, z). From it follow
//
//     |f|^2 = beta'K beta          f(x) = <f, k(x, .)>          |f(x)| <= |f| sqrt(k(x, x))
//
// Sums are compensated, so the rounding that matters is that of the kernel values, which
// kernels/precise.hpp bounds.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

class Context;

/// Several functions over the same rows: f_t = sum_j coefficients(j, t) k(row j, .).
struct RkhsFunctions {
    Kernel kernel;  ///< resolved, positive definite, not precomputed
    Dataset rows;
    std::vector<double> coefficients;  ///< rows x count, row-major
    index_t count = 1;
};

/// A sum of kernel values with coefficients.
struct RkhsNumber {
    double value = 0.0;
    double rounding = 0.0;  ///< bound on the error of `value`; assumed where none can be proved
    double size = 0.0;      ///< bound on the sum of the absolute values of its terms
};

/// <f_t, g_t> for every t. Cost: one pass over the kernel values of all pairs of rows, by blocks.
/// Throws InvalidArgument when the kernels or the counts differ, or the number of coefficients is
/// wrong.
[[nodiscard]] std::vector<RkhsNumber> inner_products(const RkhsFunctions& f, const RkhsFunctions& g,
                                                     Context& context);

/// |f_t|^2 for every t, never below 0.
[[nodiscard]] std::vector<RkhsNumber> squared_norms(const RkhsFunctions& f, Context& context);

/// f_t - g_t. Equal rows are merged by adding their coefficients, and rows whose coefficients
/// become 0 are dropped, so two expansions of the same function differ by exactly 0.
/// Throws like inner_products().
[[nodiscard]] RkhsFunctions difference(const RkhsFunctions& f, const RkhsFunctions& g,
                                       Context& context);

/// <f_t, k(x, .)> of every row x, which equals f_t(x) by the reproducing property. Rows x count,
/// row-major.
[[nodiscard]] std::vector<RkhsNumber> reproduced_values(const RkhsFunctions& f, const Dataset& rows,
                                                        Context& context);

/// How well f(x) = <f, k(x, .)> holds for values that a predictor gave.
struct ReproducingProperty {
    double largest_difference = 0.0;
    double rounding = 0.0;  ///< bound on the rounding of plain sums
    index_t row = -1;       ///< of the largest difference; -1: no rows
    bool holds = true;
};

/// Compares f_t(x) + intercepts[t] as predicted (rows x count, row-major) with what
/// reproduced_values() gave. `terms` is the number of terms of the predictor's plain sums.
[[nodiscard]] ReproducingProperty reproducing_property(std::span<const double> predicted,
                                                       std::span<const double> intercepts,
                                                       std::span<const RkhsNumber> values,
                                                       index_t terms);

/// How tight the bound |f(x)| <= |f| sqrt(k(x, x)) is.
struct EvaluationBound {
    double largest_ratio = 0.0;  ///< of |f(x)| to its bound; 0 if both are 0
    index_t row = -1;            ///< the row of the largest ratio; -1: no rows
    index_t function = -1;
    bool holds = true;  ///< no value exceeds its bound by more than rounding
};

/// Compares values of functions (rows x norms.size(), row-major) with their bounds. `norms` are
/// squared norms, `diagonal` is k(x, x) of the rows.
[[nodiscard]] EvaluationBound evaluation_bound(std::span<const RkhsNumber> values,
                                               std::span<const RkhsNumber> norms,
                                               std::span<const double> diagonal);

}  // namespace mercer

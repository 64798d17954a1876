// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/estimates.hpp - time and memory of solvers, from problem size and measured speeds.
#pragma once

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// Bytes of the blocks of a working set; 0 variables: decomposition's default size.
[[nodiscard]] index_t working_set_bytes(index_t rows, index_t working_set);

/// Gram rows on demand, in float32, and some vectors.
[[nodiscard]] Estimate estimate_rows(const ProblemSize& size, Speed& speed);

/// A factorisation of a matrix of all rows for each step.
[[nodiscard]] Estimate estimate_newton(const ProblemSize& size, Speed& speed);

/// A factorisation of a matrix of the columns or of the rows for each step.
[[nodiscard]] Estimate estimate_interior_point(const ProblemSize& size, Speed& speed);

/// Passes over the rows of X.
[[nodiscard]] Estimate estimate_dual_descent(const ProblemSize& size, Speed& speed);

/// One factorisation, and the certificate.
[[nodiscard]] Estimate estimate_cholesky(const ProblemSize& size, Speed& speed);

/// Some vectors, and a product with K for each step.
[[nodiscard]] Estimate estimate_products(const ProblemSize& size, Speed& speed);

/// The joint problem of size.outputs classes: a factorisation per class and step, or first-order
/// steps.
[[nodiscard]] Estimate estimate_softmax_newton(const ProblemSize& size, Speed& speed);
[[nodiscard]] Estimate estimate_softmax_products(const ProblemSize& size, Speed& speed);

}  // namespace mercer

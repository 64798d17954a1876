// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/estimates.cpp - estimates of bytes and seconds.
//
// Notation n rows, k outputs, v kernel values per second
#include "solvers/estimates.hpp"

#include <algorithm>

#include "mercer/base/checked.hpp"
#include "mercer/solvers/decomposition.hpp"
#include "solvers/choose.hpp"
#include "solvers/coordinate_driver.hpp"
#include "solvers/normal_system.hpp"

namespace mercer {

namespace {

// Kernel values computed by decomposition, in units of n^2: a tenth if there are few support
// vectors, several if there are many and the row cache is small.
constexpr double kLeastPasses = 0.1;
constexpr double kMostPasses = 4.0;

constexpr double kFewFactors = 4.0;  // steps of Newton's method
constexpr double kManyFactors = 20.0;

index_t square_bytes(index_t rows, index_t bytes) {
    return checked_multiply(checked_multiply(rows, rows), bytes);
}

/// Seconds of one product with K and size.outputs vectors.
double softmax_product(const ProblemSize& size, Speed& speed) {
    const auto n = static_cast<double>(size.rows);
    const auto k = static_cast<double>(size.outputs);
    return n * n / speed.kernel_values(Precision::float64) + 2.0 * n * n * k / speed.flops();
}

}  // namespace

index_t working_set_bytes(index_t rows, index_t working_set) {
    const index_t usual =
        rows <= DecompositionSolver::kWholeProblem ? rows : DecompositionSolver::kLargestSet;
    const index_t size = working_set > 0 ? std::min(rows, working_set) : usual;
    // float32 values, and a copy of the retained part: half of the set, or all of the whole
    // problem.
    return (size < rows ? 5 : 8) * size * size;
}

Estimate estimate_rows(const ProblemSize& size, Speed& speed) {
    const auto n = static_cast<double>(size.rows);
    const double v = speed.kernel_values(Precision::float32);
    return {.seconds_least = kLeastPasses * n * n / v,
            .seconds_most = kMostPasses * n * n / v,
            .needed_bytes = checked_multiply(size.rows, 4 * 2 + 8 * 8) +  // two rows, the vectors
                            working_set_bytes(size.rows, size.working_set),
            .cache_bytes = std::min({square_bytes(size.rows, 4),
                                     largest_cache(size.entries_per_row), size.memory_bytes / 2})};
}

Estimate estimate_newton(const ProblemSize& size, Speed& speed) {
    const auto n = static_cast<double>(size.rows);
    const double step =
        2.0 * n * n / speed.kernel_values(Precision::float64) + n * n * n / 3.0 / speed.flops();
    const index_t bytes = square_bytes(size.rows, 8);
    return {.seconds_least = kFewFactors * step,
            .seconds_most = kManyFactors * step,
            .needed_bytes = bytes,
            .matrix_bytes = bytes};
}

Estimate estimate_interior_point(const ProblemSize& size, Speed& speed) {
    constexpr double kFewSteps = 10.0;
    constexpr double kManySteps = 40.0;
    constexpr double kRowSeconds = 7e-7;  // for a row's variables, without products
    constexpr index_t kVectors = 60;      // two variables per row with multipliers and steps
    const bool columns = works_in_columns(size);
    const auto n = static_cast<double>(size.rows);
    double step = 2.0 * step_cost(size) / speed.flops() + kRowSeconds * n;
    if (!columns) {  // K beta, and recomputing the matrix
        step += 1.5 * n * n / speed.kernel_values(Precision::float64);
    }
    const index_t matrix = square_bytes(columns ? size.factor_columns + 2 : size.rows, 8);
    return {.seconds_least = kFewSteps * step,
            .seconds_most = kManySteps * step,
            .needed_bytes = matrix + checked_multiply(size.rows, 8 * kVectors),
            .matrix_bytes = columns ? 0 : matrix};
}

Estimate estimate_dual_descent(const ProblemSize& size, Speed& speed) {
    constexpr double kFewPasses = 10.0;
    constexpr double kManyPasses = 1000.0;
    constexpr index_t kRowBytes = 64 + 8 * 4;  // a variable, and some vectors
    const auto n = static_cast<double>(size.rows);
    const bool columns = size.factor_columns > 0;
    const auto stored = static_cast<index_t>(n * size.entries_per_row);
    const double pass = columns ? dual_descent_seconds(dual_descent_entries(size.rows, stored))
                                : dual_descent_seconds(n * n);
    const double matrix = columns ? 0.0 : n * n / speed.kernel_values(Precision::float64);
    const index_t bytes = columns ? 0 : square_bytes(size.rows, 8);
    return {.seconds_least = matrix + kFewPasses * pass,
            .seconds_most = matrix + kManyPasses * pass,
            .needed_bytes = bytes + checked_multiply(size.rows, kRowBytes),
            .matrix_bytes = bytes};
}

Estimate estimate_cholesky(const ProblemSize& size, Speed& speed) {
    const auto n = static_cast<double>(size.rows);
    const double values = n * n / speed.kernel_values(Precision::float64);
    const double factor = n * n * n * (size.leave_one_out ? 1.0 : 1.0 / 3.0) / speed.flops();
    const index_t bytes = square_bytes(size.rows, 8);
    // The certificate computes K again, and a factorisation is slower than a product.
    return {.seconds_least = values + factor,
            .seconds_most = 2.0 * values + 2.0 * factor,
            .needed_bytes = bytes,
            .matrix_bytes = bytes};
}

Estimate estimate_products(const ProblemSize& size, Speed& speed) {
    constexpr index_t kVectors = 50;  // lbfgs retains twenty pairs
    constexpr double kFewSteps = 20.0;
    constexpr double kManySteps = 2000.0;
    const auto n = static_cast<double>(size.rows);
    const double product = n * n / speed.kernel_values(Precision::float64);
    return {.seconds_least = kFewSteps * product,
            .seconds_most = kManySteps * product,
            .needed_bytes = checked_multiply(size.rows, 8 * kVectors)};
}

Estimate estimate_softmax_newton(const ProblemSize& size, Speed& speed) {
    const auto n = static_cast<double>(size.rows);
    const auto k = static_cast<double>(size.outputs);
    const double step = softmax_product(size, speed) + 8.0 / 3.0 * k * n * n * n / speed.flops();
    const index_t bytes = square_bytes(size.rows, 32);
    return {.seconds_least = kFewFactors * step,
            .seconds_most = kManyFactors * step,
            .needed_bytes = bytes,
            .matrix_bytes = bytes};
}

Estimate estimate_softmax_products(const ProblemSize& size, Speed& speed) {
    constexpr index_t kVectors = 50;
    constexpr double kFewSteps = 30.0;
    constexpr double kManySteps = 2000.0;
    const double product = softmax_product(size, speed);
    return {
        .seconds_least = kFewSteps * product,
        .seconds_most = kManySteps * product,
        .needed_bytes = checked_multiply(checked_multiply(size.rows, size.outputs), 8 * kVectors)};
}

}  // namespace mercer

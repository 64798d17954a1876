// SPDX-License-Identifier: Apache-2.0
//
// tests/support/origin.hpp - the kernel and the rows behind a problem, to look at and to exchange.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/operators/gram_kinds.hpp"

namespace mercer::testing {

template <typename AnyProblem>
[[nodiscard]] Kernel kernel_of(const AnyProblem& problem) {
    return problem.gram == nullptr ? Kernel() : problem.gram->origin().kernel;
}

template <typename AnyProblem>
[[nodiscard]] Dataset rows_of(const AnyProblem& problem) {
    return problem.gram == nullptr ? Dataset() : problem.gram->origin().rows;
}

/// The same rows with another kernel; other rows with the same kernel. At first there are no rows,
/// and the kernel is linear.
template <typename AnyProblem>
void set_kernel(AnyProblem& problem, const Kernel& kernel) {
    problem.gram = make_gram(kernel, rows_of(problem));
}

template <typename AnyProblem>
void set_rows(AnyProblem& problem, const Dataset& rows) {
    problem.gram = make_gram(kernel_of(problem), rows);
}

}  // namespace mercer::testing

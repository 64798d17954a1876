// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/matrices.hpp - checks of the matrices that kernels contain.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// A root R (n x rank, row-major) with A = R R', by Cholesky with complete pivoting.
struct CholeskyRoot {
    index_t rank = 0;
    std::vector<double> values;
};

/// The root, or nothing when the symmetric matrix has an eigenvalue below -1e-10 * trace.
[[nodiscard]] std::optional<CholeskyRoot> cholesky_root(const KernelMatrix& matrix);

/// Checks a quadratic form: square, finite, symmetric to 1e-12, positive semidefinite. Returns the
/// exactly symmetric matrix; throws InvalidArgument.
[[nodiscard]] KernelMatrix checked_quadratic_form(KernelMatrix matrix);

/// Checks a mixture table: not empty, finite, entries >= 0; throws InvalidArgument.
void require_mixture(const KernelMatrix& matrix);

/// Reads {"prior": [p(i)], "conditional": [[p(s|i)]]} into the table of sqrt(p(i)) p(s|i).
[[nodiscard]] Result<KernelMatrix> parse_mixture(const std::string& file, std::string_view json);

}  // namespace mercer

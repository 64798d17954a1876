// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/linear_algebra.hpp - dense products and factorisations at the device's speed.
//
// On Device::cpu they are BLAS and LAPACK behind plain names. That library is loaded with the right
// core type when the first of them runs (docs/adr/0003-blas-at-run-time.md).
#pragma once

#include <span>
#include <string>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// Which BLAS runs, for `mercer doctor`.
struct BlasInfo {
    std::string library;    ///< path it was loaded from
    std::string version;    ///< as the library reports it
    std::string core_type;  ///< the kernel set it uses: "SkylakeX", "Haswell", ...
};

/// Loads BLAS if needed and describes it. Throws ResourceError when none is found.
[[nodiscard]] BlasInfo blas_info();

/// c = alpha * op(a) * op(b) + beta * c; all views row-major. Fixed tiles: the same bits for any
/// number of threads, as for all functions below.
/// Throws InvalidArgument when the shapes do not fit.
void multiply(MatrixView<const float> a, bool transpose_a, MatrixView<const float> b,
              bool transpose_b, float alpha, float beta, MatrixView<float> c, Context& context);
void multiply(MatrixView<const double> a, bool transpose_a, MatrixView<const double> b,
              bool transpose_b, double alpha, double beta, MatrixView<double> c, Context& context);

/// Factors the symmetric matrix whose lower triangle is in `a` (n x n) as L L', L over that
/// triangle; the strict upper triangle does not change. Fixed tiles: the same bits for any number
/// of threads, and a stop request waits for one tile at most. False when a pivot is not positive:
/// the
/// matrix is not positive definite. Throws Interrupted.
[[nodiscard]] bool cholesky(MatrixView<double> a, Context& context);
[[nodiscard]] bool cholesky(MatrixView<float> a, Context& context);

/// Solves L L' x = b for every column of `b` (n x t), in place. A float32 factor gives a solution
/// of float32 accuracy: a preconditioner.
void cholesky_solve(MatrixView<const double> factor, MatrixView<double> b, Context& context);
void cholesky_solve(MatrixView<const float> factor, MatrixView<double> b, Context& context);

/// Solves L x = b for every column of `b` (n x t), in place.
void solve_lower(MatrixView<const double> factor, MatrixView<double> b, Context& context);

/// Diagonal of (L L')^-1 into `out` (n).
void inverse_diagonal(MatrixView<const double> factor, std::span<double> out, Context& context);

/// Eigenvalues of the symmetric matrix in `a` (n x n, destroyed), ascending, into `values` (n).
/// With `vectors` true, row k of `a` then holds the unit eigenvector of values[k].
/// One thread: LAPACK dsyevd, or Jacobi rotations on Device::reference. Throws InvalidArgument
/// unless `a` is square and finite.
void symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                     Context& context);

/// a = left diag(values) right with k = min(m, n) values, descending; `a` (m x n) is destroyed.
/// `left` is m x k, `right` k x n. One thread: LAPACK dgesdd, or rotations. Throws InvalidArgument
/// unless `a` is finite and the shapes fit.
void singular_values(MatrixView<double> a, MatrixView<double> left, std::span<double> values,
                     MatrixView<double> right, Context& context);

}  // namespace mercer

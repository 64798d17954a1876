// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/mercer_test.hpp - is this matrix the Gram matrix of a kernel?
//
// It is if and only if it is symmetric without negative eigenvalues. The report decides this within
// a stated rounding bound, and a "no" comes with a vector that proves it without trusting the
// eigenvalue solver.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// A histogram of the eigenvalues over the powers of ten.
struct SpectrumHistogram {
    /// Bin b counts the eigenvalues with edges[b] <= log10(value) < edges[b + 1], one per decade.
    std::vector<double> edges;
    std::vector<index_t> counts;
    index_t zero = 0;      ///< within the error bound of 0
    index_t negative = 0;  ///< below minus the error bound
};

/// Result of test_gram().
struct MercerReport {
    index_t size = 0;

    bool symmetric = true;        ///< symmetry_error <= 1e-12 * the largest entry
    double symmetry_error = 0.0;  ///< max |K_ij - K_ji|
    index_t symmetry_row = -1;    ///< where it is attained; -1: nowhere, the error is 0
    index_t symmetry_column = -1;

    /// Of (K + K') / 2, ascending: v'Kv depends only on the symmetric part of K.
    std::vector<double> eigenvalues;
    double least_eigenvalue = 0.0;  ///< 0 for an empty matrix
    /// n * epsilon * |K|_2. The solver is backward stable: what it returns are the eigenvalues of a
    /// matrix that differs by less in norm, so each is off by less (Weyl).
    double eigenvalue_error = 0.0;
    bool positive_semidefinite = true;  ///< least_eigenvalue >= -eigenvalue_error
    bool positive_definite = true;      ///< least_eigenvalue > eigenvalue_error
    index_t rank = 0;                   ///< eigenvalues above the error in magnitude

    /// max |K_ij| - sqrt(K_ii K_jj) over all pairs, where a negative K_ii counts as 0; 0 when the
    /// inequality holds for all pairs up to rounding.
    double cauchy_schwarz_excess = 0.0;
    index_t cauchy_schwarz_row = -1;  ///< the worst pair; -1: none
    index_t cauchy_schwarz_column = -1;

    /// When not positive semidefinite: a unit vector v, its v'Kv recomputed from K in compensated
    /// arithmetic, and a bound on the rounding of that number. value + error < 0 is a proof.
    std::vector<double> witness;
    double witness_value = 0.0;
    double witness_error = 0.0;

    SpectrumHistogram histogram;

    /// Symmetric and positive semidefinite: the matrix of a kernel, as far as rounding can tell.
    [[nodiscard]] bool is_gram() const noexcept { return symmetric && positive_semidefinite; }
};

/// Tests a square matrix.
///
/// Cost: one symmetric eigenvalue problem and one copy of the matrix; a second one with vectors
/// when a witness is needed. Throws InvalidArgument when the matrix is not square or not finite
/// (naming the entry), ResourceError when the copy does not fit the budget.
[[nodiscard]] MercerReport test_gram(MatrixView<const double> gram, Context& context);

}  // namespace mercer

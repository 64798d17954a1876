// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/basis.hpp - the best f among the sums of few kernel functions, and its proof.
//
//     minimise over f in span{ k(x_j, .) : j in J } and b:
//         1/2 |f|^2 + sum_i c_i loss(y_i, f(x_i) + b)
//
// The span is a space of functions with a kernel of its own, K_:J K_JJ^-1 K_J:, so that the problem
// has a dual. With the multipliers a of the rows, a_i = -c_i loss'(z_i), and r = K_J: a - K_JJ
// beta,
//
//     gap = sum_i (Fenchel-Young of row i) + 1/2 r' K_JJ^-1 r,    every term >= 0.
#pragma once

#include <span>

#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

class Context;

/// A problem whose f is restricted to the span of the kernel functions with a nonzero coefficient.
struct BasisProblem {
    Problem risk;  ///< no mass; the loss has a slope everywhere
};

/// The certificate of `beta` (length n; the rows where it is not 0 are the basis) with the best
/// intercept for it. `kkt_violation` is the greatest |r_j|. The gap says nothing about f outside
/// the span: certify() of SparseProblem{risk, 0, true} bounds the distance to the overall optimum.
///
/// Cost: 2 n |J| kernel values and one Cholesky factorisation of K_JJ. Throws InvalidArgument when
/// `beta` has the wrong length, or the loss has no slope. The gap is NaN for non-finite input and
/// where K_JJ is not positive definite in double precision.
[[nodiscard]] Certificate certify(const BasisProblem& problem, std::span<const double> beta,
                                  Context& context);

}  // namespace mercer

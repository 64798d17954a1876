// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/disagreement.hpp - the consistency problem: as few rows on a wrong side as can
// be.
//
//     minimise over f in the RKHS of k and b:   the number of rows with y_i (f(x_i) + b) <= 0
//
// No count is below 0, so that the value of any f is proved within itself of the best one, and f
// with the value 0 is a best one: the rows are separated.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"

namespace mercer {

class Context;
struct Problem;

/// The count with its proof.
struct DisagreementProof {
    Certificate certificate;       ///< primal and gap: the count; dual: 0; kkt_violation: how far
                                   ///< the worst row lies on the wrong side
    std::vector<index_t> rows;     ///< the rows that are counted
    std::vector<double> products;  ///< y_i (f(x_i) + b) of every row
};

/// Counts the rows of `problem` (K, targets -1 and +1; nothing else of it is looked at)
/// on the wrong side of f = sum_j beta_j k(x_j, .) and b. A row whose side the rounding of its
/// value leaves open is counted, so that a count of 0 holds in real arithmetic.
///
/// Cost: n kernel values for each nonzero coefficient.
[[nodiscard]] DisagreementProof certify_disagreement(const Problem& problem,
                                                     std::span<const double> beta, double intercept,
                                                     Context& context);

}  // namespace mercer

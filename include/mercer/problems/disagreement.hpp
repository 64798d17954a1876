// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/disagreement.hpp - the consistency problem: minimise the misclassified rows.
//
//     minimise over f in the RKHS of k and b:   the number of rows with y_i (f(x_i) + b) <= 0
//
// No count is below 0, so the count of any f bounds its distance from the best count, and an f with
// count 0 is optimal: it separates the rows.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"

namespace mercer {

class Context;
struct Problem;

/// The count with its certificate.
struct DisagreementProof {
    Certificate certificate;       ///< primal and gap: the count; dual: 0; kkt_violation: how far
                                   ///< the worst row lies on the wrong side
    std::vector<index_t> rows;     ///< the rows that are counted
    std::vector<double> products;  ///< y_i (f(x_i) + b) of every row
};

/// Counts the rows of `problem` (only K and its targets, -1 and +1, are used)
/// on the wrong side of f = sum_j beta_j k(x_j, .) and b. A row whose side is uncertain because of
/// rounding is counted, so a count of 0 holds in real arithmetic.
///
/// Cost: n kernel values for each nonzero coefficient.
[[nodiscard]] DisagreementProof certify_disagreement(const Problem& problem,
                                                     std::span<const double> beta, double intercept,
                                                     Context& context);

}  // namespace mercer

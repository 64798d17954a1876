// SPDX-License-Identifier: Apache-2.0
//
// src/audit/gap_bound.hpp - an upper bound on the exact gap of a model, including rounding in
// verify.
#pragma once

#include <span>
#include <vector>

#include "audit/recompute.hpp"
#include "mercer/base/types.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// One row of the problem of an output.
struct AuditRow {
    index_t number = 0;  ///< in the training data
    double y = 0.0;
    double c = 0.0;
    double beta = 0.0;
    double f = 0.0;          ///< by scalar kernel values, summed in two doubles
    double magnitude = 0.0;  ///< sum_j |beta_j k(x_j, x)|
};

/// The sum constraints of a dual point.
struct AuditSums {
    bool all = false;     ///< sum(beta) = 0
    double mass = kNaN;   ///< required sum |beta|, half on each side if `all`; NaN: unconstrained
    double unused = 0.0;  ///< what mass left unused by a tube adds to the gap
};

/// The problem of one output, with the model's solution.
struct AuditedOutput {
    const Loss& loss;
    double intercept = 0.0;
    std::vector<AuditRow> rows;
    AuditSums sums;
};

struct AuditBound {
    double least = 0.0;    ///< bound on the exact gap: in 113 bits where double does not suffice
    double loosest = 0.0;  ///< the largest acceptable bound computed from float64 tiles alone
};

/// Bounds the gap of the output tightly enough to decide whether it is `stated`.
[[nodiscard]] AuditBound bound_gap(const Model& model, const TrainingRows& training,
                                   AuditedOutput output, double stated, Context& context);

}  // namespace mercer

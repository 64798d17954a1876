// SPDX-License-Identifier: Apache-2.0
//
// src/audit/joint_bound.hpp - an upper bound on the exact gap of a joint multiclass model.
#pragma once

#include "audit/gap_bound.hpp"
#include "audit/recompute.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// Bounds the gap of the model tightly enough to decide whether it is `stated`.
[[nodiscard]] AuditBound bound_joint_gap(const Model& model, const TrainingRows& training,
                                         const TrainingValues& values, double stated,
                                         Context& context);

}  // namespace mercer

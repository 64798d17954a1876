// SPDX-License-Identifier: Apache-2.0
//
// src/audit/comparison_bound.hpp - an upper bound on the exact gap of an ordinal or ranking machine.
#pragma once

#include <functional>

#include "audit/gap_bound.hpp"
#include "audit/recompute.hpp"
#include "mercer/base/types.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// A comparison of two places, rows or thresholds, as the data and the model define it.
struct AuditComparison {
    std::size_t upper = 0;
    std::size_t lower = 0;
    double c = 0.0;
    double alpha = 0.0;
};

/// Calls its argument for every comparison that costs something; there may be too many to store.
using EachComparison = std::function<void(const std::function<void(const AuditComparison&)>&)>;

/// Bounds the gap of the model tightly enough to decide whether it is `stated`.
[[nodiscard]] AuditBound bound_comparisons(const Model& model, const TrainingRows& training,
                                           const TrainingValues& values, const EachComparison& each,
                                           Context& context);

}  // namespace mercer

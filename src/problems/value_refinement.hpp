// SPDX-License-Identifier: Apache-2.0
//
// src/problems/value_refinement.hpp - values of K beta in 113 bits where the bound of a gap needs
// them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "problems/value_errors.hpp"

namespace mercer {

class Context;

/// Recomputes the rows that loosen a bound most, within a limit on the operations.
class ValueRefinement {
public:
    /// Limit on operations in 113 bits: at about 50 ns each, more would take too long for a
    /// certificate.
    static constexpr double kMostOperations = 2e7;

    ValueRefinement(const GramOperator& gram, std::span<const double> beta,
                    const ValueErrors& errors)
        : gram_(gram), beta_(beta), errors_(errors) {}

    /// `excess` is what the error of each row adds to the bound, 0 for rows that are done; `room` is
    /// what the computed gap leaves of the wanted one. Calls take(row, value, error) for the rows it
    /// recomputes; false when there are none, or too many.
    bool step(std::span<const double> excess, double room, Context& context,
              const std::function<void(index_t, Quad, double)>& take);

private:
    const GramOperator& gram_;
    std::span<const double> beta_;
    const ValueErrors& errors_;
    double spent_ = 0.0;
};

}  // namespace mercer

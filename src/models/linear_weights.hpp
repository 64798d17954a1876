// SPDX-License-Identifier: Apache-2.0
//
// src/models/linear_weights.hpp - a linear model as its weight vectors.
#pragma once

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// True if the kernel is linear and its weights are cheaper than the support rows.
[[nodiscard]] bool collapses(const PredictionRule& rule);

/// One weight vector per output. Immutable.
class LinearWeights {
public:
    /// Sums the support rows of a model for which collapses() is true.
    LinearWeights(const PredictionRule& rule, Context& context);

    /// out(i, t) = <w_t, row i>, without intercepts.
    void decide(const Dataset& batch, MatrixView<double> out, Context& context) const;

private:
    template <typename Rows>
    void add_rows(const PredictionRule& rule, const Rows& rows, Buffer<double>& lost);

    index_t columns_;
    Buffer<double> weights_;  ///< outputs x columns
};

}  // namespace mercer

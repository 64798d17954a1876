// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/model_gram.hpp - kernel values among rows as a model sees them, and |f|^2.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// |f|^2 of a model with one output, from its support rows and, when the kernel is precomputed, the
/// rows of kernel values.
[[nodiscard]] double squared_norm(const Model& model, const Dataset& data, Context& context);

/// k among rows as the model's kernel sees them, one row of K at a time.
class ModelGram {
public:
    /// `data` are rows as they were read: scaling is done here.
    ModelGram(const Model& model, const Dataset& data, Context& context);

    [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }
    /// Row i of K into `out`, as long as there are rows.
    void copy_row(index_t i, std::span<double> out, Context& context) const;
    /// K among the rows of these numbers, row-major.
    [[nodiscard]] Buffer<double> among(std::span<const index_t> rows, Context& context) const;

private:
    Dataset rows_;
    std::unique_ptr<GramMatrix> gram_;
    std::vector<double> diagonal_;
};

}  // namespace mercer

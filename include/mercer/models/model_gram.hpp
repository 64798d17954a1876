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

/// f|^2 of a model with one output, computed from its support rows. If the kernel is precomputed,
/// `data` are the rows of kernel values.
[[nodiscard]] double squared_norm(const Model& model, const Dataset& data, Context& context);

/// Kernel values between rows, scaled as the model scales them; one row of K at a time.
class ModelGram {
public:
    /// `data` are unscaled rows; the constructor applies the model's scaling.
    ModelGram(const Model& model, const Dataset& data, Context& context);

    [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }
    /// Writes row i of K to `out`, which has one entry for each row.
    void copy_row(index_t i, std::span<double> out, Context& context) const;
    /// K restricted to these rows, row-major.
    [[nodiscard]] Buffer<double> among(std::span<const index_t> rows, Context& context) const;

private:
    Dataset rows_;
    std::unique_ptr<GramMatrix> gram_;
    std::vector<double> diagonal_;
};

}  // namespace mercer

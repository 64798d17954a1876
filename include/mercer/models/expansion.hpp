// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/expansion.hpp - a model taken apart on rows: costs, values, multipliers, kernel
// values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"
#include "mercer/operators/gram.hpp"

namespace mercer {

class Context;

/// True when the rows, with their targets and weights, are those the model was trained on.
[[nodiscard]] bool is_training_data(const Model& model, const Dataset& data);

/// What each row's loss is multiplied by: C times its weight times that of its class. Classes are
/// indices into model.labels.
[[nodiscard]] std::vector<double> row_costs(const Model& model, const Dataset& data);

/// |f|^2 of a model with one output, from its support rows and, when the kernel is precomputed, the
/// rows of kernel values.
[[nodiscard]] double squared_norm(const Model& model, const Dataset& data, Context& context);

/// Distance between the planes where f is minus and plus the margin the loss asks for, 2 / |f| but
/// for a nu-machine; infinite for a constant. NaN unless the model has two classes and a
/// certificate.
[[nodiscard]] double margin_width(const Model& model);

/// Support rows of each of two classes, told by the signs of their coefficients; empty where signs
/// do not tell: other numbers of classes, a loss of numbers, a penalty on the coefficients.
[[nodiscard]] std::vector<index_t> support_by_class(const Model& model);

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

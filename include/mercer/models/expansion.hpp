// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/expansion.hpp - a model and its training data: whether they belong together, row
// costs, margin and support.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

/// True if the rows, with their targets and weights, are those the model was trained on.
[[nodiscard]] bool is_training_data(const Model& model, const Dataset& data);

/// The factor of each row's loss: C times the weight of the row times the weight of its class. The
/// targets are indices into model.labels.
[[nodiscard]] std::vector<double> row_costs(const Model& model, const Dataset& data);

/// Distance between the planes f = -m and f = m, where m is the margin of the loss: 2 / |f|, except
/// for a nu-machine; infinite if f is constant. NaN unless the model has two classes and a
/// certificate.
[[nodiscard]] double margin_width(const Model& model);

/// Number of support vectors of each of two classes, by the signs of their coefficients. Empty
/// where the signs do not determine the class: other numbers of classes, a regression loss, a
/// penalty on the coefficients.
[[nodiscard]] std::vector<index_t> support_by_class(const Model& model);

}  // namespace mercer

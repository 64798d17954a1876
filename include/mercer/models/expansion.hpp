// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/expansion.hpp - a model beside its training data: are they the same, what each row
// costs, what the support says.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

/// True when the rows, with their targets and weights, are those the model was trained on.
[[nodiscard]] bool is_training_data(const Model& model, const Dataset& data);

/// What each row's loss is multiplied by: C times its weight times that of its class. Classes are
/// indices into model.labels.
[[nodiscard]] std::vector<double> row_costs(const Model& model, const Dataset& data);

/// Distance between the planes where f is minus and plus the margin the loss asks for, 2 / |f| but
/// for a nu-machine; infinite for a constant. NaN unless the model has two classes and a
/// certificate.
[[nodiscard]] double margin_width(const Model& model);

/// Support rows of each of two classes, told by the signs of their coefficients; empty where signs
/// do not tell: other numbers of classes, a loss of numbers, a penalty on the coefficients.
[[nodiscard]] std::vector<index_t> support_by_class(const Model& model);

}  // namespace mercer

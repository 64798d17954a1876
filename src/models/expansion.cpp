// SPDX-License-Identifier: Apache-2.0
//
// src/models/expansion.cpp - costs of the rows, margin and support of a model.
#include "mercer/models/expansion.hpp"

#include <cmath>
#include <optional>

#include "mercer/data/fingerprint.hpp"
#include "mercer/losses/loss.hpp"

namespace mercer {

bool is_training_data(const Model& model, const Dataset& data) {
    return data.rows() == model.fingerprint.rows && data.columns() == model.fingerprint.columns &&
           fingerprint_of(data).hash == model.fingerprint.hash;
}

std::vector<double> row_costs(const Model& model, const Dataset& data) {
    std::vector<double> costs(static_cast<std::size_t>(data.rows()),
                              model.is_likelihood() || model.is_comparison() ? 1.0 : model.cost);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!data.weights.empty()) {  // avoids infinity * 0: weight 0 costs nothing
            costs[i] = data.weights[i] > 0.0 ? costs[i] * data.weights[i] : 0.0;
        }
        if (model.labels.empty()) {
            continue;
        }
        const auto label = static_cast<std::size_t>(data.targets[i]);
        const auto weight = model.class_weights.find(model.labels[label]);
        costs[i] *= weight == model.class_weights.end() ? 1.0 : weight->second;
    }
    return costs;
}

double margin_width(const Model& model) {
    if (model.labels.size() != 2 || model.certificates.size() != 1 || model.machine == kOneClass ||
        model.is_comparison()) {
        return kNaN;
    }
    const Certificate& certificate = model.certificates.front();
    const double margin = std::isnan(model.nu) ? 1.0 : certificate.width;
    return 2.0 * margin / std::sqrt(certificate.squared_norm);
}

std::vector<index_t> support_by_class(const Model& model) {
    const std::optional<Loss> loss = loss_by_name(model.loss, model.epsilon);
    if (model.labels.size() != 2 || model.outputs() != 1 || model.is_sparse() || !loss ||
        !is_classification(*loss) || model.machine == kOneClass || model.is_comparison()) {
        return {};
    }
    std::vector<index_t> counts(2, 0);
    for (const double beta : model.coefficients) {
        counts[0] += beta < 0.0;
        counts[1] += beta > 0.0;
    }
    return counts;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/models/expansion.cpp - costs, norms and kernel values of a model's rows.
#include "mercer/models/expansion.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/kernel_values.hpp"
#include "mercer/models/model_file.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

bool is_training_data(const Model& model, const Dataset& data) {
    return data.rows() == model.fingerprint.rows && data.columns() == model.fingerprint.columns &&
           fingerprint_of(data).hash == model.fingerprint.hash;
}

std::vector<double> row_costs(const Model& model, const Dataset& data) {
    std::vector<double> costs(static_cast<std::size_t>(data.rows()),
                              model.is_likelihood() || model.is_comparison() ? 1.0 : model.cost);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!data.weights.empty()) {  // an infinite cost times no weight is no cost
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

double squared_norm(const Model& model, const Dataset& data, Context& context) {
    const index_t m = model.support.rows();
    const Model known = by_row_numbers(model);  // precomputed: the rows hold the values themselves
    const Dataset left =
        is_precomputed(model.kernel) ? data.select(model.support_rows) : model.support;
    const GramMatrix gram(known.kernel, left, known.support, Precision::float64, context);
    std::vector<double> product(static_cast<std::size_t>(m));
    gram.multiply(MatrixView<const double>(model.coefficients.data(), m, 1),
                  MatrixView<double>(product.data(), m, 1), context);
    CompensatedSum sum;
    for (std::size_t i = 0; i < product.size(); ++i) {
        sum.add(model.coefficients[i] * product[i]);
    }
    return sum.value();
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

ModelGram::ModelGram(const Model& model, const Dataset& data, Context& context)
    : rows_(rows_as_trained(model, data, context)),
      diagonal_(static_cast<std::size_t>(data.rows())) {
    if (!is_precomputed(model.kernel)) {
        gram_ = std::make_unique<GramMatrix>(model.kernel, rows_, Precision::float64, context);
        kernel_diagonal(model.kernel, rows_, diagonal_);
        return;
    }
    Model all = model;
    all.support_rows.resize(diagonal_.size());
    std::iota(all.support_rows.begin(), all.support_rows.end(), index_t{0});
    all = by_row_numbers(all);
    gram_ =
        std::make_unique<GramMatrix>(all.kernel, rows_, all.support, Precision::float64, context);
    std::vector<double> row(diagonal_.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        copy_row(static_cast<index_t>(i), row, context);
        diagonal_[i] = row[i];
    }
}

void ModelGram::copy_row(index_t i, std::span<double> out, Context& context) const {
    gram_->copy_rows(i, MatrixView<double>(out.data(), 1, static_cast<index_t>(out.size())),
                     context);
}

Buffer<double> ModelGram::among(std::span<const index_t> rows, Context& context) const {
    const auto m = static_cast<index_t>(rows.size());
    Buffer<double> out =
        context.allocate<double>(checked_multiply(m, m), "kernel values of the support rows");
    std::vector<double> row(diagonal_.size());
    for (index_t i = 0; i < m; ++i) {
        context.throw_if_stopped("kernel values");
        copy_row(rows[static_cast<std::size_t>(i)], row, context);
        for (index_t j = 0; j < m; ++j) {
            out[i * m + j] = row[static_cast<std::size_t>(rows[static_cast<std::size_t>(j)])];
        }
    }
    return out;
}

}  // namespace mercer

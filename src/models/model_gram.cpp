// SPDX-License-Identifier: Apache-2.0
//
// src/models/model_gram.cpp - one row of K at a time, and the norm of a model.
#include "mercer/models/model_gram.hpp"

#include <numeric>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/kernel_values.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

double squared_norm(const Model& model, const Dataset& data, Context& context) {
    const index_t m = model.support.rows();
    const Model known = by_row_numbers(model);  // precomputed: rows hold kernel values
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

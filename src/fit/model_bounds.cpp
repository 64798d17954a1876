// SPDX-License-Identifier: Apache-2.0
//
// src/fit/model_bounds.cpp - the quantities of a model that the bounds of theory/ need.
#include "mercer/fit/model_bounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/feature_map.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/models/model_gram.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/theory/enclosing_ball.hpp"
#include "mercer/theory/leave_one_out.hpp"

namespace mercer {

namespace {

void require_fitting(const Model& model, const Dataset& data) {
    if (model.labels.size() != 2 || model.outputs() != 1 || model.is_comparison()) {
        throw InvalidArgument("model", "",
                              fmt::format("{} of {} classes, must tell two classes apart",
                                          model.machine, model.labels.size()));
    }
    const Definiteness definiteness = model.kernel.definiteness();
    if (definiteness != Definiteness::positive_definite &&
        definiteness != Definiteness::strictly_positive_definite) {
        throw InvalidArgument("model", "",
                              fmt::format("its kernel {} is {}, so that |f| is no norm",
                                          to_string(model.kernel), to_string(definiteness)));
    }
    if (model.status != kImported && !is_training_data(model, data)) {
        throw DataError(
            "not the rows, targets and weights that the model was trained on; bounds of the margin "
            "need them");
    }
}

/// The dimension of phi if it is less than the number of rows, otherwise 0.
index_t feature_dimension(const Model& model, index_t rows) {
    FeatureMapOptions options;
    options.max_dimension = std::max<index_t>(1, rows);
    try {
        return make_feature_map(model.kernel, model.columns, options).dimension();
    } catch (const Error&) {
        return 0;
    }
}

std::vector<double> signs(const Dataset& data) {
    std::vector<double> out = data.targets;
    for (double& target : out) {
        target = target == 0.0 ? -1.0 : 1.0;
    }
    return out;
}

EnclosingBall ball_around(const ModelGram& gram, std::span<const double> diagonal,
                          Context& context) {
    return enclosing_ball(
        diagonal, [&](index_t i, std::span<double> row) { gram.copy_row(i, row, context); },
        context);
}

/// The support rows of a machine, with the input of span_estimate().
struct Support {
    std::vector<index_t> rows;
    std::vector<double> alphas;
    std::vector<double> values;
    std::vector<double> costs;
};

Support support_of(const Model& model, const MarginSample& sample,
                   const std::vector<double>& costs) {
    Support out;
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        const auto i = static_cast<std::size_t>(model.support_rows[j]);
        if (model.coefficients[j] != 0.0) {
            out.rows.push_back(model.support_rows[j]);
            out.alphas.push_back(sample.targets[i] * model.coefficients[j]);
            out.values.push_back(sample.targets[i] * sample.values[i]);
            out.costs.push_back(costs[i]);
        }
    }
    return out;
}

/// Radius of a ball that contains the rows if the loss adds to the diagonal of K.
double loss_radius(const ModelGram& gram, const std::vector<double>& costs,
                   const SupportShape& shape, const ModelBounds& bounds, bool intercept,
                   Context& context) {
    if (shape.curvature == 0.0) {
        return intercept ? bounds.centre_radius : bounds.radius;
    }
    std::vector<double> diagonal(gram.diagonal().begin(), gram.diagonal().end());
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        diagonal[i] += costs[i] > 0.0 ? 1.0 / (shape.curvature * costs[i]) : 0.0;
    }
    return intercept ? ball_around(gram, diagonal, context).radius
                     : std::sqrt(*std::max_element(diagonal.begin(), diagonal.end()));
}

std::vector<Bound> no_leave_one_out(std::string note) {
    return {Bound{.name = "support-vectors", .note = std::move(note)}};
}

std::vector<Bound> leave_one_out(const Model& model, const Dataset& data,
                                 const MarginSample& sample, const ModelGram& gram,
                                 const ModelBounds& bounds, Context& context) {
    const std::optional<Loss> loss = loss_by_name(model.loss, model.epsilon);
    const std::optional<SupportShape> shape = loss ? support_shape(*loss) : std::nullopt;
    if (model.status == kImported) {
        return no_leave_one_out("a model of another program tells no C");
    }
    if (model.is_sparse() || !shape) {
        return no_leave_one_out("none for this loss or penalty");
    }
    const std::vector<double> costs = row_costs(model, data);
    const Support support = support_of(model, sample, costs);
    const auto m = static_cast<index_t>(support.rows.size());
    const double radius = loss_radius(gram, costs, *shape, bounds, model.has_intercept, context);
    const Buffer<double> among = gram.among(support.rows, context);
    const SupportSample made{.gram = MatrixView<const double>(among.data(), m, m),
                             .alphas = support.alphas,
                             .values = support.values,
                             .costs = support.costs,
                             .has_intercept = model.has_intercept,
                             .margin = sample.margin,
                             .rows = data.rows()};
    if (context.memory()->left() / static_cast<index_t>(sizeof(double)) < m * m) {
        return leave_one_out_bounds(made, *shape, radius, nullptr,
                                    "its matrix does not fit the memory; raise --memory");
    }
    const SpanEstimate span = span_estimate(made, *shape, context);
    return leave_one_out_bounds(made, *shape, radius, &span);
}

}  // namespace

ModelBounds model_bounds(const Model& model, const Dataset& data, double delta, Context& context) {
    require_fitting(model, data);
    const std::vector<double> targets = signs(data);
    const std::vector<double> values = decision_function(model, data, context);
    const ModelGram gram(model, data, context);
    ModelBounds out{.rows = data.rows()};
    const std::span<const double> diagonal = gram.diagonal();
    CompensatedSum trace;
    for (const double value : diagonal) {
        trace.add(value);
    }
    const double norm = squared_norm(model, data, context);
    if (!(norm > 0.0)) {
        throw InvalidArgument("model", "", "f is constant, so that it has no margin");
    }
    out.radius = std::sqrt(*std::max_element(diagonal.begin(), diagonal.end()));
    const bool free_margin = !std::isnan(model.nu) && !model.certificates.empty();
    const MarginSample sample{.targets = targets,
                              .values = values,
                              .squared_norm = norm,
                              .intercept = model.intercepts.front(),
                              .has_intercept = model.has_intercept,
                              .radius = out.radius,
                              .trace = trace.value(),
                              .margin = free_margin ? model.certificates.front().width : 1.0,
                              .feature_dimension = feature_dimension(model, data.rows())};
    out.margin = margin_bounds(sample, delta);
    out.centre_radius = ball_around(gram, diagonal, context).radius;
    out.leave_one_out = leave_one_out(model, data, sample, gram, out, context);
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/fit/links.cpp - links of machines without classes: the spread of residuals, density marks.
#include <algorithm>
#include <cmath>
#include <memory>

#include "fit/calibrate.hpp"
#include "fit/recipe.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::fit {

Link laplace_link(const Dataset& data, const TrainOptions& options, Context& context) {
    constexpr index_t kFolds = 5;
    const index_t folds = std::min(kFolds, data.rows());
    Link link;
    link.kind = "laplace";
    if (folds < 2) {
        link.a = {0.0};  // one row is not enough to learn a spread
        return link;
    }
    std::vector<double> errors =
        held_out_predictions(data, seeded_folds(data, folds, context), options, context);
    context.throw_if_stopped("the spread of residuals");  // otherwise machines may be half trained
    double sum = 0.0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        errors[i] = std::abs(data.targets[i] - errors[i]);
        sum += errors[i];
    }
    // The mean absolute error without the rows beyond five standard deviations, as in LIBSVM.
    const double mean = sum / static_cast<double>(errors.size());
    const double limit = 5.0 * std::sqrt(2.0 * mean * mean);
    double kept = 0.0;
    double count = 0.0;
    for (const double error : errors) {
        if (error <= limit) {
            kept += error;
            count += 1.0;
        }
    }
    link.a = {kept / count};
    return link;
}

Link density_link(const Dataset& data, const Model& model, Context& context) {
    const std::unique_ptr<Context> uninterruptible = Context::unstoppable(context);
    std::vector<double> f = decision_function(model, data, *uninterruptible);
    // A row that is outside by less than the KKT violation counts as on the edge.
    const double violation = model.certificates.front().kkt_violation;
    for (double& value : f) {
        value = value < 0.0 && value >= -violation ? 0.0 : value;
    }
    Link link;
    link.a = density_marks(f, data.weights);
    link.kind = link.a.empty() ? "" : "density";
    return link;
}

}  // namespace mercer::fit

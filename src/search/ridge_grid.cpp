// SPDX-License-Identifier: Apache-2.0
//
// src/search/ridge_grid.cpp - leave-one-out, folds, gcv and likelihood along alpha.
#include "search/ridge_grid.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/fit/machines.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/runtime/context.hpp"
#include "search/grid.hpp"
#include "search/select_folds.hpp"

namespace mercer::search {

namespace {

void put_residuals(const std::vector<double>& residuals, const std::string& prefix,
                   SelectRow& row) {
    double squares = 0.0;
    double absolutes = 0.0;
    for (const double r : residuals) {
        squares += r * r;
        absolutes += std::abs(r);
    }
    const auto count = static_cast<double>(residuals.size());
    row.measures.emplace_back(prefix + "rmse", std::sqrt(squares / count));
    row.measures.emplace_back(prefix + "mse", squares / count);
    row.measures.emplace_back(prefix + "mae", absolutes / count);
}

}  // namespace

bool takes_one_decomposition(const SelectOptions& options) {
    return is_machine(options.train.model, MachineId::krr) &&
           options.train.objective.penalty == kRkhs && !options.validation &&
           std::any_of(options.grid.begin(), options.grid.end(),
                       [](const GridAxis& axis) { return weighs_losses(axis.name); });
}

SelectRow RidgeGrid::measure(const TrainOptions& train_with) {
    SelectRow row;
    if (!spectrum_ || !(kernel_ == train_with.kernel)) {
        decompose(train_with);
    }
    const double alpha = fit::ridge_alpha(train_with, total_weight_);
    const RidgeMeasures found = spectrum_->measure(alpha, folds_, context_);
    if (!folds_.empty()) {
        put_residuals(found.left_out, "cv_", row);
    }
    put_residuals(found.leave_one_out, "loo_", row);
    row.measures.emplace_back("gcv", found.gcv.front());
    row.measures.emplace_back("log_likelihood", found.log_likelihood.front());
    row.measures.emplace_back("degrees_of_freedom", found.degrees);
    return row;
}

void RidgeGrid::decompose(const TrainOptions& train_with) {
    const fit::Prepared prepared = fit::prepare(data_, train_with);
    RidgeProblem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.targets = prepared.rows.targets;
    problem.weights = prepared.rows.weights;
    problem.intercept = train_with.objective.intercept;
    total_weight_ = prepared.total_weight;
    kernel_ = train_with.kernel;
    folds_.clear();
    if (!options_.leave_one_out) {
        for (const Split& fold : folds_of(prepared.rows, options_, context_)) {
            folds_.push_back(fold.test);
        }
    }
    spectrum_.reset();  // the old basis makes room for the new one
    spectrum_.emplace(problem, context_);
}

}  // namespace mercer::search

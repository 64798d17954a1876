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

bool takes_one_decomposition(const SelectOptions& options) {
    return is_machine(options.train.model, MachineId::krr) &&
           options.train.objective.penalty == kRkhs && !options.validation &&
           !options.division.time_ordered && options.division.given.empty() &&
           std::any_of(options.grid.begin(), options.grid.end(),
                       [](const GridAxis& axis) { return weighs_losses(axis.name); });
}

SelectRow RidgeGrid::measure(const TrainOptions& train_with) {
    SelectRow row;
    if (!spectrum_ || !(kernel_ == train_with.kernel)) {
        decompose(train_with);
    }
    const double alpha = fit::ridge_alpha(train_with, total_weight_);
    parts_.clear();
    PartSums all;
    RidgeMeasures found;
    for (std::size_t division = 0; division < std::max<std::size_t>(1, folds_.size()); ++division) {
        const std::vector<std::vector<index_t>> folds =
            folds_.empty() ? std::vector<std::vector<index_t>>() : folds_[division];
        found = spectrum_->measure(alpha, folds, context_);
        for (const std::vector<index_t>& fold : folds) {
            parts_.push_back(sums_at(found.left_out, fold));
            all.add(parts_.back());
        }
    }
    if (!parts_.empty()) {
        put_errors(all, "cv_", row);
    }
    put_errors(sums_of_residuals(found.leave_one_out, targets_), "loo_", row);
    row.measures.emplace_back("gcv", found.gcv.front());
    row.measures.emplace_back("log_likelihood", found.log_likelihood.front());
    row.measures.emplace_back("degrees_of_freedom", found.degrees);
    return row;
}

void RidgeGrid::put_errors(const PartSums& sums, const std::string& prefix, SelectRow& row) {
    for (auto& [name, value] : sums.measures(prefix)) {
        if (!name.ends_with("r2")) {
            row.measures.emplace_back(name, value);
        }
    }
}

PartSums RidgeGrid::sums_at(std::span<const double> residuals,
                            std::span<const index_t> rows) const {
    std::vector<double> own;
    std::vector<double> targets;
    for (const index_t i : rows) {
        own.push_back(residuals[static_cast<std::size_t>(i)]);
        targets.push_back(targets_[static_cast<std::size_t>(i)]);
    }
    return sums_of_residuals(own, targets);
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
    targets_ = prepared.rows.targets;
    if (!options_.leave_one_out && splits_.empty()) {
        divide(prepared);
    }
    spectrum_.reset();  // frees the old basis before the new one is allocated
    spectrum_.emplace(problem, context_);
}

/// The folds of the positive-weight rows; the same for every kernel.
void RidgeGrid::divide(const fit::Prepared& prepared) {
    SelectOptions own = options_;
    if (!own.division.groups.empty() && !prepared.kept.empty()) {
        own.division.groups.clear();
        for (const index_t row : prepared.kept) {
            own.division.groups.push_back(options_.division.groups[static_cast<std::size_t>(row)]);
        }
    }
    splits_ = folds_of(prepared.rows, own, context_);
    const auto each = static_cast<std::size_t>(folds_per_division(own, splits_.size()));
    for (std::size_t f = 0; f < splits_.size(); ++f) {
        if (f % each == 0) {
            folds_.emplace_back();
        }
        folds_.back().push_back(splits_[f].test);
    }
}

}  // namespace mercer::search

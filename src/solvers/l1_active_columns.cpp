// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_active_columns.cpp - updates of the factor with accurate pivots.
#include "solvers/l1_active_columns.hpp"

#include <cmath>

namespace mercer::l1 {

ActiveColumns::ActiveColumns(const L1PathProblem& problem, Context& context)
    : unstoppable_(Context::unstoppable(context)),
      risk_(make_l1_risk(problem, *unstoppable_)),
      columns_(problem.columns.rows) {}

void ActiveColumns::clear() {
    const auto count = at(risk_->variables());
    risk_->reset();
    beta_.assign(count, 0.0);
    sign_.assign(count, 0.0);
    place_.assign(count, -1);
    skipped_.assign(count, false);
    active_.clear();
    factor_.clear();
    if (const index_t b = risk_->free_column(); b >= 0) {
        beta_[at(b)] = risk_->intercept();
        const double diagonal = risk_->diagonal()[at(b)];
        static_cast<void>(factor_.pivot({}, diagonal));
        append(b, diagonal);
    }
}

void ActiveColumns::append(index_t j, double pivot) {
    factor_.append(pivot, *unstoppable_);
    place_[at(j)] = static_cast<index_t>(active_.size());
    active_.push_back(j);
}

void ActiveColumns::remove(index_t j) {
    const index_t place = place_[at(j)];
    factor_.remove(place);
    active_.erase(active_.begin() + place);
    for (std::size_t k = at(place); k < active_.size(); ++k) {
        place_[at(active_[k])] = static_cast<index_t>(k);
    }
    place_[at(j)] = -1;
    sign_[at(j)] = 0.0;
    beta_[at(j)] = 0.0;
}

bool ActiveColumns::refactor() {
    const std::vector<index_t> active = active_;
    factor_.clear();
    active_.clear();
    for (const index_t j : active) {
        const double pivot = pivot_of(j);
        if (!(pivot > 0.0)) {
            return false;
        }
        append(j, pivot);
    }
    return true;
}

double ActiveColumns::pivot_of(index_t j) {
    active_.push_back(j);
    std::vector<double> column(active_.size());
    risk_->hessian(j, active_, column);
    active_.pop_back();
    diagonal_ = column.back();
    column.pop_back();
    const double pivot = factor_.pivot(column, diagonal_);
    return pivot > kDigits * diagonal_ ? pivot : refined_pivot(j);
}

double ActiveColumns::refined_pivot(index_t j) {
    std::vector<double> x = factor_.explained();
    std::vector<double> way(x.size() + 1, 1.0);
    active_.push_back(j);
    for (int k = 0; k <= kPivotRefinements; ++k) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            way[i] = -x[i];
        }
        risk_->direct(active_, way);
        if (k == kPivotRefinements) {
            break;
        }
        left_.resize(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            left_[i] = risk_->gradient_rates()[at(active_[i])];
        }
        factor_.solve(left_);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += left_[i];
        }
    }
    active_.pop_back();
    factor_.explain(x);
    return risk_->curvature();
}

double ActiveColumns::refine_loss(std::span<const double> w, std::vector<double>& way) {
    for (int k = 0;; ++k) {
        risk_->direct(active_, way);
        double leverage = 0.0;
        for (std::size_t i = 0; i < way.size(); ++i) {
            leverage += w[i] * way[i];
        }
        if (k == kPivotRefinements) {
            return risk_->curvature() / leverage;
        }
        left_.resize(way.size());
        for (std::size_t i = 0; i < way.size(); ++i) {
            left_[i] = w[i] * (1.0 - leverage) - risk_->gradient_rates()[at(active_[i])];
        }
        factor_.solve(left_);
        for (std::size_t i = 0; i < way.size(); ++i) {
            way[i] += left_[i];
        }
    }
}

}  // namespace mercer::l1

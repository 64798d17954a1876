// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_variables.cpp - full and active arrays, and copying between them.
#include "solvers/dual_variables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"

namespace mercer {

namespace {

// Half an ulp of a float32 row entry, and the share of the violation that the accumulated error may
// reach before the values are recomputed.
constexpr double kRowError = 6e-8;
constexpr double kDriftShare = 0.05;

/// The dual of a quadratic loss has no bounds, and with rounded rows of a nearly singular matrix it
/// may then have no minimum: coefficients of 1e153 occurred. The optimal ones are bounded: the term
/// ridge / 2 beta^2 of a row is at most the objective of f = 0.
void bound_quadratic(const Problem& problem, std::vector<DualTerm>& terms) {
    constexpr double kSlack = 1.01;  // so that the bound itself is never optimal
    double at_zero = 0.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < terms.size(); ++i) {
                at_zero += problem.costs[i] * loss.value(problem.targets[i], 0.0);
            }
        },
        problem.loss);
    for (DualTerm& term : terms) {
        if (term.ridge > 0.0) {
            const double most = kSlack * std::sqrt(2.0 * at_zero / term.ridge);
            term.box.lower = std::max(term.box.lower, -most);
            term.box.upper = std::min(term.box.upper, most);
        }
    }
}

}  // namespace

DualVariables::DualVariables(const Problem& problem, const CoordinateOptions& options,
                             Context& context)
    : problem_(problem),
      precision_(options.precision),
      cache_(*problem.gram, options.cache_bytes, options.precision, context),
      beta_(static_cast<std::size_t>(problem.size()), 0.0) {
    terms_.reserve(beta_.size());
    values_.reserve(beta_.size());
    for (index_t i = 0; i < size(); ++i) {
        terms_.push_back(dual_term(problem, i));
        values_.push_back(terms_.back().linear);
    }
    bound_quadratic(problem, terms_);
    activate_all(context);
}

void DualVariables::warm_start(std::span<const double> beta, Context& context) {
    std::fill(beta_.begin(), beta_.end(), 0.0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] = terms_[i].linear;
    }
    base_beta_ = beta_;
    base_values_ = values_;
    beta_.assign(beta.begin(), beta.end());
    active_.clear();
    complete_ = false;
    restore_values(context);
    activate_all(context);
}

void DualVariables::reset_values(std::span<const double> f) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] = terms_[i].linear - terms_[i].ridge * beta_[i] - f[i];
    }
    drift2_ = 0.0;
    load();
    base_beta_ = beta_;
    base_values_ = values_;
}

std::vector<double> DualVariables::estimated_values() const {
    std::vector<double> f(values_.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        f[i] = terms_[i].linear - terms_[i].ridge * beta_[i] - values_[i];
    }
    return f;
}

void DualVariables::store() {
    for (std::size_t k = 0; k < active_.size(); ++k) {
        const auto row = static_cast<std::size_t>(active_[k]);
        beta_[row] = b_[k];
        values_[row] = v_[k];
    }
}

void DualVariables::load() {
    for (std::size_t k = 0; k < active_.size(); ++k) {
        const auto row = static_cast<std::size_t>(active_[k]);
        b_[k] = beta_[row];
        v_[k] = values_[row];
    }
}

void DualVariables::activate_all(Context& context) {
    std::vector<index_t> all(static_cast<std::size_t>(size()));
    std::iota(all.begin(), all.end(), index_t{0});
    activate(std::move(all), context);
}

void DualVariables::activate(std::vector<index_t> active, Context& context) {
    if (complete_) {
        base_beta_ = beta_;
        base_values_ = values_;
    }
    if (size() > 0) {
        cache_.set_active(active, context);
    }
    active_ = std::move(active);
    const auto padded = (active_.size() + kCoordinateLanes - 1) / kCoordinateLanes *
                        static_cast<std::size_t>(kCoordinateLanes);
    b_.assign(padded, 0.0);
    v_.assign(padded, 0.0);
    diagonal_.assign(padded, 0.0F);
    for (std::size_t k = 0; k < active_.size(); ++k) {
        const auto row = static_cast<std::size_t>(active_[k]);
        diagonal_[k] = static_cast<float>(cache_.diagonal()[row] + terms_[row].ridge);
    }
    load();
    complete_ = !shrunk();
}

void DualVariables::restore_values(Context& context) {
    if (complete_) {
        return;
    }
    std::vector<bool> is_active(values_.size(), false);
    for (const index_t row : active_) {
        is_active[static_cast<std::size_t>(row)] = true;
    }
    std::vector<index_t> stale;
    std::vector<index_t> changed;
    std::vector<double> deltas;
    for (index_t i = 0; i < size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        if (!is_active[row]) {
            stale.push_back(i);
        }
        if (beta_[row] != base_beta_[row]) {
            changed.push_back(i);
            deltas.push_back(beta_[row] - base_beta_[row]);
        }
    }
    std::vector<double> moved(stale.size(), 0.0);
    if (!changed.empty() && !stale.empty()) {
        moved = problem_.gram->multiply(stale, changed, deltas, precision_, context);
    }
    for (std::size_t s = 0; s < stale.size(); ++s) {
        const auto row = static_cast<std::size_t>(stale[s]);
        values_[row] =
            base_values_[row] - moved[s] - terms_[row].ridge * (beta_[row] - base_beta_[row]);
    }
    complete_ = true;
    base_beta_ = beta_;
    base_values_ = values_;
}

void DualVariables::add_drift(double delta, double size) {
    const double error = kRowError * delta * size;
    drift2_ += error * error;
}

bool DualVariables::lost_digits(double violation) const {
    const double left = kDriftShare * violation;
    return drift2_ > left * left;
}

void DualVariables::save(StateWriter& state) {
    store();
    state.array(beta_);
    state.array(values_);
    state.array(base_beta_);
    state.array(base_values_);
    state.array(active_);
    state.number(static_cast<index_t>(complete_));
    state.number(drift2_);
}

void DualVariables::restore(StateReader& state, Context& context) {
    std::vector<double> beta = state.array<double>(size());
    std::vector<double> values = state.array<double>(size());
    std::vector<double> base_beta = state.array<double>(size());
    std::vector<double> base_values = state.array<double>(size());
    std::vector<index_t> active = state.places(size());
    const bool complete = state.integer(0, 1) == 1;
    const auto drift2 = state.number<double>();
    beta_ = std::move(beta);
    values_ = std::move(values);
    complete_ = false;  // otherwise activate() would use these as the base
    activate(std::move(active), context);
    base_beta_ = std::move(base_beta);
    base_values_ = std::move(base_values);
    complete_ = complete;
    drift2_ = drift2;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_tracer.cpp - follows the l1 path from event to event, with decreasing penalty.
//
// Method   Rosset and Zhu, Annals of Statistics 35, 2007; with a squared loss the LASSO by Efron,
//          Hastie, Johnstone and Tibshirani, Annals of Statistics 32, 2004. Events: a coefficient's
//          gradient reaches lambda, a coefficient reaches zero, a row reaches the end of a piece of
//          its loss. Events at the same lambda are processed one at a time; if a cycle is
//          suspected, the one of least index first (Murty, 1974), which terminates if the Hessian
//          is nonsingular. A column that depends on the active ones in the curved rows is exchanged
//          at a fixed lambda, along a direction in which gradient and objective are constant.
// Cost     two products with Z for each event, and the square of the number of coefficients.
// Stops    at the requested end. The gradient of every knot is recomputed from its coefficients. If
//          it is not optimal, the optimum is found again a little further on (a restart), from the
//          last optimal knot or from zero coefficients: the gradient is shifted so that these are
//          optimal, and the shift is gradually removed, which is a path with the same events.
#include "solvers/l1_tracer.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/runtime/context.hpp"

namespace mercer::l1 {

Tracer::Tracer(const L1PathProblem& problem, double to, Context& context)
    : PathSteps(problem, to, context),
      context_(context),
      rows_(problem.columns.columns),
      random_(context.random(0)) {}

L1Path Tracer::run() {
    if (begin() > to_) {
        follow();
    } else {
        lambda_ = to_;
    }
    if (path_.status != SolveStatus::reduced && !ended_) {
        record(L1Event::end, -1);
    }
    return std::move(path_);
}

double Tracer::begin() {
    clear();
    refresh();
    double scale = 0.0;
    for (index_t j = 0; j < columns_; ++j) {
        scale = std::max(scale, std::sqrt(2.0 * risk_->diagonal()[at(j)] * risk_->value()));
        unit_ = std::max(unit_, std::abs(g_[at(j)]));
    }
    unit_ = unit_ > kNone * scale ? unit_ : 0.0;
    path_.lambda_max = lambda_ = unit_;
    return lambda_;
}

void Tracer::follow() {
    const index_t patience = 100 + 4 * (columns_ + rows_);
    index_t idle = 0;
    while (lambda_ > to_) {
        if (context_.should_stop()) {
            path_.status = SolveStatus::interrupted;
            return;
        }
        context_.report({.stage = "path", .done = static_cast<index_t>(path_.knots.size())});
        const double before = lambda_;
        const std::size_t knots = path_.knots.size();
        least_ = idle > kDoubtful;
        const bool good = step() && violation_since(knots) <= kTolerated * unit_;
        idle = before - lambda_ > kIdle * before ? 0 : idle + 1;
        if (!good || idle > patience) {
            if (!good) {
                forget(knots);
                lambda_ = before;
            }
            const std::size_t count = path_.knots.size();
            if (lambda_ - to_ <= kClose * unit_) {
                give_up();
                return;
            }
            if (path_.restarts > kRestarts + static_cast<index_t>(knots) / kRestarts ||
                !restart()) {
                forget(count);
                give_up();
                return;
            }
            idle = 0;
        }
    }
}

void Tracer::give_up() {
    path_.status = SolveStatus::reduced;
    if (path_.knots.empty()) {  // the start is known
        lambda_ = unit_;
        clear();
        refresh();
        record(L1Event::end, -1);
    }
    if (path_.knots.back().lambda - to_ > kJumped * unit_) {
        return;
    }
    L1Knot end = path_.knots.back();
    double sizes = 0.0;
    const std::size_t size = path_.index.size();
    for (std::size_t k = at(end.begin); k < size; ++k) {
        path_.index.push_back(path_.index[k]);
        path_.value.push_back(path_.value[k]);
        sizes += std::abs(path_.value[k]);
    }
    end.objective -= (end.lambda - to_) * sizes;
    end.violation += end.lambda - to_;
    end.lambda = to_;
    end.event = L1Event::end;
    end.index = -1;
    end.begin = static_cast<index_t>(size);
    path_.max_violation = std::max(path_.max_violation, end.violation);
    path_.knots.push_back(end);
    path_.status = SolveStatus::converged;
    ended_ = true;
}

double Tracer::violation_since(std::size_t knot) const {
    double worst = std::max(between_, violation(g_, lambda_));
    for (; knot < path_.knots.size(); ++knot) {
        worst = std::max(worst, path_.knots[knot].violation);
    }
    return worst;
}

void Tracer::forget(std::size_t count) {
    if (count < path_.knots.size()) {
        path_.index.resize(at(path_.knots[count].begin));
        path_.value.resize(path_.index.size());
        path_.knots.resize(count);
    }
    path_.max_violation = 0.0;
    for (const L1Knot& knot : path_.knots) {
        path_.max_violation = std::max(path_.max_violation, knot.violation);
    }
}

}  // namespace mercer::l1

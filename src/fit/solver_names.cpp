// SPDX-License-Identifier: Apache-2.0
//
// src/fit/solver_names.cpp - which solver claims which machine, asked of the solvers themselves.
#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/comparisons.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/linear.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"

namespace mercer {

namespace {

/// The form of a vector machine's problem; what its solvers look at.
Problem form_of(const std::string& model) {
    Problem problem;
    problem.loss = HingeLoss{};
    if (model == "svr" || model == "nu-svr") {
        problem.loss = EpsilonInsensitiveLoss{};
    } else if (model == "l2-svr") {
        problem.loss = SquaredEpsilonLoss{};
    } else if (model == "klr" || model == "l2-svc" || model == "huber-svc") {
        problem.loss = fit::smooth_loss(model);
    }
    if (model == "nu-svc" || model == "nu-svr" || model == kOneClass) {
        problem.mass = 1.0;
    }
    return problem;
}

}  // namespace

std::vector<std::string> machine_solvers(const std::string& model, index_t classes,
                                         const std::string& penalty) {
    require_choice("model", model, machine_names());
    require_choice("penalty", penalty, {kRkhs, kL1, kL1AndRkhs});
    if (penalty != kRkhs) {
        if (!takes_sparse_penalty(model, penalty)) {
            throw InvalidArgument("penalty: " + model + " does not take " + penalty);
        }
        return sparse_solvers(fit::sparse_loss(model));
    }
    if (model == "krr") {
        return {"cholesky", "conjugate-gradient", "gradient-descent"};
    }
    if (model == fit::kPerceptron) {
        return {fit::kPerceptron};
    }
    if (model == kOrdinal || model == kRank) {
        return comparison_solvers();
    }
    if (model == "ls-svc") {
        return {"cholesky"};
    }
    if (model == "ridge") {
        return linear_solvers(1.0);
    }
    if (model == "least-squares" || model == "polynomial") {
        return linear_solvers(0.0);
    }
    if (model == "klr" && classes > 2) {
        return softmax_solvers();
    }
    if (model == "logistic") {  // `dual`: another name of smo, which solves the dual
        std::vector<std::string> names = smooth_solvers(LogisticLoss{});
        names.emplace_back("dual");
        return names;
    }
    return fit::primal_and_dual_solvers(form_of(model));
}

}  // namespace mercer

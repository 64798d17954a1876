// SPDX-License-Identifier: Apache-2.0
//
// src/fit/variance.cpp - the ridge problem of a model, without its targets.
#include "mercer/fit/variance.hpp"

#include <fmt/core.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/solvers/ridge.hpp"

namespace mercer {

namespace {

void require_variance(const Model& model) {
    if (!is_machine(model.machine, MachineId::krr)) {
        throw InvalidArgument(
            "variance", "", fmt::format("the model is {}, only krr has a variance", model.machine));
    }
    if (model.is_sparse()) {
        throw InvalidArgument(
            "variance", "",
            fmt::format("that of the penalty rkhs only, the model has {}", model.penalty));
    }
    if (!std::isfinite(model.cost)) {
        throw InvalidArgument("variance", "",
                              "needs alpha > 0, the model was trained with alpha = 0");
    }
    if (model.row_weights) {
        throw InvalidArgument("variance", "",
                              "the model was trained with row weights, which it does not keep");
    }
    if (model.support.rows() != model.fingerprint.rows) {
        throw InvalidArgument("variance", "",
                              fmt::format("the model holds {} of its {} training rows",
                                          model.support.rows(), model.fingerprint.rows));
    }
}

}  // namespace

std::vector<double> predictive_variance(const Model& model, const Dataset& rows, Context& context) {
    require_variance(model);
    RidgeProblem problem;
    problem.gram = make_gram(model.kernel, model.support);
    problem.targets.assign(static_cast<std::size_t>(model.support.rows()), 0.0);
    problem.alpha = 1.0 / (2.0 * model.cost);
    problem.intercept = false;
    const Dataset seen = rows_as_trained(model, rows, context);
    return rows.rows() == 0 ? std::vector<double>()
                            : ridge_variance(problem, problem.gram->beside(seen, context), context);
}

}  // namespace mercer

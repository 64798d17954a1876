// SPDX-License-Identifier: Apache-2.0
//
// src/fit/sparse.cpp - machines that pay for their coefficients, alone or beside 1/2 |f|^2.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::fit {

namespace {

void require_sense(const TrainOptions& options) {
    for (const auto& [name, given] : {std::pair{"start", options.start != nullptr},
                                      std::pair{"checkpoint", options.checkpoint != nullptr},
                                      std::pair{"leave_one_out", options.leave_one_out}}) {
        if (given) {
            throw InvalidArgument(
                fmt::format("{}: not together with the penalty {}", name, options.penalty));
        }
    }
    if (options.precision != "float64") {
        throw InvalidArgument(
            fmt::format("precision: the penalty {} takes float64 only", options.penalty));
    }
    if (is_precomputed(options.kernel)) {
        throw InvalidArgument(
            fmt::format("kernel: the penalty {} keeps some rows only, and precomputed values know "
                        "theirs by their place",
                        options.penalty));
    }
}

/// As for the machine with its usual penalty: the margins' 1e-4, the others' 1e-8.
double usual_gap(const std::string& model) {
    const bool margins =
        model == "svc" || model == "l2-svc" || model == "huber-svc" || model == "l2-svr";
    return margins ? kDefaultGapTolerance : kSmoothGapTolerance;
}

/// How a problem is solved with the options' penalty.
auto solver_of(const TrainOptions& options) {
    return [weight = l1_weight(options), rkhs = options.penalty == kL1AndRkhs,
            gap = usual_gap(options.model)](const Problem& problem, const SolveOptions& asked,
                                            Context& context) {
        SolveOptions wanted = asked;
        if (std::isnan(wanted.gap_tolerance) && std::isnan(wanted.tolerance)) {
            wanted.gap_tolerance = gap;
        }
        return solve_sparse({problem, weight, rkhs}, wanted, context);
    };
}

/// l2-svr and krr.
TrainResult train_regression(const Dataset& data, const TrainOptions& options, Context& context) {
    const Prepared prepared = prepare(data, options);
    TrainResult result;
    Loss loss = SquaredLoss{};
    double cost = kNaN;
    if (options.model == "krr") {
        require_finite_squares(prepared);
        const double alpha = ridge_alpha(options, prepared.total_weight);
        require_in_range("alpha", alpha, Range::positive());
        cost = 1.0 / (2.0 * alpha);
    } else {
        result.tube = std::isnan(options.epsilon) ? 0.1 : options.epsilon;
        require_in_range("epsilon", result.tube, Range::non_negative());
        loss = SquaredEpsilonLoss{result.tube};
        cost = svc_cost(options, prepared.total_weight);
    }
    result.model = describe_smooth(data, options, prepared, loss, cost);
    result.model.epsilon = width_of(loss);
    const Problem problem = smooth_problem(prepared, result.model, loss);
    const double start = context.elapsed();
    keep_solution(prepared, solver_of(options)(problem, solve_options(options), context), result);
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

}  // namespace

Loss sparse_loss(const std::string& model) {
    return model == "svc"      ? Loss(HingeLoss{})
           : model == "ls-svc" ? Loss(HalfSquaredLoss{})
                               : smooth_loss(model);
}

double l1_weight(const TrainOptions& options) {
    const double weight = std::isnan(options.l1) ? 1.0 : options.l1;
    require_in_range("l1", weight,
                     options.penalty == kL1 ? Range::positive() : Range::non_negative());
    return weight;
}

TrainResult train_sparse(const Dataset& data, const TrainOptions& options, Context& context) {
    require_sense(options);
    TrainResult result;
    if (is_classifier(options.model)) {
        const ClassMachine machine{options.model,
                                   sparse_loss(options.model),
                                   usual_gap(options.model),
                                   solver_of(options),
                                   {}};
        result = train_classes(data, options, machine, context);
    } else {
        result = train_regression(data, options, context);
    }
    Model& model = result.model;
    model.penalty = options.penalty;
    model.l1 = l1_weight(options);
    if (std::isnan(options.gap_tolerance) && std::isnan(options.tolerance)) {
        model.gap_tolerance = usual_gap(options.model);
    }
    return result;
}

}  // namespace mercer::fit

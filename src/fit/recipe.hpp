// SPDX-License-Identifier: Apache-2.0
//
// src/fit/recipe.hpp - what every machine's recipe starts from, and the recipes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/fit/train.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

/// The training rows as the solver sees them: weight > 0 only, scaled, with a resolved kernel.
struct Prepared {
    Dataset rows;
    std::vector<index_t> kept;  ///< their numbers in the training data; empty: all, in order
    double total_weight = 0.0;  ///< sum of the row weights; the number of rows when there are none
    Kernel kernel;
    std::optional<Scaling> scaling;

    /// Number of row i in the training data.
    [[nodiscard]] index_t original(index_t i) const {
        return kept.empty() ? i : kept[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] double weight(index_t i) const {
        return rows.weights.empty() ? 1.0 : rows.weights[static_cast<std::size_t>(i)];
    }
};

/// Checks data and kernel, drops rows of weight 0, learns and applies the scaling, fills in
/// `scale`.
[[nodiscard]] Prepared prepare(const Dataset& data, const TrainOptions& options);

/// C from -C or lambda. Throws InvalidArgument when several constants are given.
[[nodiscard]] double svc_cost(const TrainOptions& options, double total_weight);

/// How three or more classes are told apart: ovo, ovr or softmax. Throws InvalidArgument when the
/// machine does not do that.
[[nodiscard]] std::string chosen_multiclass(const TrainOptions& options);

/// nu in (0, upper], 0.5 when not given.
[[nodiscard]] double chosen_nu(const TrainOptions& options, double upper);

/// The number added to the diagonal, from alpha, lambda or C.
[[nodiscard]] double ridge_alpha(const TrainOptions& options, double total_weight);

/// Throws DataError naming the row where the sum of squared targets leaves double precision.
void require_finite_squares(const Prepared& prepared);

/// Throws InvalidArgument unless `options.solver` is auto or a name the ridge recipe knows.
void require_ridge_solver(const TrainOptions& options);

/// The class weights by the data's own label names (`+1` finds `1`). Throws InvalidArgument for a
/// class that does not exist or a weight that is not finite and > 0.
[[nodiscard]] std::map<std::string, double> named_class_weights(
    const TrainOptions& options, const std::vector<std::string>& label_names);

/// Takes the rows with a nonzero coefficient into the model. `beta` is n x outputs.
void keep_support(const Prepared& prepared, std::span<const double> beta, index_t outputs,
                  Model& model);

/// Takes these rows, in this order, into the model with their numbers in the training data.
void take_support_rows(const Prepared& prepared, std::span<const index_t> chosen, Model& model);

/// The certificate with its worst row numbered as in the training data.
[[nodiscard]] Certificate with_original_row(Certificate certificate, const Prepared& prepared);

/// What a solver is asked for: the tolerances, limits and solver of the options.
[[nodiscard]] SolveOptions solve_options(const TrainOptions& options);

/// A machine that tells two classes apart; multiclass.hpp makes many of them a classifier.
struct ClassMachine {
    std::string name;
    Loss loss;
    double gap_tolerance = kNaN;  ///< when no tolerance is asked for
    /// Solves a problem of targets -1 and +1.
    std::function<Solution(const Problem&, const SolveOptions&, Context&)> solve;
    /// Completes a problem that has rows, targets, costs and loss; may be empty.
    std::function<void(Problem&)> complete;
};

/// The classifier of all classes of the data: one machine for two, else by options.multiclass.
[[nodiscard]] TrainResult train_classes(const Dataset& data, const TrainOptions& options,
                                        const ClassMachine& machine, Context& context);

/// The spread of a regression's residuals, by 5-fold cross-validation.
[[nodiscard]] Link laplace_link(const Dataset& data, const TrainOptions& options, Context& context);

/// Marks of a one-class machine by its own values on the training rows, five among those outside
/// and five among those inside; empty when either are fewer than five.
[[nodiscard]] Link density_link(const Dataset& data, const Model& model, Context& context);

[[nodiscard]] TrainResult train_svc(const Dataset& data, const TrainOptions& options,
                                    Context& context);
[[nodiscard]] TrainResult train_krr(const Dataset& data, const TrainOptions& options,
                                    Context& context);

[[nodiscard]] TrainResult train_nu_svc(const Dataset& data, const TrainOptions& options,
                                       Context& context);
[[nodiscard]] TrainResult train_l2_svc(const Dataset& data, const TrainOptions& options,
                                       Context& context);
[[nodiscard]] TrainResult train_huber_svc(const Dataset& data, const TrainOptions& options,
                                          Context& context);
[[nodiscard]] TrainResult train_hard_margin(const Dataset& data, const TrainOptions& options,
                                            Context& context);
/// The hard margin of the problem's rows, whatever its costs: no coefficient is at its bound.
/// Throws DataError when the classes are not separable, or no one can tell.
[[nodiscard]] Solution solve_hard_margin(Problem problem, const SolveOptions& options,
                                         Context& context);
[[nodiscard]] TrainResult train_perceptron(const Dataset& data, const TrainOptions& options,
                                           Context& context);
[[nodiscard]] TrainResult train_svr(const Dataset& data, const TrainOptions& options,
                                    Context& context);
[[nodiscard]] TrainResult train_l2_svr(const Dataset& data, const TrainOptions& options,
                                       Context& context);
[[nodiscard]] TrainResult train_nu_svr(const Dataset& data, const TrainOptions& options,
                                       Context& context);
[[nodiscard]] TrainResult train_one_class(const Dataset& data, const TrainOptions& options,
                                          Context& context);
[[nodiscard]] TrainResult train_ordinal(const Dataset& data, const TrainOptions& options,
                                        Context& context);
[[nodiscard]] TrainResult train_rank(const Dataset& data, const TrainOptions& options,
                                     Context& context);
/// Comparisons of `ordinal` (rows with thresholds) or `rank` (rows of a query with each other).
[[nodiscard]] index_t comparison_count(const Dataset& rows, const std::string& model);
[[nodiscard]] TrainResult train_smooth_classifier(const Dataset& data, const TrainOptions& options,
                                                  Context& context);
/// Throws InvalidArgument unless the machine takes the penalty, and has a weight only where the
/// penalty has one.
void require_penalty(const TrainOptions& options);
/// Weight of the penalty on the coefficients, 1 when not given.
[[nodiscard]] double l1_weight(const TrainOptions& options);
/// Machines with a penalty on the coefficients.
[[nodiscard]] TrainResult train_sparse(const Dataset& data, const TrainOptions& options,
                                       Context& context);
/// Throws InvalidArgument unless the machine takes a basis, and nothing of one is given without it.
void require_basis(const TrainOptions& options);
/// Machines whose f is a sum of few functions.
[[nodiscard]] TrainResult train_on_basis(const Dataset& data, const TrainOptions& options,
                                         Context& context);
/// klr of three or more classes as one problem.
[[nodiscard]] TrainResult train_softmax(const Dataset& data, const TrainOptions& options,
                                        Context& context);
[[nodiscard]] TrainResult train_ls_svc(const Dataset& data, const TrainOptions& options,
                                       Context& context);
[[nodiscard]] TrainResult train_least_squares(const Dataset& data, const TrainOptions& options,
                                              Context& context);
[[nodiscard]] TrainResult train_ridge(const Dataset& data, const TrainOptions& options,
                                      Context& context);
[[nodiscard]] TrainResult train_polynomial(const Dataset& data, const TrainOptions& options,
                                           Context& context);
[[nodiscard]] TrainResult train_logistic(const Dataset& data, const TrainOptions& options,
                                         Context& context);

}  // namespace mercer::fit

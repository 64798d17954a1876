// SPDX-License-Identifier: Apache-2.0
//
// src/fit/recipe.hpp - the training recipes, and their common parts.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/fit/prepared.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

/// How three or more classes are handled: ovo, ovr or softmax. Throws InvalidArgument if the
/// machine does not support it.
[[nodiscard]] std::string chosen_multiclass(const TrainOptions& options);

/// The greatest degree of a polynomial's monomials, 2 by default.
[[nodiscard]] index_t chosen_degree(const TrainOptions& options);

/// nu in (0, upper], 0.5 by default.
[[nodiscard]] double chosen_nu(const TrainOptions& options, double upper);

/// Throws InvalidArgument unless `options.solver` is automatic or one of machine_solvers().
void require_solver_of(const TrainOptions& options);

/// Throws InvalidArgument, with a class that has none, unless this many classes have rows of weight
/// > 0. A joint problem needs two, all others every class.
void require_weighted_classes(const Dataset& data, index_t least);

/// Stores these rows, in this order, in the model, with their numbers in the training data.
void take_support_rows(const Prepared& prepared, std::span<const index_t> chosen, Model& model);

/// The solver options: tolerances, limits and solver of the training options.
[[nodiscard]] SolveOptions solve_options(const TrainOptions& options);

/// K of the prepared rows: the caller's (RunChoices::gram), or a new one.
[[nodiscard]] std::shared_ptr<const GramOperator> gram_of(const Prepared& prepared,
                                                          const TrainOptions& options);

/// The solver of linear equations in K: the requested one, otherwise the automatic choice, or one
/// that uses products if the matrix of the automatic one does not fit into memory.
[[nodiscard]] SolverChoice equation_solver(const Prepared& prepared, const TrainOptions& options,
                                           Context& context);

/// Throws ResourceError if according to its plan the training does not fit into memory.
void require_memory(const Dataset& data, const TrainOptions& options, Context& context);

/// Records what a stop left out. A certified machine then also has the status interrupted: not
/// everything requested is there.
void note_stopped(TrainResult& result, std::string what);
inline constexpr const char* kNoProbabilities = "probabilities: stopped before they were estimated";
inline constexpr const char* kNoLeaveOneOut = "leave-one-out error: stopped before it was computed";
/// The same if not a stop but rounding prevented them.
inline constexpr const char* kNoLeaveOneOutFactor =
    "leave-one-out error: in double precision the kernel matrix cannot be factored at this cost; "
    "scale the columns, or take a smaller C (a greater alpha)";

/// A machine that separates two classes; multiclass.cpp combines them into a classifier.
struct ClassMachine {
    std::string name;
    Loss loss;
    double gap_tolerance = kNaN;  ///< by default
    /// Solves a problem of targets -1 and +1.
    std::function<Solution(const Problem&, const SolveOptions&, Context&)> solve;
    /// Completes a problem that has rows, targets, costs and loss; may be empty.
    std::function<void(Problem&)> complete;
};

/// The classifier of all classes of the data: one machine for two, otherwise by options.multiclass.
[[nodiscard]] TrainResult train_classes(const Dataset& data, const TrainOptions& options,
                                        const ClassMachine& machine, Context& context);

/// The spread of a regression's residuals, by 5-fold cross-validation.
[[nodiscard]] Link laplace_link(const Dataset& data, const TrainOptions& options, Context& context);

/// Density marks of a one-class machine from its values on the training rows, five among those
/// outside and five among those inside; empty if either side has fewer than five.
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
/// The hard margin of the problem's rows, regardless of its costs: no coefficient is at its bound.
/// Throws DataError if the classes are not separable, or if this cannot be decided.
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
/// The number of comparisons of `ordinal` (rows with thresholds) or `rank` (rows within a query).
[[nodiscard]] index_t comparison_count(const Dataset& rows, const std::string& model);
[[nodiscard]] TrainResult train_smooth_classifier(const Dataset& data, const TrainOptions& options,
                                                  Context& context);
/// Throws InvalidArgument unless the machine takes the penalty, and a weight is given only if the
/// penalty has one.
void require_penalty(const TrainOptions& options);
/// Weight of the penalty on the coefficients, 1 by default.
[[nodiscard]] double l1_weight(const TrainOptions& options);
/// Machines with a penalty on the coefficients.
[[nodiscard]] TrainResult train_sparse(const Dataset& data, const TrainOptions& options,
                                       Context& context);
/// Throws InvalidArgument unless the machine takes a basis, or if basis options are given without
/// it.
void require_basis(const TrainOptions& options);
/// Machines with f as a sum of few functions.
[[nodiscard]] TrainResult train_on_basis(const Dataset& data, const TrainOptions& options,
                                         Context& context);
/// klr with three or more classes as one problem.
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

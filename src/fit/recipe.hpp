// SPDX-License-Identifier: Apache-2.0
//
// src/fit/recipe.hpp - the recipes, and what they share.
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

/// How three or more classes are told apart: ovo, ovr or softmax. Throws InvalidArgument when the
/// machine does not do that.
[[nodiscard]] std::string chosen_multiclass(const TrainOptions& options);

/// The greatest degree of a polynomial's monomials, 2 when not given.
[[nodiscard]] index_t chosen_degree(const TrainOptions& options);

/// nu in (0, upper], 0.5 when not given.
[[nodiscard]] double chosen_nu(const TrainOptions& options, double upper);

/// Throws InvalidArgument unless `options.solver` is automatic or one of machine_solvers().
void require_solver_of(const TrainOptions& options);

/// Takes these rows, in this order, into the model with their numbers in the training data.
void take_support_rows(const Prepared& prepared, std::span<const index_t> chosen, Model& model);

/// What a solver is asked for: the tolerances, limits and solver of the options.
[[nodiscard]] SolveOptions solve_options(const TrainOptions& options);

/// K of the prepared rows: the caller's (RunChoices::gram), or one that is made.
[[nodiscard]] std::shared_ptr<const GramOperator> gram_of(const Prepared& prepared,
                                                          const TrainOptions& options);

/// The solver of linear equations in K: the one that is asked for, else automatic, else, where the
/// matrix of the automatic one does not fit the memory, one that goes by products.
[[nodiscard]] SolverChoice equation_solver(const Prepared& prepared, const TrainOptions& options,
                                           Context& context);

/// Throws ResourceError when the plan of the training says that it does not fit the memory.
void require_memory(const Dataset& data, const TrainOptions& options, Context& context);

/// Notes what a stop left out. A machine that is proved counts as interrupted then: not all that
/// was asked for is there.
void note_stopped(TrainResult& result, std::string what);
inline constexpr const char* kNoProbabilities = "probabilities: stopped before they were estimated";
inline constexpr const char* kNoLeaveOneOut = "leave-one-out error: stopped before it was computed";
/// The same where no stop, but rounding left them out.
inline constexpr const char* kNoLeaveOneOutFactor =
    "leave-one-out error: in double precision the kernel matrix cannot be factored at this cost; "
    "scale the columns, or take a smaller C (a greater alpha)";

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

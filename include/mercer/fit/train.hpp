// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/train.hpp - from data and the name of a machine to a model with its certificate.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/fit/basis.hpp"
#include "mercer/fit/train_options.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/runtime/work.hpp"
#include "mercer/solvers/solver_id.hpp"
#include "mercer/theory/mistake_bound.hpp"
#include "mercer/theory/separability.hpp"

namespace mercer {

class Context;
struct BasisRun;

/// True if the machine's targets are classes.
[[nodiscard]] bool is_classifier(const std::string& model);

/// True if the machine is linear in the columns or their monomials and takes no kernel.
[[nodiscard]] bool is_linear_machine(const std::string& model);

/// True if its kernel is linear by default.
[[nodiscard]] bool is_linear_by_default(const std::string& model);

/// True if the machine accepts that `penalty` on its coefficients (other than rkhs).
[[nodiscard]] bool takes_sparse_penalty(const std::string& model, const std::string& penalty = kL1);

/// True if the machine accepts a `basis`: f as a sum of few functions.
[[nodiscard]] bool takes_basis(const std::string& model);

/// The solver names, other than auto, that solve the machine with that many classes (klr with three
/// or more: those of its joint problem) and that penalty. Throws InvalidArgument for a penalty that
/// the machine does not take.
[[nodiscard]] std::vector<std::string> machine_solvers(const std::string& model,
                                                       index_t classes = 2,
                                                       const std::string& penalty = kRkhs);

/// How one output, a two-class machine or a regression, was solved.
struct OutputSummary {
    index_t iterations = 0;
    index_t support = 0;                    ///< rows with a nonzero coefficient
    index_t bounded = 0;                    ///< those of them at their bound
    double absolute_sum = 0.0;              ///< sum of |beta|
    double total_cost = 0.0;                ///< sum of the rows' costs
    std::shared_ptr<const BasisRun> basis;  ///< how the basis grew, if one was chosen
    std::vector<index_t> basis_rows;        ///< rows of the training data (or columns) in the order
                                            ///< of choice
};

/// Positions of the positive-weight rows relative to the tube, according to their coefficients.
struct TubeCounts {
    index_t inside = 0;  ///< no coefficient: inside, or touching the edge
    index_t edge = 0;    ///< a coefficient below its bound: on the edge
    index_t above = 0;   ///< a coefficient at its bound, the target above the tube
    index_t below = 0;

    [[nodiscard]] index_t all() const noexcept { return inside + edge + above + below; }
};

/// A model, and a report of how it was trained.
struct TrainResult {
    Model model;
    std::vector<OutputSummary> outputs;      ///< for classifiers and with a basis: one per output
    index_t comparisons = 0;                 ///< ordinal, rank: their number; `outputs` counts
                                             ///< those with a multiplier as support
    index_t bounded_support = 0;             ///< svc: rows with a coefficient at its bound
    std::vector<double> leave_one_out;       ///< krr, if requested: residuals of the
                                             ///< positive-weight rows, one per row; otherwise empty
    std::vector<double> leave_one_out_loss;  ///< classifiers, if requested: loss of each row left
                                             ///< out
    index_t leave_one_out_wrong = 0;         ///< rows that would then be on the wrong side
    index_t rank = 0;                        ///< krr, linear machines
    std::vector<double> weights;             ///< linear machines: one per column or monomial
    std::vector<std::string> weight_names;   ///< polynomial: the monomials
    double tube = kNaN;                      ///< svr, l2-svr, nu-svr: half-width of the tube
    TubeCounts tube_rows;                    ///< positions of the rows relative to it
    double residual = kNaN;                  ///< linear machines: weighted sum of squares
    double iteration_bound = kNaN;           ///< conjugate gradients: the theoretical bound
    std::optional<BasisReport> basis;        ///< if one was chosen
    std::optional<MistakeBound> perceptron;  ///< its mistakes, and the bound on their number
    std::optional<Separability> separability;  ///< perceptron, if requested
    std::vector<std::string> missing;          ///< requested results that are missing, with reasons
    Work work;                                 ///< kernel evaluations and products by the solvers
    double fit_seconds = 0.0;                  ///< without certification
    double certify_seconds = 0.0;
};

/// Throws InvalidArgument, listing the machines that take it, for an option that the machine does
/// not take: a hyperparameter of another machine, single precision, probabilities. Decided by the
/// table of machines.
void require_taken(const TrainOptions& options);

/// Throws InvalidArgument, with the row if there is one, unless the data can train the machine:
/// rows, finite targets, weights >= 0; for svc two or more classes, each with rows of positive
/// weight.
void require_trainable(const Dataset& data, const std::string& model);

/// Trains. For classifiers `data.targets` are indices into label_names (in any order), otherwise
/// numbers. Throws InvalidArgument with the parameter or row, DataError with the row where kernel
/// values or squared targets overflow double precision, ResourceError for memory. Not converging is
/// not an error: model.status and the certificate report it. Nor is a stop: the model is then the
/// best so far, and `missing` names what there was no time for.
[[nodiscard]] TrainResult train(const Dataset& data, const TrainOptions& options, Context& context);

/// The machine with other column weights (outputs x columns) and intercepts, which somebody has
/// written by hand: it predicts by them, and states nothing about its training.
/// Throws InvalidArgument if the kernel is not linear, the rows are scaled, or the sizes differ.
[[nodiscard]] Model with_weights(const Model& model, MatrixView<const double> weights,
                                 std::span<const double> intercepts);

}  // namespace mercer

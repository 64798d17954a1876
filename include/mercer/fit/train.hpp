// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/train.hpp - from data and a machine's name to a model with its proof.
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

/// True when the machine's targets are classes.
[[nodiscard]] bool is_classifier(const std::string& model);

/// True when the machine is linear in the columns or their monomials and takes no kernel.
[[nodiscard]] bool is_linear_machine(const std::string& model);

/// True when its kernel is the linear one unless another is asked for.
[[nodiscard]] bool is_linear_by_default(const std::string& model);

/// True when the machine may pay for its coefficients in that way: a `penalty` other than rkhs.
[[nodiscard]] bool takes_sparse_penalty(const std::string& model, const std::string& penalty = kL1);

/// True when the machine's f may be a sum of few functions: `basis`.
[[nodiscard]] bool takes_basis(const std::string& model);

/// Names that `solver` may have for the machine on so many classes (klr with three or more: those
/// of its joint problem) and with that penalty, beside auto; every one of them solves it. Throws
/// InvalidArgument for a penalty the machine does not take.
[[nodiscard]] std::vector<std::string> machine_solvers(const std::string& model,
                                                       index_t classes = 2,
                                                       const std::string& penalty = kRkhs);

/// How one output, a two-class machine or a regression, was solved.
struct OutputSummary {
    index_t iterations = 0;
    index_t support = 0;                    ///< rows with a coefficient
    index_t bounded = 0;                    ///< of them at their bound
    double absolute_sum = 0.0;              ///< of the coefficients
    double total_cost = 0.0;                ///< sum of the rows' costs
    std::shared_ptr<const BasisRun> basis;  ///< when one was chosen: how it grew
    std::vector<index_t> basis_rows;        ///< rows of the training data (or columns) in the order
                                            ///< of their choice
};

/// Where the rows of weight > 0 lie beside a tube, told by their coefficients.
struct TubeCounts {
    index_t inside = 0;  ///< no coefficient: inside, or touching the edge
    index_t edge = 0;    ///< a coefficient below its bound: on the edge
    index_t above = 0;   ///< a coefficient at its bound, the target above the tube
    index_t below = 0;

    [[nodiscard]] index_t all() const noexcept { return inside + edge + above + below; }
};

/// A model and what is worth saying about how it was made.
struct TrainResult {
    Model model;
    std::vector<OutputSummary> outputs;      ///< of classifiers and of a basis: one per output
    index_t comparisons = 0;                 ///< ordinal, rank: of all; `outputs` has those with a
                                             ///< multiplier as support
    index_t bounded_support = 0;             ///< svc: rows with a coefficient at its bound
    std::vector<double> leave_one_out;       ///< krr, when asked for: residuals of the rows with a
                                             ///< weight > 0, one per row; empty when there are none
    std::vector<double> leave_one_out_loss;  ///< classifiers, when asked for: loss of each row
                                             ///< left out
    index_t leave_one_out_wrong = 0;         ///< rows that would be on the wrong side then
    index_t rank = 0;                        ///< krr, linear machines
    std::vector<double> weights;             ///< linear machines: one per column or monomial
    std::vector<std::string> weight_names;   ///< polynomial: the monomials
    double tube = kNaN;                      ///< svr, l2-svr, nu-svr: half-width of the tube
    TubeCounts tube_rows;                    ///< and where the rows lie beside it
    double residual = kNaN;                  ///< linear machines: weighted sum of squares
    double iteration_bound = kNaN;           ///< conjugate gradients: what theory allows
    std::optional<BasisReport> basis;        ///< when one was chosen
    std::optional<MistakeBound> perceptron;  ///< its mistakes, and how many there may be
    std::optional<Separability> separability;  ///< perceptron, when asked for
    std::vector<std::string> missing;          ///< what was asked for and is not there, and why not
    Work work;                                 ///< what the machine's solvers asked of K
    double fit_seconds = 0.0;                  ///< without certification
    double certify_seconds = 0.0;
};

/// Throws InvalidArgument, with the machines that take it, for an option that the machine does not
/// take: a hyperparameter that is not its own, single precision, probabilities. The table of
/// machines says which.
void require_taken(const TrainOptions& options);

/// Throws InvalidArgument, naming the row where there is one, unless the data can train the
/// machine: rows, finite targets, weights >= 0; for svc two or more classes that all have rows of
/// weight > 0.
void require_trainable(const Dataset& data, const std::string& model);

/// Trains. `data.targets` are class indices with label_names (in any order) for classifiers,
/// numbers for the others. Throws InvalidArgument naming the parameter or row, DataError naming the
/// row where kernel or squared targets leave double precision, ResourceError for memory. Not
/// converged is no error: model.status and the certificate say so. Nor is a stop: the model is the
/// best so far, and `missing` names what there was no time for.
[[nodiscard]] TrainResult train(const Dataset& data, const TrainOptions& options, Context& context);

}  // namespace mercer

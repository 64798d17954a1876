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
#include "mercer/kernels/kernel.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/runtime/work.hpp"
#include "mercer/solvers/solver_id.hpp"
#include "mercer/theory/mistake_bound.hpp"
#include "mercer/theory/separability.hpp"

namespace mercer {

class Checkpoint;
class Context;
class SolverRegistry;
struct BasisRun;

/// Every machine train() knows, in the order they are listed to users.
[[nodiscard]] std::vector<std::string> machine_names();

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

inline constexpr const char* kAuto = "auto";

/// What a perceptron is told beside; no other machine takes any of it.
struct PerceptronChoices {
    bool average = false;       ///< the mean of w over all looks, not the last w
    std::string bound = kAuto;  ///< R^2 B^2: "always", "never", auto: when it is cheap to have
    bool record_steps = false;  ///< the proof after every mistake
    bool separability =
        false;  ///< of a run that did not converge: whether any f separates the rows

    template <typename Visitor>
    static void describe(Visitor& visitor, PerceptronChoices& choices) {
        visitor.flag("average", choices.average, "the mean of w over the run, not the last w");
        visitor.choice("bound", choices.bound, {kAuto, "always", "never"},
                       "compute R^2 B^2 beside the mistakes");
        visitor.flag("separability", choices.separability,
                     "when it stops early, prove whether the classes are separable");
    }
};

/// How the dual of a machine of the support vector family is solved; no other machine takes any of
/// it.
struct DualChoices {
    std::string selection = kAuto;  ///< smo: pairs by "second-order" or "maximal-violating"
    std::string pricing = kAuto;    ///< active set: rows by "worst", "cyclic" or "blocks"
    bool polish = false;            ///< go on by the active set from where the solver ends

    [[nodiscard]] static std::vector<std::string> selections() {
        return {kAuto, "second-order", "maximal-violating"};
    }
    [[nodiscard]] static std::vector<std::string> pricings() {
        return {kAuto, "worst", "cyclic", "blocks"};
    }

    template <typename Visitor>
    static void describe(Visitor& visitor, DualChoices& choices) {
        visitor.choice("selection", choices.selection, selections(), "smo: the pair that moves");
        visitor.choice("pricing", choices.pricing, pricings(),
                       "active-set: the row that is set free");
        visitor.flag("polish", choices.polish, "go on by the active set to the last digits");
    }
};

/// What `mercer train` is told.
struct TrainOptions {
    std::string model = "svc";        ///< one of machine_names()
    Kernel kernel{};                  ///< may still have parameters at `scale`
    std::optional<double> cost{};     ///< C; default 1
    std::optional<double> lambda{};   ///< the thesis's convention; C = 1 / (2 n lambda)
    std::optional<double> alpha{};    ///< krr: added to the diagonal; default 1
    std::optional<double> epsilon{};  ///< svr, l2-svr: half-width of the tube; default 0.1
    std::optional<double> nu{};  ///< nu-machines: share of rows outside or on the edge; default 0.5
    std::string penalty = kRkhs;  ///< what is paid for f: "rkhs" 1/2 |f|^2, "l1" the coefficients,
                                  ///< "l1+rkhs" both
    std::optional<double> l1{};   ///< weight of sum |beta|, with l1 and l1+rkhs; default 1
    bool intercept = true;
    bool allow_indefinite = false;
    ScaleOptions scale{.method = "none"};
    std::map<std::string, double> class_weights{};
    std::optional<double> gap_tolerance{};
    std::optional<double> tolerance{};
    index_t max_iterations = 0;
    index_t cache_bytes = 0;  ///< for kernel rows; 0: as the memory allows
    SolverChoice solver{};
    const SolverRegistry* registry = nullptr;  ///< not owned: solvers of the caller's own
    std::string multiclass = "auto";    ///< three or more classes: "ovo" (pairs), "ovr", "softmax"
                                        ///< (klr: one joint problem); auto: softmax for klr, ovo
    std::string order{};                ///< perceptron: rows looked at "cyclic" (empty), "random"
                                        ///< or "worst" first; ordinal: the labels from low to high,
                                        ///< by commas (empty: they are numbers)
    bool probability = false;           ///< learn a link to probabilities by cross-validation
    bool leave_one_out = false;         ///< krr, klr: report leave-one-out errors
    std::string precision = "float64";  ///< krr: "float32" factors in half the time and memory
    index_t degree = 2;                 ///< polynomial: the greatest degree of a monomial
    PerceptronChoices perceptron{};
    BasisChoices basis{};
    DualChoices dual{};

    Checkpoint* checkpoint = nullptr;  ///< not owned: keeps the state of the run, and gives it back
    const Model* start = nullptr;      ///< not owned: coefficients to start from, by row number

    /// Everything but the kernel and the class weights, which have a text form of their own.
    template <typename Visitor>
    static void describe(Visitor& visitor, TrainOptions& options) {
        visitor.choice("model", options.model, machine_names(), "the machine");
        visitor.number("cost", options.cost, Range::positive_or_infinite(),
                       "C, weight of each loss term; inf: hard margin; default 1");
        visitor.number("lambda", options.lambda, Range::non_negative(),
                       "mean loss + lambda |f|^2: C = 1 / (2 n lambda)");
        visitor.number("alpha", options.alpha, Range::non_negative(),
                       "krr: added to the diagonal of K; default 1");
        visitor.number("epsilon", options.epsilon, Range::non_negative(),
                       "svr, l2-svr: half-width of the tube; default 0.1");
        visitor.number("nu", options.nu, Range::positive(),
                       "nu-machines: share of rows outside; default 0.5");
        visitor.choice("penalty", options.penalty, {kRkhs, kL1, kL1AndRkhs},
                       "1/2 |f|^2, few coefficients, or both");
        visitor.number("l1", options.l1, Range::non_negative(),
                       "penalty l1, l1+rkhs: weight of sum |beta|; default 1");
        visitor.flag("intercept", options.intercept, "fit a constant beside f");
        visitor.choice("scale", options.scale.method, {"none", "standard", "minmax"},
                       "scale columns; kept in the model");
        visitor.number("gap_tolerance", options.gap_tolerance, Range::positive(),
                       "certified relative gap; vectors 1e-4, others 1e-8");
        visitor.number("tolerance", options.tolerance, Range::positive(),
                       "KKT violation (LIBSVM's rule)");
        visitor.integer("max_iterations", options.max_iterations, Range::non_negative(),
                        "iterations; 0: the solver's own limit");
        visitor.word("solver", options.solver, "auto, or a solver by name");
        visitor.choice("precision", options.precision, {"float64", "float32"},
                       "krr: float32 factors in half the time");
        visitor.integer("degree", options.degree, Range::within(1.0, 100.0),
                        "polynomial: greatest degree of a monomial");
        visitor.choice("multiclass", options.multiclass, {"auto", "ovo", "ovr", "softmax"},
                       "many classes: pairs, rest, jointly");
        visitor.text("order", options.order,
                     "perceptron: cyclic|random|worst; ordinal: its labels");
        visitor.flag("probability", options.probability,
                     "learn probabilities by 5-fold cross-validation");
        visitor.flag("allow_indefinite", options.allow_indefinite,
                     "take a kernel that cannot be shown positive definite");
    }
};

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
    Work work;                                 ///< what the machine's solvers asked of K
    double fit_seconds = 0.0;                  ///< without certification
    double certify_seconds = 0.0;
};

/// Throws InvalidArgument, naming the row where there is one, unless the data can train the
/// machine: rows, finite targets, weights >= 0; for svc two or more classes that all have rows of
/// weight > 0.
void require_trainable(const Dataset& data, const std::string& model);

/// Trains. `data.targets` are class indices with label_names (in any order) for classifiers,
/// numbers for the others. Throws InvalidArgument naming the parameter or row, DataError naming the
/// row where kernel or squared targets leave double precision, ResourceError for memory. Not
/// converged is no error: model.status and the certificate say so.
[[nodiscard]] TrainResult train(const Dataset& data, const TrainOptions& options, Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/train_options.hpp - what to train and how: all options of `mercer train`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/fit/basis.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/solver_id.hpp"

namespace mercer {

class Checkpoint;
class GramOperator;
class SolverRegistry;

/// All machines that train() knows, in the order in which they are listed to users.
[[nodiscard]] std::vector<std::string> machine_names();

inline constexpr const char* kAuto = "auto";

/// Options of the perceptron; no other machine takes any of them.
struct PerceptronChoices {
    bool average = false;       ///< the mean of w over all inspected rows, not the last w
    index_t max_passes = 0;     ///< passes over the rows before it gives up; 0: no limit
    std::string bound = kAuto;  ///< R^2 B^2: "always", "never", auto: if it is cheap
    bool record_steps = false;  ///< record the certificate after every mistake
    bool separability = false;  ///< if the run did not converge: whether any f separates the rows

    template <typename Visitor>
    static void describe(Visitor& visitor, PerceptronChoices& choices) {
        visitor.flag("average", choices.average, "the mean of w over the run, not the last w");
        visitor.integer("max_passes", choices.max_passes, Range::non_negative(),
                        "passes over the rows before it gives up; 0: no limit");
        visitor.choice("bound", choices.bound, {kAuto, "always", "never"},
                       "compute R^2 B^2 beside the mistakes");
        visitor.flag("separability", choices.separability,
                     "when it stops early, prove whether the classes are separable");
    }
};

/// Options for the dual of the support vector family; no other machine takes any of them.
struct DualChoices {
    std::string selection = kAuto;  ///< smo: pairs by "second-order" or "maximal-violating"
    std::string pricing = kAuto;    ///< active set: rows by "worst", "cyclic" or "blocks"
    bool polish = false;            ///< continue with the active set method from the solver's
                                    ///< solution

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

/// The objective.
struct ObjectiveChoices {
    std::optional<double> cost{};     ///< C; default 1
    std::optional<double> lambda{};   ///< the thesis's convention; C = 1 / (2 n lambda)
    std::optional<double> alpha{};    ///< krr: added to the diagonal; default 1
    std::optional<double> epsilon{};  ///< svr, l2-svr: half-width of the tube; default 0.1
    std::optional<double> nu{};  ///< nu-machines: share of rows outside or on the edge; default 0.5
    std::string penalty = kRkhs;  ///< "rkhs" 1/2 |f|^2, "l1" the coefficients, "l1+rkhs" both
    std::optional<double> l1{};   ///< weight of sum |beta|, with l1 and l1+rkhs; default 1
    bool intercept = true;
    std::optional<index_t> degree{};  ///< polynomial: greatest degree of a monomial; default 2
    std::map<std::string, double> class_weights{};
};

/// How the solver runs, and when it stops.
struct RunChoices {
    SolverChoice solver{};
    const SolverRegistry* registry = nullptr;  ///< not owned: the caller's own solvers
    std::optional<double> gap_tolerance{};
    std::optional<double> tolerance{};
    index_t max_iterations = 0;
    index_t cache_bytes = 0;            ///< for the row cache; 0: limited by the memory budget only
    std::string precision = "float64";  ///< krr: "float32" factors in half the time and memory
    Checkpoint* checkpoint = nullptr;   ///< not owned: stores the state of the run, and restores it
    const Model* start = nullptr;       ///< not owned: warm start, matched by row number
    bool start_only = false;            ///< no step: certify the start; klr and logistic
    std::shared_ptr<const GramOperator> gram{};  ///< K of the unscaled training rows, if the caller
                                                 ///< has it; machines with a box dual
};

/// What is computed for the outputs.
struct OutputChoices {
    std::string multiclass = "auto";  ///< three or more classes: "ovo" (pairs), "ovr", "softmax"
                                      ///< (klr: one joint problem); auto: softmax for klr, ovo
    bool probability = false;         ///< learn a probability link by cross-validation
    bool leave_one_out = false;       ///< krr, klr: report leave-one-out errors
};

/// The options of `mercer train`.
struct TrainOptions {
    std::string model = "svc";  ///< one of machine_names()
    Kernel kernel{};            ///< hyperparameters may still be `scale`
    bool allow_indefinite = false;
    ObjectiveChoices objective{};
    ScaleOptions scale{.method = "none"};
    RunChoices run{};
    OutputChoices outputs{};
    std::string order{};  ///< perceptron: order of inspection, "cyclic" (empty), "random" or
                          ///< "worst" first; ordinal: the labels from low to high, separated by
                          ///< commas (empty: they are numbers)
    PerceptronChoices perceptron{};
    BasisChoices basis{};
    DualChoices dual{};

    /// Visits everything except the kernel and the class weights, which have their own text form.
    template <typename Visitor>
    static void describe(Visitor& visitor, TrainOptions& options) {
        visitor.choice("model", options.model, machine_names(), "the machine");
        visitor.number("cost", options.objective.cost, Range::positive_or_infinite(),
                       "C, weight of each loss term; inf: hard margin; default 1");
        visitor.number("lambda", options.objective.lambda, Range::non_negative(),
                       "mean loss + lambda |f|^2: C = 1 / (2 n lambda)");
        visitor.number("alpha", options.objective.alpha, Range::non_negative(),
                       "krr: added to the diagonal of K; default 1");
        visitor.number("epsilon", options.objective.epsilon, Range::non_negative(),
                       "svr, l2-svr: half-width of the tube; default 0.1");
        visitor.number("nu", options.objective.nu, Range::positive(),
                       "nu-machines: bound on the fraction of errors; default 0.5");
        visitor.choice("penalty", options.objective.penalty, {kRkhs, kL1, kL1AndRkhs},
                       "1/2 |f|^2, sum |beta| (sparse), or both");
        visitor.number("l1", options.objective.l1, Range::non_negative(),
                       "penalty l1, l1+rkhs: weight of sum |beta|; default 1");
        visitor.flag("intercept", options.objective.intercept, "fit a constant beside f");
        visitor.choice("scale", options.scale.method, {"none", "standard", "minmax"},
                       "scale the columns; stored in the model");
        visitor.number("gap_tolerance", options.run.gap_tolerance, Range::positive(),
                       "certified relative gap; SVMs 1e-4, others 1e-8");
        visitor.number("tolerance", options.run.tolerance, Range::positive(),
                       "KKT violation (LIBSVM's rule)");
        visitor.integer("max_iterations", options.run.max_iterations, Range::non_negative(),
                        "iterations; 0: the solver's own limit");
        visitor.word("solver", options.run.solver, "auto, or a solver by name");
        visitor.choice("precision", options.run.precision, {"float64", "float32"},
                       "krr: float32 factors in half the time");
        visitor.integer("degree", options.objective.degree, Range::within(1.0, 100.0),
                        "polynomial: largest degree of a monomial; default 2");
        visitor.choice("multiclass", options.outputs.multiclass, {"auto", "ovo", "ovr", "softmax"},
                       "pairs, one-vs-rest, joint");
        visitor.text("order", options.order,
                     "perceptron: cyclic|random|worst; ordinal: its labels");
        visitor.flag("probability", options.outputs.probability,
                     "calibrate probabilities by 5-fold cross-validation");
        visitor.flag("allow_indefinite", options.allow_indefinite,
                     "accept a kernel not known to be positive definite");
    }
};

}  // namespace mercer

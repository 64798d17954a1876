// SPDX-License-Identifier: Apache-2.0
//
// src/fit/recipe.cpp - weights, scaling and hyperparameters, the same for all machines.
#include "fit/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/summary.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram_operator.hpp"

namespace mercer::fit {

namespace {

// Stands for C = inf in machines whose loss may stay positive: such a problem has no hard limit.
constexpr double kEndlessCost = 1e10;

void require_definite(const Kernel& kernel, bool allow_indefinite) {
    const Definiteness definiteness = kernel.definiteness();
    const bool definite = definiteness == Definiteness::strictly_positive_definite ||
                          definiteness == Definiteness::positive_definite;
    if (!definite && !allow_indefinite) {
        throw InvalidArgument(
            fmt::format("{}: {}, not shown to be positive definite; --allow-indefinite takes it "
                        "as it is",
                        to_string(kernel), to_string(definiteness)));
    }
}

/// Throws unless at most one of C, lambda and alpha is given, within its range.
void require_one_constant(const TrainOptions& options) {
    const int given = static_cast<int>(options.objective.cost.has_value()) +
                      static_cast<int>(options.objective.lambda.has_value()) +
                      static_cast<int>(options.objective.alpha.has_value());
    if (given > 1) {
        throw InvalidArgument(
            "cost, lambda, alpha: they set the same constant; give one of them only");
    }
    if (options.objective.cost.has_value()) {
        require_in_range("cost", *options.objective.cost, Range::positive_or_infinite());
    }
    if (options.objective.lambda.has_value()) {
        require_in_range("lambda", *options.objective.lambda, Range::non_negative());
    }
    if (options.objective.alpha.has_value()) {
        require_in_range("alpha", *options.objective.alpha, Range::non_negative());
    }
}

/// A label in canonical form: `+1` and `1.0` are `1`.
std::string canonical_label(const std::string& label) {
    const char* begin = label.data() + (label.starts_with('+') ? 1 : 0);
    const char* end = label.data() + label.size();
    double number = 0.0;
    const auto parsed = std::from_chars(begin, end, number);
    return parsed.ec == std::errc() && parsed.ptr == end ? label_text(number) : label;
}

/// The positive-weight rows; empty if all rows are.
std::vector<index_t> weighted_rows(const Dataset& data) {
    std::vector<index_t> kept;
    if (std::find(data.weights.begin(), data.weights.end(), 0.0) == data.weights.end()) {
        return kept;
    }
    for (index_t i = 0; i < data.rows(); ++i) {
        if (data.weights[static_cast<std::size_t>(i)] > 0.0) {
            kept.push_back(i);
        }
    }
    return kept;
}

double sum_of_weights(const Dataset& data) {
    if (data.weights.empty()) {
        return static_cast<double>(data.rows());
    }
    double sum = 0.0;
    for (const double weight : data.weights) {
        sum += weight;
    }
    return sum;
}

/// A row of precomputed values is identified by its position, so no row may be dropped.
void require_all_rows_kept(const Prepared& prepared, const TrainOptions& options) {
    if (!is_precomputed(prepared.kernel)) {
        return;
    }
    if (!is_machine(options.model, MachineId::krr)) {
        throw InvalidArgument(
            "kernel", "",
            fmt::format("{} is linear in the columns, and precomputed values are no columns",
                        options.model));
    }
    if (!prepared.kept.empty()) {
        throw InvalidArgument("weights", "",
                              "a row of weight 0 has a column in the precomputed values",
                              "take both out");
    }
}

/// k(x, z)| <= sqrt(k(x, x) k(z, z)): a finite diagonal implies a finite matrix.
void require_finite_kernel(const Prepared& prepared) {
    if (is_precomputed(prepared.kernel)) {
        return;
    }
    std::vector<double> values(static_cast<std::size_t>(prepared.rows.rows()));
    kernel_diagonal(prepared.kernel, prepared.rows, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            throw DataError(fmt::format(
                "row {}: k(x, x) is {} for {}, beyond double precision; scale the columns or the "
                "kernel",
                prepared.original(static_cast<index_t>(i)) + 1, values[i],
                to_string(prepared.kernel)));
        }
    }
}

}  // namespace

Prepared prepare(const Dataset& data, const TrainOptions& options) {
    require_trainable(data, options.model);
    require_definite(options.kernel, options.allow_indefinite);
    require_columns(options.kernel, data.columns());
    Prepared prepared;
    prepared.kept = weighted_rows(data);
    prepared.rows = prepared.kept.empty() ? data : data.select(prepared.kept);
    prepared.total_weight = sum_of_weights(prepared.rows);
    if (options.scale.method != "none") {
        prepared.scaling = Scaling::fit(prepared.rows, options.scale);
        prepared.rows = prepared.scaling->apply(prepared.rows);
    }
    prepared.kernel = options.kernel.is_resolved()
                          ? options.kernel
                          : resolve_kernel(options.kernel, scale_gamma(prepared.rows));
    require_all_rows_kept(prepared, options);
    require_finite_kernel(prepared);
    return prepared;
}

double svc_cost(const TrainOptions& options, double total_weight) {
    require_one_constant(options);
    if (options.objective.cost == kInfinity) {
        if (machine_of(options.model).has_own_link()) {
            throw InvalidArgument(
                "cost", "inf",
                fmt::format("must be finite for {}: classes that can be separated have no best f",
                            options.model));
        }
        return kEndlessCost;
    }
    if (!options.objective.lambda) {
        return options.objective.cost.value_or(1.0);
    }
    const double cost = 1.0 / (2.0 * total_weight * *options.objective.lambda);
    if (!std::isfinite(cost) || cost <= 0.0) {
        throw InvalidArgument("lambda", fmt::format("{}", *options.objective.lambda),
                              "must be > 0 and give a finite C = 1 / (2 n lambda)");
    }
    return cost;
}

std::string chosen_multiclass(const TrainOptions& options) {
    require_choice("multiclass", options.outputs.multiclass, {"auto", "ovo", "ovr", kSoftmax});
    const bool smooth = machine_of(options.model).form == Form::smooth;
    const bool joint = smooth && options.objective.penalty == kRkhs;
    if (options.outputs.multiclass == kSoftmax && smooth && !joint) {
        throw InvalidArgument(
            "multiclass", "",
            fmt::format("the penalty {} takes ovo or ovr, got softmax", options.objective.penalty));
    }
    if (options.outputs.multiclass == kSoftmax && !joint) {
        throw InvalidArgument("multiclass", "", "softmax is the joint problem of klr",
                              fmt::format("{} takes ovo or ovr", options.model));
    }
    return options.outputs.multiclass != "auto" ? options.outputs.multiclass
           : joint                              ? kSoftmax
                                                : "ovo";
}

index_t chosen_degree(const TrainOptions& options) { return options.objective.degree.value_or(2); }

double chosen_nu(const TrainOptions& options, double upper) {
    const double nu = options.objective.nu.value_or(0.5);
    require_in_range("nu", nu, {0.0, upper, true});
    return nu;
}

double ridge_alpha(const TrainOptions& options, double total_weight) {
    require_one_constant(options);
    double alpha = 1.0;
    if (options.objective.alpha.has_value()) {
        alpha = *options.objective.alpha;
    } else if (options.objective.lambda.has_value()) {
        alpha = total_weight * *options.objective.lambda;
    } else if (options.objective.cost.has_value()) {
        alpha = 1.0 / (2.0 * *options.objective.cost);
    }
    if (!std::isfinite(alpha)) {
        throw InvalidArgument("alpha", "",
                              fmt::format("the constant given makes it {}, must be finite", alpha));
    }
    return alpha;
}

void require_solver_of(const TrainOptions& options) {
    const std::vector<std::string> known = machine_solvers(options.model);
    if (!options.run.solver.is_automatic() &&
        std::find(known.begin(), known.end(), options.run.solver.name()) == known.end()) {
        throw InvalidArgument(
            "solver", fmt::format("'{}'", options.run.solver.name()),
            fmt::format("{} is solved by: {}", options.model, fmt::join(known, ", ")));
    }
}

std::map<std::string, double> named_class_weights(const TrainOptions& options,
                                                  const std::vector<std::string>& label_names) {
    std::map<std::string, double> named;
    for (const auto& [label, weight] : options.objective.class_weights) {
        require_in_range(fmt::format("weight of class {}", label), weight, Range::positive());
        const auto name = std::find_if(label_names.begin(), label_names.end(),
                                       [&wanted = label](const std::string& known) {
                                           return canonical_label(known) == canonical_label(wanted);
                                       });
        if (name == label_names.end()) {
            throw InvalidArgument("weight", "",
                                  fmt::format("there is no class {}, the classes are {}", label,
                                              fmt::join(label_names, ", ")));
        }
        if (!named.emplace(*name, weight).second) {
            throw InvalidArgument("weight", "", fmt::format("class {} is given twice", *name));
        }
    }
    return named;
}

void require_class_weights(const TrainOptions& options) {
    if (options.objective.class_weights.empty()) {
        return;
    }
    if (!machine_of(options.model).has_classes()) {
        throw InvalidArgument("weight", "", fmt::format("{} has no classes", options.model),
                              "give row weights");
    }
    if (is_machine(options.model, MachineId::perceptron)) {
        throw InvalidArgument("weight", "",
                              "a perceptron corrects by y x, whatever the class weighs");
    }
}

void take_support_rows(const Prepared& prepared, std::span<const index_t> chosen, Model& model) {
    model.support_rows.reserve(model.support_rows.size() + chosen.size());
    for (const index_t i : chosen) {
        model.support_rows.push_back(prepared.original(i));
    }
    model.support = prepared.rows.select(chosen);
    model.support.targets.clear();
    model.support.weights.clear();
    model.support.label_names.clear();
    model.support.column_names.clear();
}

void keep_support(const Prepared& prepared, std::span<const double> beta, index_t outputs,
                  Model& model) {
    std::vector<index_t> chosen;
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        const auto row =
            beta.subspan(static_cast<std::size_t>(i * outputs), static_cast<std::size_t>(outputs));
        if (std::any_of(row.begin(), row.end(), [](double value) { return value != 0.0; })) {
            chosen.push_back(i);
            model.coefficients.insert(model.coefficients.end(), row.begin(), row.end());
        }
    }
    take_support_rows(prepared, chosen, model);
}

Certificate with_original_row(Certificate certificate, const Prepared& prepared) {
    if (certificate.worst_sample >= 0) {
        certificate.worst_sample = prepared.original(certificate.worst_sample);
    }
    return certificate;
}

std::shared_ptr<const GramOperator> gram_of(const Prepared& prepared, const TrainOptions& options) {
    if (options.run.gram == nullptr) {
        return make_gram(prepared.kernel, prepared.rows);
    }
    if (prepared.scaling) {
        throw InternalError("a Gram matrix of rows that are scaled here");
    }
    return prepared.kept.empty() ? options.run.gram : subset(options.run.gram, prepared.kept);
}

SolveOptions solve_options(const TrainOptions& options) {
    SolveOptions wanted;
    wanted.gap_tolerance = options.run.gap_tolerance;
    wanted.tolerance = options.run.tolerance;
    wanted.max_iterations = options.run.max_iterations;
    wanted.solver = options.run.solver;
    wanted.registry = options.run.registry;
    wanted.coordinates.cache_bytes = options.run.cache_bytes;
    wanted.coordinates.selection = options.dual.selection == "maximal-violating"
                                       ? Selection::maximal_violating
                                       : Selection::second_order;
    wanted.active_set.pricing = options.dual.pricing == "cyclic"   ? Pricing::cyclic
                                : options.dual.pricing == "blocks" ? Pricing::blocks
                                                                   : Pricing::worst;
    wanted.active_set.polish = options.dual.polish;
    return wanted;
}

}  // namespace mercer::fit

// SPDX-License-Identifier: Apache-2.0
//
// src/audit/verify.cpp - the conditions of a model's proof, each explained in words.
#include "mercer/audit/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "audit/recompute.hpp"
#include "audit/used_columns.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/zero_columns.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/models/inliers.hpp"
#include "mercer/models/kernel_values.hpp"

namespace mercer {

namespace {

constexpr double kEquationTolerance = 1e-6;  // f(x_i) + b = y_i, for a model with alpha = 0
constexpr double kFeasibilityTolerance = 1e-9;
constexpr double kValueTolerance = 1e-9;
constexpr double kGapTolerance = 1e-7;
constexpr double kStatedDigits = 1e-9;
constexpr double kSumRounding = 1e-13;  // between two ways of adding the terms of the gap

/// The difference between two numbers that rounding can explain.
double allowance(double recomputed, double rounding) {
    return kValueTolerance * (1.0 + std::abs(recomputed)) + rounding;
}

/// Explains that the sums cancel so much that few digits are left.
std::string rounding_words(double recomputed, double rounding) {
    return rounding <= kValueTolerance * (1.0 + std::abs(recomputed))
               ? ""
               : fmt::format("; the sums cancel, and rounding explains {:.3g}", rounding);
}

/// Collects conditions and names the output if there are several.
class Conditions {
public:
    Conditions(VerifyReport& report, index_t outputs) : report_(report), outputs_(outputs) {}

    /// The data are not the training data, which explains all other failures.
    void find_other_rows() { report_.other_rows = true; }

    bool add(std::string name, bool holds, std::string explanation) {
        report_.conditions.push_back({std::move(name), holds, std::move(explanation)});
        return holds;
    }
    bool add(std::string name, index_t output, bool holds, std::string explanation) {
        if (outputs_ > 1) {
            name += fmt::format(" of output {}", output + 1);
        }
        return add(std::move(name), holds, std::move(explanation));
    }

private:
    VerifyReport& report_;
    index_t outputs_;
};

bool has_trained_shape(const Model& model, const Dataset& data) {
    return data.rows() == model.fingerprint.rows && data.columns() == model.fingerprint.columns;
}

/// The reason why the data do not match the model in shape; empty if they do.
std::string shape_problem(const Model& model, const Dataset& data) {
    if (!has_trained_shape(model, data)) {
        return fmt::format("the data are {} x {}, the model was trained on {} x {}", data.rows(),
                           data.columns(), model.fingerprint.rows, model.fingerprint.columns);
    }
    const index_t outputs = model.labels.empty() ? model.outputs() : 1;
    const index_t targets = checked_multiply(data.rows(), outputs);
    if (static_cast<index_t>(data.targets.size()) != targets) {
        return fmt::format("the data have {} targets, must have {}", data.targets.size(), targets);
    }
    if (model.row_weights && data.weights.empty()) {
        return "the model was trained with row weights, and the data have none";
    }
    if (!data.weights.empty() && static_cast<index_t>(data.weights.size()) != data.rows()) {
        return fmt::format("the data have {} weights for {} rows", data.weights.size(),
                           data.rows());
    }
    const auto stranger = model.labels.empty()
                              ? data.targets.end()
                              : std::find_if(data.targets.begin(), data.targets.end(),
                                             [](double target) { return target < 0.0; });
    if (stranger != data.targets.end()) {
        return fmt::format("row {} has a label the model does not know",
                           stranger - data.targets.begin() + 1);
    }
    return {};
}

bool recognise(const Model& model, const Dataset& data, Conditions& conditions) {
    const std::string problem = shape_problem(model, data);
    if (!has_trained_shape(model, data)) {
        conditions.find_other_rows();
    }
    if (!problem.empty()) {
        return conditions.add("training data", false, problem);
    }
    const std::uint64_t hash = fingerprint_of(data).hash;
    const bool same = hash == model.fingerprint.hash;
    if (!same) {
        conditions.find_other_rows();
    }
    conditions.add("training data", same,
                   fmt::format("{} rows, {} columns; their fingerprint is {:016x}, the model's is "
                               "{:016x}",
                               data.rows(), data.columns(), hash, model.fingerprint.hash));
    return true;
}

/// Scaled rows, targets and costs.
TrainingRows training_rows(const Model& model, const Dataset& data) {
    TrainingRows out;
    out.rows = model.scaling ? model.scaling->apply(data) : data;
    out.targets = data.targets;
    out.queries = data.queries;
    out.costs = row_costs(model, data);
    return out;
}

/// True if the rows are sparse and unused columns do not affect any sum.
bool may_drop_columns(const Model& model, const Dataset& rows) {
    return rows.is_sparse() && model.support.is_sparse() && ignores_zero_columns(model.kernel) &&
           !model.on_columns;
}

void check_support(const Model& model, const Dataset& rows, Conditions& conditions) {
    if (model.on_columns) {  // require_consistent() has checked them
        conditions.add(
            "support rows", true,
            fmt::format("all {} are unit rows: weights of columns", model.support.rows()));
        return;
    }
    std::vector<double> support(static_cast<std::size_t>(model.support.columns()));
    std::vector<double> row(static_cast<std::size_t>(rows.columns()));
    index_t different = 0;
    WorstRows worst;
    for (index_t j = 0; j < model.support.rows(); ++j) {
        const index_t i = model.support_rows[static_cast<std::size_t>(j)];
        model.support.copy_row(j, support);
        rows.copy_row(i, row);
        double distance = support.size() == row.size() ? 0.0 : kInfinity;
        for (std::size_t c = 0; c < row.size() && c < support.size(); ++c) {
            distance = std::max(distance, std::abs(row[c] - support[c]));
        }
        different += distance != 0.0;
        worst.offer(i, distance);
    }
    conditions.add("support rows", different == 0,
                   different == 0
                       ? fmt::format("all {} are rows of the training data", model.support.rows())
                       : fmt::format("{} of {} differ from the training data, most in {}",
                                     different, model.support.rows(), worst.text()));
}

/// Rows of precomputed values are identified by number; only the matrix can be wrong.
void check_matrix(const Model& model, const Dataset& rows, Context& context,
                  Conditions& conditions) {
    try {
        require_kernel_values(rows, context);
        conditions.add("kernel values", true,
                       fmt::format("a symmetric matrix; {} of its rows are support rows",
                                   model.support.rows()));
    } catch (const DataError& fault) {
        conditions.add("kernel values", false, fault.what());
    }
}

/// With ovo: the rows listed under a class belong to it.
void check_classes(const Model& model, const TrainingRows& training, Conditions& conditions) {
    std::size_t j = 0;
    index_t wrong = 0;
    for (std::size_t c = 0; c < model.class_support.size(); ++c) {
        for (index_t n = 0; n < model.class_support[c]; ++n, ++j) {
            const auto row = static_cast<std::size_t>(model.support_rows[j]);
            wrong += training.targets[row] != static_cast<double>(c);
        }
    }
    if (!model.class_support.empty()) {
        conditions.add("classes of the support rows", wrong == 0,
                       fmt::format("{} of {} stand under another class than their own", wrong,
                                   model.support.rows()));
    }
}

/// Whether duality holds for the kernel, by its construction.
bool check_kernel(const Model& model, Conditions& conditions) {
    if (model.counts_mistakes()) {
        return conditions.add(
            "kernel", true,
            fmt::format("{}; the count of mistakes asks nothing of it", to_string(model.kernel)));
    }
    if (model.penalty == kL1) {
        return conditions.add("kernel", true,
                              fmt::format("{}; without 1/2 |f|^2 the bound asks nothing of it",
                                          to_string(model.kernel)));
    }
    const Definiteness definiteness = model.kernel.definiteness();
    const bool positive = definiteness == Definiteness::positive_definite ||
                          definiteness == Definiteness::strictly_positive_definite;
    return conditions.add(
        "kernel", positive,
        positive ? fmt::format("{} is {} by construction", to_string(model.kernel),
                               to_string(definiteness))
                 : fmt::format("certificate void: {} cannot be shown positive definite (it is {}), "
                               "so that the gap bounds nothing",
                               to_string(model.kernel), to_string(definiteness)));
}

bool is_inside(const Recomputed& again) { return again.outside.largest() <= kFeasibilityTolerance; }

/// The tolerance for a sum that must be zero.
double allowed_sum(const Recomputed& again) { return kFeasibilityTolerance * again.absolute_sum; }

void check_mistakes(const Model& model, const Recomputed& again, index_t output,
                    Conditions& conditions) {
    const double allowed = allowed_sum(again);
    const double b = model.intercepts[static_cast<std::size_t>(output)];
    const bool embedded = !model.has_intercept || std::abs(again.sum - b) <= allowed;
    conditions.add(
        "dual feasibility", output, again.outside.empty() && embedded,
        fmt::format(
            "no count is below the dual value 0; the coefficients sum to "
            "{:.10g}{}{}",
            again.sum,
            model.has_intercept ? fmt::format(", must be b = {:.10g} to {:.3g}", b, allowed) : "",
            again.outside.empty() ? ""
                                  : "; the sign of the other class is on " + again.outside.text()));
}

void check_scores(const Recomputed& again, index_t output, Conditions& conditions) {
    const bool inside = is_inside(again);
    const double allowed = allowed_sum(again);
    conditions.add("dual feasibility", output, inside && std::abs(again.sum) <= allowed,
                   fmt::format("the multipliers of the rows make a score of {:.3g}, must be 0 "
                               "to {:.3g}{}",
                               again.sum, allowed,
                               inside ? "" : "; they leave their box in " + again.outside.text()));
}

void check_comparisons(const Model& model, const Recomputed& again, index_t output,
                       Conditions& conditions) {
    const bool inside = is_inside(again);
    const double allowed = allowed_sum(again);
    const std::string box =
        inside ? "every multiplier lies in its box"
               : "multipliers leave their box (in units of the cost) in " + again.outside.text();
    conditions.add(
        "dual feasibility", output, inside && again.strangers == 0 && again.sum <= allowed,
        fmt::format("{}; {} of {} belong to no comparison of the data; the coefficients follow "
                    "from them to {:.3g}, must do to {:.3g}",
                    box, again.strangers, model.compared.size(), again.sum, allowed));
}

void check_row_multipliers(const Model& model, const Recomputed& again, index_t output,
                           Conditions& conditions) {
    const double allowed = allowed_sum(again);
    conditions.add(
        "dual feasibility", output,
        again.outside.empty() && (!model.has_intercept || std::abs(again.sum) <= allowed),
        fmt::format("the multipliers of the rows sum to {:.3g}{}{}{}", again.sum,
                    model.has_intercept ? fmt::format(", must be 0 to {:.3g}", allowed) : "",
                    model.penalty == kBasis
                        ? ""
                        : fmt::format("; those of the coefficients are scaled to be at most "
                                      "{:.6g}",
                                      model.l1),
                    again.outside.empty() ? ""
                                          : "; rows that cost nothing have "
                                            "coefficients: " +
                                                again.outside.text()));
}

void check_coefficients(const Model& model, const Recomputed& again, index_t output,
                        Conditions& conditions) {
    const bool inside = is_inside(again);
    const double allowed = allowed_sum(again);
    const double wanted = model.machine == kOneClass ? again.mass : 0.0;
    bool balanced = !model.has_intercept || std::abs(again.sum - wanted) <= allowed;
    std::string words =
        inside ? "every coefficient lies in its box"
               : fmt::format("coefficients leave their box (in units of the cost) in {}",
                             again.outside.text());
    if (model.has_intercept) {
        words += fmt::format("; {}their sum is {:.6g}, must be {:.6g} to {:.3g}",
                             model.is_joint() ? "in the class where it is worst " : "", again.sum,
                             wanted, allowed);
    }
    if (!std::isnan(again.mass)) {
        // A tube may leave a part of the mass unused.
        const bool used = has_tube(model) ? again.absolute_sum <= again.mass + allowed
                                          : std::abs(again.absolute_sum - again.mass) <= allowed;
        balanced = balanced && used;
        words += fmt::format("; their absolute values sum to {:.10g}, nu asks for {:.10g}",
                             again.absolute_sum, again.mass);
    }
    conditions.add("dual feasibility", output, inside && balanced, std::move(words));
}

void check_feasibility(const Model& model, const Recomputed& again, index_t output,
                       Conditions& conditions) {
    if (model.counts_mistakes()) {
        check_mistakes(model, again, output, conditions);
    } else if (model.is_likelihood()) {
        check_scores(again, output, conditions);
    } else if (model.is_comparison()) {
        check_comparisons(model, again, output, conditions);
    } else if (model.is_sparse()) {
        check_row_multipliers(model, again, output, conditions);
    } else {
        check_coefficients(model, again, output, conditions);
    }
}

/// The stated gap must bound the exact one, to the stated digits, and exceed the recomputed one by
/// no more than rounding explains.
bool gap_holds(const Certificate& stated, const Recomputed& again, double allowed, bool solvable) {
    const double found = solvable ? again.certificate.gap : std::abs(again.certificate.gap);
    if (std::isnan(again.bound)) {
        return std::abs(stated.gap - found) <= allowed;
    }
    const double digits = kStatedDigits * stated.gap +
                          kSumRounding * std::max(1.0, std::abs(again.certificate.primal));
    return again.bound <= stated.gap + digits &&
           stated.gap <= std::max(found, again.loosest) + allowed;
}

/// `solvable`: the stated problem has a dual. Inconsistent equations have none: the difference of
/// the two values then has an arbitrary sign and is stated as an absolute value.
void check_values(const Certificate& stated, const Recomputed& again, index_t output, bool solvable,
                  Conditions& conditions) {
    const Certificate& found = again.certificate;
    conditions.add("intercept", output, stated.intercept == found.intercept,
                   fmt::format("the certificate is for b = {}, the model has b = {}",
                               stated.intercept, found.intercept));
    conditions.add(
        "primal value", output,
        std::abs(stated.primal - found.primal) <= allowance(found.primal, again.rounding),
        fmt::format("stated {}, recomputed {} at the model's own intercept{}", stated.primal,
                    found.primal, rounding_words(found.primal, again.rounding)));
    conditions.add("dual value", output,
                   std::abs(stated.dual - found.dual) <= allowance(found.dual, again.rounding),
                   fmt::format("stated {}, recomputed {}{}", stated.dual, found.dual,
                               rounding_words(found.dual, again.rounding)));
    const double allowed = kGapTolerance * (1.0 + std::abs(found.gap)) + 2.0 * again.rounding +
                           kSumRounding * std::abs(found.primal);
    const double promise = std::sqrt(2.0 * std::max(0.0, found.gap));
    conditions.add(
        "gap", output, gap_holds(stated, again, allowed, solvable),
        fmt::format(
            "stated {:.6g}, recomputed {:.6g}{}{}{}", stated.gap, found.gap,
            std::isnan(again.bound)
                ? ""
                : fmt::format(", at most {:.6g} with all rounding", again.bound),
            again.contributors.empty() ? "" : ", most of it from " + again.contributors.text(),
            again.bounds_values ? fmt::format("; for the optimal f* it promises |f(x) - f*(x)| <= "
                                              "sqrt(2 gap k(x,x)) = {:.3g} sqrt(k(x,x)) at every x",
                                              promise)
                                : ""));
    if (!solvable) {
        return;
    }
    const double least = -allowance(found.primal, 2.0 * again.rounding);
    conditions.add("weak duality", output, found.gap >= least && stated.gap >= least,
                   fmt::format("the gap {:.3g} must not be negative: no dual value exceeds a "
                               "primal one",
                               found.gap));
}

/// Intercepts that differ by a common shift are equivalent; the model has those that sum to 0.
void check_joint_intercepts(const Model& model, Conditions& conditions) {
    TwoDoubleSum sum;
    double size = 0.0;
    for (const double b : model.intercepts) {
        sum.add(b);
        size += std::abs(b);
    }
    conditions.add("intercepts", std::abs(sum.value()) <= kFeasibilityTolerance * size,
                   fmt::format("they sum to {:.3g}, must be 0: a shift of all classes changes "
                               "nothing, and this one is kept",
                               sum.value()));
}

Recomputed recompute_output(const Model& model, const TrainingRows& training,
                            const TrainingValues& values, index_t t, Context& context) {
    return model.is_comparison()     ? recompute_comparisons(model, training, values, context)
           : model.is_joint()        ? recompute_joint(model, training, values, context)
           : model.on_columns        ? recompute_columns(model, training, values)
           : model.penalty == kBasis ? recompute_basis(model, training, values, t, context)
           : model.is_sparse()       ? recompute_sparse(model, training, values, t, context)
           : model.is_likelihood()   ? recompute_likelihood(model, training, values)
           : model.counts_mistakes() ? recompute_disagreement(model, training, values)
                                     : recompute(model, training, values, t, context);
}

void check_outputs(const Model& model, const TrainingRows& training, bool positive,
                   VerifyReport& report, Context& context) {
    Conditions conditions(report, model.problems());
    if (model.is_joint()) {
        check_joint_intercepts(model, conditions);
    }
    if (model.is_ordinal()) {
        conditions.add("thresholds",
                       std::is_sorted(model.thresholds.begin(), model.thresholds.end()),
                       fmt::format("{} of them, from {:.6g} to {:.6g}; they do not descend",
                                   model.thresholds.size(), model.thresholds.front(),
                                   model.thresholds.back()));
    }
    const TrainingValues values = model.on_columns ? column_values(model, training, context)
                                                   : training_values(model, training, context);
    for (index_t t = 0; t < model.problems(); ++t) {
        Recomputed again = recompute_output(model, training, values, t, context);
        again.certificate.exact = positive;
        const Certificate& stated = report.stated[static_cast<std::size_t>(t)];
        check_feasibility(model, again, t, conditions);
        check_values(stated, again, t, stated.exact || std::isfinite(model.cost), conditions);
        // Inconsistent equations have no least |f|: a certificate may claim less, not more.
        const bool solvable = std::isfinite(model.cost) || model.is_likelihood() ||
                              again.certificate.kkt_violation <=
                                  kEquationTolerance * (1.0 + std::abs(again.certificate.primal));
        const bool claims =
            stated.exact == (positive && solvable) || (std::isinf(model.cost) && !stated.exact);
        conditions.add("exactness", t, claims,
                       stated.exact ? "the certificate claims to hold for the problem itself"
                                    : "the certificate does not claim to hold for the problem");
        report.recomputed.push_back(again.certificate);
    }
}

/// The data with their classes in the order of the model's.
Dataset aligned_with(const Model& model, const Dataset& data) {
    if (model.machine == kOneClass) {
        return as_inliers(data);
    }
    const bool classes = !model.labels.empty() && !data.targets.empty();
    return classes ? align_classes(data, model.labels) : data;
}

/// Checks support, classes and outputs of a model whose kernel takes the rows themselves.
void check_solution(const Model& model, const TrainingRows& training, bool positive,
                    VerifyReport& report, Context& context) {
    Conditions conditions(report, model.problems());
    check_support(model, training.rows, conditions);
    check_classes(model, training, conditions);
    check_outputs(model, training, positive, report, context);
}

/// The same, without the columns that no training row uses.
void check_narrowed(const Model& model, TrainingRows training, bool positive, VerifyReport& report,
                    Context& context) {
    const Dataset wide = training.rows;  // the renumbered rows share its values
    const auto& rows = std::get<CsrView>(wide.storage());
    const std::vector<index_t> used = used_columns(rows);
    Model narrow = model;
    narrow.support = renamed_columns(std::get<CsrView>(model.support.storage()), used);
    narrow.columns = static_cast<index_t>(used.size());
    training.rows = renamed_columns(rows, used);
    check_solution(narrow, training, positive, report, context);
}

/// The same for a model with precomputed kernel values.
void check_lookup(const Model& model, const TrainingRows& training, bool positive,
                  VerifyReport& report, Context& context) {
    Conditions conditions(report, model.problems());
    if (model.support.stored() > 0) {  // krr stores the matrix for its variance
        check_support(model, training.rows, conditions);
    }
    check_matrix(model, training.rows, context, conditions);
    check_classes(model, training, conditions);
    check_outputs(by_row_numbers(model), training, positive, report, context);
}

}  // namespace

VerifyReport verify_model(const Model& model, const Dataset& data, Context& context) {
    require_consistent(model);
    VerifyReport report;
    Conditions conditions(report, model.problems());
    report.states = model.status != kImported;
    if (report.states) {
        report.stated = model.certificates;
    } else {
        conditions.add("certificate", false,
                       "the model comes from another program and states nothing to verify");
        return report;
    }
    const Dataset aligned = aligned_with(model, data);
    if (!recognise(model, aligned, conditions)) {
        return report;
    }
    const bool positive = check_kernel(model, conditions);
    try {
        TrainingRows training = training_rows(model, aligned);
        if (is_precomputed(model.kernel)) {
            training.looked_up = true;
            check_lookup(model, training, positive, report, context);
        } else if (may_drop_columns(model, training.rows)) {
            check_narrowed(model, std::move(training), positive, report, context);
        } else {
            check_solution(model, training, positive, report, context);
        }
    } catch (const InvalidArgument& error) {  // outside the kernel's domain, or scaled beyond range
        conditions.add("evaluation", false, error.what());
    }
    report.holds = std::all_of(report.conditions.begin(), report.conditions.end(),
                               [](const VerifyCondition& condition) { return condition.holds; });
    return report;
}

}  // namespace mercer

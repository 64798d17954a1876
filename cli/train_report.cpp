// SPDX-License-Identifier: Apache-2.0
//
// cli/train_report.cpp - tables of a training run.
#include "train_report.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/models/expansion.hpp"
#include "mercer/solvers/status.hpp"
#include "model_access.hpp"

namespace mercer::cli {

namespace {

double root_mean_square(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) {
        sum += value * value;
    }
    return values.empty() ? kNaN : std::sqrt(sum / static_cast<double>(values.size()));
}

constexpr std::size_t kMostWeightsShown = 10'000;

double mean(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

double loo_error(const TrainResult& result) {
    return static_cast<double>(result.leave_one_out_wrong) /
           static_cast<double>(result.leave_one_out_loss.size());
}

/// The line about a perceptron's mistakes.
std::string mistakes_text(const MistakeBound& run) {
    std::string text = fmt::format("mistakes     {}", run.mistakes);
    if (std::isnan(run.bound)) {
        return text + fmt::format("; bound not known: {}\n", run.reason);
    }
    return text + fmt::format(", bound R^2 B^2 = {:.6g} (R = {:.6g}, B = {:.6g})\n", run.bound,
                              run.radius, run.margin_norm);
}

const char* separable_word(const Separability& found) {
    return found.answer == SeparabilityAnswer::separable       ? "yes"
           : found.answer == SeparabilityAnswer::not_separable ? "no"
                                                               : "undecided";
}

/// What is known about rows that a perceptron did not separate.
std::string separability_text(const Separability& found) {
    constexpr std::size_t kShown = 6;
    std::string text = fmt::format("separable    {}", separable_word(found));
    if (found.answer == SeparabilityAnswer::separable) {
        return text + ", by exact arithmetic: more mistakes would come to an end\n";
    }
    if (found.answer == SeparabilityAnswer::undecided) {
        return text + fmt::format(": {}\n", found.reason);
    }
    const std::vector<index_t>& rows = found.hulls.rows;
    for (std::size_t k = 0; k < std::min(kShown, rows.size()); ++k) {
        text += fmt::format("{} {}", k == 0 ? ": rows" : ",", rows[k] + 1);
    }
    return text + fmt::format(
                      "{} {},\n             by exact arithmetic; no number of mistakes "
                      "would be the last\n",
                      rows.size() > kShown ? fmt::format(" and {} more", rows.size() - kShown) : "",
                      found.hulls.point.empty() ? "have hulls of label times row that hold 0"
                                                : "have convex hulls that meet");
}

Json separability_json(const Separability& found) {
    Json json{{"separable", found.answer == SeparabilityAnswer::undecided
                                ? Json()
                                : Json(found.answer == SeparabilityAnswer::separable)},
              {"exact_check", found.exact_check}};
    if (found.answer == SeparabilityAnswer::not_separable) {
        json["rows"] = Json::array();
        for (const index_t row : found.hulls.rows) {
            json["rows"].push_back(row + 1);
        }
        json["weights"] = found.hulls.weights;
    } else if (found.answer == SeparabilityAnswer::undecided) {
        json["reason"] = found.reason;
    }
    return json;
}

/// A cell of a table; empty if the number is unknown.
std::string cell(double value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

bool has_validation(const BasisReport& basis) {
    return std::any_of(basis.curve.begin(), basis.curve.end(), [](const BasisCurvePoint& point) {
        return !std::isnan(point.validation_error);
    });
}

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

void add_basis(Json& json, const BasisReport& basis) {
    Json curve = Json::array();
    const bool validation = has_validation(basis);
    for (const BasisCurvePoint& point : basis.curve) {
        Json row{{"basis", point.size},
                 {"objective", point.objective},
                 {"training_error", number_or_null(point.training_error)},
                 {"seconds", point.seconds}};
        if (validation) {
            row["validation_error"] = number_or_null(point.validation_error);
        }
        curve.push_back(std::move(row));
    }
    json["basis"] = basis.curve.back().size;
    json["basis_end"] = basis.end;
    json["basis_dependent"] = basis.dependent;
    json["basis_curve"] = std::move(curve);
    json["whole_machine"] = Json{{"dual", number_or_null(basis.whole.dual)},
                                 {"gap", number_or_null(basis.whole.gap)},
                                 {"relative_gap", number_or_null(relative_gap(basis.whole))}};
}

/// The lines about a basis: how it ended, and the gap to the machine with all functions.
std::string basis_text(const TrainResult& result) {
    const BasisReport& basis = *result.basis;
    const Model& model = result.model;
    const std::string functions =
        model.on_columns ? fmt::format("{} of {} columns", model.support.rows(), model.columns)
                         : fmt::format("kernel functions at {} of {} rows", model.support.rows(),
                                       model.fingerprint.rows);
    const char* why = basis.end == "tolerance" ? "; more would lower the objective too little"
                      : basis.end == "optimum" ? "; no other would lower the objective"
                      : basis.end == "rank"    ? "; all others are sums of these"
                                               : "";
    std::string text = fmt::format("basis        {}{}\n", functions, why);
    if (!std::isnan(basis.whole.gap)) {
        text += fmt::format(
            "             with all functions the objective would be lower by {:.3g} at the most\n",
            basis.whole.gap);
    }
    const BasisCurvePoint& last = basis.curve.back();
    if (!std::isnan(last.training_error)) {
        text += fmt::format("error        {:.6g} in training{}\n", last.training_error,
                            std::isnan(last.validation_error)
                                ? ""
                                : fmt::format(", {:.6g} in validation", last.validation_error));
    }
    return text;
}

}  // namespace

std::string curve_table(const BasisReport& basis) {
    const bool validation = has_validation(basis);
    std::string text = fmt::format("basis,objective,training_error,seconds{}\n",
                                   validation ? ",validation_error" : "");
    for (const BasisCurvePoint& point : basis.curve) {
        text += fmt::format("{},{},{},{:.6f}{}\n", point.size, point.objective,
                            cell(point.training_error), point.seconds,
                            validation ? "," + cell(point.validation_error) : "");
    }
    return text;
}

std::string trace_table(const MistakeBound& run) {
    std::string text = "step,row,product,squared_norm,limit\n";
    for (std::size_t t = 0; t < run.steps.size(); ++t) {
        const ProofStep& step = run.steps[t];
        const std::string product =
            std::isnan(step.product) ? std::string() : fmt::format("{}", step.product);
        text += fmt::format("{},{},{},{},{}\n", t + 1, step.row + 1, product, step.squared_norm,
                            step.limit);
    }
    return text;
}

namespace {

void add_machine(Json& json, const Model& model, const TrainingSize& size) {
    json["model"] = model.machine;
    json["kernel"] = to_string(model.kernel);
    json["solver"] = model.solver;
    json["status"] = model.status;
    json["rows"] = size.rows;
    json["columns"] = size.columns;
    json["classes"] = model.labels;
    if (!model.multiclass.empty()) {
        json["multiclass"] = model.multiclass;
    }
    if (!model.link.empty()) {
        json["link"] = model.link.kind;
    }
    json["penalty"] = model.penalty;
}

void add_support(Json& json, const TrainResult& result) {
    const Model& model = result.model;
    if (result.basis) {
        add_basis(json, *result.basis);
    } else if (model.is_sparse()) {
        json["l1"] = model.l1;
        json["nonzero_coefficients"] = nonzero_coefficients(model);
    }
    json["support_vectors"] = model.support.rows();
    json["bounded_support_vectors"] = result.bounded_support;
    if (const std::vector<index_t> counts = support_by_class(model); !counts.empty()) {
        json["support_vectors_by_class"] = counts;
    }
    if (model.is_comparison()) {
        json["thresholds"] = model.thresholds;
        json["comparisons"] = result.comparisons;
        json["active_comparisons"] = result.outputs.front().support;
        json["bounded_comparisons"] = result.outputs.front().bounded;
    }
}

void add_width(Json& json, const TrainResult& result) {
    const Model& model = result.model;
    if (!std::isnan(model.nu)) {
        json["nu"] = model.nu;
        const char* width = model.loss == "hinge" ? "rho" : "epsilon";
        json[width] = model.certificates.front().width;
    } else if (!std::isnan(result.tube)) {
        json["epsilon"] = result.tube;
    }
    if (!std::isnan(result.tube) && result.tube_rows.all() > 0) {
        const TubeCounts& rows = result.tube_rows;
        json["tube_rows"] = Json{{"inside", rows.inside},
                                 {"edge", rows.edge},
                                 {"above", rows.above},
                                 {"below", rows.below}};
    }
}

void add_leave_one_out(Json& json, const TrainResult& result) {
    if (!result.leave_one_out.empty()) {
        json["loo_rmse"] = root_mean_square(result.leave_one_out);
    }
    if (!result.leave_one_out_loss.empty()) {
        json["loo_loss"] = mean(result.leave_one_out_loss);
        json["loo_error"] = loo_error(result);
    }
}

void add_mistakes(Json& json, const TrainResult& result) {
    const MistakeBound& run = *result.perceptron;
    json["mistakes"] = run.mistakes;
    json["passes"] = run.passes;
    json["radius"] = run.radius;
    json["margin_norm"] = run.margin_norm;
    json["bound"] = run.bound;
    if (!run.reason.empty()) {
        json["bound_reason"] = run.reason;
    }
    if (result.separability) {
        json["separability"] = separability_json(*result.separability);
    }
}

std::string support_text(const TrainResult& result) {
    const Model& model = result.model;
    if (result.basis) {
        return basis_text(result);
    }
    if (model.is_sparse()) {
        return penalty_text(model);
    }
    if (model.is_comparison()) {
        const OutputSummary& active = result.outputs.front();
        return fmt::format("support      {} rows; {} of {} comparisons active, {} at their bound\n",
                           model.support.rows(), active.support, result.comparisons,
                           active.bounded);
    }
    if (model.labels.empty() && result.rank > 0) {
        return fmt::format("support      {} rows, rank {}\n", model.support.rows(), result.rank);
    }
    if (result.perceptron) {
        return fmt::format("support      {} rows that were corrected\n", model.support.rows());
    }
    return fmt::format("support      {} rows, {} of them at their bound\n", model.support.rows(),
                       result.bounded_support);
}

std::string width_text(const TrainResult& result) {
    const Model& model = result.model;
    std::string text;
    if (!std::isnan(model.nu) && model.outputs() == 1) {
        text += fmt::format("{}         {:.10g}, found for nu = {:.6g}\n",
                            model.loss == "hinge" ? "rho " : "tube",
                            model.certificates.front().width, model.nu);
    }
    if (!std::isnan(result.tube) && result.tube_rows.all() > 0) {
        const TubeCounts& rows = result.tube_rows;
        text += fmt::format("rows         {} inside the tube, {} on its edge, {} above, {} below\n",
                            rows.inside, rows.edge, rows.above, rows.below);
    }
    return text;
}

std::string leave_one_out_text(const TrainResult& result) {
    std::string text;
    if (!result.leave_one_out.empty()) {
        text += fmt::format("loo          rmse {:.10g}\n", root_mean_square(result.leave_one_out));
    }
    if (!result.leave_one_out_loss.empty()) {
        text += fmt::format("loo          loss {:.10g}, error {:.6g}\n",
                            mean(result.leave_one_out_loss), loo_error(result));
    }
    return text;
}

}  // namespace

ExitStatus say_how_it_ended(Session& session, const TrainResult& result) {
    for (const std::string& what : result.missing) {
        session.warn(what);
    }
    if (result.model.status == to_string(SolveStatus::converged)) {
        return result.missing.empty() ? ExitStatus::done : ExitStatus::stopped;
    }
    session.warn(fmt::format("{}: the model is written, with the gap it has", result.model.status));
    return ExitStatus::stopped;
}

Json train_json(Json json, const TrainResult& result, const TrainingSize& size) {
    const Model& model = result.model;
    add_machine(json, model, size);
    add_support(json, result);
    json["iterations"] = model.iterations;
    json["kernel_rows"] = result.work.kernel_rows;
    json["products"] = result.work.products;
    json["memory_bytes"] = result.work.memory_bytes;
    json["intercept"] = model.intercepts;
    const bool measured = model.machine != kOneClass && !result.perceptron;
    if (model.certificates.size() == 1 && model.has_intercept && measured) {
        const Interval& range = model.certificates.front().intercepts;  // all of them are optimal
        json["intercept_range"] = {range.lower, range.upper};
    }
    add_certificates(json, model.certificates);
    if (model.labels.empty() && result.rank > 0) {
        json["rank"] = result.rank;
    }
    if (!model.labels.empty() && model.outputs() == 1 && measured) {
        json["margin"] = margin_width(model);
    }
    add_width(json, result);
    add_leave_one_out(json, result);
    if (!result.weights.empty() && result.weights.size() <= kMostWeightsShown) {
        json["weights"] = result.weights;
        if (!result.weight_names.empty()) {
            json["monomials"] = result.weight_names;
        }
    }
    if (result.perceptron) {
        add_mistakes(json, result);
    }
    if (!std::isnan(result.iteration_bound)) {
        json["iteration_bound"] = result.iteration_bound;
    }
    if (!std::isnan(result.residual)) {
        json["residual"] = result.residual;
    }
    if (!result.missing.empty()) {
        json["missing"] = result.missing;
    }
    return json;
}

std::string train_text(const TrainResult& result, const TrainingSize& size) {
    const Model& model = result.model;
    std::string text = fmt::format("model        {}, {}\n", model.machine, to_string(model.kernel));
    text += fmt::format("data         {} rows, {} columns{}{}\n", size.rows, size.columns,
                        model.labels.empty() ? "" : ", classes ", classes_text(model));
    text += fmt::format("solver       {}, {} iteration{}, {:.3g} s: {}\n", model.solver,
                        model.iterations, model.iterations == 1 ? "" : "s", result.fit_seconds,
                        model.status);
    text += support_text(result);
    text += margin_text(model);
    text += intercepts_text(model);
    if (result.perceptron) {
        text += mistakes_text(*result.perceptron);
        text += result.separability ? separability_text(*result.separability) : "";
    }
    text += width_text(result);
    text += certificates_text(model.certificates, "certificate  ");
    if (!model.link.empty()) {
        text += fmt::format("link         {}\n", model.link.kind);
    }
    text += leave_one_out_text(result);
    if (!std::isnan(result.iteration_bound)) {
        text += fmt::format("bound        {:.0f} iterations by the condition of K + alpha\n",
                            result.iteration_bound);
    }
    if (!std::isnan(result.residual)) {
        text += fmt::format("residual     {:.10g} (sum of squares)\n", result.residual);
    }
    return text;
}

Json plan_json(Json json, const std::string& machine, const TrainPlan& plan) {
    json["dry_run"] = true;
    json["model"] = machine;
    json["kernel"] = to_string(plan.kernel);
    json["solver"] = plan.solver;
    json["rows"] = plan.rows;
    json["columns"] = plan.columns;
    json["plan"] = Json{{"rows_bytes", plan.rows_bytes},
                        {"cache_bytes", plan.cache_bytes},
                        {"matrix_bytes", plan.matrix_bytes},
                        {"basis", plan.basis},
                        {"needed_bytes", plan.needed_bytes},
                        {"available_bytes", plan.available_bytes},
                        {"fits", plan.fits},
                        {"values_per_second", plan.values_per_second},
                        {"seconds_least", plan.seconds_least},
                        {"seconds_most", plan.seconds_most}};
    return json;
}

std::string plan_text(const std::string& machine, const TrainPlan& plan) {
    std::string text = fmt::format(
        "plan         {} by {}, {}\ndata         {} rows, {} columns, {}\n", machine, plan.solver,
        to_string(plan.kernel), plan.rows, plan.columns, format_byte_size(plan.rows_bytes));
    if (plan.basis > 0) {
        text += fmt::format("basis        {} ({} x {} float64)\n",
                            format_byte_size(plan.matrix_bytes), plan.rows, plan.basis);
    } else if (plan.matrix_bytes > 0) {
        text +=
            fmt::format("matrix       {} ({} x {} float64)\n", format_byte_size(plan.matrix_bytes),
                        plan.problem_rows, plan.problem_rows);
    } else if (plan.cache_bytes > 0) {
        text +=
            fmt::format("cache        up to {} of Gram rows\n", format_byte_size(plan.cache_bytes));
    }
    text +=
        fmt::format("memory       needs {}, {} there: {}\n", format_byte_size(plan.needed_bytes),
                    format_byte_size(plan.available_bytes), plan.fits ? "fits" : "too little");
    if (plan.values_per_second > 0.0) {
        text += fmt::format("rate         {:.3g} kernel values per second, measured now\n",
                            plan.values_per_second);
    }
    return text +
           fmt::format("time         {:.2g} to {:.2g} s\n", plan.seconds_least, plan.seconds_most);
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_rkhs_functions.cpp - mercer theory rkhs norm, inner, distance, evaluate: fitted
// functions as vectors of their RKHS.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "kernel_access.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/theory/rkhs.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "theory_rkhs.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kFunctionsShown = 4;

struct NormOptions {
    std::string model;
};

struct PairOptions {
    std::string first;
    std::string second;
    DataArgument data;
};

struct EvaluateOptions {
    ModelArguments arguments;
};

/// The functions of a model, without its intercepts, which are not in the space.
RkhsFunctions functions_of(const Model& model, const std::string& path) {
    if (is_precomputed(model.kernel)) {
        throw DataError(
            fmt::format("{}: its kernel is precomputed: the model does not hold the values among "
                        "its support rows",
                        path));
    }
    const Definiteness definiteness = model.kernel.definiteness();
    if (definiteness != Definiteness::positive_definite &&
        definiteness != Definiteness::strictly_positive_definite) {
        throw DataError(fmt::format("{}: {} is {}: it has no space of functions", path,
                                    to_string(model.kernel), to_string(definiteness)));
    }
    return {model.kernel, model.support, coefficients_by_output(model), model.outputs()};
}

bool same_scaling(const Model& a, const Model& b) {
    if (!a.scaling || !b.scaling) {
        return !a.scaling && !b.scaling;
    }
    return a.scaling->columns == b.scaling->columns && a.scaling->offset == b.scaling->offset &&
           a.scaling->factor == b.scaling->factor && a.scaling->base == b.scaling->base;
}

/// Two models with functions in the same space.
struct ModelPair {
    Model first;
    Model second;
    RkhsFunctions f;
    RkhsFunctions g;
};

ModelPair read_pair(Session& session, const PairOptions& options) {
    ModelPair pair{read_model(session, options.first), read_model(session, options.second), {}, {}};
    const auto refuse = [&](const std::string& reason) {
        throw DataError(fmt::format("{} and {}: {}", options.first, options.second, reason));
    };
    const Model& a = pair.first;
    const Model& b = pair.second;
    if (!(a.kernel == b.kernel)) {
        refuse(fmt::format("{} and {} span different spaces; functions are compared in one",
                           to_string(a.kernel), to_string(b.kernel)));
    }
    if (a.columns != b.columns) {
        refuse(fmt::format("rows of {} and of {} columns", a.columns, b.columns));
    }
    if (a.outputs() != b.outputs()) {
        refuse(fmt::format("{} and {} functions", a.outputs(), b.outputs()));
    }
    if (!same_scaling(a, b)) {
        refuse("their columns are scaled differently, so that one row is two points");
    }
    pair.f = functions_of(a, options.first);
    pair.g = functions_of(b, options.second);
    return pair;
}

std::vector<double> values_of(const std::vector<RkhsNumber>& numbers) {
    std::vector<double> out;
    for (const RkhsNumber& number : numbers) {
        out.push_back(number.value);
    }
    return out;
}

std::vector<double> roundings_of(const std::vector<RkhsNumber>& numbers) {
    std::vector<double> out;
    for (const RkhsNumber& number : numbers) {
        out.push_back(number.rounding);
    }
    return out;
}

std::vector<double> roots_of(const std::vector<RkhsNumber>& numbers) {
    std::vector<double> out;
    for (const RkhsNumber& number : numbers) {
        out.push_back(std::sqrt(std::max(0.0, number.value)));
    }
    return out;
}

double greatest(const std::vector<double>& values) {
    return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

/// The line `name  1.25, 3.5 and 7 more`.
std::string list_line(const std::string& name, const std::vector<double>& values) {
    const std::size_t shown = std::min(kFunctionsShown, values.size());
    return fmt::format(
        "{:<16}{:.10g}{}\n", name,
        fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        values.size() > shown ? fmt::format(" and {} more", values.size() - shown) : "");
}

/// f|^2 according to the certificates; empty unless there is one for each function.
std::vector<double> stated_norms(const Model& model) {
    std::vector<double> out;
    for (const Certificate& certificate : model.certificates) {
        out.push_back(certificate.squared_norm);
    }
    const bool known = static_cast<index_t>(out.size()) == model.outputs() &&
                       std::all_of(out.begin(), out.end(), [](double v) { return v >= 0.0; });
    return known ? out : std::vector<double>{};
}

std::string space_text(const Model& model) {
    return fmt::format("kernel          {}\n", to_string(model.kernel));
}

ExitStatus run_norm(Session& session, const NormOptions& options) {
    const Model model = read_model(session, options.model);
    const RkhsFunctions f = functions_of(model, options.model);
    const std::vector<RkhsNumber> norms =
        session.timed("rkhs", [&] { return squared_norms(f, session.context()); });
    const std::vector<double> stated = stated_norms(model);
    Json json = session.json_result();
    json["model"] = model.machine;
    json["kernel"] = to_string(model.kernel);
    json["functions"] = f.count;
    json["support_vectors"] = f.rows.rows();
    json["squared_norm"] = values_of(norms);
    json["norm"] = roots_of(norms);
    json["rounding"] = roundings_of(norms);
    json["stated"] = stated;
    std::string text = space_text(model);
    text += fmt::format("model           {}, {} function{} over {} rows\n", model.machine, f.count,
                        f.count == 1 ? "" : "s", f.rows.rows());
    text += list_line("|f|^2", values_of(norms));
    text += list_line("|f|", roots_of(norms));
    text += fmt::format("rounding        {:.1e}\n", greatest(roundings_of(norms)));
    if (!stated.empty()) {
        text += list_line("stated |f|^2", stated);
    }
    session.emit_timed(std::move(json), text);
    return ExitStatus::done;
}

ExitStatus run_inner(Session& session, const PairOptions& options) {
    const ModelPair pair = read_pair(session, options);
    Context& context = session.context();
    const std::vector<RkhsNumber> inner =
        session.timed("rkhs", [&] { return inner_products(pair.f, pair.g, context); });
    const std::vector<double> f = roots_of(squared_norms(pair.f, context));
    const std::vector<double> g = roots_of(squared_norms(pair.g, context));
    std::vector<double> cosines;
    for (std::size_t t = 0; t < inner.size(); ++t) {
        const double lengths = f[t] * g[t];
        cosines.push_back(lengths > 0.0 ? std::clamp(inner[t].value / lengths, -1.0, 1.0) : 0.0);
    }
    Json json = session.json_result();
    json["kernel"] = to_string(pair.first.kernel);
    json["functions"] = pair.f.count;
    json["inner"] = values_of(inner);
    json["rounding"] = roundings_of(inner);
    json["norms"] = Json::array({f, g});
    json["cosine"] = cosines;
    session.emit_timed(std::move(json),
                       space_text(pair.first) + list_line("<f, g>", values_of(inner)) +
                           list_line("|f|", f) + list_line("|g|", g) +
                           list_line("cosine", cosines) +
                           fmt::format("rounding        {:.1e}\n", greatest(roundings_of(inner))));
    return ExitStatus::done;
}

struct BoundReport {
    EvaluationBound bound;
    double largest_value = 0.0;
    index_t rows = 0;
};

/// |f(x)| <= |f| sqrt(k(x, x)) on the rows of a file.
BoundReport check_bound(const std::vector<RkhsNumber>& values, const std::vector<RkhsNumber>& norms,
                        const Kernel& kernel, const Dataset& rows) {
    std::vector<double> diagonal(static_cast<std::size_t>(rows.rows()));
    kernel_diagonal(kernel, rows, diagonal);
    BoundReport out{evaluation_bound(values, norms, diagonal), 0.0, rows.rows()};
    for (const RkhsNumber& number : values) {
        out.largest_value = std::max(out.largest_value, std::abs(number.value));
    }
    return out;
}

Json bound_json(const BoundReport& report) {
    const EvaluationBound& bound = report.bound;
    return Json{{"rows", report.rows},
                {"largest_value", report.largest_value},
                {"largest_ratio", bound.largest_ratio},
                {"row", bound.row < 0 ? Json() : Json(bound.row + 1)},
                {"function", bound.function < 0 ? Json() : Json(bound.function + 1)},
                {"holds", bound.holds}};
}

std::string bound_text(const BoundReport& report, const std::string& name) {
    std::string text =
        fmt::format("largest {:<8}{:.10g} over {} rows\n", name, report.largest_value, report.rows);
    if (report.bound.row >= 0) {
        text += fmt::format("bound           {}: at most {:.6g} of it is used, at row {}\n",
                            report.bound.holds ? "holds" : "FAILS", report.bound.largest_ratio,
                            report.bound.row + 1);
    }
    return text;
}

ExitStatus run_distance(Session& session, const PairOptions& options) {
    ModelPair pair = read_pair(session, options);
    Context& context = session.context();
    const RkhsFunctions gap = difference(pair.f, pair.g, context);
    const std::vector<RkhsNumber> squares =
        session.timed("rkhs", [&] { return squared_norms(gap, context); });
    std::vector<double> intercepts;
    for (std::size_t t = 0; t < pair.first.intercepts.size(); ++t) {
        intercepts.push_back(pair.first.intercepts[t] - pair.second.intercepts[t]);
    }
    Json json = session.json_result();
    json["kernel"] = to_string(pair.first.kernel);
    json["functions"] = gap.count;
    json["distance"] = roots_of(squares);
    json["squared_distance"] = values_of(squares);
    json["rounding"] = roundings_of(squares);
    json["differing_rows"] = gap.rows.rows();
    json["intercept_difference"] = intercepts;
    std::string text =
        space_text(pair.first) + list_line("|f - g|", roots_of(squares)) +
        list_line("|f - g|^2", values_of(squares)) +
        fmt::format("rounding        {:.1e} of the square\n", greatest(roundings_of(squares))) +
        fmt::format("rows            {} have different coefficients\n", gap.rows.rows()) +
        list_line("intercepts", intercepts);
    bool holds = true;
    if (!options.data.path.empty()) {
        const Dataset rows = rows_as_trained(
            pair.first, read_rows_for(session, pair.first, {options.first, options.data, ""}),
            context);
        const BoundReport report = naming_file(options.data.path, [&] {
            return check_bound(reproduced_values(gap, rows, context), squares, gap.kernel, rows);
        });
        json["bound"] = bound_json(report);
        text += bound_text(report, "|f-g|");
        holds = report.bound.holds;
    }
    session.emit_timed(std::move(json), text);
    return holds ? ExitStatus::done : ExitStatus::stopped;
}

ExitStatus run_evaluate(Session& session, const EvaluateOptions& options) {
    Model model = read_model(session, options.arguments.model);
    const Dataset data = read_rows_for(session, model, options.arguments);
    const RkhsFunctions f = functions_of(model, options.arguments.model);
    Context& context = session.context();
    const Dataset rows = rows_as_trained(model, data, context);
    const std::vector<double> predicted = decision_function(model, data, context);
    const std::vector<RkhsNumber> values =
        session.timed("rkhs", [&] { return reproduced_values(f, rows, context); });
    const ReproducingProperty property = reproducing_property(predicted, model.intercepts, values,
                                                              model.support.rows() + model.columns);
    const BoundReport report = check_bound(values, squared_norms(f, context), f.kernel, rows);
    Json json = session.json_result();
    json["model"] = model.machine;
    json["kernel"] = to_string(model.kernel);
    json["functions"] = f.count;
    json["rows"] = rows.rows();
    json["largest_difference"] = property.largest_difference;
    json["rounding"] = property.rounding;
    json["row"] = property.row < 0 ? Json() : Json(property.row + 1);
    json["reproduces"] = property.holds;
    json["bound"] = bound_json(report);
    session.emit_timed(
        std::move(json),
        space_text(model) +
            fmt::format("f(x) = <f,k_x>  {}, largest difference {:.1e}, rounding {:.1e}\n",
                        property.holds ? "holds" : "FAILS", property.largest_difference,
                        property.rounding) +
            bound_text(report, "|f(x)|"));
    return property.holds && report.bound.holds ? ExitStatus::done : ExitStatus::stopped;
}

void describe_pair(CLI::App& app, PairOptions& options) {
    add_option(app, "MODEL", options.first, "model file, from mercer train").required();
    add_option(app, "OTHER", options.second, "second model, with the same kernel").required();
}

}  // namespace

void add_theory_rkhs_functions(CLI::App& group, Session& session) {
    add_command<NormOptions>(
        group, session,
        {"norm", "|f|^2 = beta'K beta of a model, computed anew",
         "  mercer theory rkhs norm moons.mercer\n"},
        [](CLI::App& app, NormOptions& options) { add_model_argument(app, options.model); },
        run_norm);
    add_command<PairOptions>(group, session,
                             {"inner", "<f, g> of two models with the same kernel",
                              "  mercer theory rkhs inner a.mercer b.mercer\n"},
                             describe_pair, run_inner);
    add_command<PairOptions>(
        group, session,
        {"distance", "|f - g| of two models, and the bound it sets on |f(x) - g(x)|",
         "  mercer theory rkhs distance a.mercer b.mercer --data test.svm\n"},
        [](CLI::App& app, PairOptions& options) {
            describe_pair(app, options);
            add_option(app, "--data", options.data.path, "rows to check the bound on")
                .type_name("FILE");
            add_described_options(app, options.data.read, kReadingGroup, {{"task", ""}});
        },
        run_distance);
    add_command<EvaluateOptions>(
        group, session,
        {"evaluate", "check f(x) = <f, k_x> and |f(x)| <= |f| sqrt(k(x, x)) on rows",
         "  mercer theory rkhs evaluate moons.mercer moons.svm\n"},
        [](CLI::App& app, EvaluateOptions& options) {
            add_model_argument(app, options.arguments.model);
            add_model_data_argument(app, options.arguments.data);
        },
        run_evaluate);
}

}  // namespace mercer::cli

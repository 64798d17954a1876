// SPDX-License-Identifier: Apache-2.0
//
// src/fit/risk.cpp - mean losses over data, fresh rows and quadrature points.
#include "mercer/fit/risk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/quadrature.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kBatchRows = 16'384;
constexpr index_t kQuadratureLevel = 2;

bool fits(const Model& model, const RiskLoss& loss) {
    if (model.labels.size() > 2 || model.is_ordinal()) {
        return std::holds_alternative<ZeroOneLoss>(loss);
    }
    return model.labels.size() == 2 || !is_classification(loss);
}

/// Adds the rows' losses to the sums, one for each loss.
void add_losses(const Model& model, const Dataset& rows, const std::vector<RiskLoss>& losses,
                std::vector<RiskSum>& sums, Context& context) {
    if (rows.targets.size() != static_cast<std::size_t>(rows.rows())) {
        throw InvalidArgument(
            fmt::format("rows: got {} targets for {} rows", rows.targets.size(), rows.rows()));
    }
    std::vector<double> f = decision_function(model, rows, context);
    std::vector<double> y = rows.targets;
    if (model.labels.size() > 2 ||
        model.is_ordinal()) {  // a row is right or wrong: f = 1 or -1 for target 1
        const std::vector<index_t> classes = predict_classes(model, f);
        f.resize(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
            f[i] = static_cast<double>(classes[i]) == y[i] ? 1.0 : -1.0;
            y[i] = 1.0;
        }
    } else if (!model.labels.empty()) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (!(y[i] == 0.0 || y[i] == 1.0)) {
                throw InvalidArgument(fmt::format("row {}: its label is not one of the model's, {}",
                                                  i + 1, fmt::join(model.labels, ", ")));
            }
            y[i] = 2.0 * y[i] - 1.0;
        }
    }
    for (std::size_t k = 0; k < losses.size(); ++k) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            sums[k].add(loss_value(losses[k], y[i], f[i]),
                        rows.weights.empty() ? 1.0 : rows.weights[i]);
        }
    }
}

std::vector<RiskEstimate> estimates(const std::vector<RiskSum>& sums) {
    std::vector<RiskEstimate> out;
    out.reserve(sums.size());
    for (const RiskSum& sum : sums) {
        out.push_back(sum.estimate());
    }
    return out;
}

/// The generator's rows with the class indices of the model.
Dataset for_model(const Model& model, Dataset rows, const std::string& generator) {
    if (model.labels.empty() != rows.label_names.empty()) {
        throw InvalidArgument("generator", "",
                              fmt::format("{} makes {}, the model predicts {}", generator,
                                          rows.label_names.empty() ? "numbers" : "classes",
                                          model.labels.empty() ? "numbers" : "classes"));
    }
    if (rows.columns() != model.columns) {
        throw InvalidArgument(
            "generator", "",
            fmt::format("{} makes rows of {} columns, the model was trained on {}", generator,
                        rows.columns(), model.columns));
    }
    for (const std::string& name : rows.label_names) {
        if (std::find(model.labels.begin(), model.labels.end(), name) == model.labels.end()) {
            throw InvalidArgument("generator", "",
                                  fmt::format("{} makes the class {}, the model knows {}",
                                              generator, name, fmt::join(model.labels, ", ")));
        }
    }
    return model.labels.empty() ? std::move(rows) : align_classes(std::move(rows), model.labels);
}

ExpectedRisk by_quadrature(const Model& model, const std::vector<RiskLoss>& losses,
                           const GenerateOptions& generate, Context& context) {
    ExpectedRisk out{.method = "quadrature"};
    std::vector<RiskEstimate> coarse;
    for (const index_t level : {kQuadratureLevel - 1, kQuadratureLevel}) {
        const Dataset rows =
            for_model(model, quadrature_rows(generate, level, context), generate.name);
        std::swap(coarse, out.risks);
        out.risks = model_risk(model, rows, losses, context);
        out.rows = rows.rows();
    }
    for (std::size_t k = 0; k < losses.size(); ++k) {
        out.risks[k].standard_error = std::abs(out.risks[k].risk - coarse[k].risk);
    }
    return out;
}

ExpectedRisk by_monte_carlo(const Model& model, const std::vector<RiskLoss>& losses,
                            const ExpectedRiskOptions& options, Context& context) {
    GenerateOptions generate = options.generate;
    // Rows cycle through the classes; complete cycles give every class its share.
    const index_t classes = generate.classes;
    const index_t wanted = (options.samples + classes - 1) / classes * classes;
    const index_t batch_rows = std::max<index_t>(1, kBatchRows / classes) * classes;
    ExpectedRisk out{.method = "monte-carlo"};
    std::vector<RiskSum> sums(losses.size());
    for (index_t batch = 0; out.rows < wanted; ++batch) {
        context.throw_if_stopped("expected risk");
        generate.rows = std::min(batch_rows, wanted - out.rows);
        const Dataset rows =
            for_model(model, generate_fresh(generate, batch, context), generate.name);
        add_losses(model, rows, losses, sums, context);
        out.rows += generate.rows;
        context.report({"expected risk", out.rows, wanted, kNaN, 0});
    }
    out.risks = estimates(sums);
    return out;
}

}  // namespace

std::vector<RiskLoss> losses_for(const Model& model, const std::vector<std::string>& names,
                                 double epsilon) {
    if (model.is_ranking()) {
        throw InvalidArgument("model", "",
                              "rank orders the rows of a query, and a row alone has no loss");
    }
    std::vector<RiskLoss> fitting;
    std::vector<std::string_view> known;
    for (const RiskLoss& loss : all_risk_losses(epsilon)) {
        if (fits(model, loss)) {
            fitting.push_back(loss);
            known.push_back(name_of(loss));
        }
    }
    if (names.empty()) {
        return fitting;
    }
    std::vector<RiskLoss> out;
    for (const std::string& name : names) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            throw InvalidArgument(
                "loss", fmt::format("{}", name),
                fmt::format("must be one of {} for a {}", fmt::join(known, ", "),
                            model.labels.empty()      ? "regression"
                            : model.labels.size() > 2 ? "classifier of many classes"
                                                      : "classifier of two classes"));
        }
        out.push_back(fitting[static_cast<std::size_t>(found - known.begin())]);
    }
    return out;
}

std::vector<RiskEstimate> model_risk(const Model& model, const Dataset& rows,
                                     const std::vector<RiskLoss>& losses, Context& context) {
    std::vector<RiskSum> sums(losses.size());
    add_losses(model, rows, losses, sums, context);
    return estimates(sums);
}

ExpectedRisk expected_risk(const Model& model, const std::vector<RiskLoss>& losses,
                           const ExpectedRiskOptions& given, Context& context) {
    ExpectedRiskOptions options = given;
    GenerateOptions& generate = options.generate;
    if (generate.columns == 0 && fixed_columns(generate.name) == 0) {
        generate.columns = model.columns;
    }
    if (!model.labels.empty() && fixed_classes(generate.name) == 0) {
        generate.classes = static_cast<index_t>(model.labels.size());
    }
    if (options.samples < 2) {
        throw InvalidArgument("samples", fmt::format("{}", options.samples), "must be >= 2");
    }
    const bool quadrature =
        options.method == "quadrature" || (options.method == "auto" && has_quadrature(generate));
    if (!quadrature && options.method != "auto" && options.method != "monte-carlo") {
        throw InvalidArgument("method", fmt::format("{}", options.method),
                              "must be auto, quadrature or monte-carlo");
    }
    return quadrature ? by_quadrature(model, losses, generate, context)
                      : by_monte_carlo(model, losses, options, context);
}

}  // namespace mercer

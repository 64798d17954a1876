// SPDX-License-Identifier: Apache-2.0
//
// src/fit/basis.cpp - machines with f as a sum of few functions, and the curve of their errors.
#include "mercer/solvers/basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/fit/column_model.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::fit {

namespace {

/// The error of f + b on the rows of a problem: the share of wrong signs for classes, otherwise the
/// root mean square.
double error_of(const Problem& problem, bool classes, std::span<const double> z) {
    double sum = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double y = problem.targets[i];
        sum += classes ? static_cast<double>((z[i] >= 0.0) != (y > 0.0)) : (z[i] - y) * (z[i] - y);
    }
    const double mean = sum / static_cast<double>(z.size());
    return classes ? mean : std::sqrt(mean);
}

/// A solver of a problem on the requested basis.
auto basis_solver(const TrainOptions& options) {
    return [basis = options.basis, classes = is_classifier(options.model),
            gap = machine_of(options.model).gap_tolerance](
               const Problem& problem, const SolveOptions& asked, Context& context) {
        SolveOptions wanted = asked;
        if (!wanted.gap_tolerance && !wanted.tolerance) {
            wanted.gap_tolerance = gap;
        }
        BasisOptions chosen{basis.size, basis.candidates, basis.tolerance, {}};
        chosen.error = [&problem, classes](std::span<const double> z) {
            return error_of(problem, classes, z);
        };
        return basis.features ? solve_on_columns(problem, chosen, wanted, context)
                              : solve_on_basis(problem, chosen, wanted, context);
    };
}

/// Machines with one problem: regressions, and everything on columns.
TrainResult train_one(const Dataset& data, const TrainOptions& options, Context& context) {
    if (data.label_names.size() > 2) {
        throw InvalidArgument("features", "",
                              fmt::format("a basis of columns is for two classes, the data has {}",
                                          data.label_names.size()),
                              "a basis of kernel functions takes them all");
    }
    PosedMachine posed = pose_machine(data, options);
    TrainResult result = std::move(posed.result);
    const double start = context.elapsed();
    Solution solution = basis_solver(options)(posed.problem, solve_options(options), context);
    OutputSummary summary;
    summary.iterations = solution.iterations;
    summary.basis = solution.basis;
    for (const index_t j : solution.basis->chosen) {
        summary.basis_rows.push_back(options.basis.features ? j : posed.prepared.original(j));
    }
    if (options.basis.features) {
        const std::vector<double> weights =
            std::exchange(solution.beta, std::vector<double>(posed.problem.targets.size(), 0.0));
        keep_solution(posed.prepared, solution, result);
        keep_columns(weights, result.model);
    } else {
        keep_solution(posed.prepared, solution, result);
    }
    summary.support = result.model.support.rows();
    result.outputs.push_back(std::move(summary));
    if (result.model.loss == LogisticLoss::kName) {  // the loss defines the link
        result.model.link = {"sigmoid", {-1.0}, {0.0}};
    }
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

/// The last point of a run with at most that many functions.
const BasisPoint& point_at(const BasisRun& run, index_t size) {
    const auto after = std::find_if(run.points.begin(), run.points.end(),
                                    [size](const BasisPoint& point) { return point.size > size; });
    return after == run.points.begin() ? run.points.front() : *(after - 1);
}

/// The index of the coefficient of a support row in an output.
std::size_t coefficient_place(const Model& model, index_t place, index_t output) {
    index_t column = output;
    if (model.multiclass == "ovo") {
        index_t own = 0;
        for (index_t left = place; left >= model.class_support[at(own)]; ++own) {
            left -= model.class_support[at(own)];
        }
        const ClassPair pair = pair_at(output, static_cast<index_t>(model.labels.size()));
        column = column_against(own, own == pair.first ? pair.second : pair.first);
    }
    return at(place * model.coefficient_columns() + column);
}

/// The machine as it was when its outputs had at most that many functions. It predicts, but has no
/// certificate.
Model model_at(const TrainResult& result, index_t size) {
    Model out = result.model;
    std::fill(out.coefficients.begin(), out.coefficients.end(), 0.0);
    for (std::size_t t = 0; t < result.outputs.size(); ++t) {
        const OutputSummary& summary = result.outputs[t];
        const BasisPoint& point = point_at(*summary.basis, size);
        out.intercepts[t] = point.intercept;
        for (std::size_t k = 0; k < point.coefficients.size(); ++k) {
            const auto& rows = result.model.support_rows;
            const auto found = std::find(rows.begin(), rows.end(), summary.basis_rows[k]);
            if (found != rows.end()) {  // a coefficient that became 0 is no longer in the support
                out.coefficients[coefficient_place(result.model, found - rows.begin(),
                                                   static_cast<index_t>(t))] =
                    point.coefficients[k];
            }
        }
    }
    return out;
}

double error_on(const Model& model, const Dataset& rows, Context& context) {
    return model.labels.empty() ? evaluate_values(model, rows, context).rmse
                                : 1.0 - evaluate_classes(model, rows, context).accuracy;
}

/// The curve over all sizes at which some output has a point.
std::vector<BasisCurvePoint> curve_of(const TrainResult& result, const Dataset& data,
                                      const Dataset* validation, Context& context) {
    std::set<index_t> sizes;
    for (const OutputSummary& summary : result.outputs) {
        for (const BasisPoint& point : summary.basis->points) {
            sizes.insert(point.size);
        }
    }
    const bool one = result.outputs.size() == 1;
    std::vector<BasisCurvePoint> curve;
    for (const index_t size : sizes) {
        BasisCurvePoint point{.size = size, .objective = 0.0};
        for (const OutputSummary& summary : result.outputs) {
            const BasisPoint& own = point_at(*summary.basis, size);
            point.objective += own.value;
            point.seconds += own.seconds;
            point.training_error = one ? own.error : kNaN;
        }
        if ((!one || validation != nullptr) && !context.should_stop()) {
            try {
                const Model model = model_at(result, size);
                point.training_error = one ? point.training_error : error_on(model, data, context);
                point.validation_error =
                    validation != nullptr ? error_on(model, *validation, context) : kNaN;
            } catch (const Interrupted&) {  // the rest of the curve has no such errors
            }
        }
        curve.push_back(point);
    }
    return curve;
}

}  // namespace

TrainResult train_on_basis(const Dataset& data, const TrainOptions& asked, Context& context) {
    TrainOptions options = asked;
    options.objective.penalty = kBasis;
    if (options.basis.features) {
        options.kernel = linear_kernel();
    }
    const Dataset* validation = options.basis.validation;
    if (validation != nullptr &&
        (validation->rows() == 0 ||
         static_cast<index_t>(validation->targets.size()) != validation->rows())) {
        throw InvalidArgument("validation", "", "it needs rows with targets");
    }
    TrainResult result;
    if (is_classifier(options.model) && !options.basis.features) {
        result =
            train_classes(data, options, class_machine(options, basis_solver(options)), context);
    } else {
        result = train_one(data, options, context);
    }
    Model& model = result.model;
    model.penalty = kBasis;
    if (!options.run.gap_tolerance && !options.run.tolerance) {
        model.gap_tolerance = machine_of(options.model).gap_tolerance;
    }
    BasisReport report;
    std::vector<Certificate> wholes;
    for (const OutputSummary& summary : result.outputs) {
        report.dependent += summary.basis->dependent;
        wholes.push_back(summary.basis->whole);
    }
    report.whole = total_certificate(wholes);
    report.end = to_string(result.outputs.front().basis->end);
    report.curve = curve_of(result, data, validation, context);
    result.basis = std::move(report);
    return result;
}

}  // namespace mercer::fit

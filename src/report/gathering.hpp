// SPDX-License-Identifier: Apache-2.0
//
// src/report/gathering.hpp - the parts from which a report is assembled.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/report/report.hpp"

namespace mercer::report {

/// The task as one word, see Report::task.
[[nodiscard]] std::string task_of(const Model& model);

/// True if the rows have targets for which the model can be evaluated.
[[nodiscard]] bool has_targets(const Model& model, const Dataset& rows);

/// All measures of one set of rows. `name` is that of ReportRows.
[[nodiscard]] ReportRows measure_rows(const Model& model, const Dataset& rows,
                                      const std::string& name, const ReportOptions& options,
                                      Context& context);

/// How clearly each row is on its correct side: y f(x) for two classes, the score of the true class
/// minus the best other one, the distance to the nearest threshold; the residual y - f(x) of a
/// regression; f(x) if there are no targets.
[[nodiscard]] std::vector<double> row_scores(const Model& model, const Dataset& rows,
                                             const std::vector<double>& decisions);
[[nodiscard]] std::string score_name(const Model& model, bool targets);

/// Support rows, their bounds and the most difficult rows of `data` (may be null).
void gather_support(const Model& model, const Dataset* data, Report& report, Context& context);

/// Weights of a linear machine; permutation importance; the plane.
void gather_weights(const Model& model, Report& report, Context& context);
void gather_importance(const Model& model, const Dataset& rows, Report& report, Context& context);
void gather_plane(const Model& model, const Dataset* rows, Report& report, Context& context);

/// Everything that needs training: learning curve, gap over time, leave-one-out curve.
void gather_refits(const Model& model, const ReportSources& sources, const ReportOptions& options,
                   Report& report, Context& context);
void gather_leave_one_out(const Model& model, const Dataset& data, bool asked, Report& report,
                          Context& context);

/// Texts: the problem, the certificate, and the commands that reproduce model and report.
void describe_problem(const Model& model, Report& report);
void describe_certificate(const Model& model, Report& report);
void describe_origin(const Model& model, const ReportSources& sources, const ReportOptions& options,
                     Report& report);

/// The name of a column, or its number from 1.
[[nodiscard]] std::string column_name(const Model& model, index_t column);

/// At most `most` numbers of 0 .. count-1, spread evenly at random, ascending; all if they fit.
[[nodiscard]] std::vector<index_t> some_of(index_t count, index_t most, Context& context);

/// A curve with at most `most` points, spread along its length; the end points remain.
[[nodiscard]] std::vector<std::pair<double, double>> thinned(
    const std::vector<std::pair<double, double>>& curve, std::size_t most);

/// Counts of finite values in about `bins` bins; values beyond the 0.1 and 99.9 % quantiles are
/// counted in the outermost ones.
[[nodiscard]] ReportHistogram histogram_of(const std::vector<double>& values,
                                           const std::vector<std::string>& classes, int bins);

/// ROC and precision-recall curves of scores; `truth[i]` is whether row i belongs to the class.
[[nodiscard]] ClassCurve class_curve(const std::vector<double>& scores,
                                     const std::vector<bool>& truth);

/// Ten bins of equal width over [0, 1], without empty ones.
[[nodiscard]] std::vector<CalibrationBin> calibration_of(const std::vector<double>& probabilities,
                                                         const std::vector<bool>& truth,
                                                         double level);

}  // namespace mercer::report

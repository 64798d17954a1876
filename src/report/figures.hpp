// SPDX-License-Identifier: Apache-2.0
//
// src/report/figures.hpp - the charts of a report. A chart without data has no panels.
#pragma once

#include "mercer/report/report.hpp"

namespace mercer::report {

/// Appends a point to a series.
inline void append(chart::Series& series, double across, double up) {
    series.across.push_back(across);
    series.up.push_back(up);
}

/// `prefix` makes the ids of two sets of rows distinct.
[[nodiscard]] chart::Figure histogram_figure(const ReportRows& rows, const Report& report,
                                             const std::string& prefix);
[[nodiscard]] chart::Figure confusion_figure(const ReportRows& rows,
                                             const std::vector<std::string>& classes,
                                             const std::string& prefix);
[[nodiscard]] chart::Figure roc_figure(const ReportRows& rows, const std::string& prefix);
[[nodiscard]] chart::Figure recall_figure(const ReportRows& rows, const std::string& prefix);
[[nodiscard]] chart::Figure calibration_figure(const ReportRows& rows, const std::string& prefix);
[[nodiscard]] chart::Figure prediction_figure(const ReportRows& rows, double tube,
                                              const std::string& prefix);
[[nodiscard]] chart::Figure residual_figure(const ReportRows& rows, double tube,
                                            const std::string& prefix);
[[nodiscard]] chart::Figure effects_figure(const std::vector<ColumnEffect>& effects,
                                           const std::string& id, const std::string& title,
                                           const std::string& label);
[[nodiscard]] chart::Figure plane_figure(const ReportPlane& plane, double tube);
[[nodiscard]] chart::Figure leave_one_out_figure(const Report& report);
[[nodiscard]] chart::Figure learning_figure(const Report& report);
[[nodiscard]] chart::Figure convergence_figure(const Report& report);
[[nodiscard]] chart::Figure grid_figure(const ReportGrid& grid);

}  // namespace mercer::report

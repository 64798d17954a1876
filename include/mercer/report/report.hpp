// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/report.hpp - a report on a model and its rows, as numbers and as a page.
//
//     const Report report = make_report(model, {.data = &rows, .validation = &others}, {}, context);
//     std::string page = report_page(report);     // one HTML file
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/audit/verify.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"
#include "mercer/report/chart.hpp"

namespace mercer {

class Context;

/// A number and, if known, its confidence interval.
struct MeasuredValue {
    std::string name;  ///< as `mercer evaluate` calls it
    double value = kNaN;
    double low = kNaN;  ///< NaN: no interval
    double high = kNaN;
    std::string method;  ///< "exact" (Clopper-Pearson) or "bootstrap"
};

/// Counts in bins of equal width.
struct ReportHistogram {
    std::string label;  ///< what is counted
    double low = 0.0;   ///< start of the first bin
    double width = 1.0;
    std::map<std::string, std::vector<index_t>> counts;  ///< by class, or a single entry for all
                                                         ///< rows
};

/// One class against the others.
struct ClassCurve {
    std::string name;
    index_t positives = 0;
    double auc = kNaN;
    double average_precision = kNaN;
    std::vector<std::pair<double, double>> roc;     ///< false positive rate, true positive rate;
                                                    ///< thinned
    std::vector<std::pair<double, double>> recall;  ///< recall, precision; thinned
};

/// Rows whose probability lies in one tenth of the range.
struct CalibrationBin {
    double predicted = kNaN;  ///< mean
    double observed = kNaN;   ///< share, with its exact interval
    double low = kNaN;
    double high = kNaN;
    index_t rows = 0;
};

/// Measures of the model on one set of rows.
struct ReportRows {
    std::string name;  ///< "training rows", "rows given", "validation rows"
    index_t rows = 0;
    std::vector<MeasuredValue> measures;
    std::vector<std::vector<index_t>> confusion;  ///< [true][predicted]
    std::vector<ClassCurve> curves;
    std::string calibrated;  ///< which event the probabilities refer to
    std::vector<CalibrationBin> calibration;
    ReportHistogram histogram;
    std::vector<std::pair<double, double>> pairs;  ///< prediction and target; thinned
};

/// A row that is difficult for the model.
struct HardRow {
    index_t row = 0;  ///< from 0
    std::string target;
    std::string predicted;
    double score = kNaN;        ///< margin, residual or value: see Report::score_name
    double coefficient = kNaN;  ///< largest in absolute value over the outputs; NaN: not a training
                                ///< row
    bool bounded = false;
    std::vector<double> cells;  ///< values of Report::shown_columns
};

/// A column and its effect on the predictions.
struct ColumnEffect {
    std::string column;
    double value = kNaN;
    double low = kNaN;
    double high = kNaN;
};

/// f over a plane: two columns, or the first two kernel principal components.
struct ReportPlane {
    std::string kind;  ///< "columns", "components" or "column" (one: a line)
    std::vector<std::string> labels;
    chart::Axis across;
    chart::Axis up;
    chart::HeatMap map;                             ///< f, or the class of each cell
    std::vector<std::pair<double, double>> places;  ///< coordinates of some rows
    std::vector<std::string> classes;               ///< of these rows; empty: none
    std::vector<bool> wrong;                        ///< of these rows
    std::vector<std::pair<double, double>> curve;   ///< of one column
    double share = kNaN;                            ///< components: explained share of the variance
                                                    ///< of f
};

/// A refit on a subset of the rows.
struct LearningPoint {
    index_t rows = 0;
    MeasuredValue training;
    MeasuredValue validation;
    double seconds = 0.0;
    std::string status;
};

/// The gap after some seconds of solving.
struct GapPoint {
    double seconds = 0.0;
    index_t iteration = 0;
    double relative_gap = kNaN;
};

/// The combinations that `mercer select` tried.
struct ReportGrid {
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;  ///< one list for each combination
    std::vector<double> scores;
    std::string measure;
    std::vector<double> best;
};

/// All measurements. What could not be measured is empty, and `remarks` gives the reason.
struct Report {
    std::string title;
    std::string
        task;  ///< "two-class", "many-class", "ordinal", "regression", "one-class", "ranking"
    std::string machine;
    std::string kernel;
    std::vector<std::string> classes;                        ///< empty: none
    std::vector<std::string> problem;                        ///< sentences
    std::vector<std::pair<std::string, std::string>> facts;  ///< of the model
    std::string formula;                                     ///< the objective

    std::vector<Certificate> stated;
    std::optional<VerifyReport> verified;
    std::vector<std::string> proved;      ///< sentences
    std::vector<std::string> not_proved;  ///< sentences

    index_t support = 0;
    index_t bounded = -1;  ///< -1: unknown, or the loss has no bound
    std::vector<std::pair<std::string, index_t>> support_by_class;
    double margin = kNaN;
    std::string score_name;
    std::vector<std::string> shown_columns;
    std::vector<HardRow> hardest;

    double tube = kNaN;                 ///< half-width, for machines with a tube
    std::vector<ReportRows> rows;       ///< the given rows, then the validation rows
    std::vector<ColumnEffect> weights;  ///< of a linear machine
    std::string importance_of;          ///< the measure that shuffling a column affects
    index_t importance_rows = 0;
    std::vector<ColumnEffect> importance;
    std::optional<ReportPlane> plane;
    std::vector<std::pair<double, double>> leave_one_out;  ///< alpha and the error (krr)
    double alpha = kNaN;
    std::string learning_measure;
    std::vector<LearningPoint> learning;
    std::vector<GapPoint> convergence;
    std::optional<ReportGrid> grid;
    std::optional<chart::Figure> path;

    std::vector<std::string> remarks;
    std::vector<std::string> commands;                            ///< that reproduce it
    std::vector<std::pair<std::string, std::string>> provenance;  ///< versions and hashes
};

/// The sources of a report other than the model. Pointers are not owned; null: not given.
struct ReportSources {
    const Dataset* data = nullptr;        ///< with targets as indices into the model's labels, and
                                          ///< the row weights of training
    const Dataset* validation = nullptr;  ///< rows not used for training
    std::optional<ReportGrid> grid{};
    std::optional<chart::Figure> path{};
    std::map<std::string, std::string> files{};  ///< names of "model", "data", "validation"
};

struct ReportOptions {
    std::string title{};     ///< empty: made from the machine and the kernel
    bool verify = true;      ///< recompute the certificate if `data` are the training rows
    bool refits = false;     ///< train again, for the learning curve and the gap over time
    index_t samples = 1000;  ///< of the bootstrap; fewer for more than 20,000 rows
    double level = 0.95;     ///< of every interval
    std::string version{};   ///< of the program, for the last section
};

/// Measures everything. Cost: two predictions of all rows, `verify_model()`, the bootstrap, ten
/// predictions of at most 1,000 rows for each column, and the training for `refits`. Throws what
/// these throw.
[[nodiscard]] Report make_report(const Model& model, const ReportSources& sources,
                                 const ReportOptions& options, Context& context);

/// The report as one self-contained HTML file.
[[nodiscard]] std::string report_page(const Report& report);

/// Every number of the page, as a JSON object.
[[nodiscard]] std::string report_json(const Report& report);

}  // namespace mercer

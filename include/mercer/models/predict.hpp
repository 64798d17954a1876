// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/predict.hpp - predictions of a model for rows.
//
// To predict a few rows at a time, many times, use a Predictor (mercer/models/predictor.hpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;
class GramOperator;

/// The rows as the model's kernel sees them: padded with zeros and scaled as in training. Throws
/// InvalidArgument if they are wider than the training rows. Unchanged parts are borrowed from
/// `rows`.
[[nodiscard]] Dataset rows_as_trained(const PredictionRule& rule, const Dataset& rows,
                                      Context& context);

/// f(x) of each row and output, rows x outputs, row-major. Computed in float64, in tiles; a linear
/// kernel is collapsed to one weight vector if that is cheaper. A row gets the same bits alone or
/// in a batch, for any number of threads. Rows narrower than the model's are padded with zeros;
/// wider ones throw InvalidArgument.
[[nodiscard]] std::vector<double> decision_function(const PredictionRule& rule, const Dataset& rows,
                                                    Context& context);

/// Row numbers in an operator: the rows to predict, and the model's support rows.
struct OperatorRows {
    const GramOperator& gram;
    std::span<const index_t> support;
    std::span<const index_t> wanted;
};

/// f(x) of rows whose kernel values come from an operator; the model's own rows are not read.
[[nodiscard]] std::vector<double> decision_function(const PredictionRule& rule,
                                                    const OperatorRows& rows, Context& context);

/// Index into model.labels for each row. Two classes: 1 where f >= 0. ovo: the class with the most
/// votes; ovr and softmax: the class with the greatest value; ties go to the class that comes
/// first. Ordinal: the number of thresholds <= f.
[[nodiscard]] std::vector<index_t> predict_classes(const PredictionRule& rule,
                                                   const std::vector<double>& decisions);

/// The name of each row's class, by predict_classes(). Throws InvalidArgument if the model has no
/// classes; decision_function() is then the prediction.
[[nodiscard]] std::vector<std::string> predict_labels(const PredictionRule& rule,
                                                      const std::vector<double>& decisions);
[[nodiscard]] std::vector<std::string> predict_labels(const PredictionRule& rule,
                                                      const Dataset& rows, Context& context);

/// One number per class, rows x labels. Two classes: -f and f; ovr, softmax: the decision values;
/// ovo: the votes, adjusted by less than 1/3 by the sums of the pairs' values (scikit-learn's `ovr`
/// shape); a pair at exactly 0 votes for its first class, in predict_classes() for its second.
/// Throws InvalidArgument for an ordinal model, which has one value for all classes.
[[nodiscard]] std::vector<double> class_scores(const PredictionRule& rule,
                                               const std::vector<double>& decisions);

/// Probabilities of the classes, rows x labels; each row sums to 1. Throws InvalidArgument if the
/// model has no probability link. The most probable class may differ from predict_classes().
[[nodiscard]] std::vector<double> class_probabilities(const PredictionRule& rule,
                                                      const std::vector<double>& decisions);

/// The most probable class of each row; ties go to the class that comes first.
[[nodiscard]] std::vector<index_t> most_probable_classes(const PredictionRule& rule,
                                                         const std::vector<double>& probabilities);

/// Measures of predictions compared with the rows' targets.
struct ClassificationReport {
    index_t rows = 0;
    double accuracy = kNaN;
    double balanced_accuracy = kNaN;
    std::vector<std::vector<index_t>> confusion;  ///< [true][predicted], in label order
    double auc = kNaN;                            ///< two classes only
    double log_loss = kNaN;                       ///< with probabilities only: mean of -log p(true)
    double brier = kNaN;                          ///< mean of |p - truth|^2 over the classes; with
                                                  ///< two classes (p - truth)^2 of the second
    double rank_error = kNaN;  ///< ordinal: mean |predicted - true| of the class indices
};
/// Mean recall over the classes that occur; NaN if none does.
[[nodiscard]] double balanced_accuracy(const std::vector<std::vector<index_t>>& confusion);
struct RegressionReport {
    index_t rows = 0;
    double rmse = kNaN;
    double mae = kNaN;
    double r2 = kNaN;
    double max_error = kNaN;
};
/// Counts over the pairs of rows of one query with different targets.
struct RankingReport {
    index_t rows = 0;
    index_t queries = 0;
    index_t pairs = 0;
    index_t concordant = 0;       ///< f orders the pair as the targets do
    index_t discordant = 0;       ///< f orders the pair the other way round; the remaining pairs
                                  ///< are tied
    double pair_accuracy = kNaN;  ///< share of concordant pairs; ties count half
    double kendall_tau = kNaN;    ///< (concordant - discordant) / pairs
};
[[nodiscard]] ClassificationReport evaluate_classes(const PredictionRule& rule, const Dataset& rows,
                                                    Context& context);
[[nodiscard]] RegressionReport evaluate_values(const PredictionRule& rule, const Dataset& rows,
                                               Context& context);
/// The same for decision values that are already known.
[[nodiscard]] ClassificationReport evaluate_classes(const PredictionRule& rule, const Dataset& rows,
                                                    const std::vector<double>& decisions);
[[nodiscard]] RegressionReport evaluate_values(const PredictionRule& rule, const Dataset& rows,
                                               const std::vector<double>& values);
[[nodiscard]] RankingReport evaluate_ranking(const PredictionRule& rule, const Dataset& rows,
                                             Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/predict.hpp - what a model says of rows.
//
// Whoever asks again and again for a few rows makes a Predictor (mercer/models/predictor.hpp).
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
/// InvalidArgument when they are wider than those. What need not change is borrowed from `rows`.
[[nodiscard]] Dataset rows_as_trained(const Model& model, const Dataset& rows, Context& context);

/// f(x) of each row and output, rows x outputs, row-major. Float64, batched over tiles; a linear
/// kernel collapses to one weight vector when that is cheaper. A row has the same bits alone or in
/// a batch, for any thread count. Rows narrower than the model's are padded with zeros; wider ones
/// are refused with InvalidArgument.
[[nodiscard]] std::vector<double> decision_function(const Model& model, const Dataset& rows,
                                                    Context& context);

/// Rows by their numbers in an operator: those that are asked for, and the model's support rows.
struct OperatorRows {
    const GramOperator& gram;
    std::span<const index_t> support;
    std::span<const index_t> wanted;
};

/// f(x) of rows whose kernel values an operator has; the model's own rows are not read.
[[nodiscard]] std::vector<double> decision_function(const Model& model, const OperatorRows& rows,
                                                    Context& context);

/// Index into model.labels for each row. Two classes: 1 where f >= 0. ovo: the class with the most
/// pairs; ovr and softmax: the greatest value; ties go to the class that stands first. Ordinal: the
/// number of thresholds <= f.
[[nodiscard]] std::vector<index_t> predict_classes(const Model& model,
                                                   const std::vector<double>& decisions);

/// The name of each row's class, as predict_classes() tells it. Throws InvalidArgument when the
/// model has no classes: then decision_function() is the prediction.
[[nodiscard]] std::vector<std::string> predict_labels(const Model& model,
                                                      const std::vector<double>& decisions);
[[nodiscard]] std::vector<std::string> predict_labels(const Model& model, const Dataset& rows,
                                                      Context& context);

/// One number per class, rows x labels. Two classes: -f and f; ovr, softmax: the decisions; ovo:
/// the votes, moved by less than 1/3 by the sums of the pairs' values (scikit-learn's `ovr` shape).
/// Throws InvalidArgument for an ordinal model, which has one value for all classes.
[[nodiscard]] std::vector<double> class_scores(const Model& model,
                                               const std::vector<double>& decisions);

/// Probabilities of the classes, rows x labels; each row sums to 1. Throws InvalidArgument when the model
/// has no link to probabilities. The most probable class may differ from predict_classes().
[[nodiscard]] std::vector<double> class_probabilities(const Model& model,
                                                      const std::vector<double>& decisions);

/// The first of the most probable classes of each row.
[[nodiscard]] std::vector<index_t> most_probable_classes(const Model& model,
                                                         const std::vector<double>& probabilities);

/// Measures of a prediction against the rows' targets.
struct ClassificationReport {
    index_t rows = 0;
    double accuracy = kNaN;
    double balanced_accuracy = kNaN;
    std::vector<std::vector<index_t>> confusion;  ///< [true][predicted], in label order
    double auc = kNaN;                            ///< two classes only
    double log_loss = kNaN;                       ///< with probabilities only: mean of -log p(true)
    double brier = kNaN;                          ///< mean of |p - truth|^2 over the classes; with
                                                  ///< two classes of (p - truth)^2 of the second
    double rank_error = kNaN;  ///< ordinal: mean |predicted - true| of the classes' numbers
};
struct RegressionReport {
    index_t rows = 0;
    double rmse = kNaN;
    double mae = kNaN;
    double r2 = kNaN;
    double max_error = kNaN;
};
/// Over the pairs of rows of one query whose targets differ.
struct RankingReport {
    index_t rows = 0;
    index_t queries = 0;
    index_t pairs = 0;
    index_t concordant = 0;       ///< f orders them as the targets do
    index_t discordant = 0;       ///< f orders them the other way round; the others are tied
    double pair_accuracy = kNaN;  ///< share of concordant pairs; ties count half
    double kendall_tau = kNaN;    ///< (concordant - discordant) / pairs
};
[[nodiscard]] ClassificationReport evaluate_classes(const Model& model, const Dataset& rows,
                                                    Context& context);
[[nodiscard]] RegressionReport evaluate_values(const Model& model, const Dataset& rows,
                                               Context& context);
/// The same where decision_function() of the rows is known.
[[nodiscard]] ClassificationReport evaluate_classes(const Model& model, const Dataset& rows,
                                                    const std::vector<double>& decisions);
[[nodiscard]] RegressionReport evaluate_values(const Model& model, const Dataset& rows,
                                               const std::vector<double>& values);
[[nodiscard]] RankingReport evaluate_ranking(const Model& model, const Dataset& rows,
                                             Context& context);

}  // namespace mercer

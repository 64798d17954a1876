// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/predictor.hpp - a model prepared once for many predictions.
//
//     const Predictor predictor(model, context);
//     for (const Dataset& row : arriving) {
//         use(predictor.labels(row, context));
//     }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// The functions of predict.hpp, without laying out the support rows at each call. One row against
/// 1,000 support rows then takes 16 us instead of 134 with 10 columns, and 86 instead of 1,770 with
/// 100 (rbf, one thread; bench/micro/predict_bench.cpp).
///
/// Immutable and cheap to copy: copies share their data. Several threads may use it at once, each
/// with its own Context. The results have the same bits as those of predict.hpp, alone or in a
/// batch. A program that predicts all its rows in one call gains nothing here, and predict.hpp
/// needs less memory for a one-against-one model.
class Predictor {
public:
    /// Copies the rule; support rows that it borrows must outlive the Predictor. Lays out
    /// the support rows, or collapses a linear model to its weights, and charges that memory to the
    /// context's budget; it does not hold on to the context. For one-against-one models the rows
    /// are laid out at each call if they would take more than a quarter of the free memory. Throws
    /// ResourceError if memory does not suffice, DataError if a support row is outside the kernel's
    /// domain.
    Predictor(const PredictionRule& rule, Context& context);

    [[nodiscard]] const PredictionRule& rule() const noexcept;

    /// decision_function() of the rows: rows x outputs, row-major.
    [[nodiscard]] std::vector<double> decision_values(const Dataset& rows, Context& context) const;

    /// predict_classes(): an index into rule().labels for each row.
    [[nodiscard]] std::vector<index_t> classes(const Dataset& rows, Context& context) const;

    /// predict_labels(): the name of each row's class.
    [[nodiscard]] std::vector<std::string> labels(const Dataset& rows, Context& context) const;

    /// class_probabilities(): rows x labels.
    [[nodiscard]] std::vector<double> probabilities(const Dataset& rows, Context& context) const;

private:
    struct State;
    std::shared_ptr<const State> state_;
};

}  // namespace mercer

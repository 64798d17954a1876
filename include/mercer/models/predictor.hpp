// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/predictor.hpp - a model compiled once and asked many times.
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

/// What the functions of predict.hpp say, without laying out the support rows at each call. One row
/// against 1,000 support rows then takes 16 us instead of 134 with 10 columns, 86 instead of 1,770
/// with 100 (rbf, one thread; bench/micro/predict_bench.cpp).
///
/// Immutable and cheap to copy: copies share what is held. Several threads may ask at once, each
/// with its own Context. The answers have the same bits as those of predict.hpp, and a row has the
/// same alone or in a batch. A program that asks once, for all its rows, does as well with
/// predict.hpp, and with less memory when the model is one of pairs of classes.
class Predictor {
public:
    /// Copies the model; support rows that the model only borrows must outlive the Predictor. Lays
    /// the rows out, or collapses a linear model to its weights, and charges that to the context's
    /// budget; the context itself is not kept. The rows of pairs of classes are laid out at each
    /// call when they would take more than a quarter of the free memory. Throws ResourceError when
    /// memory does not allow it, DataError when a support row is outside the kernel's domain.
    Predictor(const Model& model, Context& context);

    [[nodiscard]] const Model& model() const noexcept;

    /// decision_function() of the rows: rows x outputs, row-major.
    [[nodiscard]] std::vector<double> decision_values(const Dataset& rows, Context& context) const;

    /// predict_classes(): an index into model().labels for each row.
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

// SPDX-License-Identifier: Apache-2.0
//
// src/models/decision_machine.hpp - a model prepared for many rows: the inside of a Predictor.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;
class LinearWeights;

/// What a one-against-one model holds in memory between batches. Other models always hold all
/// support rows, or the weights they collapse to.
enum class Holding {
    class_by_class,  ///< one class at a time, laid out again for each batch: least memory
    all_rows,        ///< all classes, if they fit into a quarter of the free memory
};

/// Immutable; values() may run on several threads at once, each with its own context.
class DecisionMachine {
public:
    /// The rule, and the rows it borrows, must outlive this object. The memory it holds is charged
    /// to the context's budget.
    DecisionMachine(const PredictionRule& rule, Holding holding, Context& context);
    ~DecisionMachine();
    DecisionMachine(const DecisionMachine&) = delete;
    DecisionMachine& operator=(const DecisionMachine&) = delete;

    /// As decision_function() of mercer/models/predict.hpp.
    [[nodiscard]] std::vector<double> values(const Dataset& rows, Context& context) const;

private:
    struct Part;

    void multiply(const Part& part, const Dataset& batch, MatrixView<double> out,
                  Context& context) const;
    void add_classes(const Dataset& batch, MatrixView<double> out, Context& context) const;

    std::unique_ptr<const PredictionRule> numbered_;  ///< precomputed kernel only: by_row_numbers()
    const PredictionRule& rule_;                      ///< *numbered_, or the caller's model
    std::unique_ptr<const LinearWeights> linear_;     ///< null: the model does not collapse
    std::vector<Part> parts_;                         ///< if it does not collapse: one, or one per
                                                      ///< class
};

}  // namespace mercer

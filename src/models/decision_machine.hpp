// SPDX-License-Identifier: Apache-2.0
//
// src/models/decision_machine.hpp - a model compiled for many rows: what Predictor holds.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;
class LinearWeights;

/// What pairs of classes hold between batches. Other models always hold all support rows, or the
/// weights they collapse to.
enum class Holding {
    class_by_class,  ///< one class is laid out at a time, anew for each batch: least memory
    all_rows,        ///< all classes are, when a quarter of the free memory takes them
};

/// Immutable; values() may run on several threads at once, each with its own context.
class DecisionMachine {
public:
    /// The model, and rows it borrows, must outlive this. What is held is charged to the context's
    /// budget.
    DecisionMachine(const Model& model, Holding holding, Context& context);
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

    std::unique_ptr<const Model> numbered_;        ///< of a precomputed kernel: by_row_numbers()
    const Model& model_;                           ///< that one, or the caller's
    std::unique_ptr<const LinearWeights> linear_;  ///< null: it does not collapse
    std::vector<Part> parts_;                      ///< of the others: one, or one for each class
};

}  // namespace mercer

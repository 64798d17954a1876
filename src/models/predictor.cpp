// SPDX-License-Identifier: Apache-2.0
//
// src/models/predictor.cpp - a model and its prepared decision machine.
#include "mercer/models/predictor.hpp"

#include "mercer/models/predict.hpp"
#include "models/decision_machine.hpp"

namespace mercer {

struct Predictor::State {
    State(const Model& source, Context& context)
        : model(source), machine(model, Holding::all_rows, context) {}

    Model model;
    DecisionMachine machine;  ///< refers to the model above
};

Predictor::Predictor(const Model& model, Context& context)
    : state_(std::make_shared<const State>(model, context)) {}

const Model& Predictor::model() const noexcept { return state_->model; }

std::vector<double> Predictor::decision_values(const Dataset& rows, Context& context) const {
    return state_->machine.values(rows, context);
}

std::vector<index_t> Predictor::classes(const Dataset& rows, Context& context) const {
    return predict_classes(state_->model, decision_values(rows, context));
}

std::vector<std::string> Predictor::labels(const Dataset& rows, Context& context) const {
    return predict_labels(state_->model, decision_values(rows, context));
}

std::vector<double> Predictor::probabilities(const Dataset& rows, Context& context) const {
    return class_probabilities(state_->model, decision_values(rows, context));
}

}  // namespace mercer

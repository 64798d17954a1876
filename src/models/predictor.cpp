// SPDX-License-Identifier: Apache-2.0
//
// src/models/predictor.cpp - a prediction rule and its prepared decision machine.
#include "mercer/models/predictor.hpp"

#include "mercer/models/predict.hpp"
#include "models/decision_machine.hpp"

namespace mercer {

struct Predictor::State {
    State(const PredictionRule& source, Context& context)
        : rule(source), machine(rule, Holding::all_rows, context) {}

    PredictionRule rule;
    DecisionMachine machine;  ///< refers to the rule above
};

Predictor::Predictor(const PredictionRule& rule, Context& context)
    : state_(std::make_shared<const State>(rule, context)) {}

const PredictionRule& Predictor::rule() const noexcept { return state_->rule; }

std::vector<double> Predictor::decision_values(const Dataset& rows, Context& context) const {
    return state_->machine.values(rows, context);
}

std::vector<index_t> Predictor::classes(const Dataset& rows, Context& context) const {
    return predict_classes(state_->rule, decision_values(rows, context));
}

std::vector<std::string> Predictor::labels(const Dataset& rows, Context& context) const {
    return predict_labels(state_->rule, decision_values(rows, context));
}

std::vector<double> Predictor::probabilities(const Dataset& rows, Context& context) const {
    return class_probabilities(state_->rule, decision_values(rows, context));
}

}  // namespace mercer

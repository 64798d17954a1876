// SPDX-License-Identifier: Apache-2.0
//
// src/losses/risk_loss.cpp - the catalogue of losses that define a risk.
#include "mercer/losses/risk_loss.hpp"

#include <algorithm>

namespace mercer {

std::string_view name_of(const RiskLoss& loss) {
    return std::visit([](const auto& kind) -> std::string_view { return kind.kName; }, loss);
}

bool is_classification(const RiskLoss& loss) {
    return std::visit([](const auto& kind) { return kind.kClassification; }, loss);
}

bool is_surrogate(const RiskLoss& loss) {
    return std::visit([](const auto& kind) { return kind.kSurrogate; }, loss);
}

double loss_value(const RiskLoss& loss, double y, double f) {
    return std::visit([&](const auto& kind) { return kind.value(y, f); }, loss);
}

std::vector<RiskLoss> all_risk_losses(double epsilon) {
    std::vector<RiskLoss> all{ZeroOneLoss{}};
    for (const Loss& loss : all_losses(epsilon)) {
        all.push_back(std::visit([](const auto& kind) -> RiskLoss { return kind; }, loss));
    }
    std::stable_partition(all.begin(), all.end(),
                          [](const RiskLoss& loss) { return is_classification(loss); });
    return all;
}

std::optional<RiskLoss> risk_loss_by_name(std::string_view name, double epsilon) {
    for (const RiskLoss& loss : all_risk_losses(epsilon)) {
        if (name_of(loss) == name) {
            return loss;
        }
    }
    return std::nullopt;
}

}  // namespace mercer

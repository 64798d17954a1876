// SPDX-License-Identifier: Apache-2.0
//
// src/losses/loss.cpp - names and lookup.
#include "mercer/losses/loss.hpp"

#include <fmt/core.h>

#include "mercer/base/error.hpp"

namespace mercer {

std::string_view name_of(const Loss& loss) {
    return std::visit([](const auto& kind) -> std::string_view { return kind.kName; }, loss);
}

bool is_classification(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kClassification; }, loss);
}

std::vector<Loss> all_losses(double epsilon) {
    if (!(epsilon >= 0.0) || epsilon == kInfinity) {
        throw InvalidArgument(fmt::format("epsilon: got {}, must be finite and >= 0", epsilon));
    }
    return {SquaredLoss{},
            HalfSquaredLoss{},
            AbsoluteLoss{},
            EpsilonInsensitiveLoss{epsilon},
            SquaredEpsilonLoss{epsilon},
            HingeLoss{},
            SquaredHingeLoss{},
            LogisticLoss{},
            ModifiedHuberLoss{}};
}

std::optional<Loss> loss_by_name(std::string_view name, double epsilon) {
    for (const Loss& loss : all_losses(epsilon)) {
        if (name_of(loss) == name) {
            return loss;
        }
    }
    return std::nullopt;
}

}  // namespace mercer

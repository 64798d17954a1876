// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/risk_loss.hpp - the losses that a predictor can be evaluated with: all losses for
// training, and the 0-1 loss.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/losses/loss.hpp"
#include "mercer/losses/zero_one.hpp"

namespace mercer {

template <typename... Losses>
std::variant<Losses..., ZeroOneLoss> with_zero_one(const std::variant<Losses...>& loss);

/// Any loss that has a value; nothing else is required.
using RiskLoss = decltype(with_zero_one(std::declval<Loss>()));

/// The loss's name: "zero-one".
[[nodiscard]] std::string_view name_of(const RiskLoss& loss);

/// True when targets must be -1 or +1.
[[nodiscard]] bool is_classification(const RiskLoss& loss);

/// True when the loss replaces the 0-1 loss: its risk is minimised in training, but the classifier
/// is judged by the 0-1 loss. It need not be 0 at f = y.
[[nodiscard]] bool is_surrogate(const RiskLoss& loss);

/// The loss of predicting f when the target is y.
[[nodiscard]] double loss_value(const RiskLoss& loss, double y, double f);

/// All losses: zero-one first, then those for classes, then those for numbers. Throws
/// InvalidArgument when epsilon is negative or not finite.
[[nodiscard]] std::vector<RiskLoss> all_risk_losses(double epsilon = 0.1);

/// The loss of that name; nothing for an unknown name.
[[nodiscard]] std::optional<RiskLoss> risk_loss_by_name(std::string_view name,
                                                        double epsilon = 0.1);

}  // namespace mercer

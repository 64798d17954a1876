// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/loss.hpp - any of the convex losses, chosen at run time, visited once per block.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/losses/absolute.hpp"
#include "mercer/losses/epsilon_insensitive.hpp"
#include "mercer/losses/half_squared.hpp"
#include "mercer/losses/hinge.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/losses/modified_huber.hpp"
#include "mercer/losses/squared.hpp"
#include "mercer/losses/squared_epsilon.hpp"
#include "mercer/losses/squared_hinge.hpp"

namespace mercer {

/// Every loss has value, derivative, curvature, conjugate, conjugate_domain and
/// conjugate_subgradient, all of (y, f) or (y, u). Fenchel and Young:
/// value(y, f) + conjugate(y, u) >= u f, with equality when u is a derivative at f.
using Loss =
    std::variant<SquaredLoss, HalfSquaredLoss, AbsoluteLoss, EpsilonInsensitiveLoss,
                 SquaredEpsilonLoss, HingeLoss, SquaredHingeLoss, LogisticLoss, ModifiedHuberLoss>;

/// The loss's name: "hinge".
[[nodiscard]] std::string_view name_of(const Loss& loss);

/// True when targets must be -1 or +1.
[[nodiscard]] bool is_classification(const Loss& loss);

/// One of each, `epsilon` for those that need it. Throws InvalidArgument when epsilon is negative
/// or not finite.
[[nodiscard]] std::vector<Loss> all_losses(double epsilon = 0.1);

/// The loss of that name, `epsilon` for those that need it; nothing when there is none.
/// Throws InvalidArgument when epsilon is negative or not finite.
[[nodiscard]] std::optional<Loss> loss_by_name(std::string_view name, double epsilon = 0.1);

}  // namespace mercer

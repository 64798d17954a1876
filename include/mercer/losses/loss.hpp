// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/loss.hpp - any of the convex losses, chosen at run time and visited once per block.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "mercer/losses/absolute.hpp"
#include "mercer/losses/epsilon_insensitive.hpp"
#include "mercer/losses/facts.hpp"
#include "mercer/losses/half_squared.hpp"
#include "mercer/losses/hinge.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/losses/modified_huber.hpp"
#include "mercer/losses/squared.hpp"
#include "mercer/losses/squared_epsilon.hpp"
#include "mercer/losses/squared_hinge.hpp"

namespace mercer {

/// Every loss has value, derivative, curvature, conjugate, conjugate_domain and
/// conjugate_subgradient, all of (y, f) or (y, u), and the facts of mercer/losses/facts.hpp. The
/// Fenchel-Young inequality: value(y, f) + conjugate(y, u) >= u f, with equality when u is a
/// derivative at f.
using Loss =
    std::variant<SquaredLoss, HalfSquaredLoss, AbsoluteLoss, EpsilonInsensitiveLoss,
                 SquaredEpsilonLoss, HingeLoss, SquaredHingeLoss, LogisticLoss, ModifiedHuberLoss>;

template <typename... Kinds>
consteval bool all_state_their_facts(std::type_identity<std::variant<Kinds...>>) {
    return (LossFacts<Kinds> && ...);
}
static_assert(all_state_their_facts(std::type_identity<Loss>{}),
              "a loss lacks a fact that mercer/losses/facts.hpp requires");

/// The loss's name: "hinge".
[[nodiscard]] std::string_view name_of(const Loss& loss);

/// True when targets must be -1 or +1.
[[nodiscard]] bool is_classification(const Loss& loss);

/// True when the loss has a derivative everywhere, as the multipliers of a sparse problem need.
/// False for the hinge, the absolute and the epsilon-insensitive loss.
[[nodiscard]] bool has_slope(const Loss& loss);

/// True when every term of the dual has the form of DualForm: all losses but the logistic loss.
[[nodiscard]] bool has_box_dual(const Loss& loss);

/// True when the second derivative is constant between the bends: all losses but the logistic loss.
[[nodiscard]] bool is_piecewise_quadratic(const Loss& loss);

/// The meaning of its width; Width::none when it has none.
[[nodiscard]] Width width_kind(const Loss& loss);

/// Margin of a hinge loss, epsilon of an epsilon-insensitive loss (squared or not), 0 for the
/// others.
[[nodiscard]] double width_of(const Loss& loss);

/// The loss with another width; unchanged when it has no width.
[[nodiscard]] Loss with_width(const Loss& loss, double width);

/// All losses, with `epsilon` for those that need it. Throws InvalidArgument when epsilon is
/// negative or not finite.
[[nodiscard]] std::vector<Loss> all_losses(double epsilon = 0.1);

/// The loss of that name, with `epsilon` if it needs one; nothing for an unknown name.
/// Throws InvalidArgument when epsilon is negative or not finite.
[[nodiscard]] std::optional<Loss> loss_by_name(std::string_view name, double epsilon = 0.1);

}  // namespace mercer

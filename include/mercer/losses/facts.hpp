// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/facts.hpp - the properties that every loss declares in addition to its formulas.
//
// The rest of the program queries these properties and never compares losses by type. A new loss
// that lacks one does not compile: mercer/losses/loss.hpp asserts LossFacts for all of them.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "mercer/base/types.hpp"

namespace mercer {

/// The meaning of a loss's width, if it has one that can be set.
enum class Width {
    none,
    margin,  ///< y times the width is the linear term of the dual
    tube,    ///< the width is the coefficient of |beta| in the dual
};

/// Where the first derivative (a kink) or the second one (a bend) jumps, and by how much as f
/// grows.
struct Jump {
    double position = 0.0;
    double size = 0.0;
};

/// The conjugate on its domain, c conjugate(y, -beta / c) = -linear beta + width |beta| +
/// ridge / (2 c) beta^2: what one row with cost c adds to a dual that is a quadratic program.
struct DualForm {
    double linear = 0.0;
    double width = 0.0;
    double ridge = 0.0;
};

/// The number of elements of an array type.
template <typename Array>
inline constexpr std::size_t kCount = std::tuple_size_v<std::remove_cvref_t<Array>>;

/// The constants and members of a loss.
///
///     kName, kClassification        the user's name for it; true: y is -1 or +1, false: any number
///     kSurrogate                    it replaces the 0-1 loss in training
///     kSlope                        it has a derivative everywhere, so no kinks
///     kPiecewiseQuadratic           its second derivative changes at its bends only
///     kBoxDual                      its dual_form(y) is the conjugate on the whole domain
///     kFlatSide                     it is zero on an interval that ends at a kink or a bend
///     kGreatestCurvature            maximum of the second derivative where it exists; 0: linear
///                                   pieces
///     kWidth, kFreeWidth            meaning of width(); whether a nu-machine may optimise it
///     kinks(y, f)                   the b at which value(y, f + b) has a kink
///     bends(y)                      the f at which the second derivative jumps
///     young_gap(y, z, c, a)         contribution of a row to the duality gap, in a form without
///                                   cancellation; convex in z, >= 0; for double and Quad
///
/// A loss with a width also has with_width(w), the same loss with another width.
template <typename Kind>
concept LossFacts = requires(const Kind& loss, double y, double f) {
    { Kind::kName } -> std::convertible_to<const char*>;
    { Kind::kClassification } -> std::same_as<const bool&>;
    { Kind::kSurrogate } -> std::same_as<const bool&>;
    { Kind::kSlope } -> std::same_as<const bool&>;
    { Kind::kPiecewiseQuadratic } -> std::same_as<const bool&>;
    { Kind::kBoxDual } -> std::same_as<const bool&>;
    { Kind::kFlatSide } -> std::same_as<const bool&>;
    { Kind::kGreatestCurvature } -> std::same_as<const double&>;
    { Kind::kWidth } -> std::same_as<const Width&>;
    { Kind::kFreeWidth } -> std::same_as<const bool&>;
    { loss.value(y, f) } -> std::same_as<double>;
    { loss.derivative(y, f) } -> std::same_as<double>;
    { loss.curvature(y, f) } -> std::same_as<double>;
    { loss.conjugate(y, f) } -> std::same_as<double>;
    { loss.conjugate_domain(y) } -> std::same_as<Interval>;
    { loss.conjugate_subgradient(y, f) } -> std::same_as<Interval>;
    { kCount<decltype(loss.kinks(y, f))> } -> std::convertible_to<std::size_t>;
    { kCount<decltype(loss.bends(y))> } -> std::convertible_to<std::size_t>;
    { loss.young_gap(y, f, y, f) } -> std::same_as<double>;
    requires Kind::kSlope == (kCount<decltype(loss.kinks(y, f))> == 0);
    requires !Kind::kBoxDual || requires {
        { loss.dual_form(y) } -> std::same_as<DualForm>;
    };
    requires Kind::kWidth == Width::none || requires {
        { loss.width() } -> std::same_as<double>;
        { loss.with_width(y) } -> std::same_as<Kind>;
    };
    requires !Kind::kFreeWidth || Kind::kWidth != Width::none;
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/facts.hpp - what every loss has to say about itself, beside its formulas.
//
// The rest of the program asks a loss, never which loss it is. A new one that lacks a fact does not
// compile: mercer/losses/loss.hpp asserts LossFacts of all of them.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "mercer/base/types.hpp"

namespace mercer {

/// What the width of a loss is, where it has one that can be set.
enum class Width {
    none,
    margin,  ///< y times it is the linear term of the dual
    tube,    ///< it is the price of |beta| in the dual
};

/// Where the first (a kink) or the second derivative (a bend) jumps, and by how much as f grows.
struct Jump {
    double position = 0.0;
    double size = 0.0;
};

/// The conjugate on its domain, c conjugate(y, -beta / c) = -linear beta + width |beta| +
/// ridge / (2 c) beta^2: what one row with cost c adds to a dual that is a quadratic programme.
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
///     kName, kClassification        what users call it; y is -1 or +1, or any number
///     kSurrogate                    it stands in for the 0-1 loss in training
///     kSlope                        it has a derivative everywhere, so no kinks
///     kPiecewiseQuadratic           second derivatives change at its bends only
///     kBoxDual                      its dual_form(y) is the conjugate on the whole domain
///     kFlatSide                     it is zero on an interval that ends at a kink or a bend
///     kGreatestCurvature            of the second derivative where there is one; 0: linear pieces
///     kWidth, kFreeWidth            what width() is; whether a nu-machine may leave it free
///     kinks(y, f)                   the b at which value(y, f + b) has a kink
///     bends(y)                      the f at which the second derivative jumps
///     young_gap(y, z, c, a)         what a row adds to a duality gap, in a form that does not cancel;
///                                   convex in z, >= 0; for double and Quad
///
/// A loss that has a width has with_width(w), the same with another one.
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

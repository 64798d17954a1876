// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/class_pairs.hpp - the order of the two-class machines of a multiclass model.
//
// One against one: the pairs are 0-1, 0-2, ..., 0-(k-1), 1-2, ..., as in LIBSVM. A support row of
// class c has one coefficient for each other class, in the order of the classes.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer {

/// More classes than this are treated as a mistake: probably the targets of a regression. 2000
/// classes already make two million pairs.
inline constexpr index_t kMostClasses = 2000;

/// A pair of classes; f > 0 means `first`.
struct ClassPair {
    index_t first = 0;
    index_t second = 0;
};

[[nodiscard]] constexpr index_t pair_count(index_t classes) noexcept {
    return classes * (classes - 1) / 2;
}

/// Index of the pair of two different classes, given in either order.
[[nodiscard]] constexpr index_t pair_place(index_t a, index_t b, index_t classes) noexcept {
    const index_t i = a < b ? a : b;
    const index_t j = a < b ? b : a;
    return i * (2 * classes - i - 1) / 2 + j - i - 1;
}

/// The pair with that index.
[[nodiscard]] constexpr ClassPair pair_at(index_t place, index_t classes) noexcept {
    index_t first = 0;
    while (place >= classes - 1 - first) {
        place -= classes - 1 - first;
        ++first;
    }
    return {first, first + 1 + place};
}

/// The coefficient column of a row of class `own` for its machine against `other`.
[[nodiscard]] constexpr index_t column_against(index_t own, index_t other) noexcept {
    return other < own ? other : other - 1;
}

/// The opposing class of a coefficient column of a row of class `own`.
[[nodiscard]] constexpr index_t class_against(index_t own, index_t column) noexcept {
    return column < own ? column : column + 1;
}

}  // namespace mercer

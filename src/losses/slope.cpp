// SPDX-License-Identifier: Apache-2.0
//
// src/losses/slope.cpp - which losses have a derivative everywhere.
#include "mercer/losses/slope.hpp"

#include <type_traits>

namespace mercer {

bool has_slope(const Loss& loss) {
    return std::visit(
        [](const auto& kind) {
            using Kind = std::decay_t<decltype(kind)>;
            return !std::is_same_v<Kind, HingeLoss> && !std::is_same_v<Kind, AbsoluteLoss> &&
                   !std::is_same_v<Kind, EpsilonInsensitiveLoss>;
        },
        loss);
}

}  // namespace mercer

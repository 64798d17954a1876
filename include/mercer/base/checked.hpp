// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/checked.hpp - index arithmetic that cannot wrap.
#pragma once

#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// a + b, or nothing when it does not fit.
[[nodiscard]] inline std::optional<index_t> try_add(index_t a, index_t b) noexcept {
    index_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        return std::nullopt;
    }
    return sum;
}

/// a * b, or nothing when it does not fit.
[[nodiscard]] inline std::optional<index_t> try_multiply(index_t a, index_t b) noexcept {
    index_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) {
        return std::nullopt;
    }
    return product;
}

/// a * b; throws ResourceError when the product does not fit 64 bits (no memory could hold it).
[[nodiscard]] inline index_t checked_multiply(index_t a, index_t b) {
    const std::optional<index_t> product = try_multiply(a, b);
    if (!product) {
        throw ResourceError("size: the product of two dimensions does not fit 64 bits");
    }
    return *product;
}

}  // namespace mercer

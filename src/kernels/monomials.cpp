// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/monomials.cpp - from exponents to partitions and back.
#include "mercer/kernels/monomials.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "mercer/base/error.hpp"

namespace mercer {

namespace {

void require_parts(std::span<const index_t> parts) {
    for (const index_t part : parts) {
        if (part < 0) {
            throw InvalidArgument("partition", "",
                                  fmt::format("got a part {}, must be >= 0", part));
        }
    }
}

}  // namespace

std::vector<index_t> ordered_partition(std::span<const index_t> exponents, index_t degree) {
    require_parts(exponents);
    const index_t total = std::accumulate(exponents.begin(), exponents.end(), index_t{0});
    if (total > degree) {
        throw InvalidArgument("degree", fmt::format("{}", degree),
                              fmt::format("the monomial has degree {}", total));
    }
    std::vector<index_t> out{degree - total};
    out.insert(out.end(), exponents.begin(), exponents.end());
    return out;
}

std::vector<index_t> monomial_exponents(std::span<const index_t> partition) {
    require_parts(partition);
    if (partition.empty()) {
        throw InvalidArgument("partition", "", "has no part");
    }
    return {partition.begin() + 1, partition.end()};
}

std::string monomial_name(std::span<const index_t> exponents) {
    std::string text;
    for (std::size_t j = 0; j < exponents.size(); ++j) {
        if (exponents[j] > 0) {
            text += fmt::format("{}x{}", text.empty() ? "" : "*", j);
            text += exponents[j] > 1 ? fmt::format("^{}", exponents[j]) : "";
        }
    }
    return text.empty() ? "1" : text;
}

}  // namespace mercer

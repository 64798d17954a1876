// SPDX-License-Identifier: Apache-2.0
//
// tests/gram_of.hpp - small Gram matrices by the reference evaluation, and random rows.
#pragma once

#include <vector>

#include "jacobi.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer::testing {

using Rows = std::vector<std::vector<double>>;

inline SquareMatrix gram_of(const Kernel& kernel, const Rows& rows) {
    SquareMatrix gram(rows.size(), std::vector<double>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            gram[i][j] = kernel(rows[i], rows[j]);
        }
    }
    return gram;
}

inline Rows normal_rows(Random& random, index_t count, index_t columns) {
    Rows rows(static_cast<std::size_t>(count),
              std::vector<double>(static_cast<std::size_t>(columns)));
    for (std::vector<double>& row : rows) {
        for (double& value : row) {
            value = random.normal();
        }
    }
    return rows;
}

inline Rows uniform_rows(Random& random, index_t count, index_t columns) {
    Rows rows = normal_rows(random, count, columns);
    for (std::vector<double>& row : rows) {
        for (double& value : row) {
            value = random.uniform();
        }
    }
    return rows;
}

}  // namespace mercer::testing

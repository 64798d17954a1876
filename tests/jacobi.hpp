// SPDX-License-Identifier: Apache-2.0
//
// tests/jacobi.hpp - eigenvalues of small symmetric matrices, for tests only.
//
// Method   Cyclic Jacobi rotations: slow, short, and independent of every library under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace mercer::testing {

using SquareMatrix = std::vector<std::vector<double>>;

/// All eigenvalues, ascending.
inline std::vector<double> eigenvalues(SquareMatrix a) {
    const std::size_t n = a.size();
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off_diagonal = 0.0;
        for (std::size_t p = 0; p < n; ++p) {
            for (std::size_t q = p + 1; q < n; ++q) {
                off_diagonal = std::max(off_diagonal, std::fabs(a[p][q]));
                if (a[p][q] == 0.0) {
                    continue;
                }
                const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                const double t =
                    std::copysign(1.0, theta) / (std::fabs(theta) + std::sqrt(theta * theta + 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0);
                const double s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double left = a[k][p];
                    const double right = a[k][q];
                    a[k][p] = c * left - s * right;
                    a[k][q] = s * left + c * right;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double upper = a[p][k];
                    const double lower = a[q][k];
                    a[p][k] = c * upper - s * lower;
                    a[q][k] = s * upper + c * lower;
                }
            }
        }
        if (off_diagonal < 1e-300) {
            break;
        }
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) {
        values.push_back(a[i][i]);
    }
    std::sort(values.begin(), values.end());
    return values;
}

inline double trace(const SquareMatrix& a) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i][i];
    }
    return sum;
}

}  // namespace mercer::testing

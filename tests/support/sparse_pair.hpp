// SPDX-License-Identifier: Apache-2.0
//
// tests/support/sparse_pair.hpp - the two points of the sparse formulations' known numbers.
#pragma once

#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/sparse.hpp"

namespace mercer::testing {

/// x = -1 (-), x = 1 (+), linear kernel: beta_2 - beta_1 is f's slope.
inline SparseProblem pair(const Loss& loss, double cost, double l1, bool rkhs) {
    static const std::vector<double> rows{-1.0, 1.0};
    SparseProblem problem;
    problem.risk.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 2, 1)));
    problem.risk.targets = {-1.0, 1.0};
    problem.risk.costs = {cost, cost};
    problem.risk.loss = loss;
    problem.l1 = l1;
    problem.rkhs = rkhs;
    return problem;
}

}  // namespace mercer::testing

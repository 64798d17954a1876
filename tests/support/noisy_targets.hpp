// SPDX-License-Identifier: Apache-2.0
//
// tests/support/noisy_targets.hpp - targets that follow a column of the rows, for solvers.
#pragma once

#include "mercer/base/random.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/problems/problem.hpp"
#include "row_sets.hpp"

namespace mercer::testing {

/// How far targets are from zero: `shift` moves what makes a class, `level` the numbers.
struct Offset {
    double shift = 0.0;
    double level = 0.0;
};

/// Targets that follow the first column, noisy; costs that differ.
inline Problem noisy_problem(const Dataset& rows, RowSet& values, const Loss& loss,
                             const Kernel& kernel, const Offset& offset = {}) {
    Problem problem;
    problem.gram = make_gram(kernel, rows);
    problem.loss = loss;
    Random random(7);
    for (index_t i = 0; i < rows.rows(); ++i) {
        const double y = values.at(i, 0) + random.normal() + offset.shift;
        problem.targets.push_back(is_classification(loss) ? (y > 0.0 ? 1.0 : -1.0)
                                                          : offset.level + y);
        problem.costs.push_back(random.uniform(0.5, 2.0));
    }
    return problem;
}

}  // namespace mercer::testing

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/choose.hpp - which coordinate solver `auto` takes, and why.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

struct Problem;

/// What a solver would take on a problem of this size.
struct ExpectedTime {
    std::string solver;
    double seconds = 0.0;  ///< on two cores, for the median of the measured problems
};

/// What the estimate needs to know of a problem.
struct ProblemSize {
    index_t rows = 0;
    double entries_per_row = 0.0;
    index_t working_set = 0;  ///< of decomposition; 0: its own choice
};

[[nodiscard]] ProblemSize size_of(const Problem& problem, index_t working_set);

/// Estimates for the named solvers ("smo", "decomposition"), in the order given.
[[nodiscard]] std::vector<ExpectedTime> expected_times(const std::vector<std::string>& solvers,
                                                       const ProblemSize& size);

/// The place of the solver to take: the first, unless another is clearly faster.
[[nodiscard]] std::size_t cheapest(const std::vector<ExpectedTime>& times);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/plan.hpp - the resources a training run will need, before it starts.
#pragma once

#include <string>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

/// Memory and time of a training run. Bytes are exact for the listed blocks; seconds are a range,
/// based on a rate measured on this machine with these rows.
struct TrainPlan {
    std::string solver;
    Kernel kernel;             ///< resolved
    index_t rows = 0;          ///< positive-weight rows
    index_t problem_rows = 0;  ///< of the largest problem: all, or those of two classes
    index_t columns = 0;
    index_t rows_bytes = 0;       ///< the rows as the kernel sees them
    index_t cache_bytes = 0;      ///< svc: maximum size of the row cache
    index_t matrix_bytes = 0;     ///< krr: the matrix to factorise; the values of a basis
    index_t basis = 0;            ///< functions of a basis; 0: no basis
    index_t needed_bytes = 0;     ///< the run is refused with less
    index_t available_bytes = 0;  ///< left in the budget
    bool fits = true;
    double values_per_second = 0.0;  ///< kernel values
    double flops_per_second = 0.0;   ///< krr: of the factorisation, from a matrix product
    double seconds_least = 0.0;
    double seconds_most = 0.0;
};

/// Measures for a fraction of a second and plans. Throws what train() throws for its options.
[[nodiscard]] TrainPlan plan_training(const Dataset& data, const TrainOptions& options,
                                      Context& context);

}  // namespace mercer

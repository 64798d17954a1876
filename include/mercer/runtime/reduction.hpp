// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/reduction.hpp - the only way Mercer sums over threads and ranks.
//
// The terms are divided into parts whose number depends on the problem alone. Each part is summed
// by one thread; then the parts are added in their order, and the ranks in theirs. The result has
// the same bits for any number of threads.
#pragma once

#include <functional>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// Adds the terms of a part to `sum`, which has the shape of the result and starts at 0. `worker`
/// is that of parallel_for().
using AddPart = std::function<void(index_t part, int worker, MatrixView<double> sum)>;

/// out = the sum of parts 0 .. parts - 1 of this process. `what` names their memory, which is parts
/// times that of `out`. A single part is summed in `out` by the calling thread, and may itself use
/// the other threads.
/// Throws InvalidArgument unless parts >= 1, ResourceError, Interrupted.
void sum_in_order(index_t parts, MatrixView<double> out, const char* what, Context& context,
                  const AddPart& add);

/// The same for terms that belong to rows, of which every rank of the context has its share: the
/// sum is over the rows of all ranks, and every rank gets it.
void sum_over_rows(index_t parts, MatrixView<double> out, const char* what, Context& context,
                   const AddPart& add);

/// Adds the terms of a part to sum + lost, by add_exactly().
using AddPartExactly =
    std::function<void(index_t part, MatrixView<double> sum, MatrixView<double> lost)>;

/// sum_over_rows() with the rounding errors of this process's sums accumulated in `lost`. The parts
/// are transposed: `sum` and `lost` are out.columns x out.rows.
void compensated_sum_over_rows(index_t parts, MatrixView<double> out, const char* what,
                               Context& context, const AddPartExactly& add);

/// sum + lost += term without rounding: Knuth's sum of two.
inline void add_exactly(double term, double& sum, double& lost) {
    const double next = sum + term;
    const double part = next - sum;
    lost += (sum - (next - part)) + (term - part);
    sum = next;
}

/// The rounding error of the product a b, by Dekker's splitting; 0 where that would overflow.
inline double product_error(double a, double b, double product) {
    constexpr double kSplitter = 134217729.0;  // 2^27 + 1
    const double a_wide = kSplitter * a;
    const double b_wide = kSplitter * b;
    const double a_high = a_wide - (a_wide - a);
    const double b_high = b_wide - (b_wide - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    const double error =
        ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return error == error ? error : 0.0;
}

/// sum + lost += a b without rounding.
inline void add_product_exactly(double a, double b, double& sum, double& lost) {
    const double product = a * b;
    lost += product_error(a, b, product);
    add_exactly(product, sum, lost);
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/operators/partial_sums.cpp - each entry is added in the order of the parts.
#include "operators/partial_sums.hpp"

#include <algorithm>

#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsPerTask = 512;

}  // namespace

void add_parts(const Buffer<double>& sums, index_t parts, MatrixView<double> out,
               Context& context) {
    const index_t tasks = (out.rows + kRowsPerTask - 1) / kRowsPerTask;
    parallel_for(context, tasks, [&](index_t task, int) {
        const index_t end = std::min(out.rows, (task + 1) * kRowsPerTask);
        for (index_t i = task * kRowsPerTask; i < end; ++i) {
            for (index_t c = 0; c < out.columns; ++c) {
                double sum = 0.0;
                for (index_t part = 0; part < parts; ++part) {
                    sum += sums[(part * out.rows + i) * out.columns + c];
                }
                out(i, c) = sum;
            }
        }
    });
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/reduction.cpp - each entry is added in the order of the parts, then of the ranks.
#include "mercer/runtime/reduction.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsPerTask = 512;

void require_parts(index_t parts) {
    if (parts < 1) {
        throw InvalidArgument(fmt::format("parts: got {}, must be >= 1", parts));
    }
}

/// out = the sum, in order, of the partial results, which lie one after the other in `sums`.
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

/// out = its sum over the ranks.
void sum_over_ranks(MatrixView<double> out, Context& context) {
    Communicator& ranks = context.communicator();
    if (ranks.size() == 1 || out.rows == 0 || out.columns == 0) {
        return;
    }
    if (out.stride == out.columns) {
        ranks.sum({out.data, static_cast<std::size_t>(out.rows * out.columns)});
        return;
    }
    for (index_t i = 0; i < out.rows; ++i) {
        ranks.sum({out.row(i), static_cast<std::size_t>(out.columns)});
    }
}

}  // namespace

void sum_in_order(index_t parts, MatrixView<double> out, const char* what, Context& context,
                  const AddPart& add) {
    require_parts(parts);
    if (parts == 1) {
        context.throw_if_stopped("parallel work");
        for (index_t i = 0; i < out.rows; ++i) {
            std::fill_n(out.row(i), out.columns, 0.0);
        }
        add(0, 0, out);
        return;
    }
    const index_t size = checked_multiply(out.rows, out.columns);
    Buffer<double> sums = context.allocate<double>(checked_multiply(parts, size), what);
    parallel_for(context, parts, [&](index_t part, int worker) {
        add(part, worker, {sums.data() + part * size, out.rows, out.columns});
    });
    add_parts(sums, parts, out, context);
}

void sum_over_rows(index_t parts, MatrixView<double> out, const char* what, Context& context,
                   const AddPart& add) {
    sum_in_order(parts, out, what, context, add);
    sum_over_ranks(out, context);
}

void compensated_sum_over_rows(index_t parts, MatrixView<double> out, const char* what,
                               Context& context, const AddPartExactly& add) {
    require_parts(parts);
    const index_t size = checked_multiply(out.rows, out.columns);
    Buffer<double> partial = context.allocate<double>(checked_multiply(2 * parts, size), what);
    const auto result = [&](index_t part, index_t kind) {
        return MatrixView<double>(partial.data() + (2 * part + kind) * size, out.columns, out.rows);
    };
    parallel_for(context, parts,
                 [&](index_t part, int) { add(part, result(part, 0), result(part, 1)); });
    for (index_t j = 0; j < out.rows; ++j) {
        for (index_t c = 0; c < out.columns; ++c) {
            double sum = 0.0;
            double lost = 0.0;
            for (index_t part = 0; part < parts; ++part) {
                add_exactly(result(part, 0)(c, j), sum, lost);
                lost += result(part, 1)(c, j);
            }
            out(j, c) = sum + lost;
        }
    }
    sum_over_ranks(out, context);
}

}  // namespace mercer

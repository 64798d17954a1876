// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_functions.cpp - kernel functions by blocks, columns from a transposed copy.
#include "solvers/basis_functions.hpp"

#include <algorithm>

#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

KernelFunctions::KernelFunctions(const Problem& problem, Context& context)
    : problem_(problem), gram_(problem.gram->whole(Precision::float64, context)) {}

void KernelFunctions::evaluate(std::span<const index_t> which, MatrixView<double> out,
                               Context& context) const {
    gram_->beside(which, context)->copy_rows(0, out, context);
}

ColumnFunctions::ColumnFunctions(const LinearRows& rows, Context& context)
    : begin_(at(rows.columns()) + 1, 0) {
    std::vector<double> row(at(rows.columns()));
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, row);
        for (std::size_t j = 0; j < row.size(); ++j) {
            begin_[j + 1] += row[j] != 0.0 ? 1 : 0;
        }
    }
    for (std::size_t j = 1; j < begin_.size(); ++j) {
        begin_[j] += begin_[j - 1];
    }
    rows_ = context.allocate<index_t>(begin_.back(), "the columns of the rows");
    values_ = context.allocate<double>(begin_.back(), "the columns of the rows");
    std::vector<index_t> next(begin_.begin(), begin_.end() - 1);
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, row);
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] != 0.0) {
                rows_[next[j]] = i;
                values_[next[j]++] = row[j];
            }
        }
    }
}

void ColumnFunctions::evaluate(std::span<const index_t> which, MatrixView<double> out,
                               Context&) const {
    for (std::size_t k = 0; k < which.size(); ++k) {
        double* values = out.row(static_cast<index_t>(k));
        std::fill_n(values, out.columns, 0.0);
        for (index_t e = begin_[at(which[k])]; e < begin_[at(which[k]) + 1]; ++e) {
            values[rows_[e]] = values_[e];
        }
    }
}

}  // namespace mercer

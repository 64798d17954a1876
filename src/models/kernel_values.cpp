// SPDX-License-Identifier: Apache-2.0
//
// src/models/kernel_values.cpp - checks of precomputed kernel matrices, and unit vectors for their
// rows.
#include "mercer/models/kernel_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/precomputed.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// Two summation orders differ by a few bits of the largest terms, which the diagonal bounds.
constexpr double kRounding = 1e-9;
constexpr index_t kBlock = 64;  // rows and columns of a block that stays in the cache

struct Sparse {
    std::vector<index_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<double> values;
};

Dataset sparse_rows(const std::shared_ptr<Sparse>& rows, index_t columns) {
    return Dataset::from_checked(CsrView{rows->offsets, rows->columns, rows->values, columns}, rows,
                                 nullptr);
}

/// Throws unless the matrix is finite and symmetric.
template <typename T>
void require_symmetric(const MatrixView<const T>& k) {
    for (index_t i = 0; i < k.rows; ++i) {
        const T* row = k.row(i);
        const T* bad =
            std::find_if_not(row, row + k.columns, [](T value) { return std::isfinite(value); });
        if (bad != row + k.columns) {
            throw DataError(fmt::format("kernel: row {}, column {} is {}, must be finite", i + 1,
                                        bad - row + 1, *bad));
        }
    }
    const auto require_pair = [&k](index_t i, index_t j) {
        const auto here = static_cast<double>(k(i, j));
        const auto there = static_cast<double>(k(j, i));
        const double size =
            std::max({std::abs(static_cast<double>(k(i, i))),
                      std::abs(static_cast<double>(k(j, j))), std::abs(here), std::abs(there)});
        if (!(std::abs(here - there) <= kRounding * size)) {
            throw DataError(
                fmt::format("kernel: row {}, column {} is {}, row {}, column {} is {}; precomputed "
                            "values must be symmetric",
                            i + 1, j + 1, here, j + 1, i + 1, there));
        }
    };
    for (index_t top = 0; top < k.rows; top += kBlock) {
        for (index_t left = 0; left <= top; left += kBlock) {
            for (index_t i = top; i < std::min(k.rows, top + kBlock); ++i) {
                for (index_t j = left; j < std::min(i, left + kBlock); ++j) {
                    require_pair(i, j);
                }
            }
        }
    }
}

}  // namespace

void require_kernel_values(const Dataset& rows, Context& context) {
    if (rows.rows() != rows.columns()) {
        throw DataError(fmt::format(
            "kernel: precomputed values must be a square matrix, a column for each row; got {} "
            "rows and {} columns",
            rows.rows(), rows.columns()));
    }
    if (const auto* wide = std::get_if<MatrixView<const double>>(&rows.storage())) {
        require_symmetric(*wide);
    } else if (const auto* narrow = std::get_if<MatrixView<const float>>(&rows.storage())) {
        require_symmetric(*narrow);
    } else {
        const index_t n = rows.rows();
        Buffer<double> full = context.allocate<double>(checked_multiply(n, n), "kernel values");
        for (index_t i = 0; i < n; ++i) {
            rows.copy_row(i, full.span().subspan(static_cast<std::size_t>(i * n),
                                                 static_cast<std::size_t>(n)));
        }
        require_symmetric(MatrixView<const double>(full.data(), n, n));
    }
}

PredictionRule by_row_numbers(PredictionRule rule) {
    if (is_precomputed(rule.kernel)) {
        const auto units = std::make_shared<Sparse>();
        for (const index_t row : rule.support_rows) {
            units->columns.push_back(row);
            units->values.push_back(1.0);
            units->offsets.push_back(static_cast<index_t>(units->columns.size()));
        }
        rule.kernel = with_values_from(rule.kernel, linear_kernel());
        rule.support = sparse_rows(units, rule.columns);
    }
    return rule;
}

Model by_row_numbers(Model model) {
    PredictionRule& rule = model;
    rule = by_row_numbers(std::move(rule));
    return model;
}

Dataset empty_rows(index_t rows, index_t columns) {
    const auto none = std::make_shared<Sparse>();
    none->offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
    return sparse_rows(none, columns);
}

}  // namespace mercer

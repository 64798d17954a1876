// SPDX-License-Identifier: Apache-2.0
//
// src/operators/feature_geometry.cpp - distances from Gram tiles; close pairs are recomputed.
#include "mercer/operators/feature_geometry.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_distance.hpp"
#include "mercer/kernels/formulas.hpp"
#include "mercer/kernels/zero_columns.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

// Tiles have an error of 1e-13 of k(x,x) + k(z,z); a distance above this share of that sum has a
// relative error of 1e-11.
constexpr double kCloseShare = 0.01;
// A negative distance beyond this share is not due to rounding.
constexpr double kRounding = 1e-9;
constexpr index_t kNoColumn = std::numeric_limits<index_t>::max();

void require_finite(index_t i, index_t j, double value) {
    if (!std::isfinite(value)) {
        throw DataError(
            fmt::format("k(row {}, row {}) is {}; rows count from 1", i + 1, j + 1, value));
    }
}

}  // namespace

/// Two rows for the scalar formulas. Of sparse rows only the columns present in one of them are
/// used if the kernel allows it: dense rows might take gigabytes.
class FeatureGeometry::Pair {
public:
    explicit Pair(const FeatureGeometry& geometry)
        : geometry_(geometry),
          left_sparse_(std::get_if<CsrView>(&geometry.left_.source())),
          right_sparse_(std::get_if<CsrView>(&geometry.right_.source())),
          narrow_(left_sparse_ != nullptr && right_sparse_ != nullptr &&
                  ignores_zero_columns(geometry.kernel_)) {}

    [[nodiscard]] double squared_distance(index_t i, index_t j) {
        if (narrow_) {
            join(i, j);
        } else {
            const auto width = static_cast<std::size_t>(
                std::max(geometry_.left_.columns(), geometry_.right_.columns()));
            copy(geometry_.left_, i, x_, width);
            copy(geometry_.right_, j, z_, width);
        }
        return squared_feature_distance(geometry_.kernel_, x_, z_);
    }

private:
    static void copy(const Dataset& rows, index_t i, std::vector<double>& out, std::size_t width) {
        out.assign(width, 0.0);
        rows.copy_row(i, std::span<double>(out).first(static_cast<std::size_t>(rows.columns())));
    }

    void join(index_t i, index_t j) {
        const index_t left = geometry_.left_.source_row(i);
        const index_t right = geometry_.right_.source_row(j);
        const CsrView& a = *left_sparse_;
        const CsrView& b = *right_sparse_;
        index_t p = a.offsets[static_cast<std::size_t>(left)];
        index_t q = b.offsets[static_cast<std::size_t>(right)];
        const index_t p_end = a.offsets[static_cast<std::size_t>(left) + 1];
        const index_t q_end = b.offsets[static_cast<std::size_t>(right) + 1];
        x_.clear();
        z_.clear();
        while (p < p_end || q < q_end) {
            const index_t x_column = p < p_end ? a.column(left, p) : kNoColumn;
            const index_t z_column = q < q_end ? b.column(right, q) : kNoColumn;
            const bool take_x = x_column <= z_column;
            const bool take_z = z_column <= x_column;
            x_.push_back(take_x ? a.values[static_cast<std::size_t>(p)] : 0.0);
            z_.push_back(take_z ? b.values[static_cast<std::size_t>(q)] : 0.0);
            p += take_x ? 1 : 0;
            q += take_z ? 1 : 0;
        }
    }

    const FeatureGeometry& geometry_;
    const CsrView* left_sparse_;
    const CsrView* right_sparse_;
    bool narrow_;
    std::vector<double> x_;
    std::vector<double> z_;
};

FeatureGeometry::FeatureGeometry(const Kernel& kernel, const Dataset& rows, Context& context)
    : kernel_(kernel),
      left_(rows),
      right_(rows),
      gram_(kernel, rows, Precision::float64, context),
      from_values_(is_precomputed(kernel)) {
    set_diagonals(context);
}

FeatureGeometry::FeatureGeometry(const Kernel& kernel, const Dataset& left, const Dataset& right,
                                 Context& context)
    : kernel_(kernel),
      left_(left),
      right_(right),
      gram_(kernel, left, right, Precision::float64, context),
      from_values_(is_precomputed(kernel)) {
    if (from_values_) {
        throw InvalidArgument(
            "kernel: precomputed values of two sets of rows do not contain k(z, z) of the second");
    }
    set_diagonals(context);
}

void FeatureGeometry::set_diagonals(Context& context) {
    left_diagonal_.resize(static_cast<std::size_t>(rows()));
    if (from_values_) {
        std::vector<double> row(static_cast<std::size_t>(columns()));
        for (index_t i = 0; i < rows(); ++i) {
            gram_.copy_rows(i, MatrixView<double>(row.data(), 1, columns()), context);
            left_diagonal_[static_cast<std::size_t>(i)] = row[static_cast<std::size_t>(i)];
        }
        right_diagonal_ = left_diagonal_;
        return;
    }
    kernel_diagonal(kernel_, left_, left_diagonal_);
    right_diagonal_.resize(static_cast<std::size_t>(columns()));
    kernel_diagonal(kernel_, right_, right_diagonal_);
    for (const std::vector<double>* diagonal : {&left_diagonal_, &right_diagonal_}) {
        for (std::size_t i = 0; i < diagonal->size(); ++i) {
            require_finite(static_cast<index_t>(i), static_cast<index_t>(i), (*diagonal)[i]);
        }
    }
}

void FeatureGeometry::copy_squared_distances(index_t begin, MatrixView<double> values,
                                             Context& context) const {
    gram_.copy_rows(begin, values, context);
    std::vector<Pair> pairs(static_cast<std::size_t>(context.threads()), Pair(*this));
    parallel_for(context, values.rows, [&](index_t i, int worker) {
        const double x = left_diagonal_[static_cast<std::size_t>(begin + i)];
        for (index_t j = 0; j < values.columns; ++j) {
            double& value = values(i, j);
            require_finite(begin + i, j, value);
            const double z = right_diagonal_[static_cast<std::size_t>(j)];
            const double size = std::abs(x) + std::abs(z) + 2.0 * std::abs(value);
            value = x + z - 2.0 * value;
            if (value < kCloseShare * size && !from_values_) {
                value = pairs[static_cast<std::size_t>(worker)].squared_distance(begin + i, j);
            }
            if (value < -kRounding * size) {
                throw DataError(fmt::format(
                    "rows {} and {}: k(x,x) + k(z,z) - 2 k(x,z) is {}, which no feature vectors "
                    "have; rows count from 1",
                    begin + i + 1, j + 1, value));
            }
            value = std::max(0.0, value);
        }
    });
}

void FeatureGeometry::copy_cosines(index_t begin, MatrixView<double> values,
                                   Context& context) const {
    gram_.copy_rows(begin, values, context);
    parallel_for(context, values.rows, [&](index_t i, int) {
        const double x = left_diagonal_[static_cast<std::size_t>(begin + i)];
        for (index_t j = 0; j < values.columns; ++j) {
            const double z = right_diagonal_[static_cast<std::size_t>(j)];
            double& value = values(i, j);
            require_finite(begin + i, j, value);
            value = std::clamp(formulas::normalized(value, x, z), -1.0, 1.0);
        }
    });
}

}  // namespace mercer

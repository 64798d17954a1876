// SPDX-License-Identifier: Apache-2.0
//
// tests/row_sets.hpp - small random row sets in every storage, and Gram matrices of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::testing {

/// The sum of the absolute values.
[[nodiscard]] inline double l1_norm(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values) {
        sum += std::abs(value);
    }
    return sum;
}

/// Normal entries, a share of them kept and the rest zero. Datasets borrow from the set.
class RowSet {
public:
    RowSet(index_t rows, index_t columns, std::uint64_t seed, double density = 1.0)
        : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows * columns)) {
        Random random(seed);
        for (double& value : values_) {
            const double drawn = random.normal();
            value = random.uniform() < density ? drawn : 0.0;
        }
    }

    [[nodiscard]] double& at(index_t i, index_t k) {
        return values_[static_cast<std::size_t>(i * columns_ + k)];
    }
    [[nodiscard]] const std::vector<double>& values() const { return values_; }

    [[nodiscard]] Dataset dense() const {
        return Dataset(MatrixView<const double>(values_.data(), rows_, columns_));
    }

    /// The rows inside a wider matrix, so that stride and columns differ.
    [[nodiscard]] Dataset strided() {
        const index_t stride = columns_ + 5;
        strided_.assign(static_cast<std::size_t>(rows_ * stride + 1), 1e9);
        for (index_t i = 0; i < rows_; ++i) {
            std::copy_n(values_.data() + i * columns_, columns_, strided_.data() + 1 + i * stride);
        }
        return Dataset(MatrixView<const double>(strided_.data() + 1, rows_, columns_, stride));
    }

    [[nodiscard]] Dataset sparse() {
        offsets_.assign(1, 0);
        indices_.clear();
        entries_.clear();
        for (index_t i = 0; i < rows_; ++i) {
            for (index_t k = 0; k < columns_; ++k) {
                if (at(i, k) != 0.0) {
                    indices_.push_back(k);
                    entries_.push_back(at(i, k));
                }
            }
            offsets_.push_back(static_cast<index_t>(indices_.size()));
        }
        return Dataset(CsrView{offsets_, indices_, entries_, columns_});
    }

    /// Absolute values, except for one entry left as it is.
    [[nodiscard]] Dataset absolute_but(index_t row, index_t column) {
        for (index_t i = 0; i < rows_; ++i) {
            for (index_t k = 0; k < columns_; ++k) {
                if (i != row || k != column) {
                    at(i, k) = std::abs(at(i, k));
                }
            }
        }
        return dense();
    }

    void scale(double factor) {
        for (double& value : values_) {
            value *= factor;
        }
    }
    void make_absolute() {
        for (double& value : values_) {
            value = std::abs(value);
        }
    }
    void clamp_to_unit() {
        for (double& value : values_) {
            value = std::min(value, 1.0);
        }
    }
    void zero_row(index_t row) {
        for (index_t k = 0; k < columns_; ++k) {
            at(row, k) = 0.0;
        }
    }
    void copy_row(RowSet& from, index_t from_row, index_t to_row) {
        for (index_t k = 0; k < columns_; ++k) {
            at(to_row, k) = from.at(from_row, k);
        }
    }

private:
    index_t rows_;
    index_t columns_;
    std::vector<double> values_;
    std::vector<double> strided_;
    std::vector<index_t> offsets_;
    std::vector<index_t> indices_;
    std::vector<double> entries_;
};

/// The whole matrix by tiles on the context's device, widened to double.
template <typename T>
std::vector<double> gram_by_tiles(const Kernel& kernel, const Dataset& left, const Dataset& right,
                                  const EngineOptions& options, Context& context) {
    EngineOptions wide = options;
    wide.columns = std::max(left.columns(), right.columns());
    const auto engine = make_engine(kernel, right, wide, context);
    const auto left_rows = engine->prepare(left, context);
    const auto right_rows = engine->prepare(right, context);
    const auto scratch = engine->make_scratch(context);
    std::vector<T> values(static_cast<std::size_t>(left.rows() * right.rows()));
    for (index_t i = 0; i < left.rows(); i += kTileRows) {
        for (index_t j = 0; j < right.rows(); j += kTileColumns) {
            const index_t m = std::min(kTileRows, left.rows() - i);
            const index_t n = std::min(kTileColumns, right.rows() - j);
            engine->tile(*left_rows, {i, m}, *right_rows, {j, n},
                         MatrixView<T>(values.data() + i * right.rows() + j, m, n, right.rows()),
                         *scratch);
        }
    }
    return {values.begin(), values.end()};
}

inline std::vector<double> compute_gram(const Kernel& kernel, const Dataset& left,
                                        const Dataset& right, Precision precision,
                                        Context& context) {
    return precision == Precision::float32
               ? gram_by_tiles<float>(kernel, left, right, {.precision = precision}, context)
               : gram_by_tiles<double>(kernel, left, right, {.precision = precision}, context);
}

/// The same by the reference backend, in double.
inline std::vector<double> reference_gram(const Kernel& kernel, const Dataset& left,
                                          const Dataset& right) {
    Context context({.device = Device::reference});
    return gram_by_tiles<double>(kernel, left, right, {}, context);
}

/// max |a - b| / (1 + |b|).
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]) / (1.0 + std::abs(b[i]));
        worst = std::isnan(difference) ? kInfinity : std::max(worst, difference);
    }
    return worst;
}

}  // namespace mercer::testing

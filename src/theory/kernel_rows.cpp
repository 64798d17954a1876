// SPDX-License-Identifier: Apache-2.0
//
// src/theory/kernel_rows.cpp - rows in which surfaces of a kernel are hyperplanes.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/feature_map.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/theory/separability.hpp"

namespace mercer {

namespace {

Dataset own(std::shared_ptr<Buffer<double>> values, index_t rows, index_t columns,
            Context& context) {
    const MatrixView<const double> view(values->data(), rows, columns);
    return Dataset::from_checked(view, std::move(values), context.memory());
}

/// The feature map of a kernel that has fewer features than there are rows.
std::optional<FeatureMap> small_map(const Kernel& kernel, const Dataset& rows) {
    if (rows.rows() < 2) {
        return std::nullopt;
    }
    FeatureMapOptions options;
    options.max_dimension = rows.rows() - 1;
    try {
        return make_feature_map(kernel, rows.columns(), options);
    } catch (const InvalidArgument&) {  // the kernel has no feature map
        return std::nullopt;
    } catch (const ResourceError&) {  // more than max_dimension
        return std::nullopt;
    }
}

/// phi of every row; nullopt when a value is out of the range of doubles.
std::optional<Dataset> map_rows(const FeatureMap& map, const Dataset& rows, Context& context) {
    const index_t n = rows.rows();
    const index_t dimension = map.dimension();
    auto values = std::make_shared<Buffer<double>>(
        context.allocate<double>(checked_multiply(n, dimension), "features of the rows"));
    std::vector<double> row(static_cast<std::size_t>(rows.columns()));
    for (index_t i = 0; i < n; ++i) {
        rows.copy_row(i, row);
        const std::span<double> out(values->data() + i * dimension,
                                    static_cast<std::size_t>(dimension));
        map.map(row, out);
        if (!std::all_of(out.begin(), out.end(), [](double x) { return std::isfinite(x); })) {
            return std::nullopt;
        }
    }
    return own(std::move(values), n, dimension, context);
}

Dataset gram_rows(const Kernel& kernel, const Dataset& rows, Context& context) {
    constexpr index_t kBlock = 1024;
    const index_t n = rows.rows();
    auto values = std::make_shared<Buffer<double>>(
        context.allocate<double>(checked_multiply(n, n), "the Gram matrix"));
    if (n > 0) {
        const GramMatrix gram(kernel, rows, Precision::float64, context);
        for (index_t begin = 0; begin < n; begin += kBlock) {
            gram.copy_rows(
                begin,
                MatrixView<double>(values->data() + begin * n, std::min(kBlock, n - begin), n),
                context);
        }
    }
    for (index_t k = 0; k < n * n; ++k) {
        if (!std::isfinite((*values)[k])) {
            throw DataError(fmt::format("k(row {}, row {}) is {}; rows count from 1", k / n + 1,
                                        k % n + 1, (*values)[k]));
        }
    }
    return own(std::move(values), n, n, context);
}

}  // namespace

KernelRows kernel_rows(const Kernel& kernel, const Dataset& rows, Context& context) {
    if (linear_factor(kernel) != 0.0) {
        return {rows, KernelRowsKind::given};
    }
    if (const std::optional<FeatureMap> map = small_map(kernel, rows)) {
        if (std::optional<Dataset> features = map_rows(*map, rows, context)) {
            return {*std::move(features), KernelRowsKind::features};
        }
    }
    return {gram_rows(kernel, rows, context), KernelRowsKind::gram};
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/data/scale.cpp - learning and applying column scales.
#include "mercer/data/scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/column_statistics.hpp"
#include "data/rows.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

namespace {

/// The map of one column; nothing for columns that are dropped.
class ColumnMap {
public:
    explicit ColumnMap(const Scaling& scaling) : scaling_(scaling) {}

    [[nodiscard]] double operator()(index_t column, double value) const {
        const std::optional<std::size_t> place = find(column);
        if (!place) {
            return scaling_.base;
        }
        return (value - scaling_.offset[*place]) * scaling_.factor[*place] + scaling_.base;
    }

private:
    [[nodiscard]] std::optional<std::size_t> find(index_t column) const {
        if (scaling_.columns.empty()) {
            const auto place = static_cast<std::size_t>(column);
            return place < scaling_.factor.size() ? std::optional(place) : std::nullopt;
        }
        const auto found =
            std::lower_bound(scaling_.columns.begin(), scaling_.columns.end(), column);
        if (found == scaling_.columns.end() || *found != column) {
            return std::nullopt;
        }
        return static_cast<std::size_t>(found - scaling_.columns.begin());
    }

    const Scaling& scaling_;
};

void require_finite(double value, index_t row, index_t column) {
    if (!std::isfinite(value)) {
        throw InvalidArgument(
            "scale", "", fmt::format("row {}, column {} overflows when it is scaled", row, column));
    }
}

template <typename T>
Dataset apply_dense(const Dataset& data, const MatrixView<const T>& rows, const ColumnMap& map) {
    auto scaled = std::make_shared<Buffer<T>>(
        data.budget(), checked_multiply(rows.rows, rows.columns), "scaled rows");
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t j = 0; j < rows.columns; ++j) {
            const auto value = static_cast<T>(map(j, rows(i, j)));
            require_finite(value, i, j);
            (*scaled)[i * rows.columns + j] = value;
        }
    }
    return data.with_rows(MatrixView<const T>(scaled->data(), rows.rows, rows.columns), scaled);
}

/// Sparse rows whose zeros stay zeros. Columns never seen are dropped.
Dataset apply_sparse(const Dataset& data, const CsrView& rows, const ColumnMap& map,
                     index_t column_count) {
    index_t stored = 0;
    index_t listed = 0;
    for (index_t i = 0; i < rows.rows(); ++i) {
        index_t retained = 0;
        data::for_each_entry(rows, i, [&](index_t j, double) { retained += j < column_count; });
        stored += retained;
        listed += rows.list(i).empty() ? 0 : retained;
    }
    auto scaled =
        std::make_shared<data::OwnedCsr>(data.budget(), rows.rows(), stored, listed, "scaled rows");
    std::vector<double> values;
    for (index_t i = 0; i < rows.rows(); ++i) {
        values.clear();
        data::for_each_entry(rows, i, [&](index_t j, double value) {
            if (j < column_count) {
                values.push_back(map(j, value));
                require_finite(values.back(), i, j);
            }
        });
        const IndexList list = rows.list(i);
        scaled->add(values, list.subspan(0, std::min(list.size(), values.size())));
    }
    return data.with_rows(scaled->view(column_count), scaled);
}

/// Sparse rows whose zeros move, so that every entry must be stored.
Dataset densify(const Dataset& data, const CsrView& rows, const ColumnMap& map,
                index_t column_count) {
    auto scaled = std::make_shared<Buffer<double>>(
        data.budget(), checked_multiply(rows.rows(), column_count), "scaled rows");
    for (index_t i = 0; i < rows.rows(); ++i) {
        double* row = scaled->data() + i * column_count;
        for (index_t j = 0; j < column_count; ++j) {
            row[j] = map(j, 0.0);
        }
        data::for_each_entry(rows, i, [&](index_t j, double value) {
            if (j < column_count) {
                row[j] = map(j, value);
                require_finite(row[j], i, j);
            }
        });
    }
    return data.with_rows(MatrixView<const double>(scaled->data(), rows.rows(), column_count),
                          scaled);
}

}  // namespace

Scaling Scaling::fit(const Dataset& data, const ScaleOptions& options) {
    validate(options);
    Scaling scaling;
    scaling.method = options.method;
    scaling.column_count = data.columns();
    if (options.method == "none") {
        return scaling;
    }
    const bool standard = options.method == "standard";
    if (!standard && !(options.lower < options.upper)) {
        throw InvalidArgument("lower", fmt::format("{}", options.lower),
                              fmt::format("must be < upper = {}", options.upper));
    }
    if (data.rows() == 0) {
        throw InvalidArgument("scale", "", "there are no rows to learn from");
    }
    data::ColumnStatistics columns = data::column_statistics(data);
    scaling.base = standard ? 0.0 : options.lower;
    for (std::size_t c = 0; c < columns.mean.size(); ++c) {
        const double range = columns.maximum[c] - columns.minimum[c];
        double factor =
            standard ? 1.0 / columns.deviation[c] : (options.upper - options.lower) / range;
        // A constant column, or one whose spread is so small that its inverse overflows.
        if (range == 0.0 || !std::isfinite(factor)) {
            factor = 0.0;
        }
        if (!std::isfinite(range)) {
            throw InvalidArgument("scale", "",
                                  fmt::format("the range of column {} overflows",
                                              columns.columns.empty() ? static_cast<index_t>(c)
                                                                      : columns.columns[c]));
        }
        const double centre = data.is_sparse() ? 0.0 : columns.mean[c];
        scaling.offset.push_back(standard ? centre : columns.minimum[c]);
        scaling.factor.push_back(factor);
    }
    scaling.columns = std::move(columns.columns);
    return scaling;
}

bool Scaling::keeps_zeros() const noexcept {
    if (method == "none") {
        return true;
    }
    for (std::size_t c = 0; c < factor.size(); ++c) {
        if ((0.0 - offset[c]) * factor[c] + base != 0.0) {
            return false;
        }
    }
    return base == 0.0 || static_cast<index_t>(factor.size()) == column_count;
}

Dataset Scaling::apply(const Dataset& data) const {
    if (method == "none") {
        return data;
    }
    const ColumnMap map(*this);
    if (const auto* sparse = std::get_if<CsrView>(&data.storage())) {
        return keeps_zeros() ? apply_sparse(data, *sparse, map, column_count)
                             : densify(data, *sparse, map, column_count);
    }
    if (data.columns() != column_count) {
        throw InvalidArgument(
            "scale", "",
            fmt::format("got {} columns, must be {} as in training", data.columns(), column_count));
    }
    if (const auto* narrow = std::get_if<MatrixView<const float>>(&data.storage())) {
        return apply_dense(data, *narrow, map);
    }
    return apply_dense(data, std::get<MatrixView<const double>>(data.storage()), map);
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/data/dataset.cpp - checking rows, copying them, selecting from them.
#include "mercer/data/dataset.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "data/rows.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

/// A copy of the chosen rows, with the owner of its memory.
struct SelectedRows {
    RowStorage rows;
    std::shared_ptr<const void> owner;
};

namespace {

[[noreturn]] void not_finite(index_t row, index_t column, double value) {
    throw InvalidArgument(
        fmt::format("row {}, column {}: got {}, must be finite", row, column, value));
}

template <typename T>
void check(const MatrixView<const T>& matrix) {
    if (matrix.rows < 0 || matrix.columns < 0 || matrix.stride < matrix.columns ||
        (matrix.data == nullptr && matrix.rows > 0 && matrix.columns > 0)) {
        throw InvalidArgument("rows: the matrix view is malformed");
    }
    for (index_t i = 0; i < matrix.rows; ++i) {
        const T* row = matrix.row(i);
        for (index_t j = 0; j < matrix.columns; ++j) {
            if (!std::isfinite(row[j])) {
                not_finite(i, j, row[j]);
            }
        }
    }
}

void check(const CsrView& rows) {
    const auto stored = static_cast<index_t>(rows.values.size());
    const bool lists_fit =
        rows.lists.empty() ? rows.gapless() || rows.indices.size() == rows.values.size()
                           : rows.lists.size() == rows.offsets.size() && rows.lists.front() == 0 &&
                                 rows.lists.back() == static_cast<index_t>(rows.indices.size()) &&
                                 std::is_sorted(rows.lists.begin(), rows.lists.end());
    if (rows.column_count < 0 || !lists_fit ||
        (rows.offsets.empty() ? stored != 0
                              : rows.offsets.front() != 0 || rows.offsets.back() != stored)) {
        throw InvalidArgument("rows: the sparse view is malformed");
    }
    for (index_t i = 0; i < rows.rows(); ++i) {
        const index_t begin = rows.offsets[i];
        const index_t end = rows.offsets[i + 1];
        if (begin > end || end > stored) {
            throw InvalidArgument(fmt::format("row {}: its offsets do not ascend", i));
        }
        const auto columns = static_cast<index_t>(rows.list(i).size());
        if (columns != 0 && columns != end - begin) {
            throw InvalidArgument(
                fmt::format("row {}: got {} columns for {} values", i, columns, end - begin));
        }
        index_t previous = -1;
        data::for_each_entry(rows, i, [&](index_t column, double value) {
            if (column <= previous || column >= rows.column_count) {
                throw InvalidArgument(
                    fmt::format("row {}: got column {} after {}, must ascend and be less than {}",
                                i, column, previous, rows.column_count));
            }
            previous = column;
            if (!std::isfinite(value)) {
                not_finite(i, previous, value);
            }
        });
    }
}

template <typename T>
SelectedRows select_from(const MatrixView<const T>& matrix, std::span<const index_t> chosen,
                         const std::shared_ptr<MemoryBudget>& budget) {
    const auto count = static_cast<index_t>(chosen.size());
    auto owned = std::make_shared<Buffer<T>>(budget, checked_multiply(count, matrix.columns),
                                             "selected rows");
    for (index_t i = 0; i < count; ++i) {
        std::copy_n(matrix.row(chosen[i]), matrix.columns, owned->data() + i * matrix.columns);
    }
    return {MatrixView<const T>(owned->data(), count, matrix.columns), owned};
}

SelectedRows select_from(const CsrView& rows, std::span<const index_t> chosen,
                         const std::shared_ptr<MemoryBudget>& budget) {
    index_t stored = 0;
    index_t listed = 0;
    for (const index_t i : chosen) {
        stored += rows.offsets[i + 1] - rows.offsets[i];
        listed += static_cast<index_t>(rows.list(i).size());
    }
    const auto count = static_cast<index_t>(chosen.size());
    auto owned = std::make_shared<data::OwnedCsr>(budget, count, stored, listed, "selected rows");
    for (const index_t i : chosen) {
        owned->add(rows.row_values(i), rows.list(i));
    }
    return {owned->view(rows.column_count), owned};
}

template <typename T>
std::vector<T> select_numbers(const std::vector<T>& all, std::span<const index_t> chosen) {
    std::vector<T> some;
    if (!all.empty()) {
        some.reserve(chosen.size());
        for (const index_t i : chosen) {
            some.push_back(all[static_cast<std::size_t>(i)]);
        }
    }
    return some;
}

}  // namespace

struct Dataset::Copy {
    std::once_flag once;
    SelectedRows rows;
};

Dataset::Dataset(RowStorage rows, std::shared_ptr<const void> owner)
    : rows_(std::move(rows)), owner_(std::move(owner)) {
    std::visit([](const auto& view) { check(view); }, rows_);
}

Dataset Dataset::from_checked(RowStorage rows, std::shared_ptr<const void> owner,
                              std::shared_ptr<MemoryBudget> budget) {
    Dataset data;
    data.rows_ = std::move(rows);
    data.owner_ = std::move(owner);
    data.budget_ = std::move(budget);
    return data;
}

std::shared_ptr<MemoryBudget> Dataset::budget() const {
    return budget_ != nullptr ? budget_ : std::make_shared<MemoryBudget>();
}

const RowStorage& Dataset::storage() const {
    if (!is_view()) {
        return rows_;
    }
    std::call_once(copy_->once, [&] {
        copy_->rows = std::visit(
            [&](const auto& view) { return select_from(view, *chosen_, budget()); }, rows_);
    });
    return copy_->rows.rows;
}

index_t Dataset::rows() const noexcept {
    if (is_view()) {
        return static_cast<index_t>(chosen_->size());
    }
    if (const auto* sparse = std::get_if<CsrView>(&rows_)) {
        return sparse->rows();
    }
    const auto* narrow = std::get_if<MatrixView<const float>>(&rows_);
    return narrow != nullptr ? narrow->rows : std::get<MatrixView<const double>>(rows_).rows;
}

index_t Dataset::columns() const noexcept {
    if (const auto* sparse = std::get_if<CsrView>(&rows_)) {
        return sparse->column_count;
    }
    const auto* narrow = std::get_if<MatrixView<const float>>(&rows_);
    return narrow != nullptr ? narrow->columns : std::get<MatrixView<const double>>(rows_).columns;
}

bool Dataset::is_sparse() const noexcept { return std::holds_alternative<CsrView>(rows_); }

index_t Dataset::stored() const noexcept {
    const auto* sparse = std::get_if<CsrView>(&rows_);
    if (sparse == nullptr) {
        return rows() * columns();
    }
    if (!is_view()) {
        return static_cast<index_t>(sparse->values.size());
    }
    index_t sum = 0;
    for (const index_t i : *chosen_) {
        sum += sparse->offsets[i + 1] - sparse->offsets[i];
    }
    return sum;
}

void Dataset::copy_row(index_t i, std::span<double> out) const {
    if (i < 0 || i >= rows() || static_cast<index_t>(out.size()) != columns()) {
        throw InvalidArgument(fmt::format("copy_row: got row {} of {} and {} places for {} columns",
                                          i, rows(), out.size(), columns()));
    }
    i = source_row(i);
    if (const auto* sparse = std::get_if<CsrView>(&rows_)) {
        std::fill(out.begin(), out.end(), 0.0);
        data::for_each_entry(*sparse, i, [&](index_t column, double value) {
            out[static_cast<std::size_t>(column)] = value;
        });
    } else if (const auto* narrow = std::get_if<MatrixView<const float>>(&rows_)) {
        std::copy_n(narrow->row(i), narrow->columns, out.begin());
    } else {
        const auto& wide = std::get<MatrixView<const double>>(rows_);
        std::copy_n(wide.row(i), wide.columns, out.begin());
    }
}

void Dataset::require_rows(std::span<const index_t> chosen, const char* what) const {
    for (const index_t i : chosen) {
        if (i < 0 || i >= rows()) {
            throw InvalidArgument(
                fmt::format("{}: got row {}, must be >= 0 and < {}", what, i, rows()));
        }
    }
}

std::vector<index_t> Dataset::source_rows(std::span<const index_t> chosen) const {
    std::vector<index_t> rows(chosen.begin(), chosen.end());
    for (index_t& row : rows) {
        row = source_row(row);
    }
    return rows;
}

Dataset Dataset::select(std::span<const index_t> chosen) const {
    require_rows(chosen, "select");
    SelectedRows selected = std::visit(
        [&](const auto& view) { return select_from(view, source_rows(chosen), budget()); }, rows_);
    Dataset some = from_checked(std::move(selected.rows), std::move(selected.owner), budget_);
    some.targets = select_numbers(targets, chosen);
    some.weights = select_numbers(weights, chosen);
    some.queries = select_numbers(queries, chosen);
    some.label_names = label_names;
    some.column_names = column_names;
    some.target_column = target_column;
    some.query_column = query_column;
    return some;
}

Dataset Dataset::view(std::span<const index_t> chosen) const {
    require_rows(chosen, "view");
    Dataset some = whole();
    some.chosen_ = std::make_shared<const std::vector<index_t>>(source_rows(chosen));
    some.copy_ = std::make_shared<Copy>();
    some.label_names = label_names;
    some.column_names = column_names;
    return some;
}

Dataset Dataset::with_rows(RowStorage rows, std::shared_ptr<const void> owner) const {
    Dataset other = *this;
    other.rows_ = std::move(rows);
    other.chosen_ = nullptr;
    other.copy_ = nullptr;
    other.owner_ = std::move(owner);
    if (other.rows() != this->rows()) {
        throw InvalidArgument(
            fmt::format("with_rows: got {} rows, must be {}", other.rows(), this->rows()));
    }
    return other;
}

}  // namespace mercer

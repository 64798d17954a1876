// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/row_steps.hpp - steps along single rows of X that maintain w = X'beta.
//
// One dispatch on the storage for a whole list of rows; products and steps are inlined. The entries
// of upcoming rows are prefetched: the order of rows is random, and they come from main memory.
#pragma once

#include <algorithm>
#include <array>
#include <variant>

#include "mercer/operators/linear_rows.hpp"

namespace mercer {

namespace row_steps {

inline constexpr std::size_t kAhead = 8;  // rows; the offset of a row is prefetched twice as early
inline constexpr index_t kMostPrefetched = 1024;  // bytes of a row
inline constexpr index_t kLine = 64;

inline void prefetch(const void* begin, index_t bytes) {
    const char* first = static_cast<const char*>(begin);
    const index_t wanted = std::min(bytes, kMostPrefetched);
    for (index_t k = 0; k < wanted; k += kLine) {
        __builtin_prefetch(first + k);
    }
    __builtin_prefetch(first + std::max<index_t>(0, wanted - 1));  // rows begin anywhere in a line
}

/// The sum of term(0), term(1), ...: in eight lanes, so that rows in all forms have the same bits.
template <typename Term>
double sum_in_lanes(index_t count, const Term& term) {
    constexpr index_t kLanes = 8;
    std::array<double, kLanes> sums{};
    index_t j = 0;
    for (; j + kLanes <= count; j += kLanes) {
        for (index_t k = 0; k < kLanes; ++k) {
            sums[static_cast<std::size_t>(k)] += term(j + k);
        }
    }
    // The rest in lanes as well: additions in one lane would wait for each other.
    if (j + 4 <= count) {
        for (index_t k = 0; k < 4; ++k) {
            sums[static_cast<std::size_t>(k)] += term(j + k);
        }
        j += 4;
    }
    if (j + 2 <= count) {
        sums[4] += term(j);
        sums[5] += term(j + 1);
        j += 2;
    }
    if (j < count) {
        sums[6] += term(j);
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// A row whose values are those of columns 0, 1, ... in turn.
template <typename T>
struct PackedRow {
    const T* values;
    index_t count;

    [[nodiscard]] double dot(const double* w) const {
        return sum_in_lanes(count,
                            [&](index_t j) { return static_cast<double>(values[j]) * w[j]; });
    }
    void add(double scale, double* w) const {
        for_each([&](index_t j, double value) { w[j] += scale * value; });
    }
    /// Calls use(column, value).
    template <typename Use>
    void for_each(const Use& use) const {
        for (index_t j = 0; j < count; ++j) {
            use(j, static_cast<double>(values[j]));
        }
    }
};

/// A row with a list of its columns, in 32-bit or 64-bit integers.
template <typename Index>
struct ListedRow {
    const double* values;
    const Index* columns;
    index_t count;

    [[nodiscard]] double dot(const double* w) const {
        return sum_in_lanes(count, [&](index_t k) { return values[k] * w[columns[k]]; });
    }
    void add(double scale, double* w) const {
        for_each([&](index_t j, double value) { w[j] += scale * value; });
    }
    template <typename Use>
    void for_each(const Use& use) const {
        for (index_t k = 0; k < count; ++k) {
            use(index_t{columns[k]}, values[k]);
        }
    }
};

/// Prefetches the offset of row i.
template <typename T>
void prefetch_place(const MatrixView<const T>&, index_t) {}
inline void prefetch_place(const CsrView& rows, index_t i) {
    __builtin_prefetch(rows.offsets.data() + i);
    if (!rows.lists.empty()) {
        __builtin_prefetch(rows.lists.data() + i);
    }
}

/// Prefetches the entries of row i.
template <typename T>
void prefetch_row(const MatrixView<const T>& rows, index_t i) {
    prefetch(rows.row(i), rows.columns * static_cast<index_t>(sizeof(T)));
}
inline void prefetch_row(const CsrView& rows, index_t i) {
    const std::span<const double> values = rows.row_values(i);
    prefetch(values.data(), static_cast<index_t>(values.size_bytes()));
    const IndexList list = rows.list(i);
    prefetch(list.data(), static_cast<index_t>(list.size_bytes()));
}

/// Calls use(row) with row i as a view that matches its storage.
template <typename T, typename Use>
void with_row(const MatrixView<const T>& rows, index_t i, const Use& use) {
    use(PackedRow<T>{rows.row(i), rows.columns});
}
template <typename Use>
void with_row(const CsrView& rows, index_t i, const Use& use) {
    const std::span<const double> values = rows.row_values(i);
    const auto count = static_cast<index_t>(values.size());
    if (const IndexList list = rows.list(i); !list.empty()) {
        list.visit([&](auto columns) {
            using Index = typename decltype(columns)::value_type;
            use(ListedRow<Index>{values.data(), columns.data(), count});
        });
    } else {
        use(PackedRow<double>{values.data(), count});
    }
}

}  // namespace row_steps

template <typename Step>
void LinearRows::step_along(std::span<const index_t> order, std::span<double> w,
                            Step&& step) const {
    std::visit(
        [&](const auto& rows) {
            const auto row_at = [&](std::size_t k) { return data_.source_row(order[k]); };
            for (std::size_t k = 0; k < order.size(); ++k) {
                if (k + 2 * row_steps::kAhead < order.size()) {
                    row_steps::prefetch_place(rows, row_at(k + 2 * row_steps::kAhead));
                }
                if (k + row_steps::kAhead < order.size()) {
                    row_steps::prefetch_row(rows, row_at(k + row_steps::kAhead));
                    step.expect(order[k + row_steps::kAhead]);
                }
                const index_t i = order[k];
                row_steps::with_row(rows, row_at(k), [&](const auto& row) {
                    if (const double scale = step(i, row.dot(w.data())); scale != 0.0) {
                        row.add(scale, w.data());
                    }
                });
            }
        },
        data_.source());
}

}  // namespace mercer

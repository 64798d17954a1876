// SPDX-License-Identifier: Apache-2.0
//
// src/operators/linear_rows.cpp - X v, X'u and X'WX over blocks of rows.
//
// Blocks are distributed over a fixed number of partial results, which are added in order: the sums
// do not depend on the threads.
#include "mercer/operators/linear_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/operators/row_steps.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/runtime/reduction.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsPerTask = 512;
constexpr index_t kMostSums = 16;
// All partial results together take at most this; fewer of them occupy fewer threads.
constexpr index_t kPartialBytes = index_t{64} << 20;
// Rows that are weighted, centred and multiplied by BLAS at a time.
constexpr index_t kDenseRows = 2048;
// One thread, 32,561 rows of 123 columns, 14 entries in a sparse row: a multiplication takes 0.051
// ns in a dense product, 0.41 in X v of dense rows, 1.7 of sparse rows, 0.89 where sparse rows are
// scattered over X'WX. Costs are counted in units of the first.
constexpr double kStreamed = 8.0;
constexpr double kGathered = 34.0;
constexpr double kScattered = 17.0;

index_t tasks_of(index_t rows) { return (rows + kRowsPerTask - 1) / kRowsPerTask; }

/// Rows begin .. end - 1.
struct RowSpan {
    index_t begin = 0;
    index_t end = 0;

    template <typename T>
    [[nodiscard]] MatrixView<T> of(const MatrixView<T>& view) const {
        return {view.row(begin), end - begin, view.columns, view.stride};
    }
};

template <typename T>
void multiply_block(const MatrixView<const T>& rows, RowSpan span, MatrixView<const double> v,
                    MatrixView<double> out, Device device) {
    accumulate_product(span.of(rows), v, span.of(out), device);
}

/// A column with contiguous values.
template <typename T>
bool is_vector(const MatrixView<T>& values) {
    return values.columns == 1 && values.stride == 1;
}

void multiply_block(const CsrView& rows, RowSpan span, MatrixView<const double> v,
                    MatrixView<double> out, Device) {
    if (is_vector(v)) {
        for (index_t i = span.begin; i < span.end; ++i) {
            row_steps::with_row(rows, i, [&](const auto& row) { out(i, 0) += row.dot(v.data); });
        }
        return;
    }
    for (index_t i = span.begin; i < span.end; ++i) {
        double* target = out.row(i);
        data::for_each_entry(rows, i, [&](index_t j, double value) {
            const double* factor = v.row(j);
            for (index_t c = 0; c < v.columns; ++c) {
                target[c] += value * factor[c];
            }
        });
    }
}

template <typename T>
void transposed_block(const MatrixView<const T>& rows, RowSpan span, MatrixView<const double> u,
                      MatrixView<double> out, Device device) {
    accumulate_transposed(span.of(rows), span.of(u), out, device);
}

void transposed_block(const CsrView& rows, RowSpan span, MatrixView<const double> u,
                      MatrixView<double> out, Device) {
    for (index_t i = span.begin; i < span.end; ++i) {
        const double* factor = u.row(i);
        if (std::all_of(factor, factor + u.columns, [](double value) { return value == 0.0; })) {
            continue;
        }
        if (is_vector(out)) {
            row_steps::with_row(rows, i, [&](const auto& row) { row.add(*factor, out.data); });
            continue;
        }
        data::for_each_entry(rows, i, [&](index_t j, double value) {
            double* target = out.row(j);
            for (index_t c = 0; c < u.columns; ++c) {
                target[c] += value * factor[c];
            }
        });
    }
}

/// Calls use(u(i, c), sums, rest) for the columns c of a row whose factor is not 0, with the rows c
/// of `sum` and `lost`.
template <typename Use>
void for_each_factor(MatrixView<const double> u, index_t i, MatrixView<double> sum,
                     MatrixView<double> lost, const Use& use) {
    for (index_t c = 0; c < u.columns; ++c) {
        if (const double factor = u(i, c); factor != 0.0) {
            use(factor, sum.row(c), lost.row(c));
        }
    }
}

/// sum + lost += X'u over some rows.
template <typename T>
void compensated_block(const MatrixView<const T>& rows, RowSpan span, MatrixView<const double> u,
                       MatrixView<double> sum, MatrixView<double> lost) {
    for (index_t i = span.begin; i < span.end; ++i) {
        const T* row = rows.row(i);
        for_each_factor(u, i, sum, lost, [&](double factor, double* sums, double* rest) {
            for (index_t j = 0; j < rows.columns; ++j) {
                add_product_exactly(factor, static_cast<double>(row[j]), sums[j], rest[j]);
            }
        });
    }
}

void compensated_block(const CsrView& rows, RowSpan span, MatrixView<const double> u,
                       MatrixView<double> sum, MatrixView<double> lost) {
    for (index_t i = span.begin; i < span.end; ++i) {
        for_each_factor(u, i, sum, lost, [&](double factor, double* sums, double* rest) {
            row_steps::with_row(rows, i, [&](const auto& row) {
                row.for_each([=](index_t j, double value) {
                    add_product_exactly(factor, value, sums[j], rest[j]);
                });
            });
        });
    }
}

/// How many partial results of this size there may be.
index_t parts_of(index_t rows, index_t size) {
    const index_t fitting = kPartialBytes / std::max<index_t>(1, checked_multiply(size, 8));
    return std::clamp<index_t>(fitting, 1,
                               std::min(kMostSums, std::max<index_t>(1, tasks_of(rows))));
}

/// The rows of part `part` of `parts`: whole blocks.
RowSpan rows_of_part(index_t part, index_t parts, index_t rows) {
    const index_t blocks = tasks_of(rows);
    return {part * blocks / parts * kRowsPerTask,
            std::min(rows, (part + 1) * blocks / parts * kRowsPerTask)};
}

constexpr const char* kPartialName = "partial sums over rows";

/// sum += w_i x_i x_i' over the stored entries of some rows, lower triangle.
void add_outer_products(const CsrView& rows, RowSpan span, std::span<const double> weights,
                        MatrixView<double> sum) {
    for (index_t i = span.begin; i < span.end; ++i) {
        const double w = weights[at(i)];
        if (w == 0.0) {
            continue;
        }
        const index_t first = rows.offsets[at(i)];
        const auto add_products = [&](const auto& column) {
            for (index_t a = first; a < rows.offsets[at(i) + 1]; ++a) {
                double* target = sum.row(column(a));
                const double scaled = w * rows.values[at(a)];
                for (index_t b = first; b <= a; ++b) {
                    target[column(b)] += scaled * rows.values[at(b)];
                }
            }
        };
        if (const IndexList list = rows.list(i); list.empty()) {
            add_products([first](index_t k) { return k - first; });
        } else {
            list.visit([&](auto columns) {
                add_products(
                    [first, columns](index_t k) { return index_t{columns[at(k - first)]}; });
            });
        }
    }
}

/// sum_i w_i x_i x_i' over the stored entries, lower triangle, minus the part of the mean.
void scatter_normal(const CsrView& rows, std::span<const double> weights,
                    std::span<const double> centre, MatrixView<double> out, Context& context) {
    const index_t parts = parts_of(rows.rows(), checked_multiply(out.rows, out.rows));
    const auto add = [&](index_t part, int, MatrixView<double> sum) {
        add_outer_products(rows, rows_of_part(part, parts, rows.rows()), weights, sum);
    };
    sum_over_rows(parts, out, kPartialName, context, add);
    if (centre.empty()) {
        return;
    }
    double total = 0.0;
    sum_over_rows(1, {&total, 1, 1}, kPartialName, context,
                  [&](index_t, int, MatrixView<double> sum) {
                      for (const double w : weights) {
                          sum(0, 0) += w;
                      }
                  });
    for (index_t j = 0; j < out.rows; ++j) {
        for (index_t k = 0; k <= j; ++k) {
            out(j, k) -= total * centre[at(j)] * centre[at(k)];
        }
    }
}

/// The same by dense products of blocks of weighted, centred rows.
template <typename Rows>
void dense_normal(const Rows& rows, index_t n, std::span<const double> weights,
                  std::span<const double> centre, MatrixView<double> out, Context& context) {
    const index_t d = out.rows;
    std::vector<index_t> used;
    for (index_t i = 0; i < n; ++i) {
        if (weights[at(i)] != 0.0) {
            used.push_back(i);
        }
    }
    const auto count = static_cast<index_t>(used.size());
    Buffer<double> block = context.allocate<double>(
        checked_multiply(std::min(kDenseRows, std::max<index_t>(1, count)), d), "weighted rows");
    // A single part: the threads share the products of its blocks.
    const auto add = [&](index_t, int, MatrixView<double> sum) {
        for (index_t begin = 0; begin < count; begin += kDenseRows) {
            const index_t m = std::min(kDenseRows, count - begin);
            const MatrixView<double> part(block.data(), m, d);
            parallel_for(context, (m + 63) / 64, [&](index_t task, int) {
                for (index_t r = task * 64; r < std::min(m, (task + 1) * 64); ++r) {
                    const index_t i = used[at(begin + r)];
                    const double root = std::sqrt(weights[at(i)]);
                    for (index_t j = 0; j < d; ++j) {
                        part(r, j) = centre.empty() ? 0.0 : -centre[at(j)];
                    }
                    data::for_each_entry(rows, i,
                                         [&](index_t j, double value) { part(r, j) += value; });
                    for (index_t j = 0; j < d; ++j) {
                        part(r, j) *= root;
                    }
                }
            });
            const MatrixView<const double> view(part);
            mercer::multiply(view, true, view, false, 1.0, 1.0, sum, context);
        }
    };
    sum_over_rows(1, out, kPartialName, context, add);
}

/// Entries of a row, on average.
template <typename Rows>
double entries_per_row(const Rows& rows) {
    return rows.rows() == 0 ? 0.0
                            : static_cast<double>(rows.stored()) / static_cast<double>(rows.rows());
}

double scatter_cost(const Dataset& rows) {
    return 0.5 * kScattered * entries_per_row(rows) * static_cast<double>(rows.stored());
}

double dense_cost(const Dataset& rows) {
    return static_cast<double>(rows.rows()) * static_cast<double>(rows.columns()) *
           static_cast<double>(rows.columns());
}

bool scatters(const Dataset& rows) {
    return rows.is_sparse() && scatter_cost(rows) < dense_cost(rows);
}

void require_shape(bool fits, const char* what) {
    if (!fits) {
        throw InvalidArgument(fmt::format("{}: the shapes do not fit", what));
    }
}

MatrixView<const double> column(std::span<const double> values) {
    return {values.data(), static_cast<index_t>(values.size()), 1};
}
MatrixView<double> column(std::span<double> values) {
    return {values.data(), static_cast<index_t>(values.size()), 1};
}

template <typename T>
void columns_of(const MatrixView<const T>& view, index_t rows, std::span<const index_t> columns,
                MatrixView<double> out) {
    constexpr index_t kBlock = 16;  // rows at a time: a whole cache line of every column
    for (index_t begin = 0; begin < rows; begin += kBlock) {
        const index_t end = std::min(rows, begin + kBlock);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            double* column = out.row(static_cast<index_t>(k));
            for (index_t i = begin; i < end; ++i) {
                column[i] = static_cast<double>(view(i, columns[k]));
            }
        }
    }
}

void columns_of(const CsrView& view, index_t rows, std::span<const index_t> columns,
                MatrixView<double> out) {
    std::vector<index_t> place(at(view.column_count), -1);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        place[at(columns[k])] = static_cast<index_t>(k);
        std::fill_n(out.row(static_cast<index_t>(k)), rows, 0.0);
    }
    for (index_t i = 0; i < rows; ++i) {
        data::for_each_entry(view, i, [&](index_t j, double value) {
            if (place[at(j)] >= 0) {
                out(place[at(j)], i) = value;
            }
        });
    }
}

}  // namespace

void LinearRows::multiply(MatrixView<const double> v, MatrixView<double> out,
                          Context& context) const {
    require_shape(v.rows == columns() && out.rows == rows() && v.columns == out.columns, "X v");
    context.count_products(v.columns);
    parallel_for(context, tasks_of(rows()), [&](index_t block, int) {
        const index_t begin = block * kRowsPerTask;
        const RowSpan span{begin, std::min(rows(), begin + kRowsPerTask)};
        for (index_t i = span.begin; i < span.end; ++i) {
            std::fill_n(out.row(i), out.columns, 0.0);
        }
        std::visit([&](const auto& view) { multiply_block(view, span, v, out, context.device()); },
                   data_.storage());
    });
}

void LinearRows::multiply_transposed(MatrixView<const double> u, MatrixView<double> out,
                                     Context& context) const {
    require_shape(u.rows == rows() && out.rows == columns() && u.columns == out.columns, "X'u");
    const index_t parts = parts_of(rows(), checked_multiply(out.rows, out.columns));
    const auto add = [&](index_t part, int, MatrixView<double> sum) {
        const RowSpan mine = rows_of_part(part, parts, rows());
        for (index_t begin = mine.begin; begin < mine.end; begin += kRowsPerTask) {
            const RowSpan block{begin, std::min(mine.end, begin + kRowsPerTask)};
            std::visit(
                [&](const auto& view) { transposed_block(view, block, u, sum, context.device()); },
                data_.storage());
        }
    };
    sum_over_rows(parts, out, kPartialName, context, add);
}

void LinearRows::compensated_transposed(MatrixView<const double> u, MatrixView<double> out,
                                        Context& context) const {
    require_shape(u.rows == rows() && out.rows == columns() && u.columns == out.columns, "X'u");
    const index_t parts = parts_of(rows(), checked_multiply(2 * out.rows, out.columns));
    const auto add = [&](index_t part, MatrixView<double> sum, MatrixView<double> lost) {
        const RowSpan mine = rows_of_part(part, parts, rows());
        std::visit([&](const auto& view) { compensated_block(view, mine, u, sum, lost); },
                   data_.storage());
    };
    compensated_sum_over_rows(parts, out, kPartialName, context, add);
}

void LinearRows::multiply(std::span<const double> v, std::span<double> out,
                          Context& context) const {
    multiply(column(v), column(out), context);
}

void LinearRows::multiply_transposed(std::span<const double> u, std::span<double> out,
                                     Context& context) const {
    multiply_transposed(column(u), column(out), context);
}

void LinearRows::normal_matrix(std::span<const double> weights, std::span<const double> centre,
                               MatrixView<double> out, Context& context) const {
    require_shape(static_cast<index_t>(weights.size()) == rows() && out.rows == columns() &&
                      out.columns == columns() &&
                      (centre.empty() || static_cast<index_t>(centre.size()) == columns()),
                  "X'WX");
    if (scatters(data_)) {
        scatter_normal(std::get<CsrView>(data_.storage()), weights, centre, out, context);
        return;
    }
    std::visit([&](const auto& view) { dense_normal(view, rows(), weights, centre, out, context); },
               data_.storage());
}

void LinearRows::copy_row(index_t i, std::span<double> out) const {
    const auto width = static_cast<std::size_t>(columns());
    data_.copy_row(i, out.first(width));
    std::fill(out.begin() + columns(), out.end(), 0.0);
}

double LinearRows::dot_row(index_t i, std::span<const double> w) const {
    double sum = 0.0;
    std::visit(
        [&](const auto& rows) {
            data::for_each_entry(rows, data_.source_row(i), [&](index_t j, double x) {
                sum += x * w[static_cast<std::size_t>(j)];
            });
        },
        data_.source());
    return sum;
}

void LinearRows::add_row(index_t i, double scale, std::span<double> w) const {
    std::visit(
        [&](const auto& rows) {
            data::for_each_entry(rows, data_.source_row(i), [&](index_t j, double x) {
                w[static_cast<std::size_t>(j)] += scale * x;
            });
        },
        data_.source());
}

void LinearRows::copy_columns(std::span<const index_t> columns, MatrixView<double> out) const {
    require_shape(out.rows == static_cast<index_t>(columns.size()) && out.columns == rows(),
                  "columns");
    std::visit([&](const auto& view) { columns_of(view, rows(), columns, out); }, data_.storage());
}

void LinearRows::squared_sums(std::span<const double> weights, std::span<double> out,
                              Context& context) const {
    require_shape(static_cast<index_t>(weights.size()) == rows() &&
                      static_cast<index_t>(out.size()) == columns(),
                  "squared sums");
    const index_t parts = parts_of(rows(), columns());
    const auto add = [&](index_t part, int, MatrixView<double> sum) {
        const RowSpan mine = rows_of_part(part, parts, rows());
        for (index_t i = mine.begin; i < mine.end; ++i) {
            if (const double w = weights[at(i)]; w != 0.0) {
                std::visit(
                    [&](const auto& view) {
                        data::for_each_entry(view, i, [&](index_t j, double value) {
                            sum(j, 0) += w * value * value;
                        });
                    },
                    data_.storage());
            }
        }
    };
    sum_over_rows(parts, column(out), kPartialName, context, add);
}

double LinearRows::normal_matrix_cost() const noexcept {
    return data_.is_sparse() ? std::min(scatter_cost(data_), dense_cost(data_)) : dense_cost(data_);
}

double LinearRows::multiply_cost() const noexcept {
    return (data_.is_sparse() ? kGathered : kStreamed) * static_cast<double>(stored());
}

void multiply_linear_gram(const LinearRows& rows, double factor, MatrixView<const double> v,
                          MatrixView<double> out, Context& context) {
    Buffer<double> w = context.allocate<double>(checked_multiply(rows.columns(), v.columns), "X'v");
    const MatrixView<double> middle(w.data(), rows.columns(), v.columns);
    rows.compensated_transposed(v, middle, context);
    for (double& value : w.span()) {
        value *= factor;
    }
    rows.multiply(middle, out, context);
}

bool two_passes_are_cheaper(const LinearRows& rows, index_t vectors) {
    // Sparse tiles are slower than dense ones by the same factor as passes over sparse rows.
    const double entries = entries_per_row(rows);
    const auto n = static_cast<double>(rows.rows());
    const auto t = static_cast<double>(vectors);
    return 2.0 * kStreamed * entries * t < n * (0.5 * entries + t);
}

}  // namespace mercer

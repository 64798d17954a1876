// SPDX-License-Identifier: Apache-2.0
//
// src/theory/rkhs.cpp - inner products of kernel expansions, by blocks of K and compensated sums.
//
// Notation   a, b  coefficients of f and g     K  kernel values, rows of f by rows of g
#include "mercer/theory/rkhs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/kernels/precise.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/precise_values.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

// Rounding of a compensated sum of exact products, and of a sum of such sums, in units of the sum of
// the absolute values of their terms.
constexpr double kSumRounding = 8.0 * kEpsilon;
constexpr index_t kLargestBlock = index_t{16} << 20;

void require_fit(const RkhsFunctions& f) {
    const auto needed =
        static_cast<std::size_t>(checked_multiply(f.rows.rows(), std::max<index_t>(0, f.count)));
    if (f.count < 1 || f.coefficients.size() != needed) {
        throw InvalidArgument(
            fmt::format("coefficients: got {}, must be {} for {} rows and {} "
                        "functions",
                        f.coefficients.size(), needed, f.rows.rows(), f.count));
    }
}

void require_same_space(const RkhsFunctions& f, const RkhsFunctions& g) {
    require_fit(f);
    require_fit(g);
    if (!(f.kernel == g.kernel)) {
        throw InvalidArgument(
            fmt::format("kernel: {} and {} span different spaces; functions are compared in one",
                        to_string(f.kernel), to_string(g.kernel)));
    }
    if (f.count != g.count) {
        throw InvalidArgument(
            fmt::format("functions: got {} and {}, must be equal", f.count, g.count));
    }
}

/// Adds a * b without losing the low part of the product.
void add_product(CompensatedSum& sum, double a, double b) {
    const double product = a * b;
    sum.add(product);
    sum.add(std::fma(a, b, -product));
}

/// Bounds on a sum of terms beta_j k(x_j, .).
struct TermSize {
    double norm = 0.0;  ///< sum_j |beta_j| sqrt(k(x_j, x_j)), a bound on the norm of the function
    double l1 = 0.0;    ///< sum_j |beta_j|
};

/// The sizes of f_t for every t.
std::vector<TermSize> term_sizes(const RkhsFunctions& f) {
    std::vector<double> diagonal(static_cast<std::size_t>(f.rows.rows()));
    kernel_diagonal(f.kernel, f.rows, diagonal);
    std::vector<TermSize> sizes(static_cast<std::size_t>(f.count));
    for (std::size_t j = 0; j < diagonal.size(); ++j) {
        for (std::size_t t = 0; t < sizes.size(); ++t) {
            const double size = std::abs(f.coefficients[j * sizes.size() + t]);
            sizes[t].norm += size * std::sqrt(std::max(0.0, diagonal[j]));
            sizes[t].l1 += size;
        }
    }
    return sizes;
}

/// <f, g> and its errors, for functions of those sizes.
RkhsNumber number_of(double value, const KernelRounding& entries, const TermSize& f,
                     const TermSize& g) {
    const double size = f.norm * g.norm;
    const double proved = std::min(entries.relative * size, entries.error * f.l1 * g.l1);
    const double of_entries = std::isfinite(proved) ? proved : kAssumedRounding * size;
    return {value, of_entries + kSumRounding * size, size};
}

/// Errors of kernel values between two sets of rows.
KernelRounding rounding_between(const Kernel& kernel, const Dataset& left, const Dataset& right) {
    return kernel_rounding(kernel, larger_of(row_sizes(left), row_sizes(right)));
}

/// K b for every function: rows x count, each sum compensated. K is never entirely in memory.
std::vector<double> products(const Dataset& rows, const RkhsFunctions& g, Context& context) {
    const auto count = static_cast<std::size_t>(g.count);
    std::vector<double> out(static_cast<std::size_t>(checked_multiply(rows.rows(), g.count)), 0.0);
    if (rows.rows() == 0 || g.rows.rows() == 0) {
        return out;
    }
    const GramMatrix gram(g.kernel, rows, g.rows, Precision::float64, context);
    const index_t row_bytes = checked_multiply(gram.columns(), sizeof(double));
    const index_t bytes = std::min(kLargestBlock, context.memory()->left() / 4);
    const index_t height = std::clamp<index_t>(bytes / row_bytes, 1, gram.rows());
    Buffer<double> block = context.allocate<double>(checked_multiply(height, gram.columns()),
                                                    "kernel values", Contents::any);
    for (index_t begin = 0; begin < gram.rows(); begin += height) {
        const MatrixView<double> values(block.data(), std::min(height, gram.rows() - begin),
                                        gram.columns());
        gram.copy_rows(begin, values, context);
        parallel_for(context, values.rows, [&](index_t i, int) {
            for (std::size_t t = 0; t < count; ++t) {
                CompensatedSum sum;
                for (index_t j = 0; j < values.columns; ++j) {
                    add_product(sum, values(i, j),
                                g.coefficients[static_cast<std::size_t>(j) * count + t]);
                }
                out[static_cast<std::size_t>(begin + i) * count + t] = sum.value();
            }
        });
        context.report({.stage = "rkhs", .done = begin + values.rows, .total = gram.rows()});
    }
    return out;
}

using SparseRow = std::vector<std::pair<index_t, double>>;

/// Row i without its zeros.
SparseRow sparse_row(const Dataset& rows, index_t i, std::vector<double>& scratch) {
    SparseRow out;
    if (const auto* sparse = std::get_if<CsrView>(&rows.source())) {
        const index_t row = rows.source_row(i);
        for (index_t k = sparse->offsets[static_cast<std::size_t>(row)];
             k < sparse->offsets[static_cast<std::size_t>(row) + 1]; ++k) {
            const double value = sparse->values[static_cast<std::size_t>(k)];
            if (value != 0.0) {
                out.emplace_back(sparse->column(row, k), value);
            }
        }
        return out;
    }
    scratch.resize(static_cast<std::size_t>(rows.columns()));
    rows.copy_row(i, scratch);
    for (std::size_t j = 0; j < scratch.size(); ++j) {
        if (scratch[j] != 0.0) {
            out.emplace_back(static_cast<index_t>(j), scratch[j]);
        }
    }
    return out;
}

using Merged = std::map<SparseRow, std::vector<CompensatedSum>>;

/// Adds sign * f to the merged coefficients of each row.
void merge(const RkhsFunctions& f, double sign, Merged& merged) {
    const auto count = static_cast<std::size_t>(f.count);
    std::vector<double> scratch;
    for (index_t j = 0; j < f.rows.rows(); ++j) {
        std::vector<CompensatedSum>& sums = merged[sparse_row(f.rows, j, scratch)];
        sums.resize(count);
        for (std::size_t t = 0; t < count; ++t) {
            sums[t].add(sign * f.coefficients[static_cast<std::size_t>(j) * count + t]);
        }
    }
}

struct OwnedRows {
    std::vector<index_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<double> values;
};

}  // namespace

std::vector<RkhsNumber> inner_products(const RkhsFunctions& f, const RkhsFunctions& g,
                                       Context& context) {
    require_same_space(f, g);
    const auto count = static_cast<std::size_t>(f.count);
    const std::vector<double> values = products(f.rows, g, context);
    const std::vector<TermSize> left = term_sizes(f);
    const std::vector<TermSize> right = term_sizes(g);
    const KernelRounding entries = rounding_between(f.kernel, f.rows, g.rows);
    std::vector<RkhsNumber> out(count);
    for (std::size_t t = 0; t < count; ++t) {
        CompensatedSum sum;
        for (std::size_t i = t; i < values.size(); i += count) {
            add_product(sum, f.coefficients[i], values[i]);
        }
        out[t] = number_of(sum.value(), entries, left[t], right[t]);
    }
    return out;
}

std::vector<RkhsNumber> squared_norms(const RkhsFunctions& f, Context& context) {
    std::vector<RkhsNumber> out = inner_products(f, f, context);
    for (RkhsNumber& number : out) {
        number.value = std::max(0.0, number.value);
    }
    return out;
}

RkhsFunctions difference(const RkhsFunctions& f, const RkhsFunctions& g, Context& context) {
    require_same_space(f, g);
    Merged merged;
    merge(f, 1.0, merged);
    merge(g, -1.0, merged);
    const auto rows = std::make_shared<OwnedRows>();
    RkhsFunctions out{f.kernel, {}, {}, f.count};
    for (const auto& [row, sums] : merged) {
        const bool empty = std::all_of(
            sums.begin(), sums.end(), [](const CompensatedSum& sum) { return sum.value() == 0.0; });
        if (empty) {
            continue;
        }
        for (const auto& [column, value] : row) {
            rows->columns.push_back(column);
            rows->values.push_back(value);
        }
        rows->offsets.push_back(static_cast<index_t>(rows->columns.size()));
        for (const CompensatedSum& sum : sums) {
            out.coefficients.push_back(sum.value());
        }
    }
    const index_t columns = std::max(f.rows.columns(), g.rows.columns());
    out.rows = Dataset::from_checked(CsrView{rows->offsets, rows->columns, rows->values, columns},
                                     rows, context.memory());
    return out;
}

std::vector<RkhsNumber> reproduced_values(const RkhsFunctions& f, const Dataset& rows,
                                          Context& context) {
    require_fit(f);
    const auto count = static_cast<std::size_t>(f.count);
    const std::vector<double> values = products(rows, f, context);
    const std::vector<TermSize> sizes = term_sizes(f);
    const KernelRounding entries = rounding_between(f.kernel, f.rows, rows);
    std::vector<double> diagonal(static_cast<std::size_t>(rows.rows()));
    kernel_diagonal(f.kernel, rows, diagonal);
    std::vector<RkhsNumber> out(values.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const TermSize point{std::sqrt(std::max(0.0, diagonal[i / count])), 1.0};
        out[i] = number_of(values[i], entries, sizes[i % count], point);
    }
    return out;
}

ReproducingProperty reproducing_property(std::span<const double> predicted,
                                         std::span<const double> intercepts,
                                         std::span<const RkhsNumber> values, index_t terms) {
    if (predicted.size() != values.size() || intercepts.empty()) {
        throw InvalidArgument(fmt::format("predicted: got {} values and {} intercepts for {}",
                                          predicted.size(), intercepts.size(), values.size()));
    }
    ReproducingProperty out;
    // A plain sum of n terms loses at most n units in the last place of their absolute values.
    const double of_sum = static_cast<double>(terms) * kEpsilon;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double intercept = intercepts[i % intercepts.size()];
        const double gap = std::abs(predicted[i] - (values[i].value + intercept));
        const double rounding = 2.0 * values[i].rounding + of_sum * values[i].size +
                                4.0 * kEpsilon * std::abs(intercept);
        out.rounding = std::max(out.rounding, rounding);
        out.holds = out.holds && gap <= rounding;
        if (out.row < 0 || gap > out.largest_difference) {
            out.largest_difference = gap;
            out.row = static_cast<index_t>(i / intercepts.size());
        }
    }
    return out;
}

EvaluationBound evaluation_bound(std::span<const RkhsNumber> values,
                                 std::span<const RkhsNumber> norms,
                                 std::span<const double> diagonal) {
    if (values.size() != norms.size() * diagonal.size()) {
        throw InvalidArgument(fmt::format("values: got {}, must be {}", values.size(),
                                          norms.size() * diagonal.size()));
    }
    EvaluationBound out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const RkhsNumber& norm = norms[i % norms.size()];
        const double root = std::sqrt(std::max(0.0, diagonal[i / norms.size()]));
        const double value = std::abs(values[i].value);
        const double bound = std::sqrt(norm.value) * root;
        const double ratio = value <= values[i].rounding ? 0.0 : value / bound;
        // Rounding may also have reduced the norm.
        const double slack = values[i].rounding + std::sqrt(norm.value + norm.rounding) * root;
        out.holds = out.holds && value <= slack;
        if (out.row < 0 || ratio > out.largest_ratio) {
            out.largest_ratio = ratio;
            out.row = static_cast<index_t>(i / norms.size());
            out.function = static_cast<index_t>(i % norms.size());
        }
    }
    return out;
}

}  // namespace mercer

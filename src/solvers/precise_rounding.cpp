// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_rounding.cpp - separate and joint rounding of coefficients.
#include "solvers/precise_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/precise_columns.hpp"

namespace mercer {

namespace {

constexpr double kNothing = 1e-18;             // of the largest: below double precision
constexpr double kNoDigitsOfPivot = 0x1p-106;  // of the diagonal: a smaller pivot is rounding

/// |beta_i| sqrt(K(i, i)): the norm of a coefficient's function.
std::vector<Quad> norms_of(std::span<const Quad> beta, const PreciseMatrix& kernel) {
    std::vector<Quad> out;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        out.push_back(fabs(beta[i]) * sqrt(kernel(i, i)));
    }
    return out;
}

/// Rows strictly inside their box, in ascending order of size.
std::vector<std::size_t> free_rows(const Problem& problem, std::span<const double> doubles,
                                   std::span<const Quad> sizes, std::span<const double> held) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < doubles.size(); ++i) {
        if (!held.empty() && !std::isnan(held[i])) {
            continue;
        }
        const Interval box = dual_box(problem, static_cast<index_t>(i));
        if (doubles[i] != 0.0 && doubles[i] != box.lower && doubles[i] != box.upper) {
            out.push_back(i);
        }
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
    return out;
}

/// Rows in an order in which each compensates for later ones; those after the first `free` are
/// fixed.
struct Order {
    std::span<const std::size_t> rows;
    std::size_t free = 0;
};

/// Rounds the free rows, last first; row k compensates for the errors of later ones along its own
/// direction, if it has one: otherwise `lower`(k, k) is 0.
void make_up(const Problem& problem, std::span<const Quad> beta, const Order& order,
             const PreciseMatrix& lower, std::span<double> out) {
    std::vector<Quad> errors(order.rows.size());
    for (std::size_t k = order.rows.size(); k-- > 0;) {
        const std::size_t row = order.rows[k];
        if (k < order.free) {
            Quad wanted = beta[row];
            if (lower(k, k) > 0.0) {
                for (std::size_t j = k + 1; j < order.rows.size(); ++j) {
                    wanted -= lower(j, k) * errors[j];
                }
            }
            const Interval box = dual_box(problem, static_cast<index_t>(row));
            out[row] = std::clamp(static_cast<double>(wanted), box.lower, box.upper);
        }
        errors[k] = Quad(out[row]) - beta[row];
    }
}

std::vector<Quad> sizes_of(std::span<const Quad> beta) {
    std::vector<Quad> out;
    for (const Quad value : beta) {
        out.push_back(fabs(value));
    }
    return out;
}

/// Columns whose inner products with beta are the constrained sums, scaled like the largest row.
PreciseFeatures sum_columns(const Problem& problem, std::span<const Quad> beta,
                            const PreciseMatrix& kernel, std::span<const std::size_t> free) {
    Quad largest = 0.0;
    for (const std::size_t row : free) {
        largest = std::max(largest, kernel(row, row));
    }
    const Quad size = largest > 0.0 ? sqrt(largest) : Quad(1.0);
    PreciseFeatures out;
    out.count = (problem.intercept ? 1U : 0U) + (problem.has_mass() ? 1U : 0U);
    for (const std::size_t row : free) {
        if (problem.intercept) {
            out.values.push_back(size);
        }
        if (problem.has_mass()) {
            out.values.push_back(beta[row] > 0.0 ? size : -size);
        }
    }
    return out;
}

/// Z of these rows, with the columns of the sums appended.
PreciseFeatures beside(const PreciseFeatures& columns, std::span<const std::size_t> free,
                       const PreciseFeatures& sums) {
    PreciseFeatures out{{}, columns.count + sums.count};
    for (std::size_t k = 0; k < free.size(); ++k) {
        const Quad* const own = &columns.values[free[k] * columns.count];
        out.values.insert(out.values.end(), own, own + columns.count);
        out.values.insert(out.values.end(), sums.values.data() + k * sums.count,
                          sums.values.data() + (k + 1) * sums.count);
    }
    return out;
}

/// The factor of K of these rows plus the inner products of `sums`; pivots that are rounding are 0.
PreciseMatrix factor_of(const PreciseMatrix& kernel, std::span<const std::size_t> free,
                        const PreciseFeatures& sums) {
    PreciseMatrix lower(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) {
        for (std::size_t j = 0; j < free.size(); ++j) {
            lower(i, j) = kernel(free[i], free[j]);
            for (std::size_t e = 0; e < sums.count; ++e) {
                lower(i, j) += sums.values[i * sums.count + e] * sums.values[j * sums.count + e];
            }
        }
    }
    const PreciseMatrix whole = lower;
    lower.factor();
    for (std::size_t k = 0; k < free.size(); ++k) {
        if (!(lower(k, k) > whole(k, k) * kNoDigitsOfPivot)) {
            lower(k, k) = 0.0;
        }
    }
    return lower;
}

/// The doubles with the held rows at their bounds.
std::vector<double> with_held(std::vector<double> doubles, std::span<const double> held) {
    for (std::size_t i = 0; i < held.size(); ++i) {
        doubles[i] = std::isnan(held[i]) ? doubles[i] : held[i];
    }
    return doubles;
}

}  // namespace

std::vector<double> rounded(std::span<const Quad> beta, const PreciseMatrix& kernel) {
    const std::vector<Quad> norms = norms_of(beta, kernel);
    Quad largest = 0.0;
    Quad largest_norm = 0.0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        largest = std::max(largest, fabs(beta[i]));
        largest_norm = std::max(largest_norm, norms[i]);
    }
    std::vector<double> out;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        // A coefficient whose function has a small norm may still matter for the sum constraint.
        const bool nothing =
            fabs(beta[i]) < largest * kNothing && norms[i] < largest_norm * kNothing;
        out.push_back(nothing ? 0.0 : static_cast<double>(beta[i]));
    }
    return out;
}

std::vector<double> rounded_together(const Problem& problem, std::span<const Quad> beta,
                                     const PreciseMatrix& kernel, const TogetherOptions& options) {
    std::vector<double> out = rounded(beta, kernel);
    const std::vector<Quad> sizes = options.by_size ? sizes_of(beta) : norms_of(beta, kernel);
    std::vector<std::size_t> rows = free_rows(problem, out, sizes, options.held);
    const std::size_t free = rows.size();
    out = with_held(std::move(out), options.held);
    if (free == 0) {
        return out;
    }
    std::vector<bool> is_free(out.size(), false);
    for (const std::size_t row : rows) {
        is_free[row] = true;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!is_free[i] && Quad(out[i]) != beta[i]) {
            rows.push_back(i);
        }
    }
    const PreciseFeatures sums =
        options.with_sums ? sum_columns(problem, beta, kernel, rows) : PreciseFeatures();
    const bool by_columns = options.columns != nullptr && options.columns->count > 0;
    make_up(problem, beta, {rows, free},
            by_columns ? orthogonal_parts(beside(*options.columns, rows, sums))
                       : factor_of(kernel, rows, sums),
            out);
    return out;
}

}  // namespace mercer

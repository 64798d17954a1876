// SPDX-License-Identifier: Apache-2.0
//
// src/operators/precise_values.cpp - K beta for the few rows that a proof depends on.
#include "mercer/operators/precise_values.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/roundoff.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/data/equal_rows.hpp"
#include "mercer/kernels/precise.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "operators/compiled_rows.hpp"

namespace mercer {

namespace {

// Bound on the operations of a kernel value in addition to one per column.
constexpr double kOperationsOfValue = 256.0;

/// Rounding error of a sum of that many terms in 113 bits, in units of its largest terms.
double precise_rounding(std::size_t terms, index_t columns) {
    return 0x1p-111 *
           (static_cast<double>(terms) + static_cast<double>(columns) + kOperationsOfValue);
}

std::vector<index_t> support_of(std::span<const double> beta) {
    std::vector<index_t> support;
    for (std::size_t j = 0; j < beta.size(); ++j) {
        if (beta[j] != 0.0) {
            support.push_back(static_cast<index_t>(j));
        }
    }
    return support;
}

double l1_norm(std::span<const double> beta) {
    double sum = 0.0;
    for (const double value : beta) {
        sum += std::abs(value);
    }
    return sum * (1.0 + rounding_of(static_cast<double>(beta.size())));
}

/// Coefficients of equal rows added up: if they cancel, so do the errors of their kernel values.
struct MergedRows {
    std::vector<index_t> rows;
    std::vector<Quad> sums;
    std::vector<double> errors;  ///< what the additions have rounded off
};

MergedRows merge_equal_rows(const Dataset& x, std::span<const double> beta) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    const std::vector<index_t> first = first_equal_rows(x);
    std::vector<std::size_t> places(first.size(), kNone);
    MergedRows out;
    for (std::size_t j = 0; j < beta.size(); ++j) {
        if (beta[j] == 0.0) {
            continue;
        }
        std::size_t& place = places[static_cast<std::size_t>(first[j])];
        if (place == kNone) {
            place = out.rows.size();
            out.rows.push_back(static_cast<index_t>(j));
            out.sums.emplace_back(beta[j]);
            out.errors.push_back(0.0);
            continue;
        }
        const Quad before = out.sums[place];
        const Quad sum = before + beta[j];
        const Quad added = sum - before;
        const Quad lost = (before - (sum - added)) + (Quad(beta[j]) - added);  // exact
        out.sums[place] = sum;
        out.errors[place] += std::abs(static_cast<double>(lost)) * (1.0 + 4.0 * kRoundoff);
    }
    return out;
}

/// Sum of the sizes of merged coefficients, times `scales` if there are any, such that `lost` times
/// it bounds the rounding of a sum with them.
double merged_size(const MergedRows& merged, std::span<const double> diagonal, double lost) {
    double sum = 0.0;
    for (std::size_t j = 0; j < merged.rows.size(); ++j) {
        const double size = std::abs(static_cast<double>(merged.sums[j])) + merged.errors[j] / lost;
        const auto row = static_cast<std::size_t>(merged.rows[j]);
        sum +=
            diagonal.empty() ? size : size * kOfDiagonal * std::sqrt(std::max(0.0, diagonal[row]));
    }
    return sum * (1.0 + rounding_of(static_cast<double>(merged.rows.size()) + 4.0));
}

/// The given values of K beta for K = factor X X', by w = X'beta: two passes over the entries.
std::vector<Quad> multiply_by_columns(const Dataset& x, Quad factor, std::span<const index_t> rows,
                                      const MergedRows& merged) {
    std::vector<Quad> beta(static_cast<std::size_t>(x.rows()), Quad(0.0));
    for (std::size_t j = 0; j < merged.rows.size(); ++j) {
        beta[static_cast<std::size_t>(merged.rows[j])] = merged.sums[j];
    }
    std::vector<Quad> w(static_cast<std::size_t>(x.columns()), Quad(0.0));
    data::for_each_entry(x, [&](index_t i, index_t k, double value) {
        if (const Quad b = beta[static_cast<std::size_t>(i)]; b != 0.0) {
            w[static_cast<std::size_t>(k)] += b * value;
        }
    });
    constexpr std::size_t kNotAsked = static_cast<std::size_t>(-1);
    std::vector<std::size_t> places(beta.size(), kNotAsked);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        places[static_cast<std::size_t>(rows[k])] = k;
    }
    std::vector<Quad> out(rows.size(), Quad(0.0));
    data::for_each_entry(x, [&](index_t i, index_t k, double value) {
        if (const std::size_t place = places[static_cast<std::size_t>(i)]; place != kNotAsked) {
            out[place] += w[static_cast<std::size_t>(k)] * value;
        }
    });
    for (Quad& value : out) {
        value *= factor;
    }
    return out;
}

/// The factor k(x, z) / x'z of a linear kernel: its value where x'z is 1.
Quad precise_factor(const Kernel& kernel, std::size_t columns) {
    std::vector<double> unit(columns, 0.0);
    unit.front() = 1.0;
    return evaluate_precisely(kernel, unit, unit);
}

}  // namespace

RowSizes row_sizes(const Dataset& rows) {
    RowSizesGatherer gatherer(rows.columns());
    data::for_each_entry(rows, [&](index_t i, index_t, double value) { gatherer.add(i, value); });
    return gatherer.sizes();
}

double GramOperator::precise_operations(index_t rows, std::span<const double> beta) const {
    constexpr double kOfValue = 40.0;  // in addition to two per column
    if (linear() != nullptr) {
        return 4.0 * static_cast<double>(cost().stored);
    }
    const auto support =
        static_cast<double>(std::ranges::count_if(beta, [](double b) { return b != 0.0; }));
    return static_cast<double>(rows) * support *
           (2.0 * static_cast<double>(cost().columns) + kOfValue);
}

PreciseValues GramOperator::multiply_precisely(std::span<const index_t> rows,
                                               std::span<const double> beta,
                                               const GramRounding& entries,
                                               Context& context) const {
    const std::vector<index_t> support = support_of(beta);
    PreciseValues out;
    out.error = entries.of_sum(l1_norm(beta), precise_rounding(support.size(), 0));
    if (support.empty()) {
        out.values.resize(rows.size());
        return out;
    }
    std::vector<double> row(support.size());
    for (const index_t i : rows) {
        block(std::span(&i, 1), support, Precision::float64, context)
            ->copy_rows(0, {row.data(), 1, static_cast<index_t>(row.size())}, context);
        Quad sum = 0.0;
        for (std::size_t j = 0; j < support.size(); ++j) {
            sum += Quad(beta[static_cast<std::size_t>(support[j])]) * row[j];
        }
        out.values.push_back(sum);
    }
    return out;
}

GramRounding CompiledRows::rounding() const {
    std::call_once(rounding_made_, [this] {
        const KernelRounding bound = kernel_rounding(kernel_, row_sizes(rows_));
        const std::vector<double>& own = diagonal();
        const double most = own.empty() ? 0.0 : *std::max_element(own.begin(), own.end());
        // |K(i, j)| <= max K(i, i) if K is positive semidefinite; otherwise nothing is proved.
        rounding_.largest = std::min(bound.largest, most + bound.error);
        rounding_.error =
            std::isfinite(bound.error) ? bound.error : kAssumedRounding * rounding_.largest;
        rounding_.relative = bound.relative;
    });
    return rounding_;
}

GramRounding TiledGram::rounding() const {
    const GramRounding computed = compiled_->rounding();
    if (!holds_values()) {
        return computed;
    }
    // The stored values are K by definition; rounding to float32 increases them by less than this.
    constexpr double kInFloat = 1.0 + 1e-5;
    return {.error = 0.0, .largest = kInFloat * computed.largest, .relative = 0.0};
}

PreciseValues TiledGram::multiply_precisely(std::span<const index_t> rows,
                                            std::span<const double> beta,
                                            const GramRounding& entries, Context& context) const {
    if (holds_values() || !has_precise_values(compiled_->kernel())) {
        return GramOperator::multiply_precisely(rows, beta, entries, context);
    }
    const MergedRows merged = merge_equal_rows(compiled_->rows(), beta);
    const auto columns = static_cast<std::size_t>(compiled_->rows().columns());
    PreciseValues out;
    out.values.resize(rows.size());
    const double lost = precise_rounding(support_of(beta).size(), compiled_->rows().columns());
    out.error = lost * entries.largest * merged_size(merged, {}, lost);
    if (std::isfinite(entries.relative)) {
        out.scaled = lost * merged_size(merged, compiled_->diagonal(), lost);
    }
    if (linear() != nullptr && columns > 0) {
        out.values = multiply_by_columns(
            compiled_->rows(), precise_factor(compiled_->kernel(), columns), rows, merged);
        return out;
    }
    parallel_for(context, static_cast<index_t>(rows.size()), [&](index_t k, int) {
        std::vector<double> x(columns);
        std::vector<double> z(columns);
        compiled_->rows().copy_row(rows[static_cast<std::size_t>(k)], x);
        Quad sum = 0.0;
        for (std::size_t j = 0; j < merged.rows.size(); ++j) {
            compiled_->rows().copy_row(merged.rows[j], z);
            sum += merged.sums[j] * evaluate_precisely(compiled_->kernel(), z, x);
        }
        out.values[static_cast<std::size_t>(k)] = sum;
    });
    return out;
}

PreciseFeatures GramOperator::precise_features(std::span<const index_t>, index_t) const {
    return {};
}

PreciseFeatures TiledGram::precise_features(std::span<const index_t> places, index_t most) const {
    PreciseFeatures out;
    std::vector<double> x(static_cast<std::size_t>(compiled_->rows().columns()));
    for (const index_t place : places) {
        compiled_->rows().copy_row(place, x);
        const std::vector<Quad> z = mercer::precise_features(compiled_->kernel(), x, most);
        if (z.empty()) {
            return {};
        }
        out.count = z.size();
        out.values.insert(out.values.end(), z.begin(), z.end());
    }
    return out;
}

GramRounding TableGram::rounding() const {
    double largest = 0.0;  // |K(i, j)| <= max K(i, i) if K is positive semidefinite
    for (const double value : compiled_->diagonal()) {
        largest = std::max(largest, std::abs(value));
    }
    constexpr double kOperations = 16.0;  // bound for an expression around the table
    return {compiled_->kernel().node().children.empty() ? 0.0 : rounding_of(kOperations) * largest,
            largest};
}

GramRounding SubsetGram::rounding() const {
    std::call_once(rounding_made_, [this] {
        rounding_ = gram_->rounding();
        double most = 0.0;
        for (const double value : gram_->diagonal(*places_)) {
            most = std::max(most, std::abs(value));
        }
        rounding_.largest = std::min(rounding_.largest, most + rounding_.error);
        rounding_.error = std::min(rounding_.error, rounding_.relative * rounding_.largest);
    });
    return rounding_;
}

PreciseValues SubsetGram::multiply_precisely(std::span<const index_t> rows,
                                             std::span<const double> beta,
                                             const GramRounding& entries, Context& context) const {
    std::vector<double> all(static_cast<std::size_t>(gram_->size()), 0.0);
    for (std::size_t i = 0; i < beta.size(); ++i) {
        all[static_cast<std::size_t>((*places_)[i])] = beta[i];
    }
    std::vector<index_t> places;
    for (const index_t row : rows) {
        places.push_back((*places_)[static_cast<std::size_t>(row)]);
    }
    return gram_->multiply_precisely(places, all, entries, context);
}

PreciseFeatures SubsetGram::precise_features(std::span<const index_t> places, index_t most) const {
    std::vector<index_t> theirs;
    for (const index_t place : places) {
        theirs.push_back((*places_)[static_cast<std::size_t>(place)]);
    }
    return gram_->precise_features(theirs, most);
}

GramRounding ShiftedGram::rounding() const {
    GramRounding out = gram_->rounding();
    const double most = shift_->empty() ? 0.0 : *std::max_element(shift_->begin(), shift_->end());
    out.largest += most;
    out.error += rounding_of(2.0) * out.largest;
    return out;
}

PreciseValues ShiftedGram::multiply_precisely(std::span<const index_t> rows,
                                              std::span<const double> beta,
                                              const GramRounding& entries, Context& context) const {
    PreciseValues out = gram_->multiply_precisely(rows, beta, entries, context);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto i = static_cast<std::size_t>(rows[k]);
        out.values[k] += Quad((*shift_)[i]) * beta[i];
    }
    return out;
}

}  // namespace mercer

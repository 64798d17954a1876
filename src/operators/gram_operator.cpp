// SPDX-License-Identifier: Apache-2.0
//
// src/operators/gram_operator.cpp - products with K in pieces that fit into the free memory.
#include "mercer/operators/gram_operator.hpp"

#include <algorithm>
#include <numeric>

#include "mercer/base/quad.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "operators/compiled_rows.hpp"

namespace mercer {

namespace {

// If fewer than one row in this many is in the support, symmetry saves less than preparing the rows
// twice costs.
constexpr index_t kFewSupport = 6;

// With fewer rows, finding equal rows costs more than it saves.
constexpr index_t kManyRows = 2048;

// Rows are prepared in pieces of this many bytes, at least 64 rows: a piece is used for many rows
// of the other side, so larger pieces gain little. 10,000 rows of mnist, odd digits against even
// ones, CPU seconds and memory of the whole training: 1.39 and 178 MiB with the support in one
// piece, 1.41 and 147 MiB in pieces of 4 MiB. Small problems, of which several may be solved at
// once, prepare a quarter of their rows at a time. A little less than a power of two: the rows are
// padded, and the block waits for the next piece in MemoryBudget.
constexpr index_t kBatchBytes = index_t{7} << 19;
constexpr index_t kSmallBatchBytes = kBatchBytes / 8;
constexpr index_t kBatchesPerProblem = 4;
constexpr index_t kShortestBatch = 64;
// Of sparse rows: value, column, the index by columns, and the copy they are prepared from.
constexpr index_t kBytesPerEntry = 48;
// The rows of one side get this part of the free memory: they are copied, prepared and listed. A
// symmetric product has 32 sums for each of them.
constexpr index_t kShareOfMemory = 6;
constexpr index_t kBytesOfSums = 32 * 8;

/// Calls use(begin, piece) for consecutive pieces of the list.
template <typename Use>
void for_each_piece(std::span<const index_t> list, index_t longest, const Use& use) {
    const auto step = static_cast<std::size_t>(longest);
    for (std::size_t begin = 0; begin < list.size(); begin += step) {
        use(begin, list.subspan(begin, std::min(step, list.size() - begin)));
    }
}

/// Number of rows of one side that are prepared at once.
index_t piece_rows(const GramOperator& gram, Precision precision, const Context& context) {
    const index_t bytes = gram.cost().row_bytes(precision);
    const index_t fitting = context.memory()->left() / (kShareOfMemory * bytes + 2 * kBytesOfSums);
    const index_t wanted =
        std::clamp(gram.size() / kBatchesPerProblem, kSmallBatchBytes / bytes, kBatchBytes / bytes);
    return std::max(kShortestBatch, std::min(wanted, fitting));
}

MatrixView<const double> column_of(std::span<const double> values) {
    return {values.data(), static_cast<index_t>(values.size()), 1};
}

/// f[places[i]] += values[i].
void add_at(std::span<const index_t> places, const std::vector<double>& values,
            std::vector<double>& f) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        f[static_cast<std::size_t>(places[i])] += values[i];
    }
}

/// One row of each set of equal rows, with the sum of their coefficients.
class DistinctRows {
public:
    DistinctRows(const GramOperator& gram, std::span<const double> beta) {
        rows_ = all_rows(gram.size());
        const std::vector<index_t> kinds =
            gram.size() < kManyRows ? std::vector<index_t>() : gram.kinds(rows_);
        if (kinds.empty()) {
            weights_.assign(beta.begin(), beta.end());
        } else {
            gather(kinds, beta);
        }
    }

    [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }

    /// The values of all rows, from the values of rows().
    [[nodiscard]] std::vector<double> spread(std::vector<double> values) const {
        if (slots_.empty()) {
            return values;
        }
        std::vector<double> out;
        out.reserve(slots_.size());
        for (const index_t slot : slots_) {
            out.push_back(values[static_cast<std::size_t>(slot)]);
        }
        return out;
    }

private:
    void gather(std::span<const index_t> kinds, std::span<const double> beta) {
        const index_t last = *std::max_element(kinds.begin(), kinds.end());
        std::vector<index_t> slot_of(static_cast<std::size_t>(last) + 1, -1);
        std::vector<Quad> sums;  // so that a weight is rounded once
        rows_.clear();
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            index_t& slot = slot_of[static_cast<std::size_t>(kinds[i])];
            if (slot < 0) {
                slot = static_cast<index_t>(rows_.size());
                rows_.push_back(static_cast<index_t>(i));
                sums.emplace_back(0.0);
            }
            slots_.push_back(slot);
            if (beta[i] != 0.0) {
                sums[static_cast<std::size_t>(slot)] += beta[i];
            }
        }
        weights_ = std::vector<double>(sums.begin(), sums.end());
    }

    std::vector<index_t> rows_;
    std::vector<double> weights_;
    std::vector<index_t> slots_;  ///< index into rows() of each row or its equal; empty: same
};

/// The rows with a nonzero coefficient, the others, and the coefficients.
struct Support {
    explicit Support(const DistinctRows& distinct) {
        for (std::size_t i = 0; i < distinct.rows().size(); ++i) {
            const double weight = distinct.weights()[i];
            (weight != 0.0 ? rows : others).push_back(distinct.rows()[i]);
            if (weight != 0.0) {
                weights.push_back(weight);
            }
        }
    }

    std::vector<index_t> rows;
    std::vector<index_t> others;
    std::vector<double> weights;
};

/// K beta in pieces. Among the support only half of the kernel values are computed, within a piece
/// and between two pieces; the other half follows by symmetry.
std::vector<double> multiply_by_halves(const GramOperator& gram, const Support& support,
                                       Context& context) {
    const index_t longest = piece_rows(gram, Precision::float64, context);
    const std::span<const index_t> rows = support.rows;
    const std::span<const double> weights = support.weights;
    std::vector<double> f(static_cast<std::size_t>(gram.size()), 0.0);
    for_each_piece(rows, longest, [&](std::size_t begin, std::span<const index_t> piece) {
        const std::span<const double> own = weights.subspan(begin, piece.size());
        const auto among = gram.block(piece, piece, Precision::float64, context);
        std::vector<double> values(piece.size());
        const auto multiply = [&](const GramBlock& block, std::span<const index_t> left) {
            values.resize(left.size());
            block.multiply(column_of(own), {values.data(), block.rows(), 1}, context);
            add_at(left, values, f);
        };
        multiply(*among, piece);
        const std::size_t end = begin + piece.size();
        for_each_piece(rows.subspan(end), longest,
                       [&](std::size_t first, std::span<const index_t> later) {
                           std::vector<double> back(piece.size());
                           values.resize(later.size());
                           among->beside(later, context)
                               ->multiply_both(own, weights.subspan(end + first, later.size()),
                                               values, back, context);
                           add_at(later, values, f);
                           add_at(piece, back, f);
                       });
        for_each_piece(support.others, longest, [&](std::size_t, std::span<const index_t> left) {
            multiply(*among->beside(left, context), left);
        });
    });
    return f;
}

/// The values of the given rows.
std::vector<double> at_rows(const std::vector<double>& values, std::span<const index_t> rows) {
    std::vector<double> out;
    out.reserve(rows.size());
    for (const index_t row : rows) {
        out.push_back(values[static_cast<std::size_t>(row)]);
    }
    return out;
}

}  // namespace

double GramCost::entries_per_row() const noexcept {
    return static_cast<double>(stored) / static_cast<double>(std::max<index_t>(1, rows));
}

index_t GramCost::row_bytes(Precision precision) const noexcept {
    const index_t entry = precision == Precision::float32 ? 4 : 8;
    const index_t dense = entry * std::max<index_t>(1, columns);
    const index_t few = kBytesPerEntry * (stored / std::max<index_t>(1, rows) + 1);
    return sparse ? std::min(dense, few) : dense;
}

std::vector<index_t> GramOperator::kinds(std::span<const index_t>) const { return {}; }

std::vector<double> GramOperator::diagonal() const {
    constexpr index_t kBlock =
        1024;  // a list of all places would take as much memory as the result
    std::vector<index_t> places(static_cast<std::size_t>(std::min(size(), kBlock)));
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(size()));
    for (index_t begin = 0; begin < size(); begin += kBlock) {
        places.resize(static_cast<std::size_t>(std::min(size() - begin, kBlock)));
        std::iota(places.begin(), places.end(), begin);
        const std::vector<double> part = diagonal(places);
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

std::unique_ptr<GramRows> GramOperator::rows(Precision precision, Context& context) const {
    return rows(all_rows(size()), precision, context);
}

double GramOperator::product_steps(std::span<const double> beta) const {
    return product_steps(std::ranges::count_if(beta, [](double b) { return b != 0.0; }));
}

double GramOperator::product_steps(index_t terms) const {
    // A product, factors, the ends of a sum, and the sum of the coefficients of equal rows.
    constexpr double kOfFormula = 9.0;
    if (linear() != nullptr) {  // a sum over the rows, then one over the columns
        return static_cast<double>(terms + cost().columns) + kOfFormula;
    }
    const index_t pieces = (terms + kShortestBatch - 1) / kShortestBatch;
    return static_cast<double>(std::min(terms, longest_sum(terms) + pieces)) + kOfFormula;
}

std::vector<double> GramOperator::multiply(std::span<const double> beta, Context& context) const {
    context.count_products(1);
    const Context::Uncounted pieces(context);
    const auto n = static_cast<index_t>(beta.size());
    if (const LinearFactor* x = linear(); x != nullptr && two_passes_are_cheaper(x->rows, 1)) {
        std::vector<double> f(beta.size(), 0.0);
        multiply_linear_gram(x->rows, x->factor, {beta.data(), n, 1}, {f.data(), n, 1}, context);
        return f;
    }
    const DistinctRows distinct(*this, beta);
    const Support support(distinct);
    const auto m = static_cast<index_t>(support.rows.size());
    const auto u = static_cast<index_t>(distinct.rows().size());
    if (m == 0) {
        return std::vector<double>(beta.size(), 0.0);
    }
    if (kFewSupport * m >= u && is_symmetric() && !cost().held) {
        return distinct.spread(
            at_rows(multiply_by_halves(*this, support, context), distinct.rows()));
    }
    if (!is_part() && u <= kBatchBytes / cost().row_bytes(Precision::float64)) {  // one piece
        std::vector<double> f(static_cast<std::size_t>(u));
        block(distinct.rows(), support.rows, Precision::float64, context)
            ->multiply(column_of(support.weights), {f.data(), u, 1}, context);
        return distinct.spread(std::move(f));
    }
    return distinct.spread(
        multiply(distinct.rows(), support.rows, support.weights, Precision::float64, context));
}

std::vector<double> GramOperator::multiply(std::span<const index_t> rows,
                                           std::span<const index_t> columns,
                                           std::span<const double> weights, Precision precision,
                                           Context& context) const {
    context.count_products(1);
    const Context::Uncounted pieces(context);
    std::vector<double> out(rows.size(), 0.0);
    const index_t longest = piece_rows(*this, precision, context);
    for_each_piece(columns, longest, [&](std::size_t first, std::span<const index_t> right) {
        const auto among = block(right, right, precision, context);
        const std::span<const double> v = weights.subspan(first, right.size());
        for_each_piece(rows, longest, [&](std::size_t begin, std::span<const index_t> left) {
            std::vector<double> values(left.size());
            among->beside(left, context)
                ->multiply(column_of(v), {values.data(), static_cast<index_t>(values.size()), 1},
                           context);
            for (std::size_t i = 0; i < values.size(); ++i) {
                out[begin + i] += values[i];
            }
        });
    });
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/operators/shifted_gram.cpp - K with a number added where row and column are the same sample.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "operators/block_around.hpp"
#include "operators/compiled_rows.hpp"

namespace mercer {

namespace {

/// A row and a column of a block that are the same sample, and the number added there.
struct Meeting {
    index_t row = 0;
    index_t column = 0;
    double shift = 0.0;
};

using Shifts = std::shared_ptr<const std::vector<double>>;

/// All common samples of two lists, rows ascending.
std::vector<Meeting> meetings_of(std::span<const index_t> left, std::span<const index_t> right,
                                 const std::vector<double>& shift) {
    std::unordered_multimap<index_t, index_t> columns;
    for (std::size_t j = 0; j < right.size(); ++j) {
        columns.emplace(right[j], static_cast<index_t>(j));
    }
    std::vector<Meeting> out;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const auto [first, last] = columns.equal_range(left[i]);
        for (auto each = first; each != last; ++each) {
            out.push_back(
                {static_cast<index_t>(i), each->second, shift[static_cast<std::size_t>(left[i])]});
        }
    }
    return out;
}

class ShiftedBlock final : public BlockAround {
public:
    ShiftedBlock(std::unique_ptr<const GramBlock> block, std::span<const index_t> left,
                 std::vector<index_t> right, Shifts shift)
        : BlockAround(std::move(block)),
          right_(std::move(right)),
          shift_(std::move(shift)),
          meetings_(meetings_of(left, right_, *shift_)) {}

    void copy_rows(index_t begin, MatrixView<float> values, Context& context) const override {
        block().copy_rows(begin, values, context);
        add_to_rows(begin, values);
    }
    void copy_rows(index_t begin, MatrixView<double> values, Context& context) const override {
        block().copy_rows(begin, values, context);
        add_to_rows(begin, values);
    }
    void copy_lower(MatrixView<float> values, Context& context) const override {
        block().copy_lower(values, context);
        add_to_rows(0, values);
    }
    void copy_lower(MatrixView<double> values, Context& context) const override {
        block().copy_lower(values, context);
        add_to_rows(0, values);
    }
    void multiply(MatrixView<const double> v, MatrixView<double> out,
                  Context& context) const override {
        block().multiply(v, out, context);
        add_product(v, out);
    }
    void multiply_both(std::span<const double> v, std::span<const double> u, std::span<double> out,
                       std::span<double> transposed, Context& context) const override {
        block().multiply_both(v, u, out, transposed, context);
        for (const Meeting& each : meetings_) {
            const auto row = static_cast<std::size_t>(each.row);
            const auto column = static_cast<std::size_t>(each.column);
            out[row] += each.shift * v[column];
            transposed[column] += each.shift * u[row];
        }
    }
    void multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                         MatrixView<const double> z, MatrixView<double> out,
                         Context& context) const override;
    [[nodiscard]] std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                          Context& context) const override {
        return std::make_unique<ShiftedBlock>(block().beside(left, context), left, right_, shift_);
    }

private:
    template <typename T>
    void add_to_rows(index_t begin, MatrixView<T> values) const {
        for (const Meeting& each : meetings_) {
            if (each.row >= begin && each.row < begin + values.rows) {
                values(each.row - begin, each.column) += static_cast<T>(each.shift);
            }
        }
    }
    void add_product(MatrixView<const double> v, MatrixView<double> out) const {
        for (const Meeting& each : meetings_) {
            for (index_t c = 0; c < out.columns; ++c) {
                out(each.row, c) += each.shift * v(each.column, c);
            }
        }
    }

    std::vector<index_t> right_;
    Shifts shift_;
    std::vector<Meeting> meetings_;
};

/// In two passes: residual r = W ((K + S) v) - Z, then (K + S)'r = K'(K 0 + r) + S'r.
void ShiftedBlock::multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                                   MatrixView<const double> z, MatrixView<double> out,
                                   Context& context) const {
    const index_t t = v.columns;
    Buffer<double> residual = context.allocate<double>(rows() * t, "residuals");
    const MatrixView<double> r(residual.data(), rows(), t);
    multiply(v, r, context);
    for (index_t i = 0; i < rows(); ++i) {
        const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(i)];
        for (index_t c = 0; c < t; ++c) {
            r(i, c) = (z.data == nullptr ? 0.0 : z(i, c)) - weight * r(i, c);
        }
    }
    Buffer<double> zero = context.allocate<double>(columns() * t, "zeros");
    std::fill(zero.span().begin(), zero.span().end(), 0.0);
    block().multiply_normal({zero.data(), columns(), t}, {}, r, out, context);
    for (const Meeting& each : meetings_) {
        for (index_t c = 0; c < t; ++c) {
            out(each.column, c) -= each.shift * r(each.row, c);
        }
    }
}

/// Rows with the shift added at their own columns.
class ShiftedRows final : public GramRows {
public:
    ShiftedRows(std::unique_ptr<GramRows> rows, std::span<const index_t> places,
                const std::vector<double>& shift)
        : rows_(std::move(rows)), diagonal_(rows_->diagonal().begin(), rows_->diagonal().end()) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            shift_.push_back(shift[static_cast<std::size_t>(places[i])]);
            diagonal_[i] += shift_.back();
        }
    }

    [[nodiscard]] index_t size() const noexcept override { return rows_->size(); }
    [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
    void set_columns(std::span<const index_t> columns, Context& context) override {
        rows_->set_columns(columns, context);
        column_of_.assign(shift_.size(), -1);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            column_of_[static_cast<std::size_t>(columns[j])] = static_cast<index_t>(j);
        }
    }
    void set_all_columns() noexcept override {
        rows_->set_all_columns();
        column_of_.clear();
    }
    index_t fill(std::span<const index_t> wanted, index_t first, index_t end,
                 std::span<float* const> targets, Context& context) override {
        // Columns before the first may be computed again with the first block: their shift must be
        // neither lost nor added twice.
        std::vector<index_t> columns;
        std::vector<float> before;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            columns.push_back(column_of(wanted[i]));
            before.push_back(columns[i] >= 0 && columns[i] < first ? targets[i][columns[i]] : 0.0F);
        }
        const index_t blocks = rows_->fill(wanted, first, end, targets, context);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (columns[i] >= 0 && columns[i] < first) {
                targets[i][columns[i]] = before[i];
            } else if (columns[i] >= first && columns[i] < end) {
                targets[i][columns[i]] +=
                    static_cast<float>(shift_[static_cast<std::size_t>(wanted[i])]);
            }
        }
        return blocks;
    }
    void block(std::span<const index_t> left, std::span<const index_t> right,
               MatrixView<float> values, Context& context) override {
        rows_->block(left, right, values, context);
        for (const Meeting& each : meetings_of(left, right, shift_)) {
            values(each.row, each.column) += static_cast<float>(each.shift);
        }
    }

private:
    [[nodiscard]] index_t column_of(index_t row) const {
        return column_of_.empty() ? row : column_of_[static_cast<std::size_t>(row)];
    }

    std::unique_ptr<GramRows> rows_;
    std::vector<double> shift_;
    std::vector<double> diagonal_;
    std::vector<index_t> column_of_;  ///< of every row; -1: not active. Empty: all rows are active.
};

}  // namespace

ShiftedGram::ShiftedGram(std::shared_ptr<const GramOperator> gram, std::span<const double> shift)
    : gram_(std::move(gram)),
      shift_(std::make_shared<const std::vector<double>>(shift.begin(), shift.end())) {
    if (static_cast<index_t>(shift.size()) != gram_->size()) {
        throw InvalidArgument(
            fmt::format("shift: got {} entries for {} rows", shift.size(), gram_->size()));
    }
}

std::vector<double> ShiftedGram::diagonal(std::span<const index_t> places) const {
    std::vector<double> out = gram_->diagonal(places);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] += (*shift_)[static_cast<std::size_t>(places[i])];
    }
    return out;
}

std::unique_ptr<const GramBlock> ShiftedGram::block(std::span<const index_t> left,
                                                    std::span<const index_t> right,
                                                    Precision precision, Context& context) const {
    return std::make_unique<ShiftedBlock>(gram_->block(left, right, precision, context), left,
                                          std::vector<index_t>(right.begin(), right.end()), shift_);
}

std::unique_ptr<const GramBlock> ShiftedGram::whole(Precision precision, Context& context) const {
    const std::vector<index_t> all = all_rows(size());
    return std::make_unique<ShiftedBlock>(gram_->whole(precision, context), all, all, shift_);
}

std::unique_ptr<GramRows> ShiftedGram::rows(std::span<const index_t> places, Precision precision,
                                            Context& context) const {
    return std::make_unique<ShiftedRows>(gram_->rows(places, precision, context), places, *shift_);
}

std::shared_ptr<const GramOperator> ShiftedGram::scaled(double factor) const {
    std::shared_ptr<const GramOperator> scaled = gram_->scaled(factor);
    if (scaled == nullptr) {
        return nullptr;
    }
    std::vector<double> shift(*shift_);
    for (double& value : shift) {
        value *= factor;
    }
    return std::make_shared<const ShiftedGram>(std::move(scaled), shift);
}

NewRows ShiftedGram::beside(const Dataset& rows, Context& context) const {
    return gram_->beside(rows, context);  // a new row has no column of its own
}

GramOrigin ShiftedGram::origin() const {
    throw InvalidArgument("gram: K + shift is not the matrix of a kernel");
}

std::shared_ptr<const GramOperator> shifted(std::shared_ptr<const GramOperator> gram,
                                            std::span<const double> shift) {
    return std::make_shared<const ShiftedGram>(std::move(gram), shift);
}

}  // namespace mercer

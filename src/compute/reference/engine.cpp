// SPDX-License-Identifier: Apache-2.0
//
// src/compute/reference/engine.cpp - scalar, in double, straight from the formulas.
//
// Shares no code with the cpu backend: it does not lower the kernel but evaluates it. Slow on
// purpose.
#include "mercer/compute/engine.hpp"

#include <fmt/core.h>

#include <vector>

#include "compute/reference/backend.hpp"
#include "compute/tile_bounds.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer::reference {

namespace {

class ReferenceRows final : public PreparedRows {
public:
    ReferenceRows(Dataset rows, std::vector<index_t> ids)
        : data(std::move(rows)), numbers(std::move(ids)) {}
    [[nodiscard]] index_t rows() const noexcept override {
        return static_cast<index_t>(numbers.size());
    }
    [[nodiscard]] std::vector<double> row(index_t i, index_t columns) const {
        std::vector<double> out(static_cast<std::size_t>(columns), 0.0);
        data.copy_row(numbers[static_cast<std::size_t>(i)],
                      std::span<double>(out).first(static_cast<std::size_t>(data.columns())));
        return out;
    }

    Dataset data;
    std::vector<index_t> numbers;  ///< row numbers in `data`
};

class ReferenceScratch final : public TileScratch {};

class ReferenceEngine final : public KernelEngine {
public:
    ReferenceEngine(const Kernel& kernel, index_t columns, Precision precision)
        : kernel_(kernel), columns_(columns), precision_(precision) {}

    [[nodiscard]] Precision precision() const noexcept override { return precision_; }
    [[nodiscard]] std::string plan() const override { return "scalar formulas in double"; }
    [[nodiscard]] bool is_symmetric() const noexcept override { return false; }

    [[nodiscard]] std::unique_ptr<PreparedRows> prepare(const Dataset& rows,
                                                        Context&) const override {
        if (rows.columns() > columns_) {
            throw InvalidArgument(fmt::format("columns: got {}, the kernel was prepared for {}",
                                              rows.columns(), columns_));
        }
        std::vector<index_t> numbers(static_cast<std::size_t>(rows.rows()));
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = rows.source_row(static_cast<index_t>(i));
        }
        auto prepared = std::make_unique<ReferenceRows>(rows.whole(), std::move(numbers));
        for (index_t i = 0; i < rows.rows(); ++i) {
            const std::string violation = domain_violation(kernel_, prepared->row(i, columns_));
            if (!violation.empty()) {
                throw DataError(fmt::format("row {}, {}", rows.source_row(i) + 1, violation));
            }
        }
        return prepared;
    }

    [[nodiscard]] std::unique_ptr<PreparedRows> select(const PreparedRows& rows,
                                                       std::span<const index_t> chosen, TileSide,
                                                       Context&) const override {
        const auto& own = dynamic_cast<const ReferenceRows&>(rows);
        std::vector<index_t> numbers;
        for (const index_t row : chosen) {
            numbers.push_back(own.numbers.at(static_cast<std::size_t>(row)));
        }
        return std::make_unique<ReferenceRows>(own.data, std::move(numbers));
    }

    [[nodiscard]] std::unique_ptr<TileScratch> make_scratch(Context&) const override {
        return std::make_unique<ReferenceScratch>();
    }

    void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right, RowRange columns,
              MatrixView<float> values, TileScratch&) const override {
        compute(left, rows, right, columns, values, Precision::float32);
    }
    void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right, RowRange columns,
              MatrixView<double> values, TileScratch&) const override {
        compute(left, rows, right, columns, values, Precision::float64);
    }

private:
    template <typename T>
    void compute(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                 RowRange columns, MatrixView<T> values, Precision precision) const {
        if (precision != precision_) {
            throw InvalidArgument("values: the precision of the output is not the engine's");
        }
        require_tile(left, rows, right, columns, values);
        const auto& left_rows = dynamic_cast<const ReferenceRows&>(left);
        const auto& right_rows = dynamic_cast<const ReferenceRows&>(right);
        for (index_t i = 0; i < rows.count; ++i) {
            const std::vector<double> x = left_rows.row(rows.begin + i, columns_);
            for (index_t j = 0; j < columns.count; ++j) {
                if (kernel_.type() == KernelType::precomputed) {
                    const index_t id =
                        right_rows.numbers[static_cast<std::size_t>(columns.begin + j)];
                    values(i, j) = static_cast<T>(x.at(static_cast<std::size_t>(id)));
                } else {
                    const std::vector<double> z = right_rows.row(columns.begin + j, columns_);
                    values(i, j) = static_cast<T>(kernel_(x, z));
                }
            }
        }
    }

    Kernel kernel_;
    index_t columns_;
    Precision precision_;
};

}  // namespace

std::string ReferenceBackend::description() const { return "scalar formulas in double, slow"; }

std::unique_ptr<KernelEngine> ReferenceBackend::compile(const Kernel& kernel, const Dataset&,
                                                        const EngineOptions& options,
                                                        Context&) const {
    return std::make_unique<ReferenceEngine>(kernel, options.columns, options.precision);
}

}  // namespace mercer::reference

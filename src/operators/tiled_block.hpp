// SPDX-License-Identifier: Apache-2.0
//
// src/operators/tiled_block.hpp - a block of a TiledGram: a GramMatrix, and where more rows are.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "mercer/operators/gram.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "operators/compiled_rows.hpp"

namespace mercer {

class TiledBlock : public GramBlock {
public:
    /// `compiled` is null for rows that no operator has; beside() then throws.
    TiledBlock(GramMatrix matrix, std::shared_ptr<const CompiledRows> compiled)
        : matrix_(std::move(matrix)), compiled_(std::move(compiled)) {}

    [[nodiscard]] index_t rows() const noexcept override { return matrix_.rows(); }
    [[nodiscard]] index_t columns() const noexcept override { return matrix_.columns(); }
    [[nodiscard]] Precision precision() const noexcept override { return matrix_.precision(); }

    void copy_rows(index_t begin, MatrixView<float> values, Context& context) const override {
        matrix_.copy_rows(begin, values, context);
    }
    void copy_rows(index_t begin, MatrixView<double> values, Context& context) const override {
        matrix_.copy_rows(begin, values, context);
    }
    void copy_lower(MatrixView<float> values, Context& context) const override {
        matrix_.copy_lower(values, context);
    }
    void copy_lower(MatrixView<double> values, Context& context) const override {
        matrix_.copy_lower(values, context);
    }
    void multiply(MatrixView<const double> v, MatrixView<double> out,
                  Context& context) const override {
        matrix_.multiply(v, out, context);
    }
    void multiply_both(std::span<const double> v, std::span<const double> u, std::span<double> out,
                       std::span<double> transposed, Context& context) const override {
        matrix_.multiply_both(v, u, out, transposed, context);
    }
    void multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                         MatrixView<const double> z, MatrixView<double> out,
                         Context& context) const override {
        matrix_.multiply_normal(v, weights, z, out, context);
    }
    [[nodiscard]] std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                          Context& context) const override;

private:
    GramMatrix matrix_;
    std::shared_ptr<const CompiledRows> compiled_;
};

}  // namespace mercer

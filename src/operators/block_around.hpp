// SPDX-License-Identifier: Apache-2.0
//
// src/operators/block_around.hpp - a block that forwards to another one, as a base for variations.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "mercer/operators/gram_operator.hpp"

namespace mercer {

class BlockAround : public GramBlock {
public:
    explicit BlockAround(std::unique_ptr<const GramBlock> block) : block_(std::move(block)) {}

    [[nodiscard]] index_t rows() const noexcept override { return block_->rows(); }
    [[nodiscard]] index_t columns() const noexcept override { return block_->columns(); }
    [[nodiscard]] Precision precision() const noexcept override { return block_->precision(); }

    void copy_rows(index_t begin, MatrixView<float> values, Context& context) const override {
        block_->copy_rows(begin, values, context);
    }
    void copy_rows(index_t begin, MatrixView<double> values, Context& context) const override {
        block_->copy_rows(begin, values, context);
    }
    void copy_lower(MatrixView<float> values, Context& context) const override {
        block_->copy_lower(values, context);
    }
    void copy_lower(MatrixView<double> values, Context& context) const override {
        block_->copy_lower(values, context);
    }
    void multiply(MatrixView<const double> v, MatrixView<double> out,
                  Context& context) const override {
        block_->multiply(v, out, context);
    }
    void multiply_both(std::span<const double> v, std::span<const double> u, std::span<double> out,
                       std::span<double> transposed, Context& context) const override {
        block_->multiply_both(v, u, out, transposed, context);
    }
    void multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                         MatrixView<const double> z, MatrixView<double> out,
                         Context& context) const override {
        block_->multiply_normal(v, weights, z, out, context);
    }

protected:
    [[nodiscard]] const GramBlock& block() const noexcept { return *block_; }

private:
    std::unique_ptr<const GramBlock> block_;
};

}  // namespace mercer

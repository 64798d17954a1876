// SPDX-License-Identifier: Apache-2.0
//
// src/operators/tiled_block.hpp - a block of a TiledGram: a GramMatrix that can prepare other rows.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "mercer/operators/gram.hpp"
#include "operators/compiled_rows.hpp"

namespace mercer {

class TiledBlock : public GramMatrix {
public:
    TiledBlock(GramMatrix matrix, std::shared_ptr<const CompiledRows> compiled)
        : GramMatrix(std::move(matrix)), compiled_(std::move(compiled)) {}

    [[nodiscard]] std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                          Context& context) const override {
        return std::make_unique<TiledBlock>(matrix_beside(left, context), compiled_);
    }

protected:
    [[nodiscard]] const std::shared_ptr<const CompiledRows>& compiled() const noexcept {
        return compiled_;
    }
    [[nodiscard]] GramMatrix matrix_beside(std::span<const index_t> left, Context& context) const {
        return {*this, compiled_->prepare(left, precision(), context)};
    }

private:
    std::shared_ptr<const CompiledRows> compiled_;
};

}  // namespace mercer

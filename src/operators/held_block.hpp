// SPDX-License-Identifier: Apache-2.0
//
// src/operators/held_block.hpp - a block of a TiledGram whose values are held.
#pragma once

#include <memory>
#include <utility>

#include "operators/held_values.hpp"
#include "operators/tiled_block.hpp"

namespace mercer {

/// Multiplies by one vector without copying values into tiles: K is symmetric, so that K v is the
/// sum of the rows of K that belong to the block's columns.
class HeldBlock final : public TiledBlock {
public:
    HeldBlock(GramMatrix matrix, std::shared_ptr<const CompiledRows> compiled)
        : TiledBlock(std::move(matrix), std::move(compiled)) {}

    void multiply(MatrixView<const double> v, MatrixView<double> out,
                  Context& context) const override;
    [[nodiscard]] std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                          Context& context) const override;
};

}  // namespace mercer

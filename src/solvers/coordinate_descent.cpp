// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_descent.cpp - block coordinate descent on a quadratic.
//
// Method   Block Gauss-Seidel: every block is solved exactly with the others fixed, so the value
//          never increases; converges for every positive definite matrix.
// Fits     systems whose blocks fit the processor's cache, and matrices that are read by rows.
// Cost     n block products per sweep; the blocks are factored once.
// Stops    at the gradient's tolerance, measured after each sweep.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/descent.hpp"

namespace mercer {

namespace {

struct Block {
    index_t begin = 0;
    index_t count = 0;
    std::vector<double> factor;
};

std::vector<Block> factor_blocks(MatrixView<const double> p, index_t size, Context& context) {
    std::vector<Block> blocks;
    for (index_t begin = 0; begin < p.rows; begin += size) {
        Block block{begin, std::min(size, p.rows - begin), {}};
        for (index_t i = 0; i < block.count; ++i) {
            const double* row = p.row(begin + i) + begin;
            block.factor.insert(block.factor.end(), row, row + block.count);
        }
        if (!cholesky(MatrixView<double>(block.factor.data(), block.count, block.count), context)) {
            throw InvalidArgument(fmt::format(
                "block_coordinate_descent: the block at row {} is not positive definite",
                begin + 1));
        }
        blocks.push_back(std::move(block));
    }
    return blocks;
}

/// Sweeps over the blocks, each of them factored.
class BlockSweep {
public:
    BlockSweep(MatrixView<const double> p, std::span<const double> q, index_t size,
               Context& context)
        : p_(p), q_(q), context_(context), blocks_(factor_blocks(p, size, context)) {}

    [[nodiscard]] index_t factorisations() const { return static_cast<index_t>(blocks_.size()); }
    [[nodiscard]] index_t bytes() const {
        index_t sum = 0;
        for (const Block& block : blocks_) {
            sum += static_cast<index_t>(block.factor.size()) * 8;
        }
        return sum;
    }

    void sweep(std::span<double> x) const {
        for (const Block& block : blocks_) {
            solve(block, x);
        }
    }

private:
    /// Minimises over the variables of one block.
    void solve(const Block& block, std::span<double> x) const {
        std::vector<double> move(static_cast<std::size_t>(block.count));
        for (index_t i = 0; i < block.count; ++i) {
            const auto row = static_cast<std::size_t>(block.begin + i);
            double product = 0.0;
            for (index_t j = 0; j < p_.columns; ++j) {
                product += p_(block.begin + i, j) * x[static_cast<std::size_t>(j)];
            }
            move[static_cast<std::size_t>(i)] = q_[row] - product;
        }
        cholesky_solve(MatrixView<const double>(block.factor.data(), block.count, block.count),
                       MatrixView<double>(move.data(), block.count, 1), context_);
        for (index_t i = 0; i < block.count; ++i) {
            x[static_cast<std::size_t>(block.begin + i)] += move[static_cast<std::size_t>(i)];
        }
    }

    MatrixView<const double> p_;
    std::span<const double> q_;
    Context& context_;
    std::vector<Block> blocks_;
};

}  // namespace

OptimiserResult block_coordinate_descent(MatrixView<const double> p, std::span<const double> q,
                                         index_t block, const OptimiserOptions& options,
                                         Context& context) {
    if (block < 1 || p.rows != p.columns || static_cast<index_t>(q.size()) != p.rows) {
        throw InvalidArgument(
            fmt::format("block: got {} rows for a {} x {} matrix", block, p.rows, p.columns));
    }
    const BlockSweep blocks(p, q, block, context);
    QuadraticObjective objective(p, q);
    OptimiserResult out;
    out.factorisations = blocks.factorisations();
    out.memory_bytes += blocks.bytes();
    out.x.assign(q.size(), 0.0);
    std::vector<double> gradient(q.size());
    double first = 0.0;
    for (;; ++out.iterations) {
        out.value = objective.evaluate(out.x, gradient);
        ++out.evaluations;
        out.gradient_norm = std::sqrt(objective.inner(gradient, gradient));
        first = out.iterations == 0 ? out.gradient_norm : first;
        out.trace.push_back({out.iterations, out.value, out.gradient_norm, 1.0});
        if (out.gradient_norm <= options.gradient_tolerance * std::max(1.0, first)) {
            out.status = SolveStatus::converged;
            return out;
        }
        if (context.should_stop() || out.iterations == options.max_iterations) {
            out.status =
                context.should_stop() ? SolveStatus::interrupted : SolveStatus::iteration_limit;
            return out;
        }
        blocks.sweep(out.x);
    }
}

}  // namespace mercer

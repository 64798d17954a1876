// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_descent.cpp - a quadratic, a block of variables at a time.
//
// Method   Block Gauss and Seidel: every block is solved exactly for fixed others, so the value
//          never rises; converges for every positive definite matrix.
// Fits     systems whose blocks fit a cache, and matrices that are read by rows.
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

}  // namespace

OptimiserResult block_coordinate_descent(MatrixView<const double> p, std::span<const double> q,
                                         index_t block, const OptimiserOptions& options,
                                         Context& context) {
    if (block < 1 || p.rows != p.columns || static_cast<index_t>(q.size()) != p.rows) {
        throw InvalidArgument(
            fmt::format("block: got {} rows for a {} x {} matrix", block, p.rows, p.columns));
    }
    const std::vector<Block> blocks = factor_blocks(p, block, context);
    QuadraticObjective objective(p, q);
    OptimiserResult out;
    out.factorisations = static_cast<index_t>(blocks.size());
    for (const Block& part : blocks) {
        out.memory_bytes += static_cast<index_t>(part.factor.size()) * 8;
    }
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
        for (const Block& part : blocks) {
            std::vector<double> move(static_cast<std::size_t>(part.count));
            for (index_t i = 0; i < part.count; ++i) {
                const auto row = static_cast<std::size_t>(part.begin + i);
                double product = 0.0;
                for (index_t j = 0; j < p.columns; ++j) {
                    product += p(part.begin + i, j) * out.x[static_cast<std::size_t>(j)];
                }
                move[static_cast<std::size_t>(i)] = q[row] - product;
            }
            cholesky_solve(MatrixView<const double>(part.factor.data(), part.count, part.count),
                           MatrixView<double>(move.data(), part.count, 1), context);
            for (index_t i = 0; i < part.count; ++i) {
                out.x[static_cast<std::size_t>(part.begin + i)] +=
                    move[static_cast<std::size_t>(i)];
            }
        }
    }
}

}  // namespace mercer

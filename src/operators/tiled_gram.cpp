// SPDX-License-Identifier: Apache-2.0
//
// src/operators/tiled_gram.cpp - operators with the values of a kernel, by tiles or by X itself.
#include <algorithm>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "operators/held_block.hpp"
#include "operators/tiled_block.hpp"
#include "operators/tiled_rows.hpp"

namespace mercer {

namespace {

/// K = factor X X' of all rows: products are two passes over X where that is cheaper.
class LinearBlock final : public TiledBlock {
public:
    LinearBlock(GramMatrix matrix, std::shared_ptr<const CompiledRows> compiled,
                std::shared_ptr<const LinearRows> x, double factor)
        : TiledBlock(std::move(matrix), std::move(compiled)), x_(std::move(x)), factor_(factor) {}

    void multiply(MatrixView<const double> v, MatrixView<double> out,
                  Context& context) const override {
        if (precision() == Precision::float32 || v.rows != columns() || out.rows != rows() ||
            v.columns != out.columns || !two_passes_are_cheaper(*x_, v.columns)) {
            TiledBlock::multiply(v, out, context);
            return;
        }
        context.count_products(v.columns);
        const Context::Uncounted passes(context);
        multiply_linear_gram(*x_, factor_, v, out, context);
    }

private:
    std::shared_ptr<const LinearRows> x_;
    double factor_;
};

GramMatrix matrix_of_all(const CompiledRows& compiled, Precision precision, Context& context) {
    std::shared_ptr<const KernelEngine> engine = compiled.engine(precision, context);
    const std::shared_ptr<const PreparedRows> rows =
        compiled.prepare(all_rows(compiled.rows().rows()), precision, context);
    return {std::move(engine), rows, rows};
}

}  // namespace

TiledGram::TiledGram(const Kernel& kernel, const Dataset& rows)
    : compiled_(std::make_shared<CompiledRows>(kernel, rows)) {}

index_t TiledGram::size() const noexcept { return compiled_->rows().rows(); }

GramCost cost_of(const Dataset& rows) {
    return {rows.rows(), rows.columns(), rows.stored(), rows.is_sparse()};
}

GramCost TiledGram::cost() const {
    // A value that is looked up costs as much as one of a single column, whatever the kernel.
    return holds_values() ? GramCost{size(), 1, size(), false, true} : cost_of(compiled_->rows());
}

std::vector<double> TiledGram::diagonal(std::span<const index_t> places) const {
    return compiled_->diagonal(places);
}

bool TiledGram::is_definite() const {
    const Definiteness definiteness = compiled_->kernel().definiteness();
    return definiteness == Definiteness::positive_definite ||
           definiteness == Definiteness::strictly_positive_definite;
}

std::vector<index_t> TiledGram::kinds(std::span<const index_t> places) const {
    return compiled_->kinds(places);
}

std::unique_ptr<const GramBlock> TiledGram::block(std::span<const index_t> left,
                                                  std::span<const index_t> right,
                                                  Precision precision, Context& context) const {
    std::shared_ptr<const PreparedRows> rows = compiled_->prepare(left, precision, context);
    std::shared_ptr<const PreparedRows> columns =
        std::ranges::equal(left, right) ? rows : compiled_->prepare(right, precision, context);
    GramMatrix matrix(compiled_->engine(precision, context), std::move(rows), std::move(columns));
    if (holds_values()) {
        return std::make_unique<HeldBlock>(std::move(matrix), compiled_);
    }
    return std::make_unique<TiledBlock>(std::move(matrix), compiled_);
}

std::unique_ptr<const GramBlock> TiledGram::whole(Precision precision, Context& context) const {
    GramMatrix matrix = matrix_of_all(*compiled_, precision, context);
    if (holds_values()) {
        return std::make_unique<HeldBlock>(std::move(matrix), compiled_);
    }
    return std::make_unique<TiledBlock>(std::move(matrix), compiled_);
}

std::unique_ptr<GramRows> TiledGram::rows(std::span<const index_t> places, Precision precision,
                                          Context& context) const {
    return std::make_unique<TiledRows>(compiled_, places, precision, context);
}

std::shared_ptr<const GramOperator> TiledGram::scaled(double factor) const {
    return holds_values() ? nullptr : make_gram(factor * compiled_->kernel(), compiled_->rows());
}

NewRows TiledGram::beside(const Dataset& rows, Context& context) const {
    NewRows out;
    out.diagonal.resize(static_cast<std::size_t>(rows.rows()));
    kernel_diagonal(compiled_->kernel(), rows, out.diagonal);
    out.cross = std::make_unique<GramMatrix>(compiled_->kernel(), compiled_->rows(), rows,
                                             Precision::float64, context);
    return out;
}

GramOrigin TiledGram::origin() const { return {compiled_->kernel(), compiled_->rows()}; }

void TiledGram::retain_rows_within(std::vector<std::vector<index_t>> parts, index_t bytes,
                                   Context& context) {
    compiled_->retain_rows_within(std::move(parts), bytes, context);
}

void TiledGram::hold_values(Context& context) { compiled_->hold_values(context); }

bool TiledGram::holds_values() const noexcept { return compiled_->holds_values(); }

index_t TiledGram::held_bytes(index_t rows) { return HeldValues::bytes(rows); }

LinearGram::LinearGram(const Kernel& kernel, const Dataset& rows, double factor)
    : TiledGram(kernel, rows),
      x_(std::make_shared<const LinearRows>(compiled_->rows())),
      factor_{*x_, factor} {}

std::unique_ptr<const GramBlock> LinearGram::whole(Precision precision, Context& context) const {
    return std::make_unique<LinearBlock>(matrix_of_all(*compiled_, precision, context), compiled_,
                                         x_, factor_.factor);
}

NewRows LinearGram::beside(const Dataset& rows, Context& context) const {
    NewRows out = TiledGram::beside(rows, context);
    out.linear = std::make_shared<const LinearRows>(rows);
    return out;
}

std::shared_ptr<TiledGram> make_tiled_gram(const Kernel& kernel, const Dataset& rows) {
    if (reads_table(kernel)) {
        return std::make_shared<TableGram>(kernel, rows);
    }
    if (const double factor = linear_factor(kernel); factor != 0.0) {
        return std::make_shared<LinearGram>(kernel, rows, factor);
    }
    return std::make_shared<TiledGram>(kernel, rows);
}

std::shared_ptr<const GramOperator> make_gram(const Kernel& kernel, const Dataset& rows) {
    return make_tiled_gram(kernel, rows);
}

}  // namespace mercer

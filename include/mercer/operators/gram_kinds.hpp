// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/gram_kinds.hpp - the kinds of GramOperator, by the source of their values.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/operators/linear_rows.hpp"

namespace mercer {

class CompiledRows;

/// The kernel and the rows of an operator.
struct GramOrigin {
    Kernel kernel;
    Dataset rows;
};

/// The cost of kernel values of these rows.
[[nodiscard]] GramCost cost_of(const Dataset& rows);

/// Tiles of a kernel on a backend. The kernel is compiled when values are first needed, once for
/// all blocks and for all operators on subsets of the rows. The rows are not copied; a block
/// prepares the rows that it needs.
class TiledGram : public GramOperator {
public:
    TiledGram(const Kernel& kernel, const Dataset& rows);

    [[nodiscard]] index_t size() const noexcept override;
    [[nodiscard]] GramCost cost() const override;
    using GramOperator::diagonal;
    [[nodiscard]] std::vector<double> diagonal(std::span<const index_t> places) const override;
    [[nodiscard]] bool is_definite() const override;
    [[nodiscard]] bool is_symmetric() const noexcept override { return true; }
    [[nodiscard]] std::vector<index_t> kinds(std::span<const index_t> places) const override;
    [[nodiscard]] bool is_exact() const noexcept override { return !holds_values(); }
    [[nodiscard]] std::unique_ptr<const GramBlock> block(std::span<const index_t> left,
                                                         std::span<const index_t> right,
                                                         Precision precision,
                                                         Context& context) const override;
    [[nodiscard]] std::unique_ptr<const GramBlock> whole(Precision precision,
                                                         Context& context) const override;
    using GramOperator::rows;
    [[nodiscard]] std::unique_ptr<GramRows> rows(std::span<const index_t> places,
                                                 Precision precision,
                                                 Context& context) const override;
    [[nodiscard]] GramRounding rounding() const override;
    [[nodiscard]] PreciseValues multiply_precisely(std::span<const index_t> rows,
                                                   std::span<const double> beta,
                                                   const GramRounding& entries,
                                                   Context& context) const override;
    [[nodiscard]] PreciseFeatures precise_features(std::span<const index_t> places,
                                                   index_t most) const override;
    [[nodiscard]] std::shared_ptr<const GramOperator> scaled(double factor) const override;
    [[nodiscard]] NewRows beside(const Dataset& rows, Context& context) const override;
    [[nodiscard]] GramOrigin origin() const override;

    /// From now on float32 rows within these parts (lists of distinct rows) are retained once they
    /// are computed, up to `bytes` in total, for all operators on two parts (the pairs of classes).
    /// Does nothing when K is not symmetric by construction. Call it before the operator is shared.
    void retain_rows_within(std::vector<std::vector<index_t>> parts, index_t bytes,
                            Context& context);

    /// Computes all of K in float32 now; from then on the operator is this stored matrix, its
    /// values are looked up, and is_exact() is false. For searches, which train on parts of the
    /// rows again and again. Does nothing when K is not symmetric by construction. Call it before
    /// the operator is shared. Throws ResourceError when the memory does not suffice.
    void hold_values(Context& context);
    [[nodiscard]] bool holds_values() const noexcept;
    /// Bytes that hold_values() takes.
    [[nodiscard]] static index_t held_bytes(index_t rows);

protected:
    std::shared_ptr<CompiledRows> compiled_;
};

/// A kernel that is factor <x, z>: products are two passes over X where that is cheaper.
class LinearGram final : public TiledGram {
public:
    LinearGram(const Kernel& kernel, const Dataset& rows, double factor);

    [[nodiscard]] const LinearFactor* linear() const noexcept override { return &factor_; }
    [[nodiscard]] std::unique_ptr<const GramBlock> whole(Precision precision,
                                                         Context& context) const override;
    [[nodiscard]] NewRows beside(const Dataset& rows, Context& context) const override;

private:
    std::shared_ptr<const LinearRows> x_;
    LinearFactor factor_;
};

/// Values that come with the rows (precomputed kernels). They need not be symmetric to the last
/// bit, and the values of the table are not scaled.
class TableGram final : public TiledGram {
public:
    using TiledGram::TiledGram;

    [[nodiscard]] bool is_symmetric() const noexcept override { return false; }
    [[nodiscard]] std::vector<index_t> kinds(std::span<const index_t>) const override { return {}; }
    [[nodiscard]] GramRounding rounding() const override;
    [[nodiscard]] std::shared_ptr<const GramOperator> scaled(double) const override {
        return nullptr;
    }
};

/// make_gram() (operators/gram_operator.hpp) for callers that use retain_rows_within() afterwards.
[[nodiscard]] std::shared_ptr<TiledGram> make_tiled_gram(const Kernel& kernel, const Dataset& rows);

/// Some rows of another operator.
class SubsetGram final : public GramOperator {
public:
    /// Throws InvalidArgument when a place is out of range or occurs twice.
    SubsetGram(std::shared_ptr<const GramOperator> gram, std::vector<index_t> places);

    [[nodiscard]] index_t size() const noexcept override {
        return static_cast<index_t>(places_->size());
    }
    [[nodiscard]] GramCost cost() const override;
    using GramOperator::diagonal;
    [[nodiscard]] std::vector<double> diagonal(std::span<const index_t> places) const override;
    [[nodiscard]] bool is_definite() const override { return gram_->is_definite(); }
    [[nodiscard]] bool is_symmetric() const noexcept override { return gram_->is_symmetric(); }
    [[nodiscard]] bool is_exact() const noexcept override { return gram_->is_exact(); }
    [[nodiscard]] bool is_part() const noexcept override { return true; }
    [[nodiscard]] std::vector<index_t> kinds(std::span<const index_t> places) const override;
    [[nodiscard]] const LinearFactor* linear() const noexcept override { return linear_.get(); }
    [[nodiscard]] std::unique_ptr<const GramBlock> block(std::span<const index_t> left,
                                                         std::span<const index_t> right,
                                                         Precision precision,
                                                         Context& context) const override;
    [[nodiscard]] std::unique_ptr<const GramBlock> whole(Precision precision,
                                                         Context& context) const override;
    using GramOperator::rows;
    [[nodiscard]] std::unique_ptr<GramRows> rows(std::span<const index_t> places,
                                                 Precision precision,
                                                 Context& context) const override;
    [[nodiscard]] GramRounding rounding() const override;
    [[nodiscard]] PreciseValues multiply_precisely(std::span<const index_t> rows,
                                                   std::span<const double> beta,
                                                   const GramRounding& entries,
                                                   Context& context) const override;
    [[nodiscard]] PreciseFeatures precise_features(std::span<const index_t> places,
                                                   index_t most) const override;
    [[nodiscard]] std::shared_ptr<const GramOperator> scaled(double factor) const override;
    [[nodiscard]] NewRows beside(const Dataset& rows, Context& context) const override;
    [[nodiscard]] GramOrigin origin() const override;

private:
    std::shared_ptr<const GramOperator> gram_;
    std::shared_ptr<const std::vector<index_t>> places_;
    mutable std::once_flag rounding_made_;
    mutable GramRounding rounding_;
    std::unique_ptr<const LinearRows> x_;
    std::unique_ptr<const LinearFactor> linear_;
};

/// K + shift: a number is added where row and column are the same sample, compared by index and not
/// by value: duplicates get no shift off the diagonal (k + delta_ij / C of the squared hinge loss).
class ShiftedGram final : public GramOperator {
public:
    /// `shift` has size() entries >= 0; otherwise InvalidArgument is thrown.
    ShiftedGram(std::shared_ptr<const GramOperator> gram, std::span<const double> shift);

    [[nodiscard]] index_t size() const noexcept override { return gram_->size(); }
    [[nodiscard]] GramCost cost() const override { return gram_->cost(); }
    using GramOperator::diagonal;
    [[nodiscard]] std::vector<double> diagonal(std::span<const index_t> places) const override;
    [[nodiscard]] bool is_definite() const override { return gram_->is_definite(); }
    [[nodiscard]] bool is_symmetric() const noexcept override { return gram_->is_symmetric(); }
    [[nodiscard]] bool is_exact() const noexcept override { return gram_->is_exact(); }
    [[nodiscard]] bool is_part() const noexcept override { return gram_->is_part(); }
    [[nodiscard]] std::unique_ptr<const GramBlock> block(std::span<const index_t> left,
                                                         std::span<const index_t> right,
                                                         Precision precision,
                                                         Context& context) const override;
    [[nodiscard]] std::unique_ptr<const GramBlock> whole(Precision precision,
                                                         Context& context) const override;
    using GramOperator::rows;
    [[nodiscard]] std::unique_ptr<GramRows> rows(std::span<const index_t> places,
                                                 Precision precision,
                                                 Context& context) const override;
    [[nodiscard]] GramRounding rounding() const override;
    [[nodiscard]] PreciseValues multiply_precisely(std::span<const index_t> rows,
                                                   std::span<const double> beta,
                                                   const GramRounding& entries,
                                                   Context& context) const override;
    [[nodiscard]] std::shared_ptr<const GramOperator> scaled(double factor) const override;
    [[nodiscard]] NewRows beside(const Dataset& rows, Context& context) const override;
    [[nodiscard]] GramOrigin origin() const override;

private:
    std::shared_ptr<const GramOperator> gram_;
    std::shared_ptr<const std::vector<double>> shift_;
};

}  // namespace mercer

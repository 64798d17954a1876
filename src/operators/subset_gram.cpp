// SPDX-License-Identifier: Apache-2.0
//
// src/operators/subset_gram.cpp - row i is row places[i] of another operator.
#include <fmt/core.h>

#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "operators/block_around.hpp"

namespace mercer {

namespace {

std::vector<index_t> at_places(std::span<const index_t> places, std::span<const index_t> rows) {
    std::vector<index_t> out;
    out.reserve(rows.size());
    for (const index_t row : rows) {
        out.push_back(places[static_cast<std::size_t>(row)]);
    }
    return out;
}

/// A block of the other operator that translates row numbers of this one.
class SubsetBlock final : public BlockAround {
public:
    using Places = std::shared_ptr<const std::vector<index_t>>;

    SubsetBlock(std::unique_ptr<const GramBlock> block, Places places)
        : BlockAround(std::move(block)), places_(std::move(places)) {}

    [[nodiscard]] std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                          Context& context) const override {
        return std::make_unique<SubsetBlock>(block().beside(at_places(*places_, left), context),
                                             places_);
    }

private:
    Places places_;
};

}  // namespace

SubsetGram::SubsetGram(std::shared_ptr<const GramOperator> gram, std::vector<index_t> places)
    : gram_(std::move(gram)),
      places_(std::make_shared<const std::vector<index_t>>(std::move(places))) {
    std::vector<bool> seen(static_cast<std::size_t>(gram_->size()), false);
    for (const index_t place : *places_) {
        if (place < 0 || place >= gram_->size() || seen[static_cast<std::size_t>(place)]) {
            throw InvalidArgument(fmt::format("places: got {}, must be 0 .. {} and no place twice",
                                              place, gram_->size() - 1));
        }
        seen[static_cast<std::size_t>(place)] = true;
    }
    if (const LinearFactor* x = gram_->linear()) {
        x_ = std::make_unique<const LinearRows>(x->rows.view(*places_));
        linear_.reset(new LinearFactor{*x_, x->factor});
    }
}

GramCost SubsetGram::cost() const {
    GramCost cost = gram_->cost();
    cost.stored = static_cast<index_t>(cost.entries_per_row() * static_cast<double>(size()));
    cost.rows = size();
    return cost;
}

std::vector<double> SubsetGram::diagonal(std::span<const index_t> places) const {
    return gram_->diagonal(at_places(*places_, places));
}

std::vector<index_t> SubsetGram::kinds(std::span<const index_t> places) const {
    return gram_->kinds(at_places(*places_, places));
}

std::unique_ptr<const GramBlock> SubsetGram::block(std::span<const index_t> left,
                                                   std::span<const index_t> right,
                                                   Precision precision, Context& context) const {
    return std::make_unique<SubsetBlock>(
        gram_->block(at_places(*places_, left), at_places(*places_, right), precision, context),
        places_);
}

std::unique_ptr<const GramBlock> SubsetGram::whole(Precision precision, Context& context) const {
    return std::make_unique<SubsetBlock>(gram_->block(*places_, *places_, precision, context),
                                         places_);
}

std::unique_ptr<GramRows> SubsetGram::rows(std::span<const index_t> places, Precision precision,
                                           Context& context) const {
    return gram_->rows(at_places(*places_, places), precision, context);
}

std::shared_ptr<const GramOperator> SubsetGram::scaled(double factor) const {
    std::shared_ptr<const GramOperator> scaled = gram_->scaled(factor);
    return scaled == nullptr ? nullptr : subset(std::move(scaled), *places_);
}

NewRows SubsetGram::beside(const Dataset& rows, Context& context) const {
    const GramOrigin own = origin();
    return make_gram(own.kernel, own.rows)->beside(rows, context);
}

GramOrigin SubsetGram::origin() const {
    GramOrigin all = gram_->origin();
    return {std::move(all.kernel), all.rows.view(*places_)};
}

std::shared_ptr<const GramOperator> subset(std::shared_ptr<const GramOperator> gram,
                                           std::vector<index_t> places) {
    return std::make_shared<const SubsetGram>(std::move(gram), std::move(places));
}

}  // namespace mercer

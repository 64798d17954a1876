// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/feature_series.cpp - coordinates of a power series in an inner product.
//
//     (u'v)^d = sum over index sequences i1 .. id of  u_i1 ... u_id  v_i1 ... v_id
//
// Method   Either every sequence is a coordinate (ordered), or sequences with equal factors share
//          one (distinct), weighted by the square root of their number d! / (a1! ... an!).
// Cost     map() visits all sequences once, depth first: O(1) amortised per coordinate.
// Notation (letters)   n  inner coordinates   d  degree   u  inner(x)
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/feature_blocks.hpp"
#include "mercer/base/checked.hpp"

namespace mercer {

namespace {

[[noreturn]] void refuse_dimension(index_t limit) {
    throw ResourceError(
        fmt::format("feature map: needs more than {} coordinates, the limit", limit));
}

/// Writes the monomials of one degree, in lexicographic order of their index sequences.
class MonomialWriter {
public:
    MonomialWriter(std::span<const double> u, index_t degree, bool ordered, double* out)
        : u_(u), degree_(degree), ordered_(ordered), out_(out) {}

    double* write(double weight) {
        root_weight_ = std::sqrt(weight);
        extend(0, 0, 0, 1.0, 1.0);
        return out_;
    }

private:
    /// `count` is the number of orderings of the sequence so far: an integer, exact in a double for
    /// every map that fits into memory. `repeats` is how often the last index occurs at its end.
    void extend(index_t length, index_t last, index_t repeats, double product, double count) {
        if (length == degree_) {
            *out_++ = root_weight_ * (ordered_ ? product : std::sqrt(count) * product);
            return;
        }
        const auto n = static_cast<index_t>(u_.size());
        for (index_t i = ordered_ ? 0 : last; i < n; ++i) {
            const index_t again = i == last && length > 0 ? repeats + 1 : 1;
            const double orders =
                count * static_cast<double>(length + 1) / static_cast<double>(again);
            extend(length + 1, i, again, product * u_[static_cast<std::size_t>(i)], orders);
        }
    }

    std::span<const double> u_;
    index_t degree_;
    bool ordered_;
    double* out_;
    double root_weight_ = 1.0;
};

/// Index sequence number `rank` among those of one degree.
std::vector<index_t> sequence_at(index_t rank, index_t n, index_t degree, bool ordered) {
    std::vector<index_t> sequence;
    index_t first = 0;
    for (index_t left = degree; left > 0; --left) {
        for (index_t i = first; i < n; ++i) {
            const index_t below = count_monomials(ordered ? n : n - i, left - 1, ordered,
                                                  std::numeric_limits<index_t>::max());
            if (rank < below) {
                sequence.push_back(i);
                break;
            }
            rank -= below;
        }
        first = ordered ? 0 : sequence.back();
    }
    return sequence;
}

class SeriesBlock final : public FeatureBlock {
public:
    SeriesBlock(FeatureBlockPointer inner, std::vector<SeriesTerm> terms, bool ordered,
                index_t dimension)
        : FeatureBlock(dimension),
          inner_(std::move(inner)),
          terms_(std::move(terms)),
          ordered_(ordered) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        std::vector<double> u(static_cast<std::size_t>(inner_->dimension()));
        inner_->map(x, u);
        double* place = out.data();
        for (const SeriesTerm& term : terms_) {
            place = MonomialWriter(u, term.degree, ordered_, place).write(term.weight);
        }
    }

    [[nodiscard]] std::string name(index_t i) const override { return name_of(factors(i)); }

    [[nodiscard]] bool add_exponents(index_t i, std::span<index_t> exponents) const override {
        const std::vector<index_t> sequence = factors(i);
        return std::all_of(sequence.begin(), sequence.end(), [&](index_t factor) {
            return inner_->add_exponents(factor, exponents);
        });
    }

private:
    /// The inner coordinates whose product is coordinate i.
    [[nodiscard]] std::vector<index_t> factors(index_t i) const {
        const index_t n = inner_->dimension();
        for (const SeriesTerm& term : terms_) {
            const index_t count =
                count_monomials(n, term.degree, ordered_, std::numeric_limits<index_t>::max());
            if (i < count) {
                return sequence_at(i, n, term.degree, ordered_);
            }
            i -= count;
        }
        return {};
    }

    /// Equal neighbours are written as a power.
    [[nodiscard]] std::string name_of(const std::vector<index_t>& sequence) const {
        std::string text;
        for (std::size_t i = 0; i < sequence.size();) {
            std::size_t end = i;
            while (end < sequence.size() && sequence[end] == sequence[i]) {
                ++end;
            }
            std::string factor = inner_->name(sequence[i]);
            if (factor.find_first_of(" *^") != std::string::npos) {
                factor = fmt::format("({})", factor);
            }
            text += fmt::format("{}{}", text.empty() ? "" : "*", factor);
            text += end - i > 1 ? fmt::format("^{}", end - i) : "";
            i = end;
        }
        return text.empty() ? "1" : text;
    }

    FeatureBlockPointer inner_;
    std::vector<SeriesTerm> terms_;
    bool ordered_;
};

}  // namespace

index_t count_monomials(index_t n, index_t degree, bool ordered, index_t limit) {
    index_t count = 1;
    for (index_t i = 0; i < degree && n != 1; ++i) {
        // C(n + i, i + 1) from C(n + i - 1, i): the division is exact.
        const std::optional<index_t> next = try_multiply(count, ordered ? n : n + i);
        if (!next) {
            refuse_dimension(limit);
        }
        count = ordered ? *next : *next / (i + 1);
        if (count > limit) {
            refuse_dimension(limit);
        }
        if (count == 0) {
            break;
        }
    }
    return count;
}

FeatureBlockPointer series_block(FeatureBlockPointer inner, std::vector<SeriesTerm> terms,
                                 bool ordered, index_t limit) {
    index_t dimension = 0;
    for (const SeriesTerm& term : terms) {
        const index_t count = count_monomials(inner->dimension(), term.degree, ordered, limit);
        const std::optional<index_t> sum = try_add(dimension, count);
        if (!sum || *sum > limit) {
            refuse_dimension(limit);
        }
        dimension = *sum;
    }
    return std::make_shared<SeriesBlock>(std::move(inner), std::move(terms), ordered, dimension);
}

}  // namespace mercer

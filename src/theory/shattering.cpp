// SPDX-License-Identifier: Apache-2.0
//
// src/theory/shattering.cpp - realised labelings, point by point.
//
// Method   A labeling of the first k points that is realised by some v is extended by one point.
// The
//          side on which v has that point needs no decision; the other side is decided by
//          theory/gordan.hpp, which gives another v. Labelings that are not realised are never
//          extended.
// Cost     one exact decision for each realised labeling of each number of points.
#include "mercer/theory/shattering.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "theory/exact_system.hpp"
#include "theory/gordan.hpp"

namespace mercer {

namespace {

using theory::Integer;

class LabelingCount {
public:
    LabelingCount(theory::GordanRows& rows, bool weak, const ShatteringOptions& options,
                  Context& context)
        : rows_(rows), weak_(weak), options_(options), context_(context) {
        const auto points = static_cast<std::size_t>(rows.scaled().rows());
        sides_.signs.assign(points, 0);
        sides_.weak.assign(weak ? points : 0, 0);
    }

    /// False when the limit was reached.
    bool run() {
        const auto dimension = static_cast<std::size_t>(rows_.scaled().dimension());
        extend(0, std::vector<Integer>(dimension));
        return count_ <= options_.limit;
    }

    [[nodiscard]] index_t count() const { return count_; }
    std::vector<std::string> realised;
    std::vector<std::string> missing;

private:
    void set_label(index_t i, int label) {
        sides_.signs[static_cast<std::size_t>(i)] = static_cast<signed char>(label);
        if (weak_) {
            sides_.weak[static_cast<std::size_t>(i)] = label > 0 ? 1 : 0;
        }
    }

    [[nodiscard]] std::string text() const {
        std::string out;
        for (const signed char sign : sides_.signs) {
            out += sign > 0 ? '+' : '-';
        }
        return out;
    }

    /// `v` realises the labels of the first k points.
    void extend(index_t k, const std::vector<Integer>& v);
    void list_missing(index_t k);

    theory::GordanRows& rows_;
    bool weak_;
    const ShatteringOptions& options_;
    Context& context_;
    theory::Sides sides_;
    index_t count_ = 0;
};

void LabelingCount::extend(index_t k, const std::vector<Integer>& v) {
    if (count_ > options_.limit) {
        return;
    }
    if (k == rows_.scaled().rows()) {
        ++count_;
        if (static_cast<index_t>(realised.size()) < options_.listed) {
            realised.push_back(text());
        }
        return;
    }
    context_.throw_if_stopped("counting labelings");
    const int side = sgn(theory::dot(rows_.integers(k), v));
    for (const int label : {1, -1}) {
        set_label(k, label);
        if (side == label || (side == 0 && label > 0 && weak_)) {
            extend(k + 1, v);
            continue;
        }
        const theory::Alternative found = theory::decide(rows_, sides_, {}, {}, context_);
        if (found.decision == theory::Decision::positive) {
            extend(k + 1, found.direction);
        } else if (found.decision == theory::Decision::zero) {
            list_missing(k + 1);
        } else {
            throw ResourceError("labelings: the exact arithmetic exceeds its limit");
        }
    }
    set_label(k, 0);
}

/// Lists the labelings that begin with those of the first k points.
void LabelingCount::list_missing(index_t k) {
    if (static_cast<index_t>(missing.size()) >= options_.listed) {
        return;
    }
    if (k == rows_.scaled().rows()) {
        missing.push_back(text());
        return;
    }
    for (const int label : {1, -1}) {
        set_label(k, label);
        list_missing(k + 1);
    }
    set_label(k, 0);
}

index_t rank_of(theory::GordanRows& rows) {
    const index_t most = std::min(rows.scaled().rows(), rows.scaled().dimension());
    const auto dimension = static_cast<std::size_t>(rows.scaled().dimension());
    std::vector<std::vector<Integer>> vectors;
    theory::IndependentVectors independent(dimension);
    for (index_t i = 0; i < rows.scaled().rows(); ++i) {
        std::vector<Integer>& vector = vectors.emplace_back(dimension);
        std::vector<std::uint64_t> residues(dimension, 0);
        for (const auto& [j, value] : rows.integers(i)) {
            vector[static_cast<std::size_t>(j)] = value;
            residues[static_cast<std::size_t>(j)] = theory::IndependentVectors::residue(value);
        }
        // The rank modulo a prime is at most the rank: if it is full, the proof is complete.
        if (independent.add(std::move(residues)) &&
            static_cast<index_t>(independent.rank()) == most) {
            return most;
        }
    }
    return static_cast<index_t>(theory::exact_rank(std::move(vectors)));
}

}  // namespace

double cover_number(index_t points, index_t dimension) {
    if (points == 0) {
        return 1.0;
    }
    double sum = 0.0;
    double binomial = 1.0;  // C(points - 1, k)
    for (index_t k = 0; k < dimension && k < points; ++k) {
        sum += binomial;
        binomial = binomial * static_cast<double>(points - 1 - k) / static_cast<double>(k + 1);
    }
    return 2.0 * sum;
}

Shattering shatter(const Dataset& points, const ShatteringOptions& options, Context& context) {
    const theory::ScaledRows scaled(points, !options.homogeneous);
    theory::GordanRows rows(scaled);
    Shattering out;
    out.points = points.rows();
    out.dimension = points.columns();
    out.vc_dimension = scaled.dimension();
    out.labelings = std::exp2(static_cast<double>(out.points));
    out.cover = cover_number(out.points, out.vc_dimension);
    out.rank = rank_of(rows);
    out.shattered = out.rank == out.points;
    if (out.cover > static_cast<double>(options.limit)) {
        return out;
    }
    LabelingCount weak(rows, options.homogeneous, options, context);
    if (!weak.run()) {
        return out;
    }
    out.realised = weak.count();
    out.strict = weak.count();
    if (options.homogeneous) {
        LabelingCount strict(rows, false, options, context);
        if (!strict.run()) {
            return out;
        }
        out.strict = strict.count();
    }
    out.counted = true;
    out.general_position = static_cast<double>(out.strict) == out.cover;
    out.realised_labelings = std::move(weak.realised);
    out.missing_labelings = std::move(weak.missing);
    return out;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/theory/disagreement.cpp - the fewest rows to drop so that a hyperplane separates the rest.
//
// Method   If the hulls of some rows intersect, at least one of these rows must be dropped. Branch
//          over which one; a row that was tried is fixed in the branches after it. The number of
//          intersecting pairs of hulls without a common row is a lower bound. The number of drops
//          allowed grows from that bound, so the first solution is optimal (the problem of Hastad,
//          Johnson, Lagarias and Schnorr is NP-hard in general).
// Cost     up to (columns + 2)^k decisions to drop k rows, for any number of rows.
#include <algorithm>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/theory/separability.hpp"
#include "theory/certificates.hpp"
#include "theory/gordan.hpp"

namespace mercer {

namespace {

class DisagreementSearch {
public:
    DisagreementSearch(const Dataset& rows, std::span<const double> labels, bool homogeneous,
                       index_t limit, Context& context)
        : scaled_(rows, !homogeneous), rows_(scaled_), limit_(limit), context_(context) {
        sides_.signs = theory::signs_of(labels, rows.rows());
        if (homogeneous) {  // a row of class +1 may lie on the hyperplane; b handles it if affine
            for (const signed char sign : sides_.signs) {
                sides_.weak.push_back(sign > 0 ? 1 : 0);
            }
        }
        must_stay_.assign(sides_.signs.size(), 0);
    }

    Disagreement run();

private:
    [[nodiscard]] theory::Alternative decide();
    [[nodiscard]] bool exhausted() const { return undecided_ || out_.decisions >= limit_; }
    void give_up_smaller_class();
    void descend();
    [[nodiscard]] index_t count_disjoint(theory::Alternative first, index_t enough);
    bool search(index_t allowed);

    /// Removes a row from the problem for the lifetime of this object.
    class Without {
    public:
        Without(theory::Sides& sides, index_t row)
            : sign_(sides.signs[static_cast<std::size_t>(row)]), old_(sign_) {
            sign_ = 0;
        }
        ~Without() { sign_ = old_; }
        Without(const Without&) = delete;
        Without& operator=(const Without&) = delete;

    private:
        signed char& sign_;
        signed char old_;
    };

    theory::ScaledRows scaled_;
    theory::GordanRows rows_;
    theory::Sides sides_;
    index_t limit_;
    Context& context_;
    std::vector<char> must_stay_;
    std::vector<index_t> given_up_;
    bool undecided_ = false;
    Disagreement out_;
};

theory::Alternative DisagreementSearch::decide() {
    context_.throw_if_stopped("the minimum disagreement");
    ++out_.decisions;
    theory::Alternative found = theory::decide(rows_, sides_, {}, {}, context_);
    undecided_ = undecided_ || found.decision == theory::Decision::undecided;
    return found;
}

/// The constant predictor: correct on the larger class, or on +1 if the hyperplane contains 0.
void DisagreementSearch::give_up_smaller_class() {
    const auto positive = std::count(sides_.signs.begin(), sides_.signs.end(), 1);
    const auto negative = std::count(sides_.signs.begin(), sides_.signs.end(), -1);
    const int smaller = scaled_.affine() && positive < negative ? 1 : -1;
    for (std::size_t i = 0; i < sides_.signs.size(); ++i) {
        if (sides_.signs[i] == smaller) {
            out_.rows.push_back(static_cast<index_t>(i));
        }
    }
    out_.upper = static_cast<index_t>(out_.rows.size());
}

/// Drops the heaviest row of intersecting hulls until none intersect: a first upper bound.
void DisagreementSearch::descend() {
    const std::vector<signed char> signs = sides_.signs;
    std::vector<index_t> given_up;
    while (!exhausted() && static_cast<index_t>(given_up.size()) < out_.upper) {
        const theory::Alternative found = decide();
        if (found.decision == theory::Decision::positive) {
            out_.rows = given_up;
            out_.upper = static_cast<index_t>(given_up.size());
        }
        if (found.decision != theory::Decision::zero) {
            break;
        }
        const auto heaviest = std::max_element(found.weights.begin(), found.weights.end());
        const index_t row = found.rows[static_cast<std::size_t>(heaviest - found.weights.begin())];
        given_up.push_back(row);
        sides_.signs[static_cast<std::size_t>(row)] = 0;
    }
    sides_.signs = signs;
}

/// Counts intersecting hulls without common rows, starting with `first`, up to `enough`.
index_t DisagreementSearch::count_disjoint(theory::Alternative first, index_t enough) {
    const std::vector<signed char> signs = sides_.signs;
    index_t count = 0;
    while (first.decision == theory::Decision::zero) {
        ++count;
        if (count >= enough || exhausted()) {
            break;
        }
        for (const index_t row : first.rows) {
            sides_.signs[static_cast<std::size_t>(row)] = 0;
        }
        first = decide();
    }
    sides_.signs = signs;
    return count;
}

/// True when dropping `allowed` more rows suffices; out_.rows then holds the dropped rows.
bool DisagreementSearch::search(index_t allowed) {
    if (exhausted()) {
        return false;
    }
    const theory::Alternative found = decide();
    if (found.decision == theory::Decision::positive) {
        out_.rows = given_up_;
        return true;
    }
    if (found.decision != theory::Decision::zero || allowed == 0 ||
        count_disjoint(found, allowed + 1) > allowed) {
        return false;
    }
    std::vector<index_t> tried;
    bool success = false;
    for (const index_t row : found.rows) {
        if (must_stay_[static_cast<std::size_t>(row)] != 0) {
            continue;
        }
        {
            const Without without(sides_, row);
            given_up_.push_back(row);
            success = search(allowed - 1);
            given_up_.pop_back();
        }
        if (success || exhausted()) {
            break;
        }
        must_stay_[static_cast<std::size_t>(row)] = 1;
        tried.push_back(row);
    }
    for (const index_t row : tried) {
        must_stay_[static_cast<std::size_t>(row)] = 0;
    }
    return success;
}

Disagreement DisagreementSearch::run() {
    give_up_smaller_class();
    if (exhausted()) {
        return std::move(out_);
    }
    out_.lower = count_disjoint(decide(), out_.upper);
    descend();
    while (out_.lower < out_.upper && !exhausted()) {
        if (search(out_.lower)) {
            out_.upper = out_.lower;
        } else if (!exhausted()) {
            ++out_.lower;
        }
    }
    out_.exact = out_.lower == out_.upper;
    std::sort(out_.rows.begin(), out_.rows.end());
    return std::move(out_);
}

}  // namespace

Disagreement minimum_disagreement(const Dataset& rows, std::span<const double> labels,
                                  bool homogeneous, index_t limit, Context& context) {
    return DisagreementSearch(rows, labels, homogeneous, limit, context).run();
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/theory/disagreement.cpp - how few rows must be given up so that a hyperplane fits the rest.
//
// Method   Rows whose hulls meet cannot all be right: one of them must go. Branch over which; a row
//          that was tried stays in the branches after it. Hulls without a common row bound the
//          number from below. The number allowed grows from that bound, so the first solution is
//          the least (Hastad, Johnson, Lagarias and Schnorr's problem is NP-hard in general).
// Cost     up to (columns + 2)^k decisions for k rows to give up, whatever the number of rows.
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
        if (homogeneous) {  // a positive row may lie on the hyperplane; b does it otherwise
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

    /// A row out of the problem while it lives.
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

/// The constant predictor: right on the larger class, or on +1 where the hyperplane must hold 0.
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

/// Gives up the heaviest row of meeting hulls, again and again: a first upper bound.
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

/// Hulls without common rows, the given ones first, `enough` at the most.
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

/// True when giving up `allowed` more rows suffices; the rows are in out_.rows then.
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

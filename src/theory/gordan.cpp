// SPDX-License-Identifier: Apache-2.0
//
// src/theory/gordan.cpp - the point of least norm in the hull of the rows, in rational arithmetic.
//
// Method   Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11, 1976,
// with
//          exact systems: minimise |sum_i mu_i a_i| over mu >= 0 whose strict rows sum to 1. A set
//          S of independent rows has mu > 0; a row on the wrong side of p = sum mu_i a_i enters S,
//          rows whose weight becomes 0 leave it. The norm decreases with each row that enters, so
//          no set occurs twice and the method terminates without an anti-cycling rule. We stop at
//          the first p on the correct side of all rows: it need not be the nearest point.
// Fits     hulls whose rows have rank up to a few hundred; most rows are read in floating point
//          only.
// Cost     one exact system of |S| + 1 unknowns and one pass over the rows per entering row.
// Notation a  sign_i times the scaled row   S  the set   mu, lambda  weights   p  weighted sum
//          s  1 for a strict row, 0 for a weak one
#include "theory/gordan.hpp"

#include <algorithm>
#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "theory/exact_system.hpp"

namespace mercer::theory {

namespace {

class NearestPoint {
public:
    NearestPoint(GordanRows& rows, const Sides& sides, const ExactLimits& limits, Context& context)
        : rows_(rows), sides_(sides), limits_(limits), context_(context) {}

    Alternative run(std::span<const index_t> start);

private:
    [[nodiscard]] int sign(index_t i) const { return sides_.signs[static_cast<std::size_t>(i)]; }
    [[nodiscard]] bool strict(index_t i) const {
        return sides_.weak.empty() || sides_.weak[static_cast<std::size_t>(i)] == 0;
    }

    [[nodiscard]] index_t any_strict_row() const;
    void take_start(std::span<const index_t> start);
    [[nodiscard]] IndependentVectors take_independent(std::span<const index_t> start);
    [[nodiscard]] bool drop_to_positive();
    [[nodiscard]] bool meets_at_zero(std::size_t rank, const std::vector<std::size_t>& coordinates);
    [[nodiscard]] bool affordable(std::size_t size, std::size_t bits);
    [[nodiscard]] bool solve_set(RationalVector& mu);
    [[nodiscard]] bool settle();
    void move_towards(const RationalVector& mu);
    void sum_rows();

    GordanRows& rows_;
    const Sides& sides_;
    const ExactLimits& limits_;
    Context& context_;
    std::vector<index_t> set_;
    RationalVector lambda_;   ///< over set_
    std::vector<Integer> p_;  ///< times lambda's denominator
    double work_ = 0.0;
    Alternative out_;
};

/// The first strict row; -1: none.
index_t NearestPoint::any_strict_row() const {
    for (index_t i = 0; i < rows_.scaled().rows(); ++i) {
        if (sign(i) != 0 && strict(i)) {
            return i;
        }
    }
    return -1;
}

bool NearestPoint::affordable(std::size_t size, std::size_t bits) {
    ++out_.systems;
    work_ += exact_work(size, bits);
    return work_ <= limits_.operations;
}

/// Finds weights > 0 of the set with which its rows sum to zero, if they exist, without inner
/// products, which have twice as many bits.
bool NearestPoint::meets_at_zero(std::size_t rank, const std::vector<std::size_t>& coordinates) {
    const std::size_t size = set_.size();
    if (rank + 1 != size || !affordable(size, rows_.scaled().bits())) {
        return false;
    }
    IntegerMatrix matrix(size);
    std::vector<Integer> right(size);
    right[rank] = 1;
    std::vector<std::size_t> place(static_cast<std::size_t>(rows_.scaled().dimension()), size);
    for (std::size_t k = 0; k < rank; ++k) {
        place[coordinates[k]] = k;
    }
    for (std::size_t column = 0; column < size; ++column) {
        const index_t i = set_[column];
        for (const auto& [j, value] : rows_.integers(i)) {
            if (const std::size_t k = place[static_cast<std::size_t>(j)]; k < size) {
                matrix(k, column) = sign(i) * value;
            }
        }
        matrix(rank, column) = strict(i) ? 1 : 0;
    }
    RationalVector mu;
    if (!solve_exactly(matrix, right, mu, context_) ||
        std::any_of(mu.numerators.begin(), mu.numerators.end(),
                    [](const Integer& x) { return x < 0; })) {
        return false;
    }
    lambda_ = std::move(mu);
    sum_rows();
    return std::all_of(p_.begin(), p_.end(), [](const Integer& x) { return x == 0; });
}

/// Sets S to the rows of `start` that are independent with s appended; S is empty if none of them
/// is strict. Returns the independent vectors without s.
IndependentVectors NearestPoint::take_independent(std::span<const index_t> start) {
    const auto dimension = static_cast<std::size_t>(rows_.scaled().dimension());
    IndependentVectors extended(dimension + 1);
    IndependentVectors plain(dimension);
    bool any_strict = false;
    for (const index_t i : start) {
        if (sign(i) == 0) {
            continue;
        }
        std::vector<std::uint64_t> residues(dimension + 1, 0);
        for (const auto& [j, value] : rows_.integers(i)) {
            residues[static_cast<std::size_t>(j)] = IndependentVectors::residue(sign(i) * value);
        }
        residues[dimension] = strict(i) ? 1 : 0;
        if (extended.add(residues)) {
            residues.pop_back();
            static_cast<void>(plain.add(std::move(residues)));
            set_.push_back(i);
            any_strict = any_strict || strict(i);
        }
    }
    if (!any_strict) {
        set_.clear();
    }
    return plain;
}

/// Drops rows until the nearest point of the remaining rows has positive weights. False, with at
/// most one row left, if there is no such set.
bool NearestPoint::drop_to_positive() {
    RationalVector mu;
    while (set_.size() > 1) {
        if (!affordable(set_.size() + 1, 2 * rows_.scaled().bits()) || !solve_set(mu)) {
            set_.clear();
            break;
        }
        if (std::all_of(mu.numerators.begin(), mu.numerators.end(),
                        [](const Integer& x) { return x > 0; })) {
            lambda_ = std::move(mu);
            return true;
        }
        std::size_t left = 0;
        for (std::size_t k = 0; k < set_.size(); ++k) {
            if (mu.numerators[k] > 0) {
                set_[left++] = set_[k];
            }
        }
        set_.resize(left);  // not empty: the weights of strict rows sum to 1
    }
    return false;
}

/// Independent rows among `start`, then those of them whose weights are positive.
void NearestPoint::take_start(std::span<const index_t> start) {
    const IndependentVectors plain = take_independent(start);
    if (!set_.empty() && meets_at_zero(plain.rank(), plain.coordinates())) {
        return;
    }
    if (drop_to_positive()) {
        return;
    }
    if (set_.empty() || !strict(set_[0])) {
        set_.assign(1, any_strict_row());
    }
    lambda_ = {{Integer(1)}, Integer(1)};
}

/// The least norm over the affine hull of the set: G mu = nu s, s'mu = 1.
bool NearestPoint::solve_set(RationalVector& mu) {
    context_.throw_if_stopped("deciding separability");
    const std::size_t size = set_.size();
    IntegerMatrix matrix(size + 1);
    for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t l = 0; l <= k; ++l) {
            const Integer& product = rows_.product(set_[k], set_[l]);
            matrix(k, l) = sign(set_[k]) * sign(set_[l]) * product;
            matrix(l, k) = matrix(k, l);
        }
        matrix(k, size) = strict(set_[k]) ? 1 : 0;
        matrix(size, k) = matrix(k, size);
    }
    std::vector<Integer> right(size + 1);
    right[size] = 1;
    if (!solve_exactly(matrix, right, mu, context_)) {
        return false;
    }
    mu.numerators.pop_back();
    return true;
}

/// Moves lambda towards mu until a weight becomes 0; rows without weight leave the set.
void NearestPoint::move_towards(const RationalVector& mu) {
    // The step is the least l / (l - m) = u / v over the weights with m <= 0; the product of both
    // denominators cancels in u / v.
    std::optional<std::pair<Integer, Integer>> step;
    for (std::size_t k = 0; k < set_.size(); ++k) {
        if (mu.numerators[k] <= 0) {
            const Integer u = lambda_.numerators[k] * mu.denominator;
            const Integer v = u - mu.numerators[k] * lambda_.denominator;
            if (!step || u * step->second < step->first * v) {
                step.emplace(u, v);
            }
        }
    }
    const auto& [u, v] = *step;
    const Integer stay = (v - u) * mu.denominator;
    const Integer go = u * lambda_.denominator;
    std::size_t left = 0;
    for (std::size_t k = 0; k < set_.size(); ++k) {
        const Integer weight = stay * lambda_.numerators[k] + go * mu.numerators[k];
        if (weight != 0) {
            set_[left] = set_[k];
            lambda_.numerators[left] = weight;
            ++left;
        }
    }
    set_.resize(left);
    lambda_.numerators.resize(left);
    lambda_.denominator *= v * mu.denominator;
    Integer common = lambda_.denominator;
    for (const Integer& weight : lambda_.numerators) {
        common = gcd(common, weight);
    }
    for (Integer& weight : lambda_.numerators) {
        weight /= common;
    }
    lambda_.denominator /= common;
}

/// Makes lambda the nearest point of its set, whose last row has just entered.
bool NearestPoint::settle() {
    RationalVector mu;
    for (;;) {
        if (!affordable(set_.size() + 1, 2 * rows_.scaled().bits()) || !solve_set(mu)) {
            return false;
        }
        if (std::all_of(mu.numerators.begin(), mu.numerators.end(),
                        [](const Integer& x) { return x > 0; })) {
            lambda_ = std::move(mu);
            return true;
        }
        move_towards(mu);
    }
}

void NearestPoint::sum_rows() {
    p_.assign(static_cast<std::size_t>(rows_.scaled().dimension()), Integer(0));
    for (std::size_t k = 0; k < set_.size(); ++k) {
        const Integer weight = sign(set_[k]) * lambda_.numerators[k];
        for (const auto& [j, value] : rows_.integers(set_[k])) {
            mpz_addmul(p_[static_cast<std::size_t>(j)].get_mpz_t(), weight.get_mpz_t(),
                       value.get_mpz_t());
        }
    }
}

/// v scaled to doubles below 1, each accurate to 52 bits.
std::vector<double> doubles_of(std::span<const Integer> v) {
    std::size_t bits = 0;
    for (const Integer& x : v) {
        bits = std::max(bits, mpz_sizeinbase(x.get_mpz_t(), 2));
    }
    std::vector<double> out;
    for (const Integer& x : v) {
        long exponent = 0;
        const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
        out.push_back(std::ldexp(
            mantissa, static_cast<int>(std::max(exponent - static_cast<long>(bits), -2000L))));
    }
    return out;
}

/// The row farthest on the wrong side of v according to doubles; if there is none, the first one
/// according to integers; -1: none. A weak row may lie on the hyperplane.
index_t wrong_side(GordanRows& rows, const Sides& sides, std::span<const Integer> v) {
    const std::vector<double> rough = doubles_of(v);
    std::vector<index_t> unclear;
    double worst = 0.0;
    index_t found = -1;
    for (index_t i = 0; i < rows.scaled().rows(); ++i) {
        const int sign = sides.signs[static_cast<std::size_t>(i)];
        if (sign == 0) {
            continue;
        }
        const BoundedValue product = rows.scaled().dot(i, rough);
        const double value = sign * product.value;
        if (value < -product.error) {
            if (value < worst) {
                worst = value;
                found = i;
            }
        } else if (!(value > product.error)) {
            unclear.push_back(i);
        }
    }
    if (found >= 0) {
        return found;
    }
    for (const index_t i : unclear) {
        const auto place = static_cast<std::size_t>(i);
        const bool weak = !sides.weak.empty() && sides.weak[place] != 0;
        const int side = sides.signs[place] * sgn(dot(rows.integers(i), v));
        if (side < 0 || (side == 0 && !weak)) {
            return i;
        }
    }
    return -1;
}

Alternative NearestPoint::run(std::span<const index_t> start) {
    if (any_strict_row() < 0) {  // all rows are weak: v = 0 satisfies them
        out_.decision = Decision::positive;
        out_.direction.assign(static_cast<std::size_t>(rows_.scaled().dimension()), Integer(0));
        return std::move(out_);
    }
    take_start(start);
    for (;;) {
        sum_rows();
        if (std::all_of(p_.begin(), p_.end(), [](const Integer& x) { return x == 0; })) {
            out_.decision = Decision::zero;
            for (std::size_t k = 0; k < set_.size(); ++k) {
                if (lambda_.numerators[k] != 0) {
                    out_.rows.push_back(set_[k]);
                    out_.weights.push_back(lambda_.numerators[k]);
                }
            }
            return std::move(out_);
        }
        const index_t joining = wrong_side(rows_, sides_, p_);
        if (joining < 0) {
            out_.decision = Decision::positive;
            out_.direction = p_;
            return std::move(out_);
        }
        set_.push_back(joining);
        lambda_.numerators.emplace_back(0);
        if (!settle()) {
            return std::move(out_);
        }
    }
}

}  // namespace

const IntegerRow& GordanRows::integers(index_t i) {
    const auto [place, added] = integers_.try_emplace(i);
    if (added) {
        place->second = rows_.integers(i);
    }
    return place->second;
}

const Integer& GordanRows::product(index_t i, index_t j) {
    const auto [place, added] = products_.try_emplace({std::min(i, j), std::max(i, j)});
    if (added) {
        place->second = dot(integers(i), integers(j));
    }
    return place->second;
}

Alternative decide(GordanRows& rows, const Sides& sides, std::span<const index_t> start,
                   const ExactLimits& limits, Context& context) {
    return NearestPoint(rows, sides, limits, context).run(start);
}

bool is_positive(GordanRows& rows, const Sides& sides, std::span<const Integer> v) {
    return wrong_side(rows, sides, v) < 0;
}

}  // namespace mercer::theory

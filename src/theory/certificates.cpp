// SPDX-License-Identifier: Apache-2.0
//
// src/theory/certificates.cpp - separators rounded to doubles, hulls with their common point.
//
// Notation V    integers proportional to w in the scaled columns
//          e_i  <w, x_i> up to a factor and a constant common to all rows, an integer
//          lo, hi  the largest e of class -, the smallest e of class +
#include "theory/certificates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "mercer/base/error.hpp"

namespace mercer::theory {

namespace {

/// <w, x_i> of the row nearest to the hyperplane on each side.
struct Extremes {
    std::optional<Integer> lo;
    std::optional<Integer> hi;
};

/// Bits of the longest of these numbers.
std::size_t longest(std::span<const Integer> direction) {
    std::size_t bits = 0;
    for (const Integer& x : direction) {
        bits = std::max(bits, mpz_sizeinbase(x.get_mpz_t(), 2));
    }
    return bits;
}

/// V in doubles, divided by a power of two so that no entry exceeds 1.
std::vector<double> rough_direction(const std::vector<Integer>& v) {
    const auto bits = static_cast<long>(longest(v));
    std::vector<double> rough;
    for (const Integer& x : v) {
        long exponent = 0;
        const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
        rough.push_back(std::ldexp(mantissa, static_cast<int>(std::max(exponent - bits, -2000L))));
    }
    return rough;
}

/// e of all rows in doubles, up to a factor.
struct RoughValues {
    std::vector<BoundedValue> rows;
    double least = kInfinity;  ///< upper bound on the smallest e of class +
    double most = -kInfinity;  ///< lower bound on the largest e of class -

    /// True when a row of this class cannot be an extreme one.
    [[nodiscard]] bool clear(std::size_t row, int sign) const {
        const BoundedValue& value = rows[row];
        return sign > 0 ? value.value - value.error > least : value.value + value.error < most;
    }
};

class PlaneFinder {
public:
    PlaneFinder(GordanRows& rows, const Sides& sides) : rows_(rows), sides_(sides) {
        for (index_t i = 0; i < scaled().rows(); ++i) {
            highest_ = std::max(highest_, scaled().row_exponent(i));
        }
    }

    /// The separator with these V, when V separates.
    [[nodiscard]] std::optional<Separator> separator(const std::vector<Integer>& v);

private:
    [[nodiscard]] const ScaledRows& scaled() const { return rows_.scaled(); }
    [[nodiscard]] RoughValues rough_values(const std::vector<Integer>& v) const;
    [[nodiscard]] Extremes find_extremes(const std::vector<Integer>& v);
    [[nodiscard]] Integer exact_value(index_t i, const std::vector<Integer>& v);
    [[nodiscard]] Rational unscaled(const Integer& e) const {
        return shifted(Rational(e), -(scaled().shift() + highest_));
    }

    GordanRows& rows_;
    const Sides& sides_;
    int highest_ = std::numeric_limits<int>::min();
};

Integer PlaneFinder::exact_value(index_t i, const std::vector<Integer>& v) {
    Integer value = dot(rows_.integers(i), v);  // V of the constant is 0
    value <<= static_cast<mp_bitcnt_t>(highest_ - scaled().row_exponent(i));
    return value;
}

RoughValues PlaneFinder::rough_values(const std::vector<Integer>& v) const {
    const std::vector<double> rough = rough_direction(v);
    RoughValues out;
    for (index_t i = 0; i < scaled().rows(); ++i) {
        BoundedValue value = scaled().dot(i, rough);
        const int exponent = highest_ - scaled().row_exponent(i);
        value = {std::ldexp(value.value, exponent), std::ldexp(value.error, exponent)};
        const int sign = sides_.signs[static_cast<std::size_t>(i)];
        if (sign > 0) {
            out.least = std::min(out.least, value.value + value.error);
        } else if (sign < 0) {
            out.most = std::max(out.most, value.value - value.error);
        }
        out.rows.push_back(value);
    }
    return out;
}

/// Doubles select the rows that may be extreme; integers decide among them.
Extremes PlaneFinder::find_extremes(const std::vector<Integer>& v) {
    const RoughValues rough = rough_values(v);
    Extremes extremes;
    for (index_t i = 0; i < scaled().rows(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        const int sign = sides_.signs[place];
        if (sign == 0 || rough.clear(place, sign)) {
            continue;
        }
        const Integer exact = exact_value(i, v);
        std::optional<Integer>& extreme = sign > 0 ? extremes.hi : extremes.lo;
        if (!extreme || (sign > 0 ? exact < *extreme : exact > *extreme)) {
            extreme = exact;
        }
    }
    return extremes;
}

/// The least k with margin * 2^k >= 1.
long power_to_one(const Rational& margin) {
    long power = -magnitude(margin) - 1;
    while (shifted(margin, power) < 1) {
        ++power;
    }
    return power;
}

/// Exponent of the lowest set bit of x, whose denominator is a power of two.
long lowest_power(const Rational& x) {
    return x == 0 ? std::numeric_limits<long>::max() / 2
                  : static_cast<long>(mpz_scan1(x.get_num_mpz_t(), 0)) -
                        static_cast<long>(mpz_scan1(x.get_den_mpz_t(), 0));
}

/// Uses doubles if they represent w and b exactly, otherwise rationals and the nearest doubles.
Separator finish(std::vector<Rational> w, Rational b, const Rational& margin) {
    const long least = power_to_one(margin);
    // A larger scale is as good, and may avoid losing bits of small numbers to underflow.
    long lowest = lowest_power(b);
    for (const Rational& x : w) {
        lowest = std::min(lowest, lowest_power(x));
    }
    constexpr long kLeastDouble = -1074;
    long power = std::max(least, kLeastDouble - lowest);
    const auto is_double = [&](const Rational& x) {
        const Rational value = shifted(x, power);
        const double nearest = nearest_double(value);
        return std::isfinite(nearest) && rational_of(nearest) == value;
    };
    const bool exact = is_double(b) && std::all_of(w.begin(), w.end(), is_double);
    power = exact ? power : least;
    Separator out;
    b = shifted(b, power);
    out.b = nearest_double(b);
    for (Rational& x : w) {
        x = shifted(x, power);
        out.w.push_back(nearest_double(x));
        if (!exact) {
            out.exact_w.push_back(x.get_str());
        }
    }
    out.exact_b = exact ? "" : b.get_str();
    out.functional_margin = nearest_double(shifted(margin, power));
    return out;
}

std::optional<Separator> PlaneFinder::separator(const std::vector<Integer>& v) {
    const Extremes extremes = find_extremes(v);
    std::vector<Rational> w;
    Rational offset;  // <m, w>
    for (index_t j = 0; j < scaled().data().columns(); ++j) {
        w.push_back(shifted(Rational(v[static_cast<std::size_t>(j)]), scaled().column_exponent(j)));
        if (scaled().centre(j) != 0.0) {
            offset += w.back() * rational_of(scaled().centre(j));
        }
    }
    const bool both = extremes.lo && extremes.hi;
    if (!scaled().affine()) {
        const Integer margin = both          ? std::min(*extremes.hi, Integer(-*extremes.lo))
                               : extremes.hi ? *extremes.hi
                                             : Integer(-*extremes.lo);
        return margin > 0 ? std::optional(finish(std::move(w), 0, unscaled(margin))) : std::nullopt;
    }
    if (!both || *extremes.lo >= *extremes.hi) {
        return std::nullopt;
    }
    const Rational lo = unscaled(*extremes.lo) + offset;
    const Rational hi = unscaled(*extremes.hi) + offset;
    Rational middle = (lo + hi) / 2;
    // The nearest double lies between them if any does.
    if (const double nearest = nearest_double(middle); std::isfinite(nearest)) {
        const Rational rounded_middle = rational_of(nearest);
        if (lo < rounded_middle && rounded_middle < hi) {
            middle = rounded_middle;
        }
    }
    const Rational margin = std::min(Rational(hi - middle), Rational(middle - lo));
    return finish(std::move(w), -middle, margin);
}

/// V with each coordinate rounded to `bits` bits, still integers.
std::vector<Integer> rounded_direction(std::span<const Integer> direction, index_t columns,
                                       std::size_t bits) {
    std::vector<Integer> out;
    for (index_t j = 0; j < columns; ++j) {
        const Integer& x = direction[static_cast<std::size_t>(j)];
        const std::size_t own = mpz_sizeinbase(x.get_mpz_t(), 2);
        out.push_back(own <= bits ? x
                                  : rounded(Rational(x), static_cast<long>(bits) - 1).get_num());
    }
    out.resize(direction.size());  // V of the constant is 0
    return out;
}

/// Weights of the rows themselves: lambda_i 2^r_i, as integers.
struct HullWeights {
    std::vector<std::pair<index_t, Integer>> rows;  ///< by row number
    Integer total;  ///< over class + when there is a constant, over all rows otherwise
};

HullWeights hull_weights(const ScaledRows& rows, const Sides& sides,
                         const Alternative& alternative) {
    int lowest = std::numeric_limits<int>::max();
    for (const index_t i : alternative.rows) {
        lowest = std::min(lowest, rows.row_exponent(i));
    }
    HullWeights out;
    for (std::size_t k = 0; k < alternative.rows.size(); ++k) {
        const index_t i = alternative.rows[k];
        out.rows.emplace_back(
            i, alternative.weights[k] << static_cast<mp_bitcnt_t>(rows.row_exponent(i) - lowest));
        if (!rows.affine() || sides.signs[static_cast<std::size_t>(i)] > 0) {
            out.total += out.rows.back().second;
        }
    }
    std::sort(out.rows.begin(), out.rows.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return out;
}

/// The common point of the hulls: the weighted mean of class +.
void add_common_point(const ScaledRows& rows, const Sides& sides, const HullWeights& weights,
                      MeetingHulls& hulls) {
    std::vector<double> x(static_cast<std::size_t>(rows.data().columns()));
    constexpr long kShift = 1074;  // every double times 2^1074 is an integer
    std::vector<Integer> sums(x.size());
    for (const auto& [i, weight] : weights.rows) {
        if (sides.signs[static_cast<std::size_t>(i)] > 0) {
            rows.data().copy_row(i, x);
            for (std::size_t j = 0; j < x.size(); ++j) {
                sums[j] += weight * scaled_integer(x[j], kShift);
            }
        }
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
        Rational coordinate(sums[j], weights.total << kShift);
        coordinate.canonicalize();
        hulls.point.push_back(nearest_double(coordinate));
        hulls.exact_point.push_back(coordinate.get_str());
    }
}

}  // namespace

Separator make_separator(GordanRows& rows, const Sides& sides, std::span<const Integer> direction) {
    const index_t columns = rows.scaled().data().columns();
    const bool positive = std::find(sides.signs.begin(), sides.signs.end(), 1) != sides.signs.end();
    const bool negative =
        std::find(sides.signs.begin(), sides.signs.end(), -1) != sides.signs.end();
    if (!positive || !negative) {
        if (rows.scaled().affine() || (!positive && !negative)) {
            Separator constant;  // at most one class: a constant predictor suffices
            constant.w.assign(static_cast<std::size_t>(columns), 0.0);
            constant.b = rows.scaled().affine() ? (negative ? -1.0 : 1.0) : 0.0;
            constant.functional_margin = positive || negative ? 1.0 : kInfinity;
            return constant;
        }
    }
    PlaneFinder finder(rows, sides);
    const std::size_t all = longest(direction);
    for (std::size_t bits = 53;; bits *= 2) {
        std::optional<Separator> found =
            finder.separator(rounded_direction(direction, columns, std::min(bits, all + 1)));
        if (found) {
            return *std::move(found);
        }
        if (bits > all) {
            throw InternalError("separability: an exact direction does not separate");
        }
    }
}

MeetingHulls make_hulls(const ScaledRows& rows, const Sides& sides,
                        const Alternative& alternative) {
    const HullWeights weights = hull_weights(rows, sides, alternative);
    MeetingHulls hulls;
    for (const auto& [i, weight] : weights.rows) {
        Rational share(weight, weights.total);
        share.canonicalize();
        hulls.rows.push_back(i);
        hulls.weights.push_back(nearest_double(share));
        hulls.exact_weights.push_back(share.get_str());
    }
    if (rows.affine()) {
        add_common_point(rows, sides, weights, hulls);
    }
    return hulls;
}

std::vector<signed char> signs_of(std::span<const double> labels, index_t rows) {
    if (static_cast<index_t>(labels.size()) != rows) {
        throw InvalidArgument(
            fmt::format("labels: got {}, must be one for each of {} rows", labels.size(), rows));
    }
    std::vector<signed char> signs;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] != 1.0 && labels[i] != -1.0) {
            throw InvalidArgument(
                fmt::format("labels: row {} has {}, must be -1 or +1", i, labels[i]));
        }
        signs.push_back(labels[i] > 0.0 ? 1 : -1);
    }
    return signs;
}

}  // namespace mercer::theory

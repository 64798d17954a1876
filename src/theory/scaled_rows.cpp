// SPDX-License-Identifier: Apache-2.0
//
// src/theory/scaled_rows.cpp - centres, powers of two, and the integers that result.
#include "theory/scaled_rows.hpp"

#include <algorithm>
#include <limits>

namespace mercer::theory {

namespace {

// 2^x is a double for these exponents, and so is its reciprocal.
constexpr int kLargestExponent = 1000;

int exponent_of(double x) {
    int exponent = 0;
    static_cast<void>(std::frexp(x, &exponent));
    return exponent;
}

/// The exponent of the power of two that scales x > 0 below 1; 0 for x = 0.
int bring_below_one(double x) {
    return x == 0.0 ? 0 : std::clamp(-exponent_of(x), -kLargestExponent, kLargestExponent);
}

/// A number near the middle if that is far from 0 relative to the spread; otherwise 0.
double centre_between(double least, double most) {
    const double middle = least / 2.0 + most / 2.0;  // least + most may overflow
    const double spread = most / 2.0 - least / 2.0;
    if (std::fabs(middle) <= 2.0 * spread) {
        return 0.0;
    }
    // A centre with few bits adds few bits to the integers.
    const double unit = spread == 0.0 ? 0.0 : std::ldexp(1.0, exponent_of(spread) - 1);
    return unit == 0.0 || !std::isfinite(middle / unit) ? middle
                                                        : std::nearbyint(middle / unit) * unit;
}

}  // namespace

ScaledRows::ScaledRows(const Dataset& data, bool affine) : data_(data), affine_(affine) {
    choose_columns();
    choose_rows();
}

void ScaledRows::choose_columns() {
    const auto columns = static_cast<std::size_t>(data_.columns());
    std::vector<double> least(columns, kInfinity);
    std::vector<double> most(columns, -kInfinity);
    for (index_t i = 0; i < rows(); ++i) {
        for_each_stored(i, [&](index_t j, double x) {
            const auto column = static_cast<std::size_t>(j);
            least[column] = std::min(least[column], x);
            most[column] = std::max(most[column], x);
        });
    }
    const bool centred = affine_ && !data_.is_sparse() && rows() > 0;
    for (std::size_t j = 0; j < columns; ++j) {
        centres_.push_back(centred ? centre_between(least[j], most[j]) : 0.0);
        const double size = most[j] < least[j] ? 0.0
                                               : std::max(std::fabs(most[j] - centres_[j]),
                                                          std::fabs(least[j] - centres_[j]));
        column_exponents_.push_back(bring_below_one(size));
        column_factors_.push_back(std::ldexp(1.0, column_exponents_[j]));
    }
}

void ScaledRows::choose_rows() {
    for (index_t i = 0; i < rows(); ++i) {
        double largest = affine_ ? 1.0 : 0.0;
        long lowest = 0;
        for_each_stored(i, [&](index_t j, double x) {
            const auto column = static_cast<std::size_t>(j);
            if (x != 0.0) {
                lowest = std::min(lowest, lowest_exponent(x) + column_exponents_[column]);
            }
            if (centres_[column] != 0.0) {
                lowest =
                    std::min(lowest, lowest_exponent(centres_[column]) + column_exponents_[column]);
            }
            largest =
                std::max(largest, std::fabs((x - centres_[column]) * column_factors_[column]));
        });
        row_exponents_.push_back(bring_below_one(largest));
        row_factors_.push_back(std::ldexp(1.0, row_exponents_.back()));
        shift_ = std::max(shift_, -(lowest + row_exponents_.back()));
    }
}

BoundedValue ScaledRows::dot(index_t i, std::span<const double> v) const {
    constexpr double kUnit = std::numeric_limits<double>::epsilon();
    double sum = 0.0;
    double size = 0.0;
    double count = 8.0;  // the entry, its scaling, v itself, the product, and a reserve
    double largest = 1.0;
    for_each(i, [&](index_t j, double a) {
        const double x = v[static_cast<std::size_t>(j)];
        sum += a * x;
        size += std::fabs(a * x);
        largest = std::max(largest, std::fabs(x));
        count += 1.0;
    });
    // An underflow before the multiplication by the row's factor has an error of 2^-1074.
    const double own = std::max(1.0, row_factors_[static_cast<std::size_t>(i)]);
    const double tiny = count * largest * (own * 0x1.0p-1060);
    return {sum, count * kUnit * size * 1.01 + tiny};
}

IntegerRow ScaledRows::integers(index_t i) const {
    IntegerRow out;
    const int own = row_exponent(i);
    for_each_stored(i, [&](index_t j, double x) {
        const auto column = static_cast<std::size_t>(j);
        const long power = shift_ + own + column_exponents_[column];
        Integer value = scaled_integer(x, power);
        if (centres_[column] != 0.0) {
            value -= scaled_integer(centres_[column], power);
        }
        if (value != 0) {
            out.emplace_back(j, std::move(value));
        }
    });
    if (affine_) {
        out.emplace_back(data_.columns(), Integer(1) << static_cast<mp_bitcnt_t>(shift_ + own));
    }
    return out;
}

Integer dot(const IntegerRow& a, std::span<const Integer> v) {
    Integer sum;
    for (const auto& [j, value] : a) {
        mpz_addmul(sum.get_mpz_t(), value.get_mpz_t(), v[static_cast<std::size_t>(j)].get_mpz_t());
    }
    return sum;
}

Integer dot(const IntegerRow& a, const IntegerRow& b) {
    Integer sum;
    auto left = a.begin();
    auto right = b.begin();
    while (left != a.end() && right != b.end()) {
        if (left->first == right->first) {
            mpz_addmul(sum.get_mpz_t(), left->second.get_mpz_t(), right->second.get_mpz_t());
            ++left;
            ++right;
        } else if (left->first < right->first) {
            ++left;
        } else {
            ++right;
        }
    }
    return sum;
}

}  // namespace mercer::theory

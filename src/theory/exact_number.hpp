// SPDX-License-Identifier: Apache-2.0
//
// src/theory/exact_number.hpp - exact conversion of doubles to integers and rationals.
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <string>

#include "mercer/base/types.hpp"

namespace mercer::theory {

using Integer = mpz_class;
using Rational = mpq_class;

/// The exponent e of the last bit set in a finite x != 0: x is an odd multiple of 2^e.
[[nodiscard]] inline long lowest_exponent(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(std::fabs(x), &exponent);
    const auto bits = static_cast<unsigned long>(std::ldexp(mantissa, 53));
    return exponent - 53L + __builtin_ctzl(bits);
}

/// x * 2^shift, which must be an integer.
[[nodiscard]] inline Integer scaled_integer(double x, long shift) {
    if (x == 0.0) {
        return 0;
    }
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    Integer out = static_cast<long>(std::ldexp(mantissa, 53));
    const long power = exponent - 53L + shift;
    if (power >= 0) {
        out <<= static_cast<mp_bitcnt_t>(power);
    } else {
        mpz_divexact(out.get_mpz_t(), out.get_mpz_t(),
                     Integer(Integer(1) << static_cast<mp_bitcnt_t>(-power)).get_mpz_t());
    }
    return out;
}

/// x * 2^shift.
[[nodiscard]] inline Rational shifted(const Rational& x, long shift) {
    Rational out;
    if (shift >= 0) {
        mpq_mul_2exp(out.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(shift));
    } else {
        mpq_div_2exp(out.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(-shift));
    }
    return out;
}

/// The exact value of a finite double.
[[nodiscard]] inline Rational rational_of(double x) { return Rational(x); }

/// floor(log2 |x|) within one, for x != 0.
[[nodiscard]] inline long magnitude(const Rational& x) {
    return static_cast<long>(mpz_sizeinbase(x.get_num_mpz_t(), 2)) -
           static_cast<long>(mpz_sizeinbase(x.get_den_mpz_t(), 2));
}

/// The double nearest to x (ties away from zero); infinite beyond the range of doubles.
[[nodiscard]] double nearest_double(const Rational& x);

/// `x` rounded to `bits` significant bits: a rational whose denominator is a power of two.
[[nodiscard]] Rational rounded(const Rational& x, long bits);

/// Parses "p/q" or "p"; throws InvalidArgument for any other text.
[[nodiscard]] Rational parse_rational(const std::string& text);

}  // namespace mercer::theory

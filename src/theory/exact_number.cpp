// SPDX-License-Identifier: Apache-2.0
//
// src/theory/exact_number.cpp - rationals rounded to doubles, and read from text.
#include "theory/exact_number.hpp"

#include <algorithm>

#include "mercer/base/error.hpp"

namespace mercer::theory {

Rational rounded(const Rational& x, long bits) {
    if (x == 0) {
        return x;
    }
    // Scaled so that the integer part has `bits` bits or one more; adding a half rounds it.
    const long shift = bits - magnitude(x);
    const Rational scaled = shifted(x, shift);
    Integer whole;
    const Integer numerator = 2 * abs(scaled.get_num()) + scaled.get_den();
    mpz_fdiv_q(whole.get_mpz_t(), numerator.get_mpz_t(), Integer(2 * scaled.get_den()).get_mpz_t());
    return shifted(Rational(x < 0 ? Integer(-whole) : whole), -shift);
}

double nearest_double(const Rational& x) {
    if (x == 0) {
        return 0.0;
    }
    // Subnormal doubles have fewer than 53 bits.
    constexpr long kLeast = -1074;
    long top = magnitude(x);
    top -= static_cast<long>(abs(x) < shifted(Rational(1), top));
    const long last = std::max(top - 52, kLeast);
    const Rational units = shifted(abs(x), -last);
    Integer whole;
    const Integer numerator = 2 * units.get_num() + units.get_den();
    mpz_fdiv_q(whole.get_mpz_t(), numerator.get_mpz_t(), Integer(2 * units.get_den()).get_mpz_t());
    const double value =
        std::ldexp(whole.get_d(), static_cast<int>(std::clamp(last, -2000L, 2000L)));
    return x < 0 ? -value : value;
}

Rational parse_rational(const std::string& text) {
    Rational out;
    if (text.empty() || mpq_set_str(out.get_mpq_t(), text.c_str(), 10) != 0 || out.get_den() == 0) {
        throw InvalidArgument("rational: got '" + text + "', must be p or p/q");
    }
    out.canonicalize();
    return out;
}

}  // namespace mercer::theory

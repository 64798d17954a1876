// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/quad.hpp - a real number of 113 bits, for the few sums that a proof depends on.
//
// The compiler's own type with the functions of its library (libquadmath, or libm where long double
// is that wide). About fifty times slower than double: for single rows and for matrices of a few dozen.
#pragma once

#include <cfloat>
#include <cmath>

#if LDBL_MANT_DIG < 113
extern "C" {  // of libquadmath, whose header only GCC finds
__float128 expq(__float128) noexcept;
__float128 logq(__float128) noexcept;
__float128 log1pq(__float128) noexcept;
__float128 sqrtq(__float128) noexcept;
__float128 tanhq(__float128) noexcept;
__float128 sinq(__float128) noexcept;
__float128 fmodq(__float128, __float128) noexcept;
__float128 powq(__float128, __float128) noexcept;
__float128 fabsq(__float128) noexcept;
}
#endif

namespace mercer {

/// Arithmetic and functions under their usual names, found by argument-dependent lookup, so that one
/// template of a formula serves double and Quad.
class Quad {
public:
#if LDBL_MANT_DIG < 113
    using Native = __float128;
#else
    using Native = long double;
#endif

    Quad() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): every double is a Quad
    Quad(double value) : value_(value) {}

    /// The nearest double.
    [[nodiscard]] explicit operator double() const noexcept { return static_cast<double>(value_); }
    [[nodiscard]] Native native() const noexcept { return value_; }
    [[nodiscard]] static Quad from(Native value) noexcept {
        Quad out;
        out.value_ = value;
        return out;
    }

    Quad& operator+=(Quad other) noexcept { return *this = *this + other; }
    Quad& operator-=(Quad other) noexcept { return *this = *this - other; }
    Quad& operator*=(Quad other) noexcept { return *this = *this * other; }
    Quad& operator/=(Quad other) noexcept { return *this = *this / other; }

    friend Quad operator-(Quad a) noexcept { return from(-a.value_); }
    friend Quad operator+(Quad a, Quad b) noexcept { return from(a.value_ + b.value_); }
    friend Quad operator-(Quad a, Quad b) noexcept { return from(a.value_ - b.value_); }
    friend Quad operator*(Quad a, Quad b) noexcept { return from(a.value_ * b.value_); }
    friend Quad operator/(Quad a, Quad b) noexcept { return from(a.value_ / b.value_); }
    friend bool operator==(Quad a, Quad b) noexcept { return a.value_ == b.value_; }
    friend bool operator<(Quad a, Quad b) noexcept { return a.value_ < b.value_; }
    friend bool operator>(Quad a, Quad b) noexcept { return a.value_ > b.value_; }
    friend bool operator<=(Quad a, Quad b) noexcept { return a.value_ <= b.value_; }
    friend bool operator>=(Quad a, Quad b) noexcept { return a.value_ >= b.value_; }

private:
    Native value_ = 0;
};

#if LDBL_MANT_DIG < 113
[[nodiscard]] inline Quad exp(Quad x) noexcept { return Quad::from(expq(x.native())); }
[[nodiscard]] inline Quad log(Quad x) noexcept { return Quad::from(logq(x.native())); }
[[nodiscard]] inline Quad log1p(Quad x) noexcept { return Quad::from(log1pq(x.native())); }
[[nodiscard]] inline Quad sqrt(Quad x) noexcept { return Quad::from(sqrtq(x.native())); }
[[nodiscard]] inline Quad tanh(Quad x) noexcept { return Quad::from(tanhq(x.native())); }
[[nodiscard]] inline Quad sin(Quad x) noexcept { return Quad::from(sinq(x.native())); }
[[nodiscard]] inline Quad fmod(Quad x, Quad y) noexcept {
    return Quad::from(fmodq(x.native(), y.native()));
}
[[nodiscard]] inline Quad pow(Quad x, Quad y) noexcept {
    return Quad::from(powq(x.native(), y.native()));
}
[[nodiscard]] inline Quad fabs(Quad x) noexcept { return Quad::from(fabsq(x.native())); }
#else
[[nodiscard]] inline Quad exp(Quad x) noexcept { return Quad::from(std::exp(x.native())); }
[[nodiscard]] inline Quad log(Quad x) noexcept { return Quad::from(std::log(x.native())); }
[[nodiscard]] inline Quad log1p(Quad x) noexcept { return Quad::from(std::log1p(x.native())); }
[[nodiscard]] inline Quad sqrt(Quad x) noexcept { return Quad::from(std::sqrt(x.native())); }
[[nodiscard]] inline Quad tanh(Quad x) noexcept { return Quad::from(std::tanh(x.native())); }
[[nodiscard]] inline Quad sin(Quad x) noexcept { return Quad::from(std::sin(x.native())); }
[[nodiscard]] inline Quad fmod(Quad x, Quad y) noexcept {
    return Quad::from(std::fmod(x.native(), y.native()));
}
[[nodiscard]] inline Quad pow(Quad x, Quad y) noexcept {
    return Quad::from(std::pow(x.native(), y.native()));
}
[[nodiscard]] inline Quad fabs(Quad x) noexcept { return Quad::from(std::fabs(x.native())); }
#endif
[[nodiscard]] inline double roundoff(Quad) noexcept { return 0x1p-113; }
[[nodiscard]] inline bool isinf(Quad x) noexcept { return std::isinf(static_cast<double>(x)); }
[[nodiscard]] inline bool isfinite(Quad x) noexcept {
    return std::isfinite(static_cast<double>(x));
}

}  // namespace mercer

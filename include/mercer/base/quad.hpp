// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/quad.hpp - a real number of 113 bits, for the few sums that a proof depends on.
//
// The compiler's own type with the functions of the C library. About fifty times slower than double:
// for single rows and for matrices of a few dozen.
#pragma once

#include <cfloat>
#include <cmath>

#if LDBL_MANT_DIG < 113 && defined(__clang__)
extern "C" {  // functions of glibc that its header declares for GCC only
__float128 expf128(__float128) noexcept;
__float128 logf128(__float128) noexcept;
__float128 log1pf128(__float128) noexcept;
__float128 sqrtf128(__float128) noexcept;
__float128 tanhf128(__float128) noexcept;
__float128 sinf128(__float128) noexcept;
__float128 fmodf128(__float128, __float128) noexcept;
__float128 powf128(__float128, __float128) noexcept;
__float128 fabsf128(__float128) noexcept;
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
[[nodiscard]] inline Quad exp(Quad x) noexcept { return Quad::from(expf128(x.native())); }
[[nodiscard]] inline Quad log(Quad x) noexcept { return Quad::from(logf128(x.native())); }
[[nodiscard]] inline Quad log1p(Quad x) noexcept { return Quad::from(log1pf128(x.native())); }
[[nodiscard]] inline Quad sqrt(Quad x) noexcept { return Quad::from(sqrtf128(x.native())); }
[[nodiscard]] inline Quad tanh(Quad x) noexcept { return Quad::from(tanhf128(x.native())); }
[[nodiscard]] inline Quad sin(Quad x) noexcept { return Quad::from(sinf128(x.native())); }
[[nodiscard]] inline Quad fmod(Quad x, Quad y) noexcept {
    return Quad::from(fmodf128(x.native(), y.native()));
}
[[nodiscard]] inline Quad pow(Quad x, Quad y) noexcept {
    return Quad::from(powf128(x.native(), y.native()));
}
[[nodiscard]] inline Quad fabs(Quad x) noexcept { return Quad::from(fabsf128(x.native())); }
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

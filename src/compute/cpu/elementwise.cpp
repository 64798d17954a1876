// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/elementwise.cpp - the stack program over strips that stay in L1, per SIMD target.
//
// A strip is one row of a tile, at most kTileColumns entries, so every operand of an instruction is
// in L1. An instruction costs one pass over the strip; a distance followed by an exponential (the
// RBF kernel, the most common case) is fused into one pass.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cpu/elementwise.cpp"
#include "compute/cpu/elementwise.hpp"

// foreach_target.h compiles this file once per target, before anything else of Highway.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "compute/cpu/exponential-inl.hpp"
// clang-format on

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compute/cpu/targets.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/kernels/formulas.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out[j] = f(x[j]) over whole vectors; n is a multiple of the lanes.
template <typename T, class F>
HWY_INLINE void for_each(const T* x, T* out, index_t n, const F& f) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    for (index_t j = 0; j < n; j += lanes) {
        hn::StoreU(f(d, hn::LoadU(d, x + j)), d, out + j);
    }
}

/// out[j] = f(x[j], y[j]).
template <typename T, class F>
HWY_INLINE void for_each_pair(const T* x, const T* y, T* out, index_t n, const F& f) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    for (index_t j = 0; j < n; j += lanes) {
        hn::StoreU(f(d, hn::LoadU(d, x + j), hn::LoadU(d, y + j)), d, out + j);
    }
}

/// max(0, |x|^2 + |z|^2 - 2 x.z); exactly 0 when the three are equal.
template <class D, class V>
HWY_INLINE V distance_from_dot(D d, V left_norm, V right_norm, V dot) {
    const V two = hn::Set(d, 2);
    return hn::Max(hn::Zero(d), hn::NegMulAdd(two, dot, hn::Add(left_norm, right_norm)));
}

/// sqrt(x y), exact for x == y; where the product leaves the safe range, sqrt(x) sqrt(y).
template <class D, class V>
HWY_INLINE V geometric_mean(D d, V x, V y) {
    using T = hn::TFromD<D>;
    constexpr T kLarge = sizeof(T) == sizeof(float) ? static_cast<T>(1e36) : static_cast<T>(1e290);
    const V product = hn::Mul(x, y);
    const auto safe =
        hn::And(hn::Gt(product, hn::Set(d, 1 / kLarge)), hn::Lt(product, hn::Set(d, kLarge)));
    return hn::IfThenElse(safe, hn::Sqrt(product), hn::Mul(hn::Sqrt(x), hn::Sqrt(y)));
}

template <class V>
HWY_INLINE V integer_power(V x, V one, int exponent) {
    V result = one;
    V square = x;
    for (int n = exponent; n > 0; n >>= 1) {
        if ((n & 1) != 0) {
            result = hn::Mul(result, square);
        }
        square = hn::Mul(square, square);
    }
    return result;
}

/// Runs the program on one row of the tile.
template <typename T>
class Strip {
public:
    Strip(const Program& program, const ElementwiseTile<T>& tile, index_t padded)
        : program_(program), tile_(tile), n_(padded) {}

    void run(index_t row) {
        row_ = row;
        depth_ = 0;
        const auto count = program_.instructions.size();
        for (size_t i = 0; i < count; ++i) {
            const Instruction& instruction = program_.instructions[i];
            const bool fuse = instruction.op == Op::push_pair && i + 1 < count &&
                              program_.instructions[i + 1].op == Op::exponential;
            if (fuse) {
                ++i;
            }
            target_ = destination(instruction, i + 1 == count);
            if (fuse) {
                push_exponential(instruction, program_.instructions[i]);
            } else {
                execute(instruction);
            }
        }
        T* out = tile_.out + row * tile_.out_stride;
        if (target_ != out) {
            std::memcpy(out, target_, static_cast<size_t>(tile_.columns) * sizeof(T));
        }
    }

private:
    [[nodiscard]] T* slot(int depth) const { return tile_.stack + depth * kTileColumns; }

    /// The strip that the instruction writes to: its stack slot, or for the last instruction the
    /// output itself when whole vectors fit there.
    T* destination(const Instruction& instruction, bool last) {
        if (instruction.op == Op::push_pair || instruction.op == Op::push_constant) {
            ++depth_;
        } else if (instruction.op == Op::add || instruction.op == Op::multiply ||
                   instruction.op == Op::brownian_bridge) {
            --depth_;
        }
        top_ = slot(depth_ - 1);
        return last && tile_.columns == n_ ? tile_.out + row_ * tile_.out_stride : top_;
    }

    void push_pair(const Instruction& instruction) {
        const PairInput<T>& pair = tile_.pairs[static_cast<size_t>(instruction.index)];
        const T* values = pair.values + row_ * tile_.stride;
        if (pair.left_norms == nullptr) {
            std::memcpy(target_, values, static_cast<size_t>(n_) * sizeof(T));
            return;
        }
        const T norm = pair.left_norms[row_];
        for_each_pair(values, pair.right_norms, target_, n_, [norm](auto d, auto dot, auto right) {
            return distance_from_dot(d, hn::Set(d, norm), right, dot);
        });
    }

    void push_exponential(const Instruction& push, const Instruction& exponential) {
        const PairInput<T>& pair = tile_.pairs[static_cast<size_t>(push.index)];
        const T* values = pair.values + row_ * tile_.stride;
        const auto a = static_cast<T>(exponential.a);
        const auto b = static_cast<T>(exponential.b);
        if (pair.left_norms == nullptr) {
            for_each(values, target_, n_, [a, b](auto d, auto x) {
                return exp_vector(d, hn::MulAdd(hn::Set(d, a), x, hn::Set(d, b)));
            });
            return;
        }
        const T norm = pair.left_norms[row_];
        for_each_pair(values, pair.right_norms, target_, n_,
                      [a, b, norm](auto d, auto dot, auto right) {
                          const auto d2 = distance_from_dot(d, hn::Set(d, norm), right, dot);
                          return exp_vector(d, hn::MulAdd(hn::Set(d, a), d2, hn::Set(d, b)));
                      });
    }

    void execute(const Instruction& instruction) {
        const auto a = static_cast<T>(instruction.a);
        const auto b = static_cast<T>(instruction.b);
        switch (instruction.op) {
            case Op::push_pair:
                return push_pair(instruction);
            case Op::push_constant:
                std::fill_n(target_, n_, a);
                return;
            case Op::affine:
                return for_each(top_, target_, n_, [a, b](auto d, auto x) {
                    return hn::MulAdd(hn::Set(d, a), x, hn::Set(d, b));
                });
            case Op::exponential:
                return for_each(top_, target_, n_, [a, b](auto d, auto x) {
                    return exp_vector(d, hn::MulAdd(hn::Set(d, a), x, hn::Set(d, b)));
                });
            case Op::hyperbolic_tangent:
                return for_each(top_, target_, n_, [a, b](auto d, auto x) {
                    return hn::Tanh(d, hn::MulAdd(hn::Set(d, a), x, hn::Set(d, b)));
                });
            case Op::power:
                return for_each(top_, target_, n_, [e = instruction.index](auto d, auto x) {
                    return integer_power(x, hn::Set(d, 1), e);
                });
            case Op::add:
                return for_each_pair(top_, slot(depth_), target_, n_,
                                     [](auto, auto x, auto y) { return hn::Add(x, y); });
            case Op::multiply:
                return for_each_pair(top_, slot(depth_), target_, n_,
                                     [](auto, auto x, auto y) { return hn::Mul(x, y); });
            case Op::is_zero:
                return for_each(top_, target_, n_, [](auto d, auto x) {
                    return hn::IfThenElseZero(hn::Eq(x, hn::Zero(d)), hn::Set(d, 1));
                });
            default:
                return execute_rare(instruction);
        }
    }

    void execute_rare(const Instruction& instruction) {
        switch (instruction.op) {
            case Op::horner:
                return for_each(top_, target_, n_, [&](auto d, auto x) {
                    auto sum = hn::Zero(d);
                    for (auto c = instruction.coefficients.rbegin();
                         c != instruction.coefficients.rend(); ++c) {
                        sum = hn::MulAdd(sum, x, hn::Set(d, static_cast<T>(*c)));
                    }
                    return sum;
                });
            case Op::scale_rows:
                return scale_rows(row_quantity(instruction));
            case Op::normalize:
                return normalize(row_quantity(instruction));
            case Op::gaussian_rows:
                return gaussian_rows(instruction);
            case Op::brownian_bridge:
                return for_each_pair(top_, slot(depth_), target_, n_, [](auto d, auto x, auto y) {
                    return hn::Mul(x, hn::Sub(hn::Set(d, 1), y));
                });
            case Op::radial:
                return radial(instruction);
            case Op::negative_distance:
                return negative_distance(instruction.a);
            case Op::sinc:
                return each_scalar([&](double t) { return formulas::sinc(t, instruction.a); });
            default:
                return;
        }
    }

    [[nodiscard]] const RowInput<T>& row_quantity(const Instruction& instruction) const {
        return tile_.row_quantities[static_cast<size_t>(instruction.index)];
    }

    void scale_rows(const RowInput<T>& u) {
        for_each_pair(top_, u.right, target_, n_, [s = u.left[row_]](auto d, auto x, auto right) {
            return hn::Mul(x, hn::Mul(hn::Set(d, s), right));
        });
    }

    void normalize(const RowInput<T>& u) {
        for_each_pair(top_, u.right, target_, n_, [s = u.left[row_]](auto d, auto x, auto right) {
            const auto size = geometric_mean(d, hn::Set(d, s), right);
            return hn::IfThenElseZero(hn::Gt(size, hn::Zero(d)), hn::Div(x, size));
        });
    }

    void gaussian_rows(const Instruction& instruction) {
        const RowInput<T>& u = row_quantity(instruction);
        const auto a = static_cast<T>(instruction.a);
        const auto b = static_cast<T>(instruction.b);
        const auto c = static_cast<T>(instruction.c);
        for_each_pair(top_, u.right, target_, n_,
                      [a, b, c, s = u.left[row_]](auto d, auto dot, auto right) {
                          const auto norms = hn::Add(hn::Set(d, s), right);
                          const auto quadratic = hn::MulAdd(hn::Set(d, b), dot, hn::Set(d, c));
                          return exp_vector(d, hn::MulAdd(hn::Set(d, a), norms, quadratic));
                      });
    }

    /// Radial kernels with vector code; the others use their scalar formula.
    void radial(const Instruction& instruction) {
        const std::vector<double>& p = instruction.coefficients;
        if (instruction.type == KernelType::matern && formulas::is_closed_matern(p[0])) {
            return closed_matern(p[0], p[1]);
        }
        if (instruction.type == KernelType::rational_quadratic) {
            return rational_quadratic(static_cast<T>(p[0]), 1.0 / (2.0 * p[0] * p[1] * p[1]));
        }
        each_scalar([&](double d2) { return instruction.radial->value(d2, p.data()); });
    }

    void rational_quadratic(T alpha, double factor) {
        for_each(top_, target_, n_, [alpha, scale = static_cast<T>(factor)](auto d, auto d2) {
            const auto log = hn::Log1p(d, hn::Mul(hn::Set(d, scale), d2));
            return exp_vector(d, hn::Mul(hn::Set(d, -alpha), log));
        });
    }

    void closed_matern(double nu, double length) {
        // t = sqrt(2 nu d2) / length;  exp(-t) times 1, 1 + t or 1 + t + t^2 / 3.
        const auto scale = static_cast<T>(2.0 * nu / (length * length));
        const T linear = nu > 1.0 ? 1 : 0;
        const T quadratic = nu > 2.0 ? static_cast<T>(1.0 / 3.0) : 0;
        for_each(top_, target_, n_, [=](auto d, auto d2) {
            const auto t = hn::Sqrt(hn::Mul(hn::Set(d, scale), d2));
            const auto slope = hn::MulAdd(hn::Set(d, quadratic), t, hn::Set(d, linear));
            return hn::Mul(hn::MulAdd(slope, t, hn::Set(d, 1)), exp_vector(d, hn::Neg(t)));
        });
    }

    void negative_distance(double power) {
        if (power == 2.0) {
            return for_each(top_, target_, n_, [](auto, auto d2) { return hn::Neg(d2); });
        }
        if (power == 1.0) {
            return for_each(top_, target_, n_, [](auto, auto d2) { return hn::Neg(hn::Sqrt(d2)); });
        }
        each_scalar([=](double d2) { return formulas::negative_distance(d2, power); });
    }

    /// Kernels that are rarely used on large data use the scalar formula.
    template <class F>
    void each_scalar(const F& f) {
        for (index_t j = 0; j < n_; ++j) {
            target_[j] = static_cast<T>(f(static_cast<double>(top_[j])));
        }
    }

    const Program& program_;
    const ElementwiseTile<T>& tile_;
    index_t n_;
    index_t row_ = 0;
    int depth_ = 0;
    T* top_ = nullptr;
    T* target_ = nullptr;
};

template <typename T>
void run_impl(const Program& program, const ElementwiseTile<T>& tile) {
    const auto lanes = static_cast<index_t>(hn::Lanes(hn::ScalableTag<T>()));
    const index_t padded = (tile.columns + lanes - 1) / lanes * lanes;
    Strip<T> strip(program, tile, padded);
    for (index_t row = 0; row < tile.rows; ++row) {
        strip.run(row);
    }
}

template <typename T>
void exp_impl(const T* x, T* out, index_t n) {
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    index_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        hn::StoreU(exp_vector(d, hn::LoadU(d, x + i)), d, out + i);
    }
    if (i < n) {
        HWY_ALIGN T tail[HWY_MAX_BYTES / sizeof(T)] = {};
        std::memcpy(tail, x + i, static_cast<size_t>(n - i) * sizeof(T));
        hn::Store(exp_vector(d, hn::Load(d, tail)), d, tail);
        std::memcpy(out + i, tail, static_cast<size_t>(n - i) * sizeof(T));
    }
}

void run_f32(const Program& program, const ElementwiseTile<float>& tile) {
    run_impl(program, tile);
}
void run_f64(const Program& program, const ElementwiseTile<double>& tile) {
    run_impl(program, tile);
}
void exp_f32(const float* x, float* out, index_t n) { exp_impl(x, out, n); }
void exp_f64(const double* x, double* out, index_t n) { exp_impl(x, out, n); }
const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace mercer::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::cpu {

MERCER_EXPORT(run_f32);
MERCER_EXPORT(run_f64);
MERCER_EXPORT(exp_f32);
MERCER_EXPORT(exp_f64);
MERCER_EXPORT(target_name);

void run_elementwise(const Program& program, const ElementwiseTile<float>& tile) {
    MERCER_DISPATCH(run_f32)(program, tile);
}
void run_elementwise(const Program& program, const ElementwiseTile<double>& tile) {
    MERCER_DISPATCH(run_f64)(program, tile);
}
void vector_exp(const float* x, float* out, index_t n) { MERCER_DISPATCH(exp_f32)(x, out, n); }
void vector_exp(const double* x, double* out, index_t n) { MERCER_DISPATCH(exp_f64)(x, out, n); }
const char* simd_target_name() { return MERCER_DISPATCH(target_name)(); }

}  // namespace mercer::cpu
#endif

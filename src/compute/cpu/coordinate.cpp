// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/coordinate.cpp - the passes, per SIMD target.
//
// Eight variables per step: one byte of each set. Values are double; rows and diagonal are float
// and widened on the fly; the gain of the second-order choice is compared in double.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cpu/coordinate.cpp"
#include "mercer/compute/coordinate.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "compute/cpu/backend.hpp"
#include "compute/cpu/targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;

/// Membership of the lanes from variable k on; k is a multiple of the lanes.
HWY_INLINE M members(D d, const std::uint8_t* set, index_t k) {
    const std::uint8_t bits[8] = {static_cast<std::uint8_t>(set[k / 8] >> (k % 8))};
    return hn::LoadMaskBits(d, bits);
}

HWY_INLINE V widen(D d, const float* from) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}

/// Largest value per lane, with its index.
struct Best {
    V value;
    V index;

    HWY_INLINE void offer(D, M member, V candidate, V position) {
        const M better = hn::And(member, hn::Gt(candidate, value));
        value = hn::IfThenElse(better, candidate, value);
        index = hn::IfThenElse(better, position, index);
    }
};

/// The best over the lanes; the smallest index among equals. -1 when there was no candidate.
HWY_INLINE index_t reduce(D d, const Best& best, double& value) {
    HWY_ALIGN double values[8];
    HWY_ALIGN double indices[8];
    hn::Store(best.value, d, values);
    hn::Store(best.index, d, indices);
    index_t found = -1;
    for (size_t lane = 0; lane < hn::Lanes(d); ++lane) {
        const auto index = static_cast<index_t>(indices[lane]);
        if (index >= 0 &&
            (found < 0 || values[lane] > value || (values[lane] == value && index < found))) {
            found = index;
            value = values[lane];
        }
    }
    return found;
}

/// The scan that both passes share; `next` gives the values from variable k on.
template <class F>
HWY_INLINE Extremes scan(const CoordinateArrays& arrays, const F& next) {
    const D d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    const V none = hn::Set(d, -1.0);
    Best high{hn::Set(d, -kInfinity), none};
    Best low{hn::Set(d, -kInfinity), none};
    V position = hn::Iota(d, 0);
    const V stride = hn::Set(d, static_cast<double>(lanes));
    for (index_t k = 0; k < arrays.size; k += lanes) {
        const V value = next(d, k);
        high.offer(d, members(d, arrays.up, k), value, position);
        low.offer(d, members(d, arrays.down, k), hn::Neg(value), position);
        position = hn::Add(position, stride);
    }
    Extremes out;
    double negated = -kInfinity;
    out.highest = reduce(d, high, out.maximum);
    out.lowest = reduce(d, low, negated);
    out.minimum = -negated;
    return out;
}

Extremes find(const CoordinateArrays& arrays) {
    return scan(arrays, [&](D d, index_t k) { return hn::LoadU(d, arrays.values + k); });
}

Extremes step(const CoordinateArrays& arrays, const float* HWY_RESTRICT row_up,
              const float* HWY_RESTRICT row_down, double delta) {
    return scan(arrays, [&](D d, index_t k) {
        const V difference = hn::Sub(widen(d, row_up + k), widen(d, row_down + k));
        const V value =
            hn::NegMulAdd(hn::Set(d, delta), difference, hn::LoadU(d, arrays.values + k));
        hn::StoreU(value, d, arrays.values + k);
        return value;
    });
}

index_t partner(const CoordinateArrays& arrays, const float* HWY_RESTRICT row, double row_diagonal,
                double maximum) {
    const D d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    Best best{hn::Zero(d), hn::Set(d, -1.0)};
    V position = hn::Iota(d, 0);
    const V stride = hn::Set(d, static_cast<double>(lanes));
    const V top = hn::Set(d, maximum);
    const V own = hn::Set(d, row_diagonal);
    const V least = hn::Set(d, 1e-12);
    const V two = hn::Set(d, 2.0);
    for (index_t k = 0; k < arrays.size; k += lanes) {
        const V distance = hn::Sub(top, hn::LoadU(d, arrays.values + k));
        const M member = hn::And(members(d, arrays.down, k), hn::Gt(distance, hn::Zero(d)));
        const V curvature = hn::Max(
            least,
            hn::NegMulAdd(two, widen(d, row + k), hn::Add(own, widen(d, arrays.diagonal + k))));
        const V gain = hn::Div(hn::Mul(distance, distance), curvature);
        best.offer(d, member, gain, position);
        position = hn::Add(position, stride);
    }
    double gain = 0.0;
    return reduce(d, best, gain);
}

/// Four rows at a time over a strip of values that stays in registers and the L1 cache.
void subtract(double* HWY_RESTRICT values, index_t begin, index_t end,
              const WeightedRows& weighted) {
    const float* const* rows = weighted.rows;
    const double* deltas = weighted.weights;
    const index_t count = weighted.count;
    const D d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    index_t r = 0;
    for (; r + 4 <= count; r += 4) {
        const float* HWY_RESTRICT row0 = rows[r];
        const float* HWY_RESTRICT row1 = rows[r + 1];
        const float* HWY_RESTRICT row2 = rows[r + 2];
        const float* HWY_RESTRICT row3 = rows[r + 3];
        const V delta0 = hn::Set(d, deltas[r]);
        const V delta1 = hn::Set(d, deltas[r + 1]);
        const V delta2 = hn::Set(d, deltas[r + 2]);
        const V delta3 = hn::Set(d, deltas[r + 3]);
        for (index_t k = begin; k < end; k += lanes) {
            V value = hn::LoadU(d, values + k);
            value = hn::NegMulAdd(delta0, widen(d, row0 + k), value);
            value = hn::NegMulAdd(delta1, widen(d, row1 + k), value);
            value = hn::NegMulAdd(delta2, widen(d, row2 + k), value);
            value = hn::NegMulAdd(delta3, widen(d, row3 + k), value);
            hn::StoreU(value, d, values + k);
        }
    }
    for (; r < count; ++r) {
        const V delta = hn::Set(d, deltas[r]);
        for (index_t k = begin; k < end; k += lanes) {
            const V value = hn::LoadU(d, values + k);
            hn::StoreU(hn::NegMulAdd(delta, widen(d, rows[r] + k), value), d, values + k);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::cpu {

MERCER_EXPORT(find);
MERCER_EXPORT(step);
MERCER_EXPORT(partner);
MERCER_EXPORT(subtract);

Extremes CpuBackend::find_extremes(const CoordinateArrays& arrays) const {
    return MERCER_DISPATCH(find)(arrays);
}

Extremes CpuBackend::step_and_find(const CoordinateArrays& arrays, const float* row_up,
                                   const float* row_down, double delta) const {
    return MERCER_DISPATCH(step)(arrays, row_up, row_down, delta);
}

index_t CpuBackend::choose_partner(const CoordinateArrays& arrays, const float* row,
                                   double row_diagonal, double maximum) const {
    return MERCER_DISPATCH(partner)(arrays, row, row_diagonal, maximum);
}

void CpuBackend::subtract_rows(double* values, index_t begin, index_t end,
                               const WeightedRows& rows) const {
    MERCER_DISPATCH(subtract)(values, begin, end, rows);
}

}  // namespace mercer::cpu
#endif

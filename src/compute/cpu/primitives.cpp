// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/primitives.cpp - products of a tile with vectors, per SIMD target.
//
// One column (t = 1): lanes run along the tile's row, with four sums that are added in a fixed
// tree. More columns: lanes run along the columns of v, which are padded to whole vectors by the
// caller's stride or handled one by one at the end. float32 tiles are widened: sums of many kernel
// values need the digits.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cpu/primitives.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "mercer/base/types.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;

template <typename T>
HWY_INLINE hn::Vec<D64> load_wide(D64 d, const T* from) {
    if constexpr (sizeof(T) == sizeof(double)) {
        return hn::LoadU(d, from);
    } else {
        const hn::Rebind<float, D64> narrow;
        return hn::PromoteTo(d, hn::LoadU(narrow, from));
    }
}

/// sum_j k[j] v[j * stride], n terms.
template <typename T>
HWY_INLINE double dot_column(const T* HWY_RESTRICT k, const double* HWY_RESTRICT v, index_t stride,
                             index_t n) {
    const D64 d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    index_t j = 0;
    double total = 0.0;
    if (stride == 1) {
        auto s0 = hn::Zero(d);
        auto s1 = s0;
        auto s2 = s0;
        auto s3 = s0;
        for (; j + 4 * lanes <= n; j += 4 * lanes) {
            s0 = hn::MulAdd(load_wide(d, k + j), hn::LoadU(d, v + j), s0);
            s1 = hn::MulAdd(load_wide(d, k + j + lanes), hn::LoadU(d, v + j + lanes), s1);
            s2 = hn::MulAdd(load_wide(d, k + j + 2 * lanes), hn::LoadU(d, v + j + 2 * lanes), s2);
            s3 = hn::MulAdd(load_wide(d, k + j + 3 * lanes), hn::LoadU(d, v + j + 3 * lanes), s3);
        }
        total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
    }
    for (; j < n; ++j) {
        total += static_cast<double>(k[j]) * v[j * stride];
    }
    return total;
}

/// R rows of the tile times `lanes` columns of v from c on; `mask` selects those that exist.
template <int R, typename T>
HWY_INLINE void product_strip(MatrixView<const T> tile, index_t i, MatrixView<const double> v,
                              index_t c, hn::Mask<D64> mask, MatrixView<double> out) {
    const D64 d;
    hn::Vec<D64> sum[R];
    for (int r = 0; r < R; ++r) {
        sum[r] = hn::MaskedLoad(mask, d, out.row(i + r) + c);
    }
    for (index_t j = 0; j < tile.columns; ++j) {
        const auto z = hn::MaskedLoad(mask, d, v.row(j) + c);
        for (int r = 0; r < R; ++r) {
            sum[r] = hn::MulAdd(hn::Set(d, static_cast<double>(tile(i + r, j))), z, sum[r]);
        }
    }
    for (int r = 0; r < R; ++r) {
        hn::BlendedStore(sum[r], mask, d, out.row(i + r) + c);
    }
}

/// Several columns: vectors run along them, and a line of v serves eight rows. 15,000 rows of
/// letter with 7,627 support vectors of 25 coefficients each: 0.90 s when columns after the last
/// whole pair of vectors were summed one by one, 0.37 s now.
template <typename T>
void product_impl(MatrixView<const T> tile, MatrixView<const double> v, MatrixView<double> out) {
    const D64 d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    if (v.columns == 1) {
        for (index_t i = 0; i < tile.rows; ++i) {
            out(i, 0) += dot_column(tile.row(i), v.data, v.stride, tile.columns);
        }
        return;
    }
    for (index_t c = 0; c < v.columns; c += lanes) {
        const auto mask = hn::FirstN(d, static_cast<size_t>(std::min(lanes, v.columns - c)));
        index_t i = 0;
        for (; i + 8 <= tile.rows; i += 8) {
            product_strip<8>(tile, i, v, c, mask, out);
        }
        for (; i < tile.rows; ++i) {
            product_strip<1>(tile, i, v, c, mask, out);
        }
    }
}

/// Adds R rows of the tile, each times its entry of u, to the line `out`, in the order of the rows:
/// `out` is loaded and stored once for all of them.
template <int R, typename T>
HWY_INLINE void add_rows(MatrixView<const T> tile, index_t i, MatrixView<const double> u,
                         MatrixView<double> out) {
    const D64 d;
    const hn::CappedTag<double, 1> one;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    const T* rows[R];
    double weights[R];
    for (int r = 0; r < R; ++r) {
        rows[r] = tile.row(i + r);
        weights[r] = u(i + r, 0);
    }
    index_t j = 0;
    for (; j + lanes <= tile.columns; j += lanes) {
        auto sum = hn::LoadU(d, out.data + j);
        for (int r = 0; r < R; ++r) {
            sum = hn::MulAdd(load_wide(d, rows[r] + j), hn::Set(d, weights[r]), sum);
        }
        hn::StoreU(sum, d, out.data + j);
    }
    for (; j < tile.columns; ++j) {
        auto sum = hn::Set(one, out.data[j]);
        for (int r = 0; r < R; ++r) {
            sum = hn::MulAdd(hn::Set(one, static_cast<double>(rows[r][j])),
                             hn::Set(one, weights[r]), sum);
        }
        out.data[j] = hn::GetLane(sum);
    }
}

template <typename T>
void transposed_impl(MatrixView<const T> tile, MatrixView<const double> u, MatrixView<double> out) {
    const D64 d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    if (u.columns == 1 && out.stride == 1) {
        index_t i = 0;
        for (; i + 4 <= tile.rows; i += 4) {
            add_rows<4>(tile, i, u, out);
        }
        for (; i < tile.rows; ++i) {
            add_rows<1>(tile, i, u, out);
        }
        return;
    }
    for (index_t i = 0; i < tile.rows; ++i) {
        const T* k = tile.row(i);
        for (index_t j = 0; j < tile.columns; ++j) {
            const auto x = hn::Set(d, static_cast<double>(k[j]));
            index_t c = 0;
            for (; c + lanes <= u.columns; c += lanes) {
                const auto sum = hn::LoadU(d, out.row(j) + c);
                hn::StoreU(hn::MulAdd(x, hn::LoadU(d, u.row(i) + c), sum), d, out.row(j) + c);
            }
            for (; c < u.columns; ++c) {
                out(j, c) += static_cast<double>(k[j]) * u(i, c);
            }
        }
    }
}

/// Whole lines of an aligned target are written without being read first.
void stream_f32(MatrixView<const float> tile, float* const* targets) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    for (index_t r = 0; r < tile.rows; ++r) {
        const float* HWY_RESTRICT from = tile.row(r);
        float* HWY_RESTRICT to = targets[r];
        index_t j = 0;
        if (reinterpret_cast<std::uintptr_t>(to) % (sizeof(float) * hn::Lanes(d)) == 0) {
            for (; j + lanes <= tile.columns; j += lanes) {
                hn::Stream(hn::LoadU(d, from + j), d, to + j);
            }
        }
        std::copy_n(from + j, tile.columns - j, to + j);
    }
    hwy::FlushStream();  // before another thread may read them
}

void product_f32(MatrixView<const float> tile, MatrixView<const double> v, MatrixView<double> out) {
    product_impl(tile, v, out);
}
void product_f64(MatrixView<const double> tile, MatrixView<const double> v,
                 MatrixView<double> out) {
    product_impl(tile, v, out);
}
void transposed_f32(MatrixView<const float> tile, MatrixView<const double> u,
                    MatrixView<double> out) {
    transposed_impl(tile, u, out);
}
void transposed_f64(MatrixView<const double> tile, MatrixView<const double> u,
                    MatrixView<double> out) {
    transposed_impl(tile, u, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace mercer::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "compute/cpu/backend.hpp"
#include "compute/cpu/elementwise.hpp"
#include "compute/cpu/targets.hpp"
#include "mercer/compute/primitives.hpp"

namespace mercer::cpu {

MERCER_EXPORT(product_f32);
MERCER_EXPORT(product_f64);
MERCER_EXPORT(transposed_f32);
MERCER_EXPORT(transposed_f64);
MERCER_EXPORT(stream_f32);

void CpuBackend::accumulate_product(MatrixView<const float> tile, MatrixView<const double> v,
                                    MatrixView<double> out) const {
    MERCER_DISPATCH(product_f32)(tile, v, out);
}
void CpuBackend::accumulate_product(MatrixView<const double> tile, MatrixView<const double> v,
                                    MatrixView<double> out) const {
    MERCER_DISPATCH(product_f64)(tile, v, out);
}
void CpuBackend::accumulate_transposed(MatrixView<const float> tile, MatrixView<const double> u,
                                       MatrixView<double> out) const {
    MERCER_DISPATCH(transposed_f32)(tile, u, out);
}
void CpuBackend::accumulate_transposed(MatrixView<const double> tile, MatrixView<const double> u,
                                       MatrixView<double> out) const {
    MERCER_DISPATCH(transposed_f64)(tile, u, out);
}

void CpuBackend::stream_rows(MatrixView<const float> tile, std::span<float* const> targets) const {
    MERCER_DISPATCH(stream_f32)(tile, targets.data());
}

void CpuBackend::exponential(std::span<const float> x, std::span<float> out) const {
    vector_exp(x.data(), out.data(), static_cast<index_t>(x.size()));
}
void CpuBackend::exponential(std::span<const double> x, std::span<double> out) const {
    vector_exp(x.data(), out.data(), static_cast<index_t>(x.size()));
}

std::string CpuBackend::description() const {
    return std::string(simd_target_name()) + " instructions and BLAS";
}

}  // namespace mercer::cpu

std::string mercer::simd_target() { return cpu::simd_target_name(); }
#endif

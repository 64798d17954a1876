// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_matrix.cpp - products, factor and solutions in 113 bits.
#include "solvers/precise_matrix.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr double kNoDigitsLeft = 0x1p-108;  // relative to the diagonal: a smaller pivot is rounding

}  // namespace

std::vector<Quad> PreciseMatrix::multiply(std::span<const Quad> v) const {
    std::vector<Quad> out(size_);
    for (std::size_t i = 0; i < size_; ++i) {
        Quad sum = 0.0;
        for (std::size_t j = 0; j < size_; ++j) {
            sum += (*this)(i, j) * v[j];
        }
        out[i] = sum;
    }
    return out;
}

void PreciseMatrix::factor() {
    std::vector<Quad> scaled(size_);  // row j of LD
    for (std::size_t j = 0; j < size_; ++j) {
        const Quad* const row = &values_[j * size_];
        Quad pivot = row[j];
        for (std::size_t k = 0; k < j; ++k) {
            scaled[k] = row[k] * (*this)(k, k);
            pivot -= scaled[k] * row[k];
        }
        pivot = row[j] > 0.0 ? std::max(pivot, row[j] * kNoDigitsLeft) : Quad(1.0);
        for (std::size_t i = j + 1; i < size_; ++i) {
            Quad* const lower = &values_[i * size_];
            Quad sum = lower[j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= lower[k] * scaled[k];
            }
            lower[j] = sum / pivot;
        }
        (*this)(j, j) = pivot;
    }
}

void PreciseMatrix::solve(std::span<Quad> v) const {
    for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            v[i] -= (*this)(i, k) * v[k];
        }
    }
    for (std::size_t i = size_; i-- > 0;) {
        v[i] /= (*this)(i, i);
        for (std::size_t j = i + 1; j < size_; ++j) {
            v[i] -= (*this)(j, i) * v[j];
        }
    }
}

}  // namespace mercer

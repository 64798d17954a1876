// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_system.cpp - systems with K + R + 1 / E, by the rows or by the columns.
//
// By the columns, with W = 1 / (R + 1 / E):   (I + Z'WZ) g = Z'W v,   x = W (v - Zg). There is no
// refinement by residuals: for a large column the terms of Z'x cancel, while g is accurate.
#include "solvers/precise_system.hpp"

#include <utility>

namespace mercer {

PreciseSystem::PreciseSystem(PreciseMatrix kernel, std::vector<Quad> ridge)
    : kernel_(std::move(kernel)), ridge_(std::move(ridge)) {}

PreciseSystem::PreciseSystem(PreciseFeatures columns, std::vector<Quad> ridge)
    : columns_(std::move(columns)), ridge_(std::move(ridge)) {}

std::vector<Quad> PreciseSystem::gathered(std::span<const Quad> v) const {
    std::vector<Quad> out(columns_.count);
    for (std::size_t i = 0; i < v.size(); ++i) {
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] += column_row(i)[k] * v[i];
        }
    }
    return out;
}

Quad PreciseSystem::along(std::size_t row, std::span<const Quad> w) const {
    Quad sum = 0.0;
    for (std::size_t k = 0; k < w.size(); ++k) {
        sum += column_row(row)[k] * w[k];
    }
    return sum;
}

std::vector<Quad> PreciseSystem::multiply(std::span<const Quad> v) const {
    std::vector<Quad> out;
    if (by_columns()) {
        const std::vector<Quad> w = gathered(v);
        for (std::size_t i = 0; i < size(); ++i) {
            out.push_back(along(i, w));
        }
    } else {
        out = kernel_.multiply(v);
    }
    for (std::size_t i = 0; i < size(); ++i) {
        out[i] += ridge_[i] * v[i];
    }
    return out;
}

void PreciseSystem::factor(std::span<const Quad> inverse) {
    weights_.clear();
    for (std::size_t i = 0; i < size(); ++i) {
        weights_.push_back(inverse[i] / (Quad(1.0) + ridge_[i] * inverse[i]));
    }
    if (by_columns()) {
        factor_columns();
        return;
    }
    factor_ = kernel_;
    for (std::size_t i = 0; i < size(); ++i) {
        if (inverse[i] > 0.0) {
            factor_(i, i) += ridge_[i];
            factor_(i, i) += Quad(1.0) / inverse[i];
            continue;
        }
        for (std::size_t j = 0; j < size(); ++j) {
            factor_(i, j) = 0.0;
            factor_(j, i) = 0.0;
        }
        factor_(i, i) = 1.0;
    }
    factor_.factor();
}

void PreciseSystem::factor_columns() {
    const std::size_t r = columns_.count;
    factor_ = PreciseMatrix(r);
    for (std::size_t i = 0; i < size(); ++i) {
        for (std::size_t k = 0; k < r; ++k) {
            const Quad weighted = weights_[i] * column_row(i)[k];
            for (std::size_t l = 0; l <= k; ++l) {
                factor_(k, l) += weighted * column_row(i)[l];
            }
        }
    }
    for (std::size_t k = 0; k < r; ++k) {
        factor_(k, k) += 1.0;
    }
    factor_.factor();
}

void PreciseSystem::solve_columns(std::span<Quad> v) const {
    for (std::size_t i = 0; i < size(); ++i) {
        v[i] *= weights_[i];
    }
    std::vector<Quad> g = gathered(v);
    factor_.solve(g);
    for (std::size_t i = 0; i < size(); ++i) {
        v[i] -= weights_[i] * along(i, g);
    }
}

void PreciseSystem::solve(std::span<Quad> v) const {
    if (by_columns()) {
        solve_columns(v);
        return;
    }
    for (std::size_t i = 0; i < size(); ++i) {
        v[i] = weights_[i] > 0.0 ? v[i] : Quad(0.0);
    }
    factor_.solve(v);
}

}  // namespace mercer

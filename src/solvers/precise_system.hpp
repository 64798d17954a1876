// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_system.hpp - K + R in 113 bits, and the systems of an interior point with it.
//
// Two forms: K itself, or few columns Z with K = ZZ'. If the columns have very different scales,
// the values of K lose the small ones; a matrix of the columns is equally accurate for all of them.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/operators/precise_values.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

class PreciseSystem {
public:
    /// K + R by its rows.
    PreciseSystem(PreciseMatrix kernel, std::vector<Quad> ridge);
    /// ZZ' + R.
    PreciseSystem(PreciseFeatures columns, std::vector<Quad> ridge);

    [[nodiscard]] std::size_t size() const noexcept { return ridge_.size(); }
    /// (K + R) v.
    [[nodiscard]] std::vector<Quad> multiply(std::span<const Quad> v) const;

    /// Factors K + R + 1 / E, without the rows with E = 0.
    void factor(std::span<const Quad> inverse);
    /// (K + R + 1 / E) x = v, in place; x = 0 where E = 0.
    void solve(std::span<Quad> v) const;

private:
    [[nodiscard]] bool by_columns() const noexcept { return columns_.count > 0; }
    [[nodiscard]] const Quad* column_row(std::size_t i) const {
        return &columns_.values[i * columns_.count];
    }
    /// Z'v.
    [[nodiscard]] std::vector<Quad> gathered(std::span<const Quad> v) const;
    [[nodiscard]] Quad along(std::size_t row, std::span<const Quad> w) const;
    void factor_columns();
    void solve_columns(std::span<Quad> v) const;

    PreciseMatrix kernel_{0};
    PreciseFeatures columns_;
    std::vector<Quad> ridge_;    ///< R
    std::vector<Quad> weights_;  ///< 1 / (R + 1 / E)
    PreciseMatrix factor_{0};
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/free_factor.hpp - the linear system of the free rows, with an updated factorisation.
//
// The sum constraints are part of the factor: M = K + R + sigma E E', where E holds the indicators
// of the groups, has the same minimisers on E'x = d as K + R, and is positive definite exactly when
// K + R is on E'x = 0. So a plain Cholesky factor suffices, without a pivot row.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "solvers/dual_rows.hpp"
#include "solvers/free_columns.hpp"
#include "solvers/updated_cholesky.hpp"

namespace mercer {

class Context;

/// The optimum of the free rows, and the multipliers of the groups there.
struct FreeSolution {
    std::vector<double> x;
    std::array<double, 2> r{};
};

/// The free rows are those of `rows`, in the same order: every row that is added to or removed from
/// it must be added here or removed as well.
class FreeFactor {
public:
    FreeFactor(const DualRows& rows, Context& context);

    /// K(row, row) + R(row).
    [[nodiscard]] double diagonal(index_t row) const {
        return columns_.diagonal(row) + rows_.term(row).ridge;
    }
    [[nodiscard]] index_t columns_computed() const noexcept { return columns_.computed(); }

    /// The column of K that belongs to a row.
    void copy(index_t row, std::span<double> out) { columns_.copy(row, out, context_); }
    /// The free columns times x, and all columns times beta.
    void multiply(std::span<const double> x, std::span<double> out) {
        columns_.multiply(rows_.free_rows(), x, out, context_);
    }
    [[nodiscard]] std::vector<double> product(std::span<const double> beta) const {
        return columns_.product(beta, context_);
    }

    /// True when the row depends on the free ones: explained() says how.
    [[nodiscard]] bool depends(index_t row, std::span<const double> column);
    [[nodiscard]] std::vector<double> explained() const { return factor_.explained(); }

    /// Adds the row of the last call of depends(), which must have returned false.
    void append(index_t row, std::span<const double> column);
    /// Adds all rows by one factorisation. False, with no rows added, if some depend on others or
    /// there are few.
    [[nodiscard]] bool assign(std::span<const index_t> list);
    void remove(std::size_t position);

    /// The x with M x + E r = h + sigma E d and E'x = d.
    [[nodiscard]] FreeSolution solve(std::vector<double> h, const std::array<double, 2>& d) const;

private:
    /// M(i, j), with `value` = K(i, j).
    [[nodiscard]] double meeting(index_t i, index_t j, double value) const;

    const DualRows& rows_;
    Context& context_;
    FreeColumns columns_;
    UpdatedCholesky factor_;
    double sigma_ = 1.0;
    double pivot_ = 0.0;
};

}  // namespace mercer

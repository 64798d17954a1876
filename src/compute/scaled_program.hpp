// SPDX-License-Identifier: Apache-2.0
//
// src/compute/scaled_program.hpp - a quadratic program whose numbers are about 1, and the products
// that an interior-point method needs. Sums are computed in long double: near the end the terms
// cancel.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

using Wide = long double;
using WideVector = std::vector<Wide>;

/// A bound as one row of the inequalities: sign * x[variable] + offset <= 0.
struct BoundRow {
    index_t variable = 0;
    double sign = 1.0;
    double offset = 0.0;
};

/// minimise 1/2 x'Kx + c'x subject to G x + h <= 0 and E x = e, where G has the rows of A and then
/// those of the bounds. A variable with equal bounds is an equation.
struct ScaledProgram {
    index_t n = 0;
    std::vector<double> k;  ///< n x n, never empty
    std::vector<double> c;
    std::vector<double> a;  ///< dense rows
    std::vector<BoundRow> bounds;
    std::vector<double> h;  ///< of the dense rows, then of the bounds
    std::vector<double> e;  ///< dense equations
    std::vector<double> f;  ///< their values

    [[nodiscard]] index_t dense() const {
        return static_cast<index_t>(h.size()) - static_cast<index_t>(bounds.size());
    }
    [[nodiscard]] index_t inequalities() const { return static_cast<index_t>(h.size()); }
    [[nodiscard]] index_t equalities() const { return static_cast<index_t>(f.size()); }
};

/// A primal-dual point: K x + c + G'z + E'y = 0, G x + h + s = 0, s z = 0 at the end.
struct InteriorPoint {
    std::vector<double> x;
    std::vector<double> s;
    std::vector<double> z;
    std::vector<double> y;
};

/// How far a point is from each condition, relative to the size of the terms that must cancel.
struct InteriorResiduals {
    double dual = kInfinity;
    double primal = kInfinity;
    double gap = kInfinity;  ///< s'z / |objective|

    [[nodiscard]] double worst() const;
};

/// The residuals of the point, with its own s.
[[nodiscard]] InteriorResiduals residuals_of(const ScaledProgram& program,
                                             const InteriorPoint& point);

/// The largest |entry|; NaN when there is one.
[[nodiscard]] double largest(const std::vector<double>& x);

/// Matrix (row-major) times x, `count` rows.
void multiply_rows(const std::vector<double>& matrix, const std::vector<double>& x, index_t count,
                   std::vector<double>& out);

/// out += matrix' y over `count` rows.
void add_transposed(const std::vector<double>& matrix, const std::vector<double>& y, index_t count,
                    WideVector& out);

/// G x.
[[nodiscard]] std::vector<double> inequalities_at(const ScaledProgram& program,
                                                  const std::vector<double>& x);

/// out += G'z.
void add_inequalities(const ScaledProgram& program, const std::vector<double>& z, WideVector& out);

/// Rounded to double.
[[nodiscard]] std::vector<double> narrowed(const WideVector& x);

/// K x + c + G'z + E'y.
[[nodiscard]] std::vector<double> dual_residual(const ScaledProgram& program,
                                                const InteriorPoint& at);
/// G x + h + s.
[[nodiscard]] std::vector<double> slack_residual(const ScaledProgram& program,
                                                 const InteriorPoint& at);
/// E x - e.
[[nodiscard]] std::vector<double> equation_residual(const ScaledProgram& program,
                                                    const InteriorPoint& at);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/compute/interior_point.hpp - one run of the interior-point method on a scaled program.
#pragma once

#include <vector>

#include "mercer/compute/quadratic_program.hpp"

namespace mercer {

/// A bound as one row of the inequalities: sign * x[variable] + offset <= 0.
struct BoundRow {
    index_t variable = 0;
    double sign = 1.0;
    double offset = 0.0;
};

/// minimise 1/2 x'Kx + c'x subject to G x + h <= 0 and E x = e, where G has the rows of A and then
/// those of the bounds. A variable whose bounds are equal is an equation.
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
    double gap = kInfinity;  ///< s'z over |objective|

    [[nodiscard]] double worst() const;
};

/// The residuals of the point, with its own s.
[[nodiscard]] InteriorResiduals residuals_of(const ScaledProgram& program,
                                             const InteriorPoint& point);

struct InteriorRun {
    InteriorPoint point;  ///< the best of all
    InteriorResiduals residuals;
    QuadraticStatus status = QuadraticStatus::reduced;  ///< optimal, or why it ended
    index_t iterations = 0;
};

/// Runs to the tolerance, to the limit or until nothing improves.
[[nodiscard]] InteriorRun run_interior_point(const ScaledProgram& program,
                                             const QuadraticOptions& options, Context& context);

/// Replaces the point by the solution of the equations of its active constraints where that is
/// nearer to the optimum.
void polish_active_set(const ScaledProgram& program, InteriorRun& run, Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/quadratic_program.hpp - dense convex quadratic programs: a solution, or a proof
// that there is none.
//
//     minimise   1/2 x'Kx + c'x     subject to   A x + d <= 0,   E x = e,   lower <= x <= upper
//
// A convex quadratic that is bounded below on a polyhedron attains its minimum (Frank and Wolfe,
// 1956), so there are three cases: an optimum with multipliers, no feasible point (multipliers that
// combine the constraints to a contradiction), or a ray along which the objective is unbounded.
#pragma once

#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// The data of the program; matrices are row-major. K = 0 makes it a linear program.
struct QuadraticProgram {
    std::vector<double> quadratic;  ///< K, n x n, symmetric positive semidefinite; empty: 0
    std::vector<double> linear;     ///< c, n
    std::vector<double> rows;       ///< A, m x n
    std::vector<double> offsets;    ///< d, m
    std::vector<double> equations;  ///< E, p x n
    std::vector<double> values;     ///< e, p
    std::vector<double> lower;      ///< n, or empty: none; entries may be -infinity
    std::vector<double> upper;      ///< n, or empty: none; entries may be +infinity

    [[nodiscard]] index_t variables() const { return static_cast<index_t>(linear.size()); }
    [[nodiscard]] index_t inequalities() const { return static_cast<index_t>(offsets.size()); }
    [[nodiscard]] index_t equalities() const { return static_cast<index_t>(values.size()); }
};

/// One number for each constraint; those of inequalities and bounds are >= 0. At an optimum
/// K x + c + A' rows + E' equations - lower + upper = 0.
struct QuadraticMultipliers {
    std::vector<double> rows;
    std::vector<double> equations;
    std::vector<double> lower;  ///< n; 0 where there is no bound
    std::vector<double> upper;
};

enum class QuadraticStatus {
    optimal,          ///< the optimality conditions hold within the tolerance
    infeasible,       ///< the multipliers prove that no point satisfies the constraints
    unbounded,        ///< x is feasible, and the objective is unbounded along the ray
    iteration_limit,  ///< the iterations ran out
    interrupted,      ///< time limit or stop request
    reduced,          ///< no further progress in double precision, and nothing proved
};

/// "optimal", "infeasible", "unbounded", "iteration-limit", "interrupted", "reduced".
[[nodiscard]] std::string_view to_string(QuadraticStatus status) noexcept;

struct QuadraticOptions {
    double tolerance = 1e-9;       ///< of every optimality condition, relative to its terms
    index_t max_iterations = 200;  ///< of each interior-point run
    bool polish = true;            ///< solve the equations of the active constraints at the end
};

/// What solve_quadratic_program() found. When infeasible, the multipliers have
/// A' rows + E' equations - lower + upper = 0 and d'rows - e'equations + l'lower - u'upper > 0.
struct QuadraticSolution {
    QuadraticStatus status = QuadraticStatus::reduced;
    std::vector<double> x;             ///< the best point found; when unbounded, a feasible one
    QuadraticMultipliers multipliers;  ///< none when unbounded
    std::vector<double> ray;  ///< when unbounded: K ray = 0, A ray <= 0, E ray = 0, c'ray < 0
    index_t iterations = 0;   ///< of all interior-point runs
};

/// Throws InvalidArgument, naming the part and the entry, unless sizes fit, numbers are finite
/// (bounds may be infinite on their own side) and K is symmetric within 1e-12 of its largest entry.
void require_well_formed(const QuadraticProgram& program);

/// Solves the program. K must be positive semidefinite (mercer/theory/mercer_test.hpp tests that).
///
/// Cost: ten to thirty Cholesky factorisations of n x n, m n^2 each for the rows; with `polish` one
/// eigenvalue problem of size n + active constraints. A program without an optimum costs two more
/// linear programs, of which the first has n + 1 variables and all constraints as rows. Throws
/// InvalidArgument as above, ResourceError when the memory does not suffice.
[[nodiscard]] QuadraticSolution solve_quadratic_program(const QuadraticProgram& program,
                                                        const QuadraticOptions& options,
                                                        Context& context);

}  // namespace mercer

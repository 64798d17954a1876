// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_dual.hpp - the dual of a small problem in 113 bits.
//
//     minimise   1/2 beta'(K + R)beta + sum_v phi_v(v)   over   0 <= v <= h,   A v = t
//
// A row has one variable with beta = s v, or one for each side of a tube; a free tube width adds a
// slack variable.
#pragma once

#include <array>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/problems/problem.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

class Context;

inline constexpr std::size_t kPreciseEquations = 2;  // at most
using PreciseEquations = std::array<Quad, kPreciseEquations>;

/// A part of a coefficient, beta = sign v, or a slack, which has no row.
struct PreciseVariable {
    static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

    std::size_t row = kNoRow;
    Quad sign = 0.0;
    Quad linear = 0.0;
    Quad ridge = 0.0;  ///< of a variable without bounds; the others have it in the matrix
    PreciseEquations equations{};
    bool has_lower = true;  ///< v >= 0
    bool has_upper = false;
    bool entropy = false;  ///< phi = h (p log p + (1 - p) log(1 - p)), p = v / h
    Quad bound = 0.0;      ///< h
    Quad v = 0.0;
    Quad room = 0.0;  ///< h - v
    Quad z = 0.0;
    Quad t = 0.0;
    // Of the current step:
    Quad slope = 0.0;      ///< phi' + sign f - A'lambda
    Quad curvature = 0.0;  ///< D
    Quad lower_target = 0.0;
    Quad upper_target = 0.0;
    Quad v_step = 0.0;
    Quad z_step = 0.0;
    Quad t_step = 0.0;
};

/// Every variable starts in the middle of its bounds or, without bounds, where its row's loss alone
/// would put it.
struct PreciseDual {
    PreciseMatrix kernel;     ///< K
    std::vector<Quad> ridge;  ///< R
    std::vector<PreciseVariable> variables;
    std::size_t equations = 0;
    PreciseEquations totals{};
    bool balanced = false;  ///< the first equation is sum(beta) = 0
    bool curved = false;    ///< the objective is not quadratic
};

[[nodiscard]] PreciseDual precise_dual(const Problem& problem, Context& context);

}  // namespace mercer

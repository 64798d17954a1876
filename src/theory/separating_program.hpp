// SPDX-License-Identifier: Apache-2.0
//
// src/theory/separating_program.hpp - a floating-point proposal by a linear programme.
#pragma once

#include <vector>

#include "theory/gordan.hpp"
#include "theory/scaled_rows.hpp"

namespace mercer {
class Context;
}

namespace mercer::theory {

/// A direction that may be positive on all rows, and rows whose hulls may intersect.
struct Proposal {
    std::vector<double> direction;
    std::vector<index_t> rows;
    index_t programs = 0;
};

/// Solves  max delta  s.t.  sign_i <a_i, v> >= delta, |v_j| <= 1  over a growing part of the rows.
[[nodiscard]] Proposal propose(const ScaledRows& rows, const Sides& sides, Context& context);

}  // namespace mercer::theory

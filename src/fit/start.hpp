// SPDX-License-Identifier: Apache-2.0
//
// src/fit/start.hpp - the coefficients of an earlier model as the start of a new one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fit/recipe.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer::fit {

/// Throws InvalidArgument when the model is of another machine or of rows of another width, and
/// DataError, naming the row, unless its support rows are the rows of the same number in `data`:
/// rows may have been added at the end, constants and kernel may differ.
void require_start(const Model& start, const Dataset& data, const std::string& machine);

/// The two sides of a two-class problem by name; no names: a regression, or the one-class machine.
struct StartSides {
    std::string positive;
    std::string negative;  ///< empty: all other classes
};

/// The problem to be started; its row i is row `rows[i]` of the prepared ones (empty: all).
struct StartProblem {
    const Problem& problem;
    std::span<const index_t> rows;
};

/// Coefficients for the problem: those of the model's machine for the same sides, moved into the
/// dual set. What was at its bound is put at the new bound. Empty when the model has no such
/// machine, or nothing is left of it.
[[nodiscard]] std::vector<double> start_coefficients(const Model& start, const Prepared& prepared,
                                                     const StartSides& sides,
                                                     const StartProblem& wanted, Context& context);

}  // namespace mercer::fit

// SPDX-License-Identifier: Apache-2.0
//
// src/fit/start.hpp - warm start: the coefficients of an earlier model for a new one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fit/recipe.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer::fit {

/// Throws InvalidArgument if the model is of another machine or of rows of another width, and
/// DataError, with the row, unless its support rows equal the rows with the same numbers in `data`:
/// rows may have been appended, hyperparameters and kernel may differ.
void require_start(const Model& start, const Dataset& data, const std::string& machine);

/// The two sides of a two-class problem by name; no names: a regression, or the one-class machine.
struct StartSides {
    std::string positive;
    std::string negative;  ///< empty: all other classes
};

/// The problem to start; its row i is row `rows[i]` of the prepared ones (empty: all).
struct StartProblem {
    const Problem& problem;
    std::span<const index_t> rows;
};

/// A warm start for the problem: the coefficients of the model's machine for the same sides, moved
/// into the dual set. A coefficient at its bound is moved to the new bound. Empty if the model has
/// no such machine, or all its coefficients are lost.
[[nodiscard]] std::vector<double> start_coefficients(const Model& start, const Prepared& prepared,
                                                     const StartSides& sides,
                                                     const StartProblem& wanted, Context& context);

/// A warm start for the joint problem of these classes, prepared rows x labels: the coefficients of
/// the rows the model has, 0 for others. Empty if the model is not joint or lacks one of the classes.
[[nodiscard]] std::vector<double> joint_start(const Model& start, const Prepared& prepared,
                                              std::span<const std::string> labels);

}  // namespace mercer::fit

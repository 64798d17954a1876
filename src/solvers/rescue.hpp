// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/rescue.hpp - what is done where a solver's own steps do not lead to the proof.
//
// Each strategy is for one difficulty, and says when it applies. solve.cpp calls them in order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// solve() of a well-formed problem but for its last resort, which has more digits.
[[nodiscard]] Solution solve_in_doubles(const Problem& problem, const SolveOptions& options,
                                        Context& context);

/// Kernel values beyond this are divided by the largest before they are rounded to float32, whose
/// largest number is 3e38: sums and steps need room, too.
inline constexpr double kLargestFloatValue = 1e30;

/// The power of two to divide the kernel by when its largest value is beyond `limit`; none when it is
/// not, when costs would leave double precision, or when K cannot be scaled.
[[nodiscard]] std::optional<double> divisor_for(const Problem& problem,
                                                double limit = kLargestFloatValue);

/// Solves the problem of K / s, and certifies the answer for the problem as it stands.
[[nodiscard]] Solution solve_divided(const Problem& problem, const SolveOptions& options, double s,
                                     Context& context);

/// A coefficient vector in the dual set where zero is not: a nu-machine's sum, spread over the rows
/// of each side that want to move most (largest target first), each to its bound. Empty when the
/// rows that are left cannot carry the negative side.
[[nodiscard]] std::vector<double> feasible_start(const Problem& problem);

/// Whether the width of a tube is free, so that it may be closed at the optimum.
[[nodiscard]] bool may_close(const Problem& problem);

/// The machine whose tube is closed: no sum, no width.
[[nodiscard]] Problem closed_tube(const Problem& problem);

/// Solves the machine whose tube is closed, by the same options but for the keeper.
[[nodiscard]] Solution solve_closed(const Problem& problem, const SolveOptions& options,
                                    Context& context);

/// True when the answer of the closed tube is that of the problem: it needs no more than the sum.
[[nodiscard]] bool carries_less(const Solution& closed, const Problem& problem);

/// The coefficients, made smaller so that their absolute values have this sum.
[[nodiscard]] std::vector<double> scaled_to_sum(std::vector<double> beta, double sum);

/// Coordinate steps; when they crawl on a small problem, or a tube may close, what else may prove
/// the answer: the closed tube, a polish by the active set, then steps again, and a last polish. When
/// the solver is ours to choose, an interior point, too: early where K has few columns, last
/// elsewhere.
[[nodiscard]] Solution solve_in_stages(const KernelSolver& row, const Problem& problem,
                                       const SolveOptions& options, const std::string& reason,
                                       Context& context);

/// Dual descent. When the solver is ours to choose and its steps crawl, the interior point goes on
/// where that is expected to end earlier, then the steps of a coordinate solver. When it was asked for,
/// a small problem is polished.
[[nodiscard]] Solution solve_from_dual_descent(const Problem& problem, const SolveOptions& options,
                                               Context& context);

/// The active set; where rounding ends it early, the steps of the first coordinate solver that fits
/// go on from there.
[[nodiscard]] Solution solve_from_active_set(const Problem& problem, const SolveOptions& options,
                                             Context& context);

}  // namespace mercer

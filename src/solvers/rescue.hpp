// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/rescue.hpp - strategies for problems on which a solver alone does not meet the goal.
//
// Each strategy addresses one difficulty and says when it applies. solve.cpp calls them in order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// solve() of a well-formed problem without the last resort in higher precision.
[[nodiscard]] Solution solve_in_doubles(const Problem& problem, const SolveOptions& options,
                                        Context& context);

/// Kernel values above this are divided by the largest before they are rounded to float32, whose
/// largest number is 3e38: sums and steps need a margin.
inline constexpr double kLargestFloatValue = 1e30;

/// The power of two to divide the kernel by if its largest value exceeds `limit`; nullopt if it
/// does not, if costs would overflow, or if K cannot be scaled.
[[nodiscard]] std::optional<double> divisor_for(const Problem& problem,
                                                double limit = kLargestFloatValue);

/// Solves the problem of K / s, and certifies the answer for the original problem.
[[nodiscard]] Solution solve_divided(const Problem& problem, const SolveOptions& options, double s,
                                     Context& context);

/// A point of the dual set when zero is not in it: the mass of a nu-machine, distributed on each
/// side over the rows with the largest gain (largest target first), each up to its bound. Empty
/// when the remaining rows cannot take the negative side.
[[nodiscard]] std::vector<double> feasible_start(const Problem& problem);

/// Whether the tube width is free, so that it may be 0 at the optimum.
[[nodiscard]] bool may_close(const Problem& problem);

/// The same problem with tube width 0 and without the mass.
[[nodiscard]] Problem closed_tube(const Problem& problem);

/// Solves the problem of tube width 0 with the same options, except the keeper.
[[nodiscard]] Solution solve_closed(const Problem& problem, const SolveOptions& options,
                                    Context& context);

/// True when the solution for tube width 0 solves the problem: its sum |beta| is within the mass.
[[nodiscard]] bool carries_less(const Solution& closed, const Problem& problem);

/// The coefficients scaled so that their absolute values have this sum.
[[nodiscard]] std::vector<double> scaled_to_sum(std::vector<double> beta, double sum);

/// Coordinate steps. If they converge slowly on a small problem, or a tube width may be 0, other
/// methods follow: tube width 0, polishing by the active set, more steps, and polishing again. If
/// the solver is automatic, also an interior point method: early if K has few columns, otherwise
/// last.
[[nodiscard]] Solution solve_in_stages(const KernelSolver& row, const Problem& problem,
                                       const SolveOptions& options, const std::string& reason,
                                       Context& context);

/// Dual descent. If the solver is automatic and convergence is slow, the interior point method
/// continues if it is expected to be faster, then a coordinate solver. If dual descent was
/// requested, a small problem is polished.
[[nodiscard]] Solution solve_from_dual_descent(const Problem& problem, const SolveOptions& options,
                                               Context& context);

/// The active set method; if rounding ends it early, the first coordinate solver that fits
/// continues from there.
[[nodiscard]] Solution solve_from_active_set(const Problem& problem, const SolveOptions& options,
                                             Context& context);

}  // namespace mercer

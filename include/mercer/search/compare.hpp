// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/compare.hpp - several solvers on one problem: what each certifies, and how fast.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/work.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// How the gap decreases from step to step: what theory guarantees, and what was observed. NaN:
/// unknown.
struct Pace {
    double condition = kNaN;  ///< upper bound on the largest over the smallest curvature
    double bound = kNaN;      ///< theory: each step multiplies the gap by at most this, up to a
                              ///< constant factor overall
    double seen = kNaN;       ///< geometric mean of the factors over the last half of the trace
    double order = kNaN;      ///< of the last steps: 1 is linear, 2 quadratic (Newton)
};

/// `seen` and `order` of a trace; gaps at the level of rounding are ignored.
[[nodiscard]] Pace pace_of(const std::vector<TracePoint>& trace);

/// One solver's run.
struct SolverRun {
    std::string solver;
    std::string status;
    std::string problem;   ///< why it did not run; empty if it ran
    double seconds = 0.0;  ///< of solving, without certificates
    index_t iterations = 0;
    Work work;
    Certificate certificate;
    std::vector<TracePoint> trace;  ///< certified at every iteration if the solver allows it,
                                    ///< otherwise only at the end
    Pace pace;
};

/// Solvers for the machine with two classes or numeric targets, the default first.
[[nodiscard]] std::vector<std::string> solvers_of(const std::string& model);

/// Runs each solver on the same problem. If a solver does not apply or lacks memory, its run states
/// the reason. Throws InvalidArgument for faults of the data or the machine.
[[nodiscard]] std::vector<SolverRun> compare_solvers(const Dataset& data,
                                                     const TrainOptions& options,
                                                     const std::vector<std::string>& solvers,
                                                     Context& context);

}  // namespace mercer

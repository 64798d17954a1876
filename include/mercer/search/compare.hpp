// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/compare.hpp - several solvers on one problem: what each proves, and how soon.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/work.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// How the gap falls from step to step: what theory promises, and what was seen. NaN: nothing.
struct Pace {
    double condition = kNaN;  ///< greatest over least curvature, bounded from above
    double bound = kNaN;      ///< theory: each step multiplies the gap by this or less, up to a
                              ///< constant factor of the whole
    double seen = kNaN;       ///< geometric mean of the factors over the last half of the trace
    double order = kNaN;      ///< of the last steps: 1 is linear, 2 quadratic (Newton's)
};

/// What a trace shows of `seen` and `order`; gaps at the size of rounding are left out.
[[nodiscard]] Pace pace_of(const std::vector<TracePoint>& trace);

/// One solver's run.
struct SolverRun {
    std::string solver;
    std::string status;
    std::string problem;   ///< why it did not run; empty: it did
    double seconds = 0.0;  ///< of solving; certificates are not counted
    index_t iterations = 0;
    Work work;
    Certificate certificate;
    std::vector<TracePoint> trace;  ///< certified at every iteration where the solver allows it,
                                    ///< else at the end only
    Pace pace;
};

/// Solvers that fit the machine on two classes or numbers, the default first.
[[nodiscard]] std::vector<std::string> solvers_of(const std::string& model);

/// Runs each solver on the same problem. A solver that does not fit, or has no memory, is a run
/// with its problem in words. Throws InvalidArgument for what is wrong with the data or the
/// machine.
[[nodiscard]] std::vector<SolverRun> compare_solvers(const Dataset& data,
                                                     const TrainOptions& options,
                                                     const std::vector<std::string>& solvers,
                                                     Context& context);

}  // namespace mercer

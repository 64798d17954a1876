// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/compare.hpp - several solvers on one problem: what each proves, and how soon.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// One solver's run.
struct SolverRun {
    std::string solver;
    std::string status;
    std::string problem;   ///< why it did not run; empty: it did
    double seconds = 0.0;  ///< of solving; certificates are not counted
    index_t iterations = 0;
    index_t products = 0;      ///< with K, where the solver counts them
    index_t memory_bytes = 0;  ///< the most the budget has held so far
    Certificate certificate;
    std::vector<TracePoint> trace;  ///< certified at every iteration where the solver allows it,
                                    ///< else at the end only
};

/// Solvers that fit the machine, the default first; for the machines that compare_solvers() takes.
[[nodiscard]] std::vector<std::string> solvers_of(const std::string& model);

/// Runs each solver on the same problem. A solver that does not fit, or has no memory, is a run
/// with its problem in words. Throws InvalidArgument for what is wrong with the data or the
/// machine.
[[nodiscard]] std::vector<SolverRun> compare_solvers(const Dataset& data,
                                                     const TrainOptions& options,
                                                     const std::vector<std::string>& solvers,
                                                     Context& context);

}  // namespace mercer

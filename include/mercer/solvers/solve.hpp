// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solve.hpp - choose a solver, run it, certify, tighten until the proof is there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/coordinate.hpp"
#include "mercer/solvers/solver_id.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;
class SolverRegistry;
class StateKeeper;
struct BasisRun;

/// How the active set picks the row to set free: the worst violator of all, the first one in a
/// random cyclic order, or the worst one of the first block of rows that has any.
enum class Pricing : std::uint8_t { worst, cyclic, blocks };

/// What the solvers that move few coordinates are told beside.
struct CoordinateChoices {
    index_t cache_bytes = 0;  ///< for Gram rows; 0: by largest_cache() and the budget
    index_t working_set = 0;  ///< of decomposition; 0: its own choice
    Selection selection = Selection::second_order;  ///< of smo
    Precision precision =
        Precision::float32;  ///< Gram rows are computed in; they are kept in float32
};

/// What the active set is told beside.
struct ActiveSetChoices {
    Pricing pricing = Pricing::worst;
    bool polish = false;  ///< go on by the active set from where another solver ends
};

/// The goal, the limits, the start, and the solver. With both tolerances given both must hold; with
/// neither, a relative gap of kDefaultGapTolerance.
struct SolveOptions {
    std::optional<double> gap_tolerance;  ///< certified relative gap
    std::optional<double> tolerance;      ///< KKT violation
    double unit = 1.0;  ///< the gap is relative to max(unit, |primal|); certificates say it for 1
    index_t max_iterations = 0;  ///< 0: the solver's own limit
    SolverChoice solver;
    const SolverRegistry* registry = nullptr;  ///< not owned: solvers of the caller's own
    std::span<const double> start;             ///< coefficients to start from; empty: zero
    StateKeeper* keeper = nullptr;  ///< not owned: takes the state now and then, and gives it back
    bool trace = false;             ///< smooth solvers: certify every iteration and keep the values
    CoordinateChoices coordinates;
    ActiveSetChoices active_set;
};

inline constexpr double kDefaultGapTolerance = 1e-4;

/// A moment of a solver: the certified gap after so many seconds of solving.
struct TracePoint {
    index_t iteration = 0;
    double seconds = 0.0;  ///< without the time of certificates
    double primal = kNaN;
    double relative_gap = kNaN;
};

/// Coefficients with their proof.
struct Solution {
    std::vector<double> beta;  ///< f = sum_j beta_j k(x_j, .), in the dual set
    double intercept = 0.0;
    SolveStatus status = SolveStatus::reduced;
    Certificate certificate;
    index_t iterations = 0;
    std::string solver;
    double certify_seconds = 0.0;  ///< of the whole, spent on certificates
    std::vector<TracePoint> trace;
    std::vector<double> multipliers;  ///< of the hinge beside a penalty on the coefficients: the
                                      ///< dual point of the rows
    std::shared_ptr<const BasisRun> basis;  ///< of f on few functions: how they were chosen
};

/// Bytes of Gram rows beyond which keeping them is not worth their pages, by what a row costs.
[[nodiscard]] index_t largest_cache(const GramCost& cost);

/// Solves to the tolerances asked for. Never throws because it did not converge: the status and the
/// certificate say how far it came. Throws InvalidArgument for a malformed problem, or a solver
/// that does not fit it (the message names those that do), ResourceError when memory does not allow
/// it.
[[nodiscard]] Solution solve(const Problem& problem, const SolveOptions& options, Context& context);

/// The solvers that fit the problem, by name. `auto` takes the first unless the cost model expects
/// another to be clearly faster.
[[nodiscard]] std::vector<std::string> solvers_for(const Problem& problem);

/// Certifies an answer that is exact but for rounding once more, so that its proof says so. `unit` is
/// that of the goal.
void prove_closely(const Problem& problem, double unit, Solution& out, Context& context);

}  // namespace mercer

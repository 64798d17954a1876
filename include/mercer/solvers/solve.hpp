// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solve.hpp - choose a solver, run it, certify, and tighten until the goal is met.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

/// Options of the coordinate solvers.
struct CoordinateChoices {
    index_t cache_bytes = 0;  ///< row cache; 0: by largest_cache() and the budget
    index_t working_set = 0;  ///< of decomposition; 0: its own choice
    Selection selection = Selection::second_order;  ///< of smo
    Precision precision =
        Precision::float32;  ///< of computing Gram rows; they are cached in float32
};

/// Options of the active-set method.
struct ActiveSetChoices {
    Pricing pricing = Pricing::worst;
    bool polish = false;  ///< continue with the active set after another solver
};

/// The goal, the limits, the start and the solver. If both tolerances are given, both must be met;
/// if neither is, the goal is a relative gap of kDefaultGapTolerance.
struct SolveOptions {
    std::optional<double> gap_tolerance;  ///< certified relative gap
    std::optional<double> tolerance;      ///< KKT violation
    double unit = 1.0;           ///< the gap is relative to max(unit, |primal|); certificates use 1
    index_t max_iterations = 0;  ///< 0: the solver's own limit
    SolverChoice solver;
    const SolverRegistry* registry = nullptr;  ///< not owned: solvers added by the caller
    std::span<const double> start;             ///< coefficients of a warm start; empty: zero
    StateKeeper* keeper = nullptr;             ///< not owned: saves and restores the state
    bool trace = false;  ///< smooth solvers: certify every iteration and record it
    CoordinateChoices coordinates;
    ActiveSetChoices active_set;
};

inline constexpr double kDefaultGapTolerance = 1e-4;

/// A point of a trace: the certified gap after some seconds of solving.
struct TracePoint {
    index_t iteration = 0;
    double seconds = 0.0;  ///< without the time of certificates
    double primal = kNaN;
    double relative_gap = kNaN;
};

/// Coefficients of t functions on n rows, f_k = sum_j beta(j, k) k(x_j, .) + intercepts[k], and what
/// is proved of them. Most problems have one function; ridge regression has one per target and the
/// joint logistic problem one per class.
struct Solution {
    std::vector<double> beta;                                 ///< n x t, row-major, in the dual set
    std::vector<double> intercepts = std::vector<double>(1);  ///< t
    /// t; one for a joint problem.
    std::vector<Certificate> certificates = std::vector<Certificate>(1);
    SolveStatus status = SolveStatus::reduced;
    index_t iterations = 0;  ///< of all functions
    std::string solver;
    double certify_seconds = 0.0;  ///< share of the time spent on certificates
    std::vector<TracePoint> trace;
    /// The dual point, if beta is not: multipliers of the rows with a penalty on the coefficients,
    /// of the comparisons of an ordinal or ranking problem.
    std::vector<double> multipliers;
    std::vector<double> thresholds;         ///< ordinal: the best for f
    std::shared_ptr<const BasisRun> basis;  ///< how the basis was chosen, if there is one

    /// The intercept and the certificate of a problem with one function; the latter also of a joint
    /// problem.
    [[nodiscard]] double intercept() const { return intercepts.front(); }
    [[nodiscard]] Certificate& certificate() { return certificates.front(); }
    [[nodiscard]] const Certificate& certificate() const { return certificates.front(); }

    /// Replaces the coefficients of one function by others and their certificate.
    void adopt(std::vector<double> coefficients, const Certificate& proof) {
        beta = std::move(coefficients);
        adopt(proof);
    }
    /// Replaces the certificate of one function by another, with its intercept.
    void adopt(const Certificate& proof) {
        intercepts = {proof.intercept};
        certificates = {proof};
    }
};

/// Size in bytes beyond which a row cache does not pay, given the cost of a row.
[[nodiscard]] index_t largest_cache(const GramCost& cost);

/// Solves to the tolerances of the options. Never throws because it did not converge: status and
/// certificate tell. Throws InvalidArgument for a malformed problem or a solver that does not fit
/// it (the message names those that do), ResourceError if the memory does not suffice.
[[nodiscard]] Solution solve(const Problem& problem, const SolveOptions& options, Context& context);

/// Names of the solvers that fit the problem. `auto` takes the first unless the cost model expects
/// another to be clearly faster.
[[nodiscard]] std::vector<std::string> solvers_for(const Problem& problem);

/// Certifies a solution that is exact up to rounding once more, in higher precision, so that its
/// certificate shows it. `unit` is that of the goal.
void prove_closely(const Problem& problem, double unit, Solution& out, Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/basis.hpp - sparse approximation of f by a greedily chosen basis.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Candidates evaluated for each choice. With probability 1 - 0.95^59 > 0.95 one of 59 random
/// candidates is among the best 5 % of all (Smola and Schoelkopf, ICML 2000).
inline constexpr index_t kBasisCandidates = 59;

/// Options of the greedy choice.
struct BasisOptions {
    index_t size = 0;                       ///< most functions; > 0
    index_t candidates = kBasisCandidates;  ///< evaluated for each choice; > 0
    double tolerance = 0.0;  ///< stop when doubling the basis lowered the objective by less than
                             ///< this share of it; 0: never
    /// The training error of the values z = f + b, for the curve; may be empty.
    std::function<double(std::span<const double> z)> error;
};

/// The best coefficients for the first functions of a basis.
struct BasisPoint {
    index_t size = 0;
    double value = kNaN;   ///< 1/2 |f|^2 + sum_i c_i loss
    double error = kNaN;   ///< by BasisOptions::error
    double seconds = 0.0;  ///< since the run started
    double intercept = 0.0;
    std::vector<double> coefficients;  ///< one for each of the first `size` functions
};

/// Why no further function was chosen.
enum class BasisEnd {
    size,       ///< the requested size is reached
    tolerance,  ///< further functions lower the objective too little
    optimum,    ///< no other function lowers the objective: f is optimal over all functions
    rank,       ///< every other function is in the span of the chosen ones
    stopped,    ///< by request
};

[[nodiscard]] std::string to_string(BasisEnd end);

/// How a basis grew.
struct BasisRun {
    std::vector<index_t> chosen;    ///< rows (or columns) in the order of their choice
    std::vector<double> decreases;  ///< of the objective by each function, the others fixed
    std::vector<BasisPoint> points;
    index_t dependent = 0;  ///< candidates rejected because the chosen functions span them
    Certificate whole;      ///< of this f for the problem with all functions: its gap bounds what
                            ///< they could gain; NaN when the run was stopped
    BasisEnd end = BasisEnd::size;
};

/// Chooses kernel functions at rows of the problem and minimises over their span. The solution's
/// certificate is that of BasisProblem; its `basis` records how the basis grew. Never throws
/// because it did not converge. Throws InvalidArgument when the loss has no curvature or an option
/// is out of range, ResourceError when the n x size block of kernel values does not fit the budget.
///
/// Cost: candidates * n kernel values for each choice and O(n size^2) for all coefficients.
[[nodiscard]] Solution solve_on_basis(const Problem& problem, const BasisOptions& basis,
                                      const SolveOptions& options, Context& context);

/// The same with the columns of the data as functions, whose weights w are penalised by
/// 1/2 |w|^2. `beta` of the solution has a weight for every column.
[[nodiscard]] Solution solve_on_columns(const Problem& problem, const BasisOptions& basis,
                                        const SolveOptions& options, Context& context);

/// Bytes needed to choose `size` functions on this many rows.
[[nodiscard]] index_t basis_bytes(index_t rows, index_t size);

}  // namespace mercer

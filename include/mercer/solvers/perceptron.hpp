// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/perceptron.hpp - Rosenblatt's perceptron, in the columns or in the space of a
// kernel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/disagreement.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// Which row is looked at next.
enum class PerceptronOrder {
    cyclic,  ///< as the rows stand, again and again
    random,  ///< each pass in a new random order
    worst,   ///< the row with the least y <w, x>; the first of equals
};

inline constexpr index_t kMostMistakes = 1'000'000;  ///< when no limit is given

/// What is held while it runs: w itself (kernels c <x, z> only), or <w, x_i> of every row. The
/// mistakes are the same.
enum class PerceptronForm { automatic, columns, rows };

struct PerceptronOptions {
    PerceptronOrder order = PerceptronOrder::cyclic;
    bool average = false;                  ///< the mean of w over all looks, not the last w
    index_t max_mistakes = kMostMistakes;  ///< corrections before it gives up
    index_t max_passes = 0;                ///< over the rows before it gives up; 0: no limit
    index_t cache_bytes = 0;               ///< for kernel rows; 0: half of the free memory
    PerceptronForm form = PerceptronForm::automatic;
    bool record = false;  ///< every step is retained
};

/// One correction w += y x.
struct PerceptronStep {
    index_t row = 0;
    double squared_norm = 0.0;  ///< |w|^2 after it
};

/// What a run found: w = sum_i beta_i x'_i, with x' = (1, x) when the problem has an intercept.
struct PerceptronRun {
    std::vector<double> beta;  ///< y_i times the mistakes made at row i; of an average their mean
    double intercept = 0.0;    ///< sum of beta, or 0
    index_t mistakes = 0;      ///< corrections made
    index_t looks = 0;         ///< rows looked at, each counts once in an average
    index_t passes = 0;        ///< over the rows; in the order of the worst row, looks for it
    SolveStatus status = SolveStatus::reduced;
    DisagreementProof proof;  ///< of beta and intercept, as they are returned
    double certify_seconds = 0.0;
    std::vector<PerceptronStep> steps;  ///< when recorded
};

/// w += y_i x'_i while some y_i <w, x'_i> <= 0, from w = 0. Of the problem the kernel, rows,
/// targets (-1 or +1) and intercept count. Converged: no row disagrees, by its proof; else the
/// status says what ended it. Throws InvalidArgument for the columns with another kernel, and
/// ResourceError where memory does not allow it.
[[nodiscard]] PerceptronRun run_perceptron(const Problem& problem, const PerceptronOptions& options,
                                           Context& context);

/// The order of that name. Throws InvalidArgument naming the three there are.
[[nodiscard]] PerceptronOrder perceptron_order(const std::string& name);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/perceptron.hpp - Rosenblatt's perceptron, in the columns or with a kernel.
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

/// Which row is visited next.
enum class PerceptronOrder {
    cyclic,  ///< in the order of the rows, repeatedly
    random,  ///< in a new random order in each pass
    worst,   ///< the row with the least y <w, x>; the first if there are ties
};

inline constexpr index_t kMostMistakes = 1'000'000;  ///< when no limit is given

/// What is stored during the run: w itself (kernels c <x, z> only), or <w, x_i> of every row. The
/// mistakes are the same.
enum class PerceptronForm { automatic, columns, rows };

struct PerceptronOptions {
    PerceptronOrder order = PerceptronOrder::cyclic;
    bool average = false;                  ///< return the mean of w over all visits, not the last w
    index_t max_mistakes = kMostMistakes;  ///< limit on the corrections
    index_t max_passes = 0;                ///< limit on the passes over the rows; 0: no limit
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
    std::vector<double> beta;  ///< y_i times the mistakes made at row i; for an average their mean
    double intercept = 0.0;    ///< sum of beta, or 0
    index_t mistakes = 0;      ///< corrections made
    index_t looks = 0;         ///< rows visited; each counts once in an average
    index_t passes = 0;        ///< over the rows; with `worst`, searches for the worst row
    SolveStatus status = SolveStatus::reduced;
    DisagreementProof proof;  ///< of the returned beta and intercept
    double certify_seconds = 0.0;
    std::vector<PerceptronStep> steps;  ///< if recorded
};

/// w += y_i x'_i while some y_i <w, x'_i> <= 0, from w = 0. Only the kernel, the rows, the targets
/// (-1 or +1) and the intercept of the problem are used. Converged: no row disagrees, by its
/// certificate; otherwise the status says what ended the run. Throws InvalidArgument for the form
/// `columns` with another kernel, ResourceError for memory.
[[nodiscard]] PerceptronRun run_perceptron(const Problem& problem, const PerceptronOptions& options,
                                           Context& context);

/// Parses the name of an order. Throws InvalidArgument naming the three orders.
[[nodiscard]] PerceptronOrder perceptron_order(const std::string& name);

}  // namespace mercer

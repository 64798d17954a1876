// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/gradient_select.hpp - hyperparameters of a ridge fit by gradient descent on a
// criterion.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;

struct GradientOptions {
    TrainOptions train;            ///< krr; the search starts from its alpha and kernel
    std::string criterion;         ///< loo, gcv or likelihood (solvers/ridge_criterion.hpp)
    index_t starts = 1;            ///< number of searches; all but the first start at random values
    index_t max_iterations = 200;  ///< of L-BFGS in each search; 0: evaluate the start only
    bool refit = true;
};

/// A hyperparameter before and after the search.
struct FoundHyperparameter {
    std::string name;  ///< "alpha", then the kernel's own names
    double start = kNaN;
    double value = kNaN;
    double slope = kNaN;    ///< derivative by its logarithm at the end: of the likelihood, or of
                            ///< the logarithm of an error
    bool at_limit = false;  ///< the search tried to leave the range of a factor 1e8 around the
                            ///< start
};

struct GradientResult {
    std::string criterion;
    std::vector<FoundHyperparameter> hyperparameters;
    std::vector<std::string> fixed;  ///< hyperparameters of the kernel that are not searched
    double start_value = kNaN;       ///< of the criterion
    double value = kNaN;
    double gradient_norm = kNaN;  ///< of the derivatives
    index_t iterations = 0;
    index_t evaluations = 0;  ///< in all searches
    index_t starts = 1;
    std::string status;  ///< of the best search
    TrainResult refit;
};

/// A search stops at this norm of the derivatives, times the norm at its start if that exceeds 1.
inline constexpr double kHyperparameterTolerance = 1e-6;

/// Minimises the criterion (the logarithm of an error, so that its unit does not matter) over the
/// logarithms of alpha and of the kernel's free hyperparameters by L-BFGS with analytic
/// derivatives, then trains on all rows with the best values. Each stays within a factor of 1e8 of
/// its start. Scaling and `gamma=scale` are learned once, from all rows. Cost: n^3 operations and
/// n^2 scalar kernel values per evaluation, 3 n^2 numbers of memory. Throws InvalidArgument for a
/// machine other than krr, precomputed values, alpha = 0; Interrupted if not even the start was
/// evaluated; otherwise what train() throws. A later stop leaves the best values so far, and
/// `interrupted`.
[[nodiscard]] GradientResult select_by_gradient(const Dataset& data, const GradientOptions& options,
                                                Context& context);

}  // namespace mercer

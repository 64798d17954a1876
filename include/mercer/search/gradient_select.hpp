// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/gradient_select.hpp - hyperparameters of a ridge fit found by the slope of what it is
// judged by.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;

struct GradientOptions {
    TrainOptions train;            ///< krr; alpha and kernel are where the search begins
    std::string criterion;         ///< loo, gcv or likelihood (solvers/ridge_criterion.hpp)
    index_t starts = 1;            ///< searches; those after the first begin at random values
    index_t max_iterations = 200;  ///< of L-BFGS, each search; 0: look at the start only
    bool refit = true;
};

/// A hyperparameter before and after.
struct FoundHyperparameter {
    std::string name;  ///< "alpha", then the kernel's own names
    double start = kNaN;
    double value = kNaN;
    double slope = kNaN;    ///< by its logarithm, where it ended: of the likelihood, or of the
                            ///< logarithm of an error
    bool at_limit = false;  ///< drawn beyond a factor of 1e8 from its start, and left there
};

struct GradientResult {
    std::string criterion;
    std::vector<FoundHyperparameter> hyperparameters;
    std::vector<std::string> fixed;  ///< numbers of the kernel that are left as they are
    double start_value = kNaN;       ///< of the criterion
    double value = kNaN;
    double gradient_norm = kNaN;  ///< of the slopes
    index_t iterations = 0;
    index_t evaluations = 0;  ///< of all searches
    index_t starts = 1;
    std::string status;  ///< of the search that was best
    TrainResult refit;
};

/// The norm of the slopes that ends a search, times that at its start where that is more than 1.
inline constexpr double kHyperparameterTolerance = 1e-6;

/// Minimises the criterion (of errors the logarithm, so that their unit does not matter) over the
/// logarithms of alpha and of the kernel's free hyperparameters by L-BFGS with analytic
/// derivatives, then trains on all rows with the best of them. Each stays within a factor of 1e8 of
/// where it began. Scaling and `gamma=scale` are learnt from all rows, once. Cost: n^3 and n^2
/// scalar kernel values per evaluation, 3 n^2 numbers of memory. Throws InvalidArgument for another
/// machine than krr, precomputed values, alpha = 0; Interrupted when not even the start was looked
/// at; what train() throws otherwise. A later stop leaves the best values so far, and `interrupted`.
[[nodiscard]] GradientResult select_by_gradient(const Dataset& data, const GradientOptions& options,
                                                Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/train.hpp - from data and a machine's name to a model with its proof.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// What `mercer train` is told. NaN: not given.
struct TrainOptions {
    std::string model = "svc";        ///< "svc" or "krr"
    Kernel kernel;                    ///< may still have parameters at `scale`
    double cost = kNaN;               ///< C; default 1
    double lambda = kNaN;             ///< the thesis's convention; C = 1 / (2 n lambda)
    double alpha = kNaN;              ///< krr: added to the diagonal; default 1
    bool intercept = true;
    bool allow_indefinite = false;
    ScaleOptions scale{.method = "none"};
    std::map<std::string, double> class_weights;
    double gap_tolerance = kNaN;
    double tolerance = kNaN;
    index_t max_iterations = 0;
    std::string solver = "auto";
    bool leave_one_out = false;       ///< krr: report the residuals
};

/// A model and what is worth saying about how it was made.
struct TrainResult {
    Model model;
    index_t bounded_support = 0;            ///< svc: coefficients at their bound
    std::vector<double> leave_one_out;      ///< krr, when asked for: residuals n x t
    index_t rank = 0;                       ///< krr
    double fit_seconds = 0.0;
    double certify_seconds = 0.0;
};

/// Trains. `data.targets` are class indices with label_names (two classes) for svc, numbers for
/// krr. Throws InvalidArgument naming the parameter or row, ResourceError for memory. Not converged
/// is no error: model.status and the certificate say so.
[[nodiscard]] TrainResult train(const Dataset& data, const TrainOptions& options,
                                Context& context);

}  // namespace mercer

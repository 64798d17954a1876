// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/prepared.hpp - the common start of all machines, and mapping solutions back to rows.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/models/model.hpp"

namespace mercer::fit {

/// The training rows as the solver sees them: positive-weight rows, scaled, with a resolved kernel.
struct Prepared {
    Dataset rows;
    std::vector<index_t> kept;  ///< row numbers in the training data; empty: all rows, in order
    double total_weight = 0.0;  ///< sum of the row weights; the number of rows if there are no
                                ///< weights
    Kernel kernel;
    std::optional<Scaling> scaling;

    /// Number of row i in the training data.
    [[nodiscard]] index_t original(index_t i) const {
        return kept.empty() ? i : kept[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] double weight(index_t i) const {
        return rows.weights.empty() ? 1.0 : rows.weights[static_cast<std::size_t>(i)];
    }
};

/// Checks data and kernel, drops rows of weight 0, learns and applies the scaling, resolves
/// `scale`.
[[nodiscard]] Prepared prepare(const Dataset& data, const TrainOptions& options);

/// C from -C or lambda. Throws InvalidArgument if several of them are given.
[[nodiscard]] double svc_cost(const TrainOptions& options, double total_weight);

/// The number added to the diagonal, from alpha, lambda or C.
[[nodiscard]] double ridge_alpha(const TrainOptions& options, double total_weight);

/// Throws DataError with the row if the sum of squared targets overflows double precision.
void require_finite_squares(const Prepared& prepared);

/// The class weights by the label names of the data (`+1` matches `1`). Throws InvalidArgument for
/// an unknown class, or a weight that is not finite and > 0.
[[nodiscard]] std::map<std::string, double> named_class_weights(
    const TrainOptions& options, const std::vector<std::string>& label_names);

/// Throws InvalidArgument if class weights are given to a machine that does not use them.
void require_class_weights(const TrainOptions& options);

/// Stores the rows with a nonzero coefficient in the model. `beta` is n x outputs.
void keep_support(const Prepared& prepared, std::span<const double> beta, index_t outputs,
                  Model& model);

/// The certificate with its worst row numbered as in the training data.
[[nodiscard]] Certificate with_original_row(Certificate certificate, const Prepared& prepared);

}  // namespace mercer::fit

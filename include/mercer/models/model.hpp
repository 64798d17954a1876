// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/model.hpp - a trained machine: kernel, support rows, coefficients and the proof.
//
// A Model knows no solver. It predicts, it is saved and loaded without losing a bit, and it carries
// what `mercer verify` needs to compute its certificate anew from the training data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/problems/certificate.hpp"

namespace mercer {

/// What the model was trained on, to recognise the same data again.
struct TrainingFingerprint {
    index_t rows = 0;
    index_t columns = 0;
    std::uint64_t hash = 0;  ///< of values, targets and weights (fingerprint_of in model_file.hpp)
};

/// A machine with t outputs: f_t(x) = sum_j coefficients(j, t) k(support row j, x) + intercepts[t].
struct Model {
    std::string machine;                ///< "svc", "krr"
    Kernel kernel;                      ///< resolved
    Dataset support;                    ///< rows as the kernel sees them: after scaling
    std::vector<index_t> support_rows;  ///< their numbers in the training data, ascending
    std::vector<double> coefficients;   ///< support.rows() x outputs, row-major
    std::vector<double> intercepts;     ///< one per output
    index_t columns = 0;                ///< width of the rows it was trained on
    std::vector<std::string> labels;    ///< class names; two: f >= 0 means labels[1]. Empty:
                                        ///< regression
    std::optional<Scaling> scaling;     ///< applied to rows before the kernel
    bool has_intercept = true;

    // The problem it solves: 1/2 |f|^2 + sum_i cost * weight_i * class_weight * loss.
    std::string loss;      ///< losses/loss.hpp name
    double epsilon = 0.0;  ///< of the epsilon-insensitive loss
    double cost = 1.0;     ///< C; for krr 1 / (2 alpha), infinite at alpha = 0: the
                           ///< least |f| with f(x_i) + b = y_i
    std::map<std::string, double> class_weights;
    bool row_weights = false;  ///< row weights were used; verify then needs them

    std::vector<Certificate> certificates;  ///< one per output
    std::string status;                     ///< "converged", ...
    std::string solver;
    index_t iterations = 0;
    double gap_tolerance = kNaN;  ///< what was asked for
    double tolerance = kNaN;
    TrainingFingerprint fingerprint;

    [[nodiscard]] index_t outputs() const noexcept {
        return static_cast<index_t>(intercepts.size());
    }
};

/// Throws InvalidArgument unless every length, index and number of the model fits the others.
void require_consistent(const Model& model);

}  // namespace mercer

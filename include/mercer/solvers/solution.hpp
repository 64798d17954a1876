// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solution.hpp - what every solver returns: coefficients and their certificates.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/losses/certificate.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

struct BasisRun;

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
    std::vector<Certificate> certificates =
        std::vector<Certificate>(1);  ///< t; one for a joint problem
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
    void adopt(std::vector<double> coefficients, Certificate proof) {
        beta = std::move(coefficients);
        adopt(std::move(proof));
    }
    /// Replaces the certificate of one function by another, with its intercept.
    void adopt(Certificate proof) {
        intercepts = {proof.intercept};
        certificates = {std::move(proof)};
    }
};

}  // namespace mercer

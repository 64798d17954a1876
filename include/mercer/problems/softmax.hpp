// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/softmax.hpp - multinomial logistic regression, and its certificate.
//
//     minimise over f_1 .. f_K and b:   1/2 sum_k |f_k|^2 + sum_i c_i loss(y_i, f(x_i) + b)
//
// with the loss log sum_k exp(z_k) - z_y (losses/softmax.hpp). The dual variables are the
// coefficients of f_k = sum_j beta_jk k(x_j, .) themselves, beta_ik = c_i (1[y_i = k] - p_ik):
//
//     maximise   -1/2 sum_k beta_k' K beta_k - sum_i c_i sum_k p_ik log p_ik
//
// over probabilities p_i on the simplex, so that every row of beta sums to 0, and with intercepts
// every column does. Adding a constant to all b_k changes nothing; the b_k that sum to 0 are used.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/certificate.hpp"

namespace mercer {

class Context;

/// All classes in one joint problem. Matrices of values and coefficients are size() x class_count,
/// row-major.
struct SoftmaxProblem {
    std::shared_ptr<const GramOperator> gram;  ///< K of the rows
    std::vector<index_t> classes;              ///< y_i in 0 .. class_count - 1
    index_t class_count = 0;
    std::vector<double> costs;  ///< c_i >= 0, finite
    bool intercept = true;      ///< b free and not penalised; false: b = 0

    [[nodiscard]] index_t size() const noexcept { return gram == nullptr ? 0 : gram->size(); }
};

/// Throws InvalidArgument naming the row unless lengths match, classes and costs are in range,
/// there are two or more classes and, with intercepts, each has a row with a positive cost:
/// otherwise its intercept would be unbounded below.
void require_well_formed(const SoftmaxProblem& problem);

/// Moves `beta` to a nearby point of the dual set: projects each row's probabilities onto the
/// simplex, then, with intercepts, tilts them (p_ik times exp(t_k), normalised to sum to 1) so that
/// every column of beta sums to 0. Returns the largest change of a coefficient.
double project_onto_dual(const SoftmaxProblem& problem, std::span<double> beta);

/// f = K beta in float64.
[[nodiscard]] std::vector<double> decision_values(const SoftmaxProblem& problem,
                                                  std::span<const double> beta, Context& context);

/// The b that minimise the losses at f, summing to 0; all 0 when the problem has none.
[[nodiscard]] std::vector<double> best_intercepts(const SoftmaxProblem& problem,
                                                  std::span<const double> f);

/// The certificate of the joint problem and its intercepts. `certificate.intercept` is 0;
/// kkt_violation is the largest difference, over rows and pairs of classes, between the log odds
/// log p_k / p_l given by beta and those given by f + b.
struct SoftmaxCertificate {
    Certificate certificate;
    std::vector<double> intercepts;
};

/// Computes the certificate of `beta`, which is projected in place.
///
/// Cost: one Gram product with class_count columns. Throws InvalidArgument when `beta` has the
/// wrong length. Non-finite input gives a NaN gap.
[[nodiscard]] SoftmaxCertificate certify(const SoftmaxProblem& problem, std::span<double> beta,
                                         Context& context);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/comparisons.hpp - ordinal regression and ranking as comparisons of values.
//
//     minimise over f in the RKHS of k and theta:
//         1/2 |f|^2 + sum_e c_e max(0, 1 - (z_upper(e) - z_lower(e)))
//
// z holds the values of f at the rows, then the thresholds theta, which are free and not penalised.
// A comparison e asks the value at its upper place to exceed the value at its lower place by 1.
// Ordinal regression compares each row with each threshold (Chu and Keerthi, ICML 2005, "implicit
// constraints"), ranking compares rows with each other (Herbrich, Graepel, Obermayer, 2000). In the
// dual, with beta_j the sum of alpha_e over the comparisons with j as upper place minus the sum
// over those with j as lower place,
//
//     maximise   sum_e alpha_e - 1/2 beta' K beta,   0 <= alpha_e <= c_e,
//
// f = sum_i beta_i k(x_i, .) over the rows, and beta is 0 at every threshold.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

class Context;

/// Two places: a row, or a threshold numbered from the number of rows on.
struct Comparison {
    index_t upper = 0;
    index_t lower = 0;
};

struct ComparisonProblem {
    std::shared_ptr<const GramOperator> gram;  ///< K of the rows
    double cost = 1.0;
    std::vector<double> weights;  ///< > 0, one per row
    index_t thresholds = 0;
    std::span<const Comparison> comparisons;  ///< owned by the caller: there may be many

    [[nodiscard]] index_t size() const noexcept { return gram == nullptr ? 0 : gram->size(); }
    /// c_e = C times the weights of the rows that are compared.
    [[nodiscard]] double cost_of(const Comparison& comparison) const {
        return cost * weight(comparison.upper) * weight(comparison.lower);
    }
    [[nodiscard]] double weight(index_t place) const {
        return place < size() ? weights[static_cast<std::size_t>(place)] : 1.0;
    }
};

/// A comparison as one signed variable b = sign alpha, which is added to beta of `row` and
/// subtracted from beta of `other`.
struct ComparisonTerm {
    index_t row = 0;
    index_t other = -1;      ///< -1: compared with a threshold
    index_t threshold = -1;  ///< -1: compared with a row
    double sign = 1.0;       ///< -1: the threshold is above

    /// sign - (f(row) - f(other)): minus the dual's derivative in b, up to the threshold.
    [[nodiscard]] double slope(std::span<const double> f) const {
        const double below = other < 0 ? 0.0 : f[static_cast<std::size_t>(other)];
        return sign - (f[static_cast<std::size_t>(row)] - below);
    }
};
[[nodiscard]] ComparisonTerm term_of(const ComparisonProblem& problem,
                                     const Comparison& comparison);

/// Throws InvalidArgument unless weights and costs are finite and > 0 and every comparison is
/// between two different places that exist, one of them a row; every threshold must have rows on
/// both sides.
void require_well_formed(const ComparisonProblem& problem);

/// beta of the rows.
[[nodiscard]] std::vector<double> coefficients_of(const ComparisonProblem& problem,
                                                  std::span<const double> alpha);

/// Moves alpha to a nearby point of the dual set: clips it to its box and shifts it, threshold by
/// threshold, so that beta is 0 there. Returns the largest change of an alpha.
double project_onto_dual(const ComparisonProblem& problem, std::span<double> alpha);

/// The KKT violation at these values of f. Without thresholds it is the greatest |1 - difference|,
/// counted on the wrong side only for a multiplier at its bound; with thresholds it is how far the
/// intervals for theta are from having a common point. `centres`, if not null, receives the middle
/// of each interval.
[[nodiscard]] double comparison_violation(const ComparisonProblem& problem,
                                          std::span<const double> alpha, std::span<const double> f,
                                          std::vector<double>* centres = nullptr);

struct ComparisonCertificate {
    Certificate certificate;
    std::vector<double> thresholds;  ///< optimal for f; ascending in ordinal regression
    std::vector<double> values;      ///< f at the rows
};

/// Computes the certificate of `alpha`, which is projected in place. Its gap is a sum over the
/// comparisons of terms >= 0.
///
/// Cost: one Gram product with the non-zero coefficients. Throws InvalidArgument when `alpha` has
/// the wrong length. Non-finite input gives a NaN gap.
[[nodiscard]] ComparisonCertificate certify(const ComparisonProblem& problem,
                                            std::span<double> alpha, Context& context,
                                            const WantedGap& wanted = {});

}  // namespace mercer

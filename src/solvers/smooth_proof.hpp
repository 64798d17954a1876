// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smooth_proof.hpp - what a smooth solver was asked for, and the best it has proved.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"

namespace mercer {

inline const Certificate& certificate_of(const Certificate& proof) { return proof; }
inline const Certificate& certificate_of(const SoftmaxCertificate& proof) {
    return proof.certificate;
}

inline void keep_intercepts(const Certificate& proof, Solution& solution) {
    solution.intercept = proof.intercept;
}
inline void keep_intercepts(SoftmaxCertificate& proof, SoftmaxSolution& solution) {
    solution.intercepts = std::move(proof.intercepts);
}

/// What was asked for, and the best that was proved so far.
template <typename ProblemType, typename SolutionType>
class SmoothProof {
public:
    SmoothProof(const ProblemType& problem, const SolveOptions& options, Context& context)
        : problem_(problem),
          options_(options),
          context_(context),
          patient_(Context::unstoppable(context)),
          start_(context.elapsed()),
          goal_(goal_of(options, kSmoothGapTolerance)) {}

    /// True when a certificate may be worth its price: `estimate` bounds the gap roughly.
    [[nodiscard]] bool promising(double estimate, double value) const {
        const double wanted = std::isnan(goal_.gap) ? 1e-10 : goal_.gap;
        return options_.trace || !(estimate > wanted * std::max(1.0, std::abs(value)));
    }

    /// Certifies the coefficients; true when everything that was asked for holds.
    bool certify(std::vector<double> beta, index_t iteration) {
        const double begin = context_.elapsed();
        auto proof = mercer::certify(problem_, beta, *patient_);
        const Certificate certificate = certificate_of(proof);
        const bool met = goal_.met(certificate);
        if (solution_.beta.empty() || met || certificate.gap < solution_.certificate.gap) {
            solution_.beta = std::move(beta);
            solution_.certificate = certificate;
            keep_intercepts(proof, solution_);
        }
        if (options_.trace) {
            solution_.trace.push_back({iteration, begin - start_ - solution_.certify_seconds,
                                       certificate.primal, relative_gap(certificate)});
        }
        solution_.certify_seconds += context_.elapsed() - begin;
        met_ = met_ || met;
        return met;
    }

    [[nodiscard]] SolutionType finish(SolveStatus ended, index_t iterations, std::string solver) {
        solution_.iterations = iterations;
        solution_.solver = std::move(solver);
        solution_.status = met_ ? SolveStatus::converged
                                : (ended == SolveStatus::converged ? SolveStatus::reduced : ended);
        return std::move(solution_);
    }

private:
    const ProblemType& problem_;
    const SolveOptions& options_;
    Context& context_;
    std::unique_ptr<Context> patient_;
    double start_;
    Goal goal_;
    bool met_ = false;
    SolutionType solution_;
};

}  // namespace mercer

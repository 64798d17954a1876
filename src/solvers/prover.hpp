// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/prover.hpp - the goal of a solver, and the best certified point of its iterations.
//
// A solver hands over points; the prover certifies them, retains the best one and records the trace.
// The final status depends on what was proved.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"

namespace mercer {

/// The goal of a solver, and the best point certified so far.
template <typename ProblemType>
class Prover {
public:
    /// `standard` is the relative gap to certify if no tolerance is given.
    Prover(const ProblemType& problem, const SolveOptions& options, Context& context,
           double standard = kSmoothGapTolerance)
        : problem_(problem),
          options_(options),
          context_(context),
          uninterruptible_(Context::unstoppable(context)),
          start_(context.elapsed()),
          goal_(goal_of(options, standard)) {}

    [[nodiscard]] const Goal& goal() const noexcept { return goal_; }
    [[nodiscard]] Context& uninterruptible() noexcept { return *uninterruptible_; }

    /// True when a certificate is worth its cost: `estimate` is a rough bound on the gap.
    [[nodiscard]] bool promising(double estimate, double value) const {
        const double wanted = std::isnan(goal_.gap) ? 1e-10 : goal_.gap;
        return options_.trace || !(estimate > wanted * std::max(1.0, std::abs(value)));
    }

    /// Certifies the coefficients; true when they meet the goal.
    bool certify(std::vector<double> beta, index_t iteration) {
        const double begin = context_.elapsed();
        auto proof = prove(beta);
        const Certificate certificate = certificate_of(proof);
        const bool met = take(std::move(beta), std::move(proof));
        if (options_.trace) {
            solution_.trace.push_back({iteration, begin - start_ - solution_.certify_seconds,
                                       certificate.primal, relative_gap(certificate)});
        }
        solution_.certify_seconds += context_.elapsed() - begin;
        return met;
    }

    /// Retains the coefficients and their certificate if they are the first, the best so far, or
    /// meet the goal; true in the last case.
    template <typename Proof>
    bool take(std::vector<double> beta, Proof proof) {
        const Certificate certificate = certificate_of(proof);
        const bool met = goal_.met(certificate);
        if (met || (!met_ && better_than_best(certificate))) {
            solution_.adopt(std::move(beta), certificate);
            if constexpr (std::is_same_v<Proof, SoftmaxCertificate>) {
                solution_.intercepts = std::move(proof.intercepts);
            }
        }
        proved_ = true;
        met_ = met_ || met;
        return met;
    }

    /// True for the first certificate, and for one with a smaller gap than all before.
    [[nodiscard]] bool better_than_best(const Certificate& certificate) const {
        return !proved_ || goal_.prefers(certificate, solution_.certificate());
    }
    [[nodiscard]] bool proved() const noexcept { return proved_; }

    /// The best point so far; before the first certificate, what the driver has set.
    [[nodiscard]] Solution& best() noexcept { return solution_; }

    /// Continues from a saved state.
    void restore(Solution solution, bool proved) {
        solution_ = std::move(solution);
        proved_ = proved;
    }

    [[nodiscard]] Solution finish(SolveStatus ended, index_t iterations, std::string solver) {
        solution_.iterations = iterations;
        solution_.solver = std::move(solver);
        solution_.status = met_ ? SolveStatus::converged
                                : (ended == SolveStatus::converged ? SolveStatus::reduced : ended);
        return std::move(solution_);
    }

private:
    static const Certificate& certificate_of(const Certificate& proof) { return proof; }
    static const Certificate& certificate_of(const SoftmaxCertificate& proof) {
        return proof.certificate;
    }

    [[nodiscard]] auto prove(std::vector<double>& beta) {
        if constexpr (std::is_same_v<ProblemType, Problem>) {
            return mercer::certify(problem_, beta, *uninterruptible_, goal_.wanted());
        } else {
            return mercer::certify(problem_, beta, *uninterruptible_);
        }
    }

    const ProblemType& problem_;
    const SolveOptions& options_;
    Context& context_;
    std::unique_ptr<Context> uninterruptible_;
    double start_;
    Goal goal_;
    bool proved_ = false;  ///< the solution has a certificate
    bool met_ = false;
    Solution solution_;
};

}  // namespace mercer

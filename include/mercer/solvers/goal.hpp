// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/goal.hpp - the tolerances that a certificate must meet.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/solvers/solve.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

/// Tolerances; NaN: not required. All others must hold.
struct Goal {
    double gap = kNaN;        ///< certified, relative to max(unit, |primal|)
    double violation = kNaN;  ///< of the KKT conditions
    double unit = 1.0;

    [[nodiscard]] double relative(const Certificate& proof) const {
        return proof.gap / std::max(unit, std::abs(proof.primal));
    }
    [[nodiscard]] bool met(const Certificate& proof) const {
        return (std::isnan(gap) || relative(proof) <= gap) &&
               (std::isnan(violation) || proof.kkt_violation <= violation);
    }
    /// True when `a` is the better answer: it alone meets the gap tolerance, or its computed gap is
    /// smaller. The bound on rounding is not compared: it differs between points at random.
    [[nodiscard]] bool prefers(const Certificate& a, const Certificate& b) const {
        const auto proves = [&](const Certificate& proof) { return relative(proof) <= gap; };
        if (proves(a) != proves(b)) {
            return proves(a);
        }
        return computed_gap(a) < computed_gap(b) || (std::isnan(b.gap) && !std::isnan(a.gap));
    }
    /// The gap for certify(), which increases the precision where only rounding is in the way.
    [[nodiscard]] WantedGap wanted() const { return {gap, unit}; }
    /// The status of a solver that ended with `ended`: converged if and only if the certificate
    /// meets the goal.
    [[nodiscard]] SolveStatus status(const Certificate& proof, SolveStatus ended) const {
        if (met(proof)) {
            return SolveStatus::converged;
        }
        return ended == SolveStatus::converged ? SolveStatus::reduced : ended;
    }
};

/// A tolerance as stored in models: nullopt for NaN, which means not given.
[[nodiscard]] inline std::optional<double> given(double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// The goal of the options; `standard` is the gap tolerance if they set none. Throws
/// InvalidArgument naming a tolerance that is not positive.
[[nodiscard]] Goal goal_of(const SolveOptions& options, double standard);

/// The next tolerance for a solver's own stopping rule: smaller by the factor by which the
/// certificate misses the goal.
[[nodiscard]] double tighten(double tolerance, const Goal& goal, const Certificate& certificate);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/goal.hpp - what must be proved before a problem counts as solved.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/solvers/solve.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

/// Tolerances; NaN: not asked for. All that are must hold.
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
    /// True when `a` is the better answer: it alone proves the gap, or its gap is the smaller one but
    /// for what only bounds rounding, in which two points of a problem differ by chance.
    [[nodiscard]] bool prefers(const Certificate& a, const Certificate& b) const {
        const auto proves = [&](const Certificate& proof) { return relative(proof) <= gap; };
        if (proves(a) != proves(b)) {
            return proves(a);
        }
        return computed_gap(a) < computed_gap(b) || (std::isnan(b.gap) && !std::isnan(a.gap));
    }
    /// For a certificate, which looks closer where only rounding is in the way.
    [[nodiscard]] WantedGap wanted() const { return {gap, unit}; }
    /// How a solver ended, in the light of the proof: converged is what is proved, and what is not
    /// proved is not converged.
    [[nodiscard]] SolveStatus status(const Certificate& proof, SolveStatus ended) const {
        if (met(proof)) {
            return SolveStatus::converged;
        }
        return ended == SolveStatus::converged ? SolveStatus::reduced : ended;
    }
};

/// A tolerance as models hold it, NaN for one that was not given.
[[nodiscard]] inline std::optional<double> given(double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// The goal of the options; `standard` is the gap when they ask for nothing. Throws InvalidArgument
/// naming a tolerance that is not positive.
[[nodiscard]] Goal goal_of(const SolveOptions& options, double standard);

/// The next tolerance for a solver's own stopping rule: tighter by what the certificate still
/// lacks.
[[nodiscard]] double tighten(double tolerance, const Goal& goal, const Certificate& certificate);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/proof_time.hpp - the part of a time limit that is reserved for the certificate.
#pragma once

#include <span>

#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

/// While this object exists, the context requests a stop early enough to certify the current
/// coefficients within the time limit. Without a time limit it does nothing.
class ProofTime {
public:
    ProofTime(const Problem& problem, Context& context);

    [[nodiscard]] bool is_limited() const noexcept { return limited_; }

    /// Reserves the time of a certificate for these coefficients and those that may become nonzero
    /// before the next call: one kernel value per distinct row and nonzero coefficient, at the
    /// speed of a small product, which is measured once.
    void reserve_time_for(std::span<const double> beta);

private:
    [[nodiscard]] double seconds_per_value() const;

    const Problem& problem_;
    Context& context_;
    bool limited_;
    double most_;              ///< most seconds to reserve
    double per_value_ = -1.0;  ///< seconds; < 0: not measured yet
    index_t different_ = 0;    ///< number of distinct rows
    Context::ReservedTime reserved_time_;
};

}  // namespace mercer

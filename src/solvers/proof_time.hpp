// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/proof_time.hpp - the part of a time limit that is kept back for the certificate.
#pragma once

#include <span>

#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

/// While it lives the context asks to stop so early that the coefficients of the last look can still
/// be certified in time. Without a time limit it does nothing.
class ProofTime {
public:
    ProofTime(const Problem& problem, Context& context);

    [[nodiscard]] bool is_limited() const noexcept { return limited_; }

    /// Keeps back what a certificate takes of these coefficients and those that may be there by the
    /// next look: a kernel value for each row and each coefficient that is not 0, equal rows counted
    /// once, at the pace of a small product that is measured once.
    void keep_time_for(std::span<const double> beta);

private:
    [[nodiscard]] double seconds_per_value() const;

    const Problem& problem_;
    Context& context_;
    bool limited_;
    double most_;              ///< seconds that may be kept back
    double per_value_ = -1.0;  ///< seconds; < 0: not measured yet
    index_t different_ = 0;    ///< rows of which no two are known to be equal
    Context::KeptBack kept_back_;
};

}  // namespace mercer

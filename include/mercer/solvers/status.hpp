// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/status.hpp - how a solver ended. Not converged is never an error.
#pragma once

#include <string_view>

namespace mercer {

enum class SolveStatus {
    converged,        ///< what was asked for holds, by the certificate
    iteration_limit,  ///< the iterations ran out
    interrupted,      ///< time limit or stop request
    reduced,          ///< no further progress in double precision; the certificate says how far
};

/// "converged", "iteration-limit", "interrupted", "reduced".
[[nodiscard]] constexpr std::string_view to_string(SolveStatus status) noexcept {
    switch (status) {
        case SolveStatus::converged:
            return "converged";
        case SolveStatus::iteration_limit:
            return "iteration-limit";
        case SolveStatus::interrupted:
            return "interrupted";
        case SolveStatus::reduced:
            return "reduced";
    }
    return "reduced";
}

}  // namespace mercer

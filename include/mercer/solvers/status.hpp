// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/status.hpp - how a solver ended. Not converged is never an error.
#pragma once

#include <string_view>

namespace mercer {

enum class SolveStatus {
    converged,        ///< the certificate meets the requested tolerances
    iteration_limit,  ///< the iteration limit was reached
    interrupted,      ///< time limit or stop request
    reduced,          ///< no further progress in double precision; see the certificate
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

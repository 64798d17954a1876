// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_rkhs.hpp - the actions of `mercer theory rkhs`.
#pragma once

#include "session.hpp"

namespace mercer::cli {

/// For fitted functions: norm, inner, distance, evaluate.
void add_theory_rkhs_functions(CLI::App& group, Session& session);

/// For spaces: basis, l2, interpolate.
void add_theory_rkhs_spaces(CLI::App& group, Session& session);

}  // namespace mercer::cli

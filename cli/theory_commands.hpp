// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_commands.hpp - the commands of `mercer theory`, one file each.
#pragma once

#include "session.hpp"

namespace mercer::cli {

void add_theory_vc_bound(CLI::App& group, Session& session);
void add_theory_margin_bound(CLI::App& group, Session& session);
void add_theory_risk(CLI::App& group, Session& session);
void add_theory_separable(CLI::App& group, Session& session);
void add_theory_shatter(CLI::App& group, Session& session);
void add_theory_rkhs(CLI::App& group, Session& session);
void add_theory_ridge_identity(CLI::App& group, Session& session);
void add_theory_qp(CLI::App& group, Session& session);

}  // namespace mercer::cli

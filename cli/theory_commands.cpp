// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_commands.cpp - the group `mercer theory`.
#include "theory_commands.hpp"

#include "command.hpp"

namespace mercer::cli {

void add_theory_commands(CLI::App& root, Session& session) {
    CLI::App* group = add_command_group(root, "theory", "apply learning theory to data and models");
    add_theory_vc_bound(*group, session);
    add_theory_margin_bound(*group, session);
    add_theory_risk(*group, session);
    add_theory_separable(*group, session);
    add_theory_shatter(*group, session);
    add_theory_rkhs(*group, session);
    add_theory_ridge_identity(*group, session);
    add_theory_qp(*group, session);
}

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_rkhs.cpp - the group `mercer theory rkhs`.
#include "theory_rkhs.hpp"

#include "command.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

void add_theory_rkhs(CLI::App& group, Session& session) {
    CLI::App* actions =
        add_command_group(group, "rkhs", "functions as vectors of the kernel's Hilbert space");
    add_theory_rkhs_functions(*actions, session);
    add_theory_rkhs_spaces(*actions, session);
}

}  // namespace mercer::cli

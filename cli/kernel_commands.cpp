// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_commands.cpp - the group `mercer kernel`.
#include "kernel_commands.hpp"

#include "command.hpp"

namespace mercer::cli {

void add_kernel_commands(CLI::App& root, Session& session) {
    CLI::App* group = add_command_group(root, "kernel", "show, compute and check kernels");
    add_kernel_show(*group, session);
    add_kernel_list(*group, session);
    add_kernel_gram(*group, session);
    add_kernel_check(*group, session);
    add_kernel_features(*group, session);
    add_kernel_distance(*group, session);
}

}  // namespace mercer::cli

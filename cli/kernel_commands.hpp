// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_commands.hpp - the commands of `mercer kernel`, one file each.
#pragma once

#include "session.hpp"

namespace mercer::cli {

void add_kernel_show(CLI::App& group, Session& session);
void add_kernel_list(CLI::App& group, Session& session);
void add_kernel_gram(CLI::App& group, Session& session);
void add_kernel_check(CLI::App& group, Session& session);
void add_kernel_features(CLI::App& group, Session& session);
void add_kernel_distance(CLI::App& group, Session& session);

}  // namespace mercer::cli

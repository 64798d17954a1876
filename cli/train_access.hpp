// SPDX-License-Identifier: Apache-2.0
//
// cli/train_access.hpp - how every command that trains takes its data and its kernel.
#pragma once

#include <string>

#include "data_access.hpp"
#include "kernel_access.hpp"
#include "session.hpp"

namespace mercer::cli {

inline constexpr const char* kStandardKernel = "rbf(gamma=scale)";

/// The data as the machine wants it, with the row weights of a file (empty: none). What is wrong
/// with it is the file's fault, not the options': DataError.
[[nodiscard]] Dataset read_training_data(Session& session, const DataArgument& argument,
                                         const std::string& model, const std::string& weights);

/// The kernel asked for; when none is: the linear one for linear machines, else the standard one.
[[nodiscard]] Kernel training_kernel(Session& session, const KernelArgument& argument,
                                     const std::string& model, bool allow_indefinite);

/// Registers --kernel, and --gamma and --sigma for the parameter of a single rbf kernel.
void add_training_kernel(CLI::App& command, KernelArgument& kernel);

}  // namespace mercer::cli

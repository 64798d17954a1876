// SPDX-License-Identifier: Apache-2.0
//
// cli/train_access.hpp - the data and kernel arguments of all commands that train.
#pragma once

#include <string>

#include "data_access.hpp"
#include "kernel_access.hpp"
#include "session.hpp"

namespace mercer::cli {

inline constexpr const char* kStandardKernel = "rbf(gamma=scale)";

/// The data in the form the machine needs, with the row weights of a file (empty: none). Faults are
/// attributed to the file, not to the options: DataError.
[[nodiscard]] Dataset read_training_data(Session& session, const DataArgument& argument,
                                         const std::string& model, const std::string& weights);

/// The requested kernel; by default linear for linear machines, otherwise the standard one.
[[nodiscard]] Kernel training_kernel(Session& session, const KernelArgument& argument,
                                     const std::string& model, bool allow_indefinite);

/// Registers --kernel, and --gamma and --sigma for the hyperparameter of a single rbf kernel.
void add_training_kernel(CLI::App& command, KernelArgument& kernel);

}  // namespace mercer::cli

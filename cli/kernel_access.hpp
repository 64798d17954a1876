// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_access.hpp - the kernel argument of all commands.
#pragma once

#include <string>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "session.hpp"

namespace mercer::cli {

/// An expression, and whether an indefinite one is accepted.
struct KernelArgument {
    std::string text;
    std::string gamma{};  ///< of a single rbf kernel: a number or `scale`; empty: not given
    std::string sigma{};  ///< of a single rbf kernel: a number; empty: not given
    bool allow_indefinite = false;
};

/// Registers the positional EXPR.
void add_kernel_argument(CLI::App& command, KernelArgument& kernel);

/// Registers --allow-indefinite.
void add_allow_indefinite(CLI::App& command, KernelArgument& kernel);

/// Parses the expression, including the files it names. Throws UsageError that points at the
/// character, or DataError if a named file is invalid.
[[nodiscard]] Kernel parse_argument(Session& session, const KernelArgument& argument);

/// Throws UsageError unless the kernel is positive definite by construction or the user allows
/// indefinite ones.
void require_definite(const Kernel& kernel, const KernelArgument& argument);

/// The kernel with `scale` resolved from the data, checked against its columns.
[[nodiscard]] Kernel bind_to_data(Session& session, const Kernel& kernel, const Dataset& data);

/// Runs `work` on rows of the named file; adds the file name to a DataError that has only rows.
template <typename Work>
decltype(auto) naming_file(const std::string& path, Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const DataError& fault) {
        throw DataError(fmt::format("{}: {}", path, fault.what()));
    }
}

}  // namespace mercer::cli

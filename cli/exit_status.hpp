// SPDX-License-Identifier: Apache-2.0
//
// cli/exit_status.hpp - the one place that turns an exception into a message and an exit status.
#pragma once

#include <exception>
#include <string>

#include "mercer/base/error.hpp"

namespace mercer::cli {

/// What the program tells the shell. The numbers are a promise to scripts.
enum class ExitStatus {
    done = 0,
    stopped = 1,   ///< a budget or Ctrl-C ended the work, or a check did not hold
    usage = 2,     ///< options or a kernel expression nobody could run
    data = 3,      ///< a file that is not what it should be
    resource = 4,  ///< memory, disk or device
    defect = 5,    ///< our fault
};

/// The command line cannot be run as it stands.
class UsageError : public Error {
public:
    using Error::Error;
};

/// What went wrong, ready to print.
struct Failure {
    ExitStatus status = ExitStatus::defect;
    std::string message;
};

/// Classifies an exception.
[[nodiscard]] Failure describe_failure(const std::exception_ptr& error);

}  // namespace mercer::cli

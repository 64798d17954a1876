// SPDX-License-Identifier: Apache-2.0
//
// cli/exit_status.hpp - the only place that turns an exception into a message and an exit status.
#pragma once

#include <exception>
#include <string>

#include "mercer/base/error.hpp"

namespace mercer::cli {

/// The exit status of the program. Scripts rely on the numbers.
enum class ExitStatus {
    done = 0,
    stopped = 1,   ///< a budget or Ctrl-C ended the work, or a check failed
    usage = 2,     ///< invalid options or kernel expression
    data = 3,      ///< an invalid file
    resource = 4,  ///< memory, disk or device
    defect = 5,    ///< a bug in Mercer
};

/// The command line cannot be executed as it is.
class UsageError : public Error {
public:
    using Error::Error;
};

/// A failure, ready to print.
struct Failure {
    ExitStatus status = ExitStatus::defect;
    std::string message;
};

/// Classifies an exception.
[[nodiscard]] Failure describe_failure(const std::exception_ptr& error);

}  // namespace mercer::cli

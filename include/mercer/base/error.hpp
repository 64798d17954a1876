// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/error.hpp - the few exception types Mercer throws.
//
// A broken contract or a failed environment throws. Untrusted text and bytes return Result<T>
// (base/result.hpp). "Not converged" is never an error: it is a status.
#pragma once

#include <stdexcept>
#include <string>

namespace mercer {

/// Root of everything Mercer throws on purpose.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The caller broke a contract. Message form: `gamma: got -1, must be finite and > 0`.
class InvalidArgument : public Error {
public:
    using Error::Error;
};

/// A data or model file is wrong. The message starts with the place, `file:line:column: ...`.
class DataError : public Error {
public:
    using Error::Error;
};

/// Memory, disk or device could not give what was asked.
class ResourceError : public Error {
public:
    using Error::Error;
};

/// The caller asked to stop (Ctrl-C, time limit) where no partial result exists.
class Interrupted : public Error {
public:
    using Error::Error;
};

/// A defect in Mercer itself: please report.
class InternalError : public Error {
public:
    using Error::Error;
};

}  // namespace mercer

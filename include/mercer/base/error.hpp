// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/error.hpp - the few exception types Mercer throws.
//
// A broken contract or a failed environment throws. Untrusted text and bytes return Result<T>
// (base/result.hpp). "Not converged" is never an error: it is a status.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace mercer {

/// Root of everything Mercer throws on purpose.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// How a surface writes the names of options in messages.
struct OptionStyle {
    std::string_view before = "";
    std::string_view after = "";
    char joint = '_';

    [[nodiscard]] std::string name(std::string_view option) const;
};

inline constexpr OptionStyle kCommandLineStyle{"--", "", '-'};  ///< --gap-tolerance
inline constexpr OptionStyle kPythonStyle{"", "=", '_'};        ///< gap_tolerance=

/// What is wrong with one argument, in parts, so that each surface can word it in its own way: the
/// command line says `--gap-tolerance` where the library says `gap_tolerance`. `reason` and `hint`
/// put the names of other options in backticks.
struct ArgumentFault {
    std::string option;  ///< its name in C++: `gap_tolerance`
    std::string value;   ///< as given; text in single quotes; empty: no value would be right
    std::string reason;  ///< "must be finite and > 0"
    std::string hint;    ///< what to do instead; empty: there is no hint

    /// `option: got value, reason; hint`, without the empty parts. Names in backticks are written
    /// in the style; `option` is written as it is.
    [[nodiscard]] std::string message(const OptionStyle& style = {}) const;
};

/// The caller broke a contract. Message form: `gamma: got -1, must be finite and > 0`.
class InvalidArgument : public Error {
public:
    using Error::Error;
    explicit InvalidArgument(ArgumentFault fault)
        : Error(fault.message()), fault_(std::make_shared<const ArgumentFault>(std::move(fault))) {}
    /// The fields of ArgumentFault.
    InvalidArgument(std::string option, std::string value, std::string reason,
                    std::string hint = {})
        : InvalidArgument(ArgumentFault{std::move(option), std::move(value), std::move(reason),
                                        std::move(hint)}) {}

    /// The parts of the message; null when the error is not about a single option.
    [[nodiscard]] const ArgumentFault* fault() const noexcept { return fault_.get(); }

private:
    std::shared_ptr<const ArgumentFault> fault_;  ///< shared: copying an exception must not throw
};

/// A data or model file is wrong. The message starts with the place, `file:line:column: ...`.
class DataError : public Error {
public:
    using Error::Error;
};

/// Memory, disk or device could not provide what was requested.
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

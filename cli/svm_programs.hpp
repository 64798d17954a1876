// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_programs.hpp - svm-train, svm-predict and svm-scale: replacements of LIBSVM's programs.
//
// They take LIBSVM's flags and files and print its lines. Errors have Mercer's messages and exit
// statuses.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "session.hpp"

namespace mercer::cli {

/// The words of a LIBSVM command line: `-x value` pairs first, then files.
class SvmFlags {
public:
    SvmFlags(std::string usage, const std::vector<std::string>& words)
        : usage_(std::move(usage)), words_(words) {}

    /// The next flag without its value, `-c`; nothing once the files begin.
    std::optional<std::string> flag();

    /// The value of the flag. Throws UsageError with the flag if it is missing or invalid.
    std::string text();
    double number();
    index_t integer();

    /// The remaining words.
    [[nodiscard]] std::vector<std::string> files() const;

    /// Refuses the current flag, or the command line, with the usage.
    [[noreturn]] void refuse(const std::string& message) const;
    [[noreturn]] void refuse_flag() const;

private:
    std::string usage_;
    const std::vector<std::string>& words_;
    std::size_t next_ = 0;
    std::string flag_;
};

/// Prints to standard output unless quiet.
template <typename... Values>
void print_out(bool quiet, fmt::format_string<Values...> format, Values&&... values) {
    if (!quiet) {
        fmt::print(stdout, format, std::forward<Values>(values)...);
    }
}

/// The number as C's `%g` prints it.
[[nodiscard]] std::string shortened(double value);

/// A file of LIBSVM text with unchanged targets. `serials`: rows start with 0:number.
[[nodiscard]] Dataset read_svm_data(Session& session, const std::string& path,
                                    bool serials = false);

ExitStatus run_svm_train(Session& session, const std::vector<std::string>& words);
ExitStatus run_svm_predict(Session& session, const std::vector<std::string>& words);
ExitStatus run_svm_scale(Session& session, const std::vector<std::string>& words);

/// Runs the LIBSVM program with that name (the last part of a path); nothing for any other name.
[[nodiscard]] std::optional<ExitStatus> run_svm_program(Session& session, std::string_view path,
                                                        const std::vector<std::string>& words);

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/qp_file.hpp - a quadratic program as a JSON file (docs/methods/qp.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/compute/quadratic_program.hpp"
#include "session.hpp"

namespace mercer::cli {

/// The content of the file: a program, and optionally a point with multipliers to check.
struct QuadraticFile {
    QuadraticProgram program;
    std::optional<std::vector<double>> x;
    QuadraticMultipliers multipliers;  ///< of x; 0 where the file has none
};

/// Reads the file. Throws DataError: `file:line:column: ...` if it is not JSON, `file: A[1][0]:
/// ...` if a part is invalid.
[[nodiscard]] QuadraticFile read_quadratic_file(Session& session, const std::string& path);

/// Names of the examples, and the text of one.
[[nodiscard]] std::vector<std::string> quadratic_example_names();
[[nodiscard]] std::string quadratic_example(const std::string& name);

}  // namespace mercer::cli

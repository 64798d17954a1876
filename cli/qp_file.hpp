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

/// What the file has: a program, and perhaps a point with multipliers that are to be checked.
struct QuadraticFile {
    QuadraticProgram program;
    std::optional<std::vector<double>> x;
    QuadraticMultipliers multipliers;  ///< beside x; 0 for what the file leaves out
};

/// Reads the file. Throws DataError: `file:line:column: ...` where it is no JSON, `file: A[1][0]:
/// ...` where a part is not what it must be.
[[nodiscard]] QuadraticFile read_quadratic_file(Session& session, const std::string& path);

/// Names of the examples, and the text of one.
[[nodiscard]] std::vector<std::string> quadratic_example_names();
[[nodiscard]] std::string quadratic_example(const std::string& name);

}  // namespace mercer::cli

// SPDX-License-Identifier: Apache-2.0
//
// cli/gram_writer.hpp - writes a Gram matrix to a file in blocks of rows.
#pragma once

#include <string>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "session.hpp"

namespace mercer::cli {

/// What to write and how.
struct GramRequest {
    std::string output;
    std::string format = "npy";  ///< npy or csv
    Precision precision = Precision::float64;
};

/// Writes k(left row, right row) for all pairs (null: left with itself); the matrix is never in
/// memory as a whole. Returns the engine's plan in one line. Throws DataError with both rows if a
/// value is not finite.
std::string write_gram(Session& session, const Kernel& kernel, const Dataset& left,
                       const Dataset* right, const GramRequest& request);

/// Writes k(x, x) of every row as a single column.
void write_diagonal(Session& session, const Kernel& kernel, const Dataset& rows,
                    const GramRequest& request);

}  // namespace mercer::cli

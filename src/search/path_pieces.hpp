// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_pieces.hpp - the common pieces of all kinds of path files.
#pragma once

#include <cstddef>
#include <string>

#include "mercer/base/error.hpp"
#include "mercer/base/result.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/formats/path_file.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/search/path.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer::search {

/// Number of pieces at the start of every path file; the pieces of its kind follow.
inline constexpr std::size_t kSharedPieces = 3;

/// A file with the options of the path, its rows and its targets.
[[nodiscard]] PathFile begin_path_file(const PathOptions& options, const Dataset& data);
/// The inverse. Throws DataError if the bytes are malformed.
[[nodiscard]] Dataset take_data(const PathFile& file, PathOptions& options);

void put_text(StateWriter& state, const std::string& text);
[[nodiscard]] std::string take_text(StateReader& state);
[[nodiscard]] SolveStatus take_status(StateReader& state);

/// The path that `assemble` makes of a file; if it throws, the error is `fault`.
template <typename PathType>
[[nodiscard]] Result<PathType> load_path_with(PathType (*assemble)(const PathFile&),
                                              const char* fault, const std::string& file_name,
                                              Context& context, Files& files) {
    const Result<PathFile> file = load_path_file(file_name, context, files);
    if (!file.ok()) {
        return file.diagnostic();
    }
    try {
        return assemble(file.value());
    } catch (const Error& error) {
        return Diagnostic{std::string(fault) + ": " + error.what(), file_name, 0, 0};
    }
}

/// The number of positive-weight rows, which a machine sees.
[[nodiscard]] index_t positive_weight_rows(const Dataset& data);

}  // namespace mercer::search

// SPDX-License-Identifier: Apache-2.0
//
// mercer/formats/checkpoint_file.hpp - the state of an unfinished training run as a file.
//
//     magic "MERCERCP" (8 bytes)   version (u64)
//     rows, columns, hash of the training data (three u64)
//     the options as text, then the pieces, each with its length (u64)
//     xxh3-64 of everything before it (u64)
//
// The meaning of a piece is up to its writer. The file is written atomically, like a model file; it
// is for the same program on the same machine, with no compatibility across versions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer {

class Context;

struct CheckpointFile {
    TrainingFingerprint data;
    std::string options;  ///< a line `name=value` for every option that affects the result
    std::vector<std::string> pieces;
};

/// Writes atomically. Throws ResourceError, and then leaves an existing file as it was.
void save_checkpoint(const CheckpointFile& checkpoint, const std::string& path,
                     Files& files = system_files());

/// Reads the file and checks lengths and checksum. Throws DataError if it cannot be opened.
[[nodiscard]] Result<CheckpointFile> load_checkpoint(const std::string& path, Context& context,
                                                     Files& files = system_files());

/// Hash of a model's coefficients, of their rows and of the matrices in its kernel: the parts of a
/// starting model that do not fit into the text of the options.
[[nodiscard]] std::uint64_t coefficients_hash(const Model& model);
[[nodiscard]] std::uint64_t matrices_hash(const Kernel& kernel);

}  // namespace mercer

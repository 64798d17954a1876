// SPDX-License-Identifier: Apache-2.0
//
// mercer/formats/model_file.hpp - the .mercer file: versioned, length-prefixed, checksummed,
// without executable content.
//
//     magic "MERCER\r\n" (8 bytes)   version (u32)   header length (u32)   JSON header
//     blocks, each starting at a multiple of 64 bytes, raw little-endian, described by the header
//     (offsets there count from the first block)
//     xxh3-64 of everything before it (u64)
//
// Every older version stays readable. A corrupt file is refused with the byte position of the
// fault.
#pragma once

#include <string>

#include "mercer/base/result.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer {

class Context;

/// Writes atomically. Throws ResourceError, and then leaves an existing file as it was.
void save_model(const Model& model, const std::string& path, Files& files = system_files());

/// Reads and checks everything: lengths against the size of the file, the checksum, every index and
/// number. The model owns its rows; they are charged to the context's budget.
[[nodiscard]] Result<Model> load_model(const std::string& path, Context& context,
                                       Files& files = system_files());

}  // namespace mercer

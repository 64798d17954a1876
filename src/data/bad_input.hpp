// SPDX-License-Identifier: Apache-2.0
//
// src/data/bad_input.hpp - how the inner parts of a reader give up on a file.
//
// Readers are stacked (file, decompressor, archive, text or array) and any layer may find the
// fault. They throw BadInput; read_dataset() is the only place that catches it, and returns the
// Diagnostic. It is not a mercer::Error, so it cannot leave the room unnoticed.
#pragma once

#include <string>
#include <utility>

#include "mercer/base/result.hpp"

namespace mercer::data {

struct BadInput {
    Diagnostic diagnostic;
};

/// Throws BadInput. Lines and columns count from 1; 0 means "not known".
[[noreturn]] inline void refuse(const std::string& source, std::string message, index_t line = 0,
                                index_t column = 0) {
    throw BadInput{Diagnostic{std::move(message), source, line, column}};
}

}  // namespace mercer::data

// SPDX-License-Identifier: Apache-2.0
//
// src/data/readers.hpp - what read_dataset() passes to the reader of a format.
#pragma once

#include <string>
#include <vector>

#include "data/byte_source.hpp"
#include "data/growing_array.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/read.hpp"

namespace mercer::data {

/// One file being read.
struct Reading {
    PeekSource& source;
    std::string name;  ///< what diagnostics call the file
    const ReadOptions& options;
    Context& context;
    Files& files;
};

// Each reads the whole source; throws BadInput or ResourceError.
[[nodiscard]] Dataset read_libsvm(Reading& reading);
[[nodiscard]] Dataset read_csv(Reading& reading, char separator);
[[nodiscard]] Dataset read_npy(Reading& reading);
[[nodiscard]] Dataset read_npz(Reading& reading);
[[nodiscard]] Dataset read_idx(Reading& reading);

/// The targets in the file options.labels: idx, .npy or text with one number per line.
[[nodiscard]] std::vector<double> read_labels(Reading& reading);

}  // namespace mercer::data

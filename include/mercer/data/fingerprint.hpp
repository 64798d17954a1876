// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/fingerprint.hpp - a few numbers that identify a dataset.
#pragma once

#include <cstdint>

#include "mercer/base/types.hpp"

namespace mercer {

class Dataset;

/// Identifies the data that a model was trained on.
struct TrainingFingerprint {
    index_t rows = 0;
    index_t columns = 0;
    std::uint64_t hash = 0;  ///< of values, targets, weights and queries
};

/// The fingerprint of a dataset; dense and sparse storage of the same rows have the same one.
[[nodiscard]] TrainingFingerprint fingerprint_of(const Dataset& rows);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/fingerprint.hpp - a few numbers by which a data set is recognised.
#pragma once

#include <cstdint>

#include "mercer/base/types.hpp"

namespace mercer {

class Dataset;

/// What a model was trained on, to recognise the same data again.
struct TrainingFingerprint {
    index_t rows = 0;
    index_t columns = 0;
    std::uint64_t hash = 0;  ///< of values, targets, weights and queries
};

/// The same for dense and sparse storage of the same rows.
[[nodiscard]] TrainingFingerprint fingerprint_of(const Dataset& rows);

}  // namespace mercer

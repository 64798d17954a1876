// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz/fuzz_reading.hpp - reading arbitrary bytes as a file, within 16 MiB.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/data/read.hpp"
#include "support/faulty_files.hpp"

namespace mercer::testing {

/// Reads the bytes as `options.format`; the first byte chooses how they arrive. Whatever they are,
/// the answer is a dataset that passes the checks of its constructor, a diagnostic, or a refusal of
/// memory.
inline void read_bytes(const std::uint8_t* bytes, std::size_t size, ReadOptions options) {
    constexpr index_t kBudget = index_t{16} << 20;
    if (size == 0) {
        return;
    }
    const std::uint8_t manner = bytes[0];
    FaultyFiles files;
    files.contents["a"] = std::string(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    files.sizes_known = (manner & 1) == 0;
    files.read_size = (manner & 2) == 0 ? index_t{1} << 30 : 1 + manner / 16;
    options.zero_based = (manner & 4) != 0;
    options.target = (manner & 8) != 0 ? "0" : "";
    Context context(ContextOptions{.threads = 1, .memory = kBudget});
    try {
        const Result<Dataset> result = read_dataset("a", options, context, files);
        if (!result.ok()) {
            if (result.diagnostic().message.empty() || result.diagnostic().source.empty()) {
                std::abort();
            }
            return;
        }
        const Dataset& data = result.value();
        const Dataset checked(data.storage());
        const auto rows = static_cast<std::size_t>(checked.rows());
        if ((!data.targets.empty() && data.targets.size() != rows) ||
            (!data.weights.empty() && data.weights.size() != rows)) {
            std::abort();
        }
        for (const double target : data.targets) {
            if (!std::isfinite(target)) {
                std::abort();
            }
        }
    } catch (const ResourceError&) {
    }
    if (context.memory()->used() != 0) {
        std::abort();
    }
}

}  // namespace mercer::testing

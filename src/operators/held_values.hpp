// SPDX-License-Identifier: Apache-2.0
//
// src/operators/held_values.hpp - all values of a Gram matrix, held in float32 and looked up.
//
// A search trains many machines on parts of the same rows. If the memory suffices, K is computed
// once for all of them: an engine that looks values up replaces the one that computes them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// K of n rows with themselves, symmetric to the last bit.
class HeldValues {
public:
    /// Computes K on the threads of the context. `rows` were prepared by `engine`, which computes
    /// in float32 and is symmetric. Throws ResourceError, and Interrupted.
    HeldValues(const KernelEngine& engine, const PreparedRows& rows, Context& context);

    [[nodiscard]] index_t size() const noexcept { return size_; }
    /// Readable up to kCoordinateLanes values beyond the row.
    [[nodiscard]] const float* row(index_t i) const noexcept { return values_.data() + i * size_; }

    [[nodiscard]] static index_t bytes(index_t rows);

private:
    index_t size_;
    Buffer<float> values_;
};

/// Rows, given by their numbers in the table.
class HeldRows final : public PreparedRows {
public:
    explicit HeldRows(std::span<const index_t> places) : places_(places.begin(), places.end()) {}
    [[nodiscard]] index_t rows() const noexcept override {
        return static_cast<index_t>(places_.size());
    }
    [[nodiscard]] const std::vector<std::int32_t>& places() const noexcept { return places_; }

private:
    std::vector<std::int32_t> places_;
};

/// The numbers of rows that the engine below has prepared. Throws InvalidArgument for others.
[[nodiscard]] const std::vector<std::int32_t>& held_places(const PreparedRows& rows);

/// Looks values up, in either precision. Preparing rows creates HeldRows from their numbers.
[[nodiscard]] std::shared_ptr<const KernelEngine> make_held_engine(
    std::shared_ptr<const HeldValues> values, Precision precision);

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/shared_rows.hpp - rows laid out once for all problems that take some of them.
//
// One-against-one solves k(k-1)/2 problems on the rows of two classes each. The rows are laid out
// once, and the kernel values within a class, which k-1 of the problems need, are computed once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// The rows of one data set in both precisions, and K within its parts. Immutable after
/// keep_parts(); safe to share between threads.
class SharedRows {
public:
    /// Throws as KernelEngine::prepare does.
    SharedRows(const Kernel& kernel, const Dataset& rows, Context& context);

    [[nodiscard]] const std::shared_ptr<const KernelEngine>& engine(Precision precision) const;
    [[nodiscard]] const PreparedRows& rows(Precision precision) const;
    /// K(i, i), float64 by the scalar formulas.
    [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }

    /// Bytes the layouts of such rows take, for memory plans.
    [[nodiscard]] static index_t layout_bytes(const Dataset& rows);

    /// Computes K in float32 within each part, a list of distinct rows. Does nothing when K is not
    /// symmetric by construction. Throws ResourceError when memory does not allow it.
    void keep_parts(std::vector<std::vector<index_t>> parts, Context& context);

    /// K within the part that these rows begin with, in its order; no data when there is none.
    [[nodiscard]] MatrixView<const float> leading_part(std::span<const index_t> rows) const;

private:
    struct Part {
        std::vector<index_t> rows;
        Buffer<float> values;
    };

    std::shared_ptr<const KernelEngine> narrow_engine_;
    std::shared_ptr<const KernelEngine> wide_engine_;
    std::unique_ptr<PreparedRows> narrow_;
    std::unique_ptr<PreparedRows> wide_;
    std::vector<double> diagonal_;
    std::vector<Part> parts_;
};

}  // namespace mercer

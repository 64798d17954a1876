// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/shared_rows.hpp - one kernel for all problems that take some rows of a data set.
//
// One-against-one solves k(k-1)/2 problems on the rows of two classes each. The kernel is compiled
// once for all of them, its diagonal is computed once, and the rows stay where they are: a problem
// lays out those it works on. Kernel rows within a class may be kept for all who need them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/operators/part_rows.hpp"

namespace mercer {

class Context;

/// A data set and the engines of both precisions for it. Immutable after keep_within(), but for the
/// rows that are left in its parts; safe to share between threads.
class SharedRows {
public:
    /// Rows that are only borrowed must outlive it. Throws as make_engine() does.
    SharedRows(const Kernel& kernel, const Dataset& rows, Context& context);

    [[nodiscard]] const std::shared_ptr<const KernelEngine>& engine(Precision precision) const;
    /// K(i, i), float64 by the scalar formulas.
    [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }

    /// The rows at these places, laid out. Throws as KernelEngine::prepare() does.
    [[nodiscard]] std::unique_ptr<PreparedRows> prepare(std::span<const index_t> places,
                                                        Precision precision,
                                                        Context& context) const;

    /// From now on kernel rows within these parts, lists of distinct rows, are kept when they are
    /// computed, `bytes` of them at the most. Does nothing when K is not symmetric by construction.
    void keep_within(std::vector<std::vector<index_t>> parts, index_t bytes, Context& context);

    /// The part that these rows begin with, in its order; null when there is none.
    [[nodiscard]] std::shared_ptr<PartRows> leading_part(std::span<const index_t> places) const;

private:
    Dataset rows_;
    std::shared_ptr<const KernelEngine> narrow_engine_;
    std::shared_ptr<const KernelEngine> wide_engine_;
    std::vector<double> diagonal_;
    std::vector<std::shared_ptr<PartRows>> parts_;
};

}  // namespace mercer

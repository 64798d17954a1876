// SPDX-License-Identifier: Apache-2.0
//
// src/search/shared_grams.hpp - K of all rows, computed once for all folds and costs of a kernel.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/operators/gram_operator.hpp"

namespace mercer::search {

/// True when the dual is the only way to solve the machine. Where there is another, which of them is
/// taken depends on whether there is a start.
[[nodiscard]] bool is_solved_by_its_dual(const TrainOptions& options);

/// True when machines on parts of the rows may share the values of K: their duals are solved on
/// float32 values in any case, and neither scaling nor kernel is learned from the part.
[[nodiscard]] bool may_share(const TrainOptions& options);

/// The Gram matrices of the kernels that are at work. Safe to use from several threads.
class SharedGrams {
public:
    /// Holds `most` matrices at a time, and none when that is 0.
    SharedGrams(const Dataset& data, index_t most) : data_(data), most_(most) {}

    /// How many matrices of these rows the memory allows beside what else a search needs.
    [[nodiscard]] static index_t fitting(const Dataset& data, const Context& context);

    /// K of that kernel: made when it is first asked for, by the thread that asks. Null when none is
    /// held. Throws Interrupted.
    [[nodiscard]] std::shared_ptr<const GramOperator> get(std::size_t kernel,
                                                          const TrainOptions& options,
                                                          Context& context);
    /// Nobody asks for that kernel again.
    void drop(std::size_t kernel);

private:
    struct Entry {
        std::once_flag made;
        std::shared_ptr<const GramOperator> gram;
    };

    const Dataset& data_;
    index_t most_;
    std::mutex mutex_;
    std::map<std::size_t, std::shared_ptr<Entry>> entries_;
};

}  // namespace mercer::search

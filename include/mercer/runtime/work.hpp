// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/work.hpp - how much a method uses the kernel matrix, to compare methods by.
#pragma once

#include <atomic>

#include "mercer/base/types.hpp"

namespace mercer {

/// Counters of a method, without the work of certificates.
struct Work {
    index_t kernel_rows = 0;   ///< rows of K computed, whole or in the columns wanted
    index_t products = 0;      ///< of K, of some of its columns, or of the rows themselves, with a
                               ///< vector
    index_t memory_bytes = 0;  ///< peak of the memory of large blocks
};

/// Where Work is counted. Any thread may add.
class WorkCounter {
public:
    void add_rows(index_t count) noexcept { rows_.fetch_add(count, std::memory_order_relaxed); }
    void add_products(index_t count) noexcept {
        products_.fetch_add(count, std::memory_order_relaxed);
    }
    [[nodiscard]] index_t rows() const noexcept { return rows_.load(std::memory_order_relaxed); }
    [[nodiscard]] index_t products() const noexcept {
        return products_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<index_t> rows_{0};
    std::atomic<index_t> products_{0};
};

}  // namespace mercer

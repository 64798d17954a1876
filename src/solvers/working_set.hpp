// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/working_set.hpp - a small box-constrained quadratic programme, by pairwise steps.
//
// All data is in contiguous arrays that fit the second-level cache: a block of the Gram matrix in
// float32, values in double. Variables belong to groups, and both variables of a pair are in the
// same group, so that the sum of each group is preserved; without sum constraints variables move
// one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/device.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// One variable of the working set.
struct LocalVariable {
    double b = 0.0;
    double v = 0.0;  ///< minus the derivative
    double lower = 0.0;
    double upper = 0.0;
    float diagonal = 0.0F;  ///< of the block, ridge included
    int group = 0;
};

class WorkingSet {
public:
    /// Allocates memory for `capacity` variables. Throws ResourceError.
    WorkingSet(index_t capacity, Context& context);

    /// Empties the set; `groups` 0: no sum constraints. The block of the variables at the places
    /// `retained` of the last set becomes that of the first variables to be added.
    void clear(int groups, std::span<const index_t> retained, Context& context);
    void add(const LocalVariable& variable);

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(b_.size()); }
    /// Rows `first` and later of the block, to be filled with K; solve() completes the columns
    /// above them and the diagonal.
    [[nodiscard]] MatrixView<float> rows_from(index_t first);

    /// To be called after all rows are filled: entries between variables added at different times
    /// are taken from the later one's row, as in a block that was filled step by step. The bits of
    /// K(i, j) and K(j, i) may differ.
    void prefer_later(std::span<const index_t> joined);

    /// Takes steps until the largest violation is at most `tolerance`, at most `max_steps`. Returns
    /// their number.
    index_t solve(double tolerance, index_t max_steps);

    [[nodiscard]] double b(index_t k) const { return b_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] double v(index_t k) const { return v_[static_cast<std::size_t>(k)]; }

private:
    void close_gaps(std::span<const index_t> slots);
    void rearrange(std::span<const index_t> slots, Context& context);

    struct Sets {
        std::vector<std::uint8_t> up;
        std::vector<std::uint8_t> down;
    };

    [[nodiscard]] CoordinateArrays arrays(int group);
    void complete_block();
    void find_memberships();
    void update_membership(index_t k);
    bool pair_step(int group, const Extremes& extremes);
    bool single_step(const Extremes& extremes);
    void move(index_t k, double target);

    Device device_;
    index_t capacity_;
    index_t stride_;
    int groups_ = 1;
    Buffer<float> block_;
    Buffer<float> retained_block_;  ///< of the retained variables, while they move to new places
    index_t retained_ = 0;
    std::vector<double> b_;
    std::vector<double> v_;  ///< this and diagonal_ are padded to stride_ for the passes
    std::vector<float> diagonal_;
    std::vector<Interval> box_;
    std::vector<int> group_;
    std::vector<Sets> sets_;
    std::vector<float> zero_row_;
    Extremes next_;  ///< of group 0, computed by the last step
};

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/working_set.cpp - pairwise second-order steps on the block.
#include "solvers/working_set.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/runtime/context.hpp"
#include "solvers/membership.hpp"

namespace mercer {

namespace {

constexpr double kLeastCurvature = 1e-12;

}  // namespace

WorkingSet::WorkingSet(index_t capacity, Context& context)
    : device_(context.device()),
      capacity_(capacity),
      stride_(padded_lanes(capacity)),
      block_(context.allocate<float>(capacity_ * stride_, "the working set", Contents::any)) {
    zero_row_.assign(static_cast<std::size_t>(stride_), 0.0F);
    v_.assign(static_cast<std::size_t>(stride_), 0.0);
    diagonal_.assign(static_cast<std::size_t>(stride_), 0.0F);
}

void WorkingSet::clear(int groups, std::span<const index_t> retained, Context& context) {
    groups_ = groups;
    retained_ = static_cast<index_t>(retained.size());
    if (std::ranges::is_sorted(retained)) {
        close_gaps(retained);
    } else {
        rearrange(retained, context);
    }
    b_.clear();
    box_.clear();
    group_.clear();
}

/// Moves the block of ascending slots to the front: no entry is overwritten before it is read.
void WorkingSet::close_gaps(std::span<const index_t> slots) {
    if (slots.empty() || slots.back() + 1 == static_cast<index_t>(slots.size())) {
        return;  // it lies there
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const float* from = block_.data() + slots[i] * stride_;
        float* to = block_.data() + static_cast<index_t>(i) * stride_;
        for (std::size_t j = 0; j < slots.size(); ++j) {
            to[j] = from[slots[j]];
        }
    }
}

/// The same for slots in any order, by way of a copy.
void WorkingSet::rearrange(std::span<const index_t> slots, Context& context) {
    const auto count = static_cast<index_t>(slots.size());
    if (count * count > retained_block_.size()) {
        retained_block_ = {};
        retained_block_ = context.allocate<float>(
            count * count, "the retained part of a working set", Contents::any);
    }
    for (index_t i = 0; i < count; ++i) {
        const float* from = block_.data() + slots[static_cast<std::size_t>(i)] * stride_;
        float* to = retained_block_.data() + i * count;
        for (std::size_t j = 0; j < slots.size(); ++j) {
            to[j] = from[slots[j]];
        }
    }
    for (index_t i = 0; i < count; ++i) {
        std::copy_n(retained_block_.data() + i * count, count, block_.data() + i * stride_);
    }
}

void WorkingSet::add(const LocalVariable& variable) {
    v_[b_.size()] = variable.v;
    diagonal_[b_.size()] = variable.diagonal;
    b_.push_back(variable.b);
    box_.push_back({variable.lower, variable.upper});
    group_.push_back(groups_ > 1 ? variable.group : 0);
}

MatrixView<float> WorkingSet::rows_from(index_t first) {
    return {block_.data() + first * stride_, size() - first, size(), stride_};
}

void WorkingSet::prefer_later(std::span<const index_t> joined) {
    for (index_t i = 0; i < size(); ++i) {
        for (index_t j = 0; j < size(); ++j) {
            if (joined[static_cast<std::size_t>(i)] < joined[static_cast<std::size_t>(j)]) {
                block_[i * stride_ + j] = block_[j * stride_ + i];
            }
        }
    }
}

void WorkingSet::complete_block() {
    constexpr index_t kStrip = 16;  // columns of one cache line
    for (index_t j = retained_; j < size(); j += kStrip) {
        const index_t end = std::min(size(), j + kStrip);
        for (index_t i = 0; i < retained_; ++i) {
            float* row = block_.data() + i * stride_;
            for (index_t c = j; c < end; ++c) {
                row[c] = block_[c * stride_ + i];
            }
        }
    }
    const index_t full = padded_lanes(size());
    for (index_t k = 0; k < size(); ++k) {
        std::fill(block_.data() + k * stride_ + size(), block_.data() + k * stride_ + full, 0.0F);
        block_[k * stride_ + k] = diagonal_[static_cast<std::size_t>(k)];
    }
}

CoordinateArrays WorkingSet::arrays(int group) {
    Sets& sets = sets_[static_cast<std::size_t>(group)];
    return {v_.data(), diagonal_.data(), sets.up.data(), sets.down.data(), size()};
}

void WorkingSet::find_memberships() {
    const auto full = static_cast<std::size_t>(padded_lanes(size()));
    sets_.resize(static_cast<std::size_t>(std::max(1, groups_)));
    for (Sets& sets : sets_) {
        sets.up.assign(full / 8 + 8, 0);
        sets.down.assign(full / 8 + 8, 0);
    }
    for (index_t k = 0; k < size(); ++k) {
        update_membership(k);
    }
}

void WorkingSet::update_membership(index_t k) {
    const auto at = static_cast<std::size_t>(k);
    Sets& sets = sets_[static_cast<std::size_t>(group_[at])];
    set_bit(sets.up, k, b_[at] < box_[at].upper);
    set_bit(sets.down, k, b_[at] > box_[at].lower);
}

void WorkingSet::move(index_t k, double target) {
    b_[static_cast<std::size_t>(k)] = target;
    update_membership(k);
}

bool WorkingSet::pair_step(int group, const Extremes& extremes) {
    const index_t i = extremes.highest;
    const auto at_i = static_cast<std::size_t>(i);
    const float* row_i = block_.data() + i * stride_;
    const auto diagonal_i = static_cast<double>(diagonal_[at_i]);
    const index_t j = choose_partner(arrays(group), row_i, diagonal_i, extremes.maximum, device_);
    if (j < 0) {
        return false;
    }
    const auto at_j = static_cast<std::size_t>(j);
    const double curvature =
        std::max(kLeastCurvature, diagonal_i + static_cast<double>(diagonal_[at_j]) -
                                      2.0 * static_cast<double>(row_i[j]));
    const double room_i = box_[at_i].upper - b_[at_i];
    const double room_j = b_[at_j] - box_[at_j].lower;
    const double delta = std::min({(v_[at_i] - v_[at_j]) / curvature, room_i, room_j});
    const double old_i = b_[at_i];
    const double old_j = b_[at_j];
    move(i, delta == room_i ? box_[at_i].upper : old_i + delta);
    move(j, delta == room_j ? box_[at_j].lower : old_j - delta);
    const float* row_j = block_.data() + j * stride_;
    next_ = step_and_find(arrays(0), row_i, row_j, delta, device_);
    return b_[at_i] != old_i || b_[at_j] != old_j;
}

bool WorkingSet::single_step(const Extremes& extremes) {
    const bool grow = extremes.maximum >= -extremes.minimum;
    const index_t i = grow ? extremes.highest : extremes.lowest;
    const auto at = static_cast<std::size_t>(i);
    const double curvature = std::max(kLeastCurvature, static_cast<double>(diagonal_[at]));
    const double old = b_[at];
    move(i, std::clamp(old + v_[at] / curvature, box_[at].lower, box_[at].upper));
    next_ = step_and_find(arrays(0), block_.data() + i * stride_, zero_row_.data(), b_[at] - old,
                          device_);
    return b_[at] != old;
}

index_t WorkingSet::solve(double tolerance, index_t max_steps) {
    complete_block();
    find_memberships();
    next_ = find_extremes(arrays(0), device_);
    for (index_t step = 0; step < max_steps; ++step) {
        int group = 0;
        Extremes extremes = next_;
        double violation = extremes.maximum - extremes.minimum;  // -inf when a set is empty
        if (groups_ == 0) {
            violation = std::max(extremes.maximum, -extremes.minimum);
        }
        for (int other = 1; other < groups_; ++other) {
            const Extremes found = find_extremes(arrays(other), device_);
            if (found.maximum - found.minimum > violation) {
                group = other;
                extremes = found;
                violation = found.maximum - found.minimum;
            }
        }
        if (!(violation > tolerance) ||
            !(groups_ == 0 ? single_step(extremes) : pair_step(group, extremes))) {
            return step;
        }
    }
    return max_steps;
}

}  // namespace mercer

// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/set_round.cpp - from the block of the working set to the values of all rows.
#include "solvers/set_round.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kColumnsPerTask = 2048;  // in an update: 16 KiB of values

}  // namespace

SetRound::SetRound(index_t capacity, DualVariables& variables, const MoveBounds& bounds,
                   Context& context)
    : vars_(variables), bounds_(bounds), set_(capacity, context) {}

void SetRound::load(SetChoice& choice, Context& context) {
    set_.clear(bounds_.groups(), choice.retained_slots(), context);
    rows_.clear();
    slopes_.clear();
    for (const index_t k : choice.places()) {
        const LocalVariable variable = bounds_.local(k);
        set_.add(variable);
        slopes_.push_back(vars_.v(k) - variable.v);
        rows_.push_back(vars_.row(k));
    }
    const std::size_t retained = choice.retained_slots().size();
    if (retained < rows_.size()) {
        vars_.cache().compute_block(std::span(rows_).subspan(retained), rows_,
                                    set_.rows_from(static_cast<index_t>(retained)), context);
    }
    choice.begin_round();
}

void SetRound::recover_block(SetChoice& choice, Context& context) {
    if (!block_lost_) {
        return;
    }
    choice.assign(choice.places(), choice.joined_of_places());
    set_.clear(bounds_.groups(), {}, context);
    rows_.clear();
    for (const index_t k : choice.places()) {
        set_.add(bounds_.local(k));
        rows_.push_back(vars_.row(k));
    }
    if (!rows_.empty()) {
        vars_.cache().compute_block(rows_, rows_, set_.rows_from(0), context);
        set_.prefer_later(choice.joined_of_slots());
    }
    block_lost_ = false;
}

/// Slots of the variables that changed; their rows, steps and values go to the arrays.
std::vector<index_t> SetRound::collect_moved(const SetChoice& choice) {
    rows_.clear();
    deltas_.clear();
    old_values_.clear();
    std::vector<index_t> moved;
    for (index_t s = 0; s < set_.size(); ++s) {
        const index_t k = choice.places()[static_cast<std::size_t>(s)];
        const double delta = set_.b(s) - vars_.b(k);
        if (delta != 0.0) {
            moved.push_back(s);
            rows_.push_back(vars_.row(k));
            deltas_.push_back(delta);
            old_values_.push_back(vars_.v(k));
        }
    }
    return moved;
}

SetRound::Gain SetRound::update(const SetChoice& choice, Context& context) {
    const std::vector<index_t> moved = collect_moved(choice);
    Gain out{.moved = !moved.empty()};
    // Rows that do not fit the row cache together are fetched in parts. A stop between parts must
    // not leave incomplete values: after the first part the update is uninterruptible.
    const std::unique_ptr<Context> unstoppable = Context::unstoppable(context);
    const auto part = static_cast<std::size_t>(vars_.cache().capacity());
    for (std::size_t first = 0; first < rows_.size(); first += part) {
        subtract(first, std::min(part, rows_.size() - first), first == 0 ? context : *unstoppable,
                 *unstoppable);
    }
    // The gain of the dual objective: the mean of both slopes times the step.
    for (std::size_t r = 0; r < moved.size(); ++r) {
        const index_t k = choice.places()[static_cast<std::size_t>(moved[r])];
        vars_.b(k) = set_.b(moved[r]);
        vars_.v(k) -= deltas_[r] * vars_.term(k).ridge;
        vars_.add_drift(deltas_[r], static_cast<double>(vars_.diagonal(k)));
        out.dual += 0.5 * deltas_[r] * (old_values_[r] + vars_.v(k));
        out.size += std::abs(vars_.b(k) * (vars_.term(k).linear + vars_.v(k)));
    }
    return out;
}

SetRound::Gain SetRound::take_all(const SetChoice& choice) {
    Gain out;
    for (index_t s = 0; s < set_.size(); ++s) {
        const index_t k = choice.places()[static_cast<std::size_t>(s)];
        const double delta = set_.b(s) - vars_.b(k);
        const double before = vars_.v(k);
        vars_.v(k) = set_.v(s) + slopes_[static_cast<std::size_t>(s)];
        vars_.b(k) = set_.b(s);
        if (delta != 0.0) {
            out.moved = true;
            vars_.add_drift(delta, static_cast<double>(vars_.diagonal(k)));
            out.dual += 0.5 * delta * (before + vars_.v(k));
            out.size += std::abs(vars_.b(k) * (vars_.term(k).linear + vars_.v(k)));
        }
    }
    return out;
}

/// Updates all values from a part of the moved rows.
void SetRound::subtract(std::size_t first, std::size_t count, Context& context,
                        Context& unstoppable) {
    pointers_.resize(count);
    vars_.cache().fetch(std::span(rows_).subspan(first, count), pointers_, context);
    const index_t n = vars_.active_size();
    parallel_for(unstoppable, (n + kColumnsPerTask - 1) / kColumnsPerTask, [&](index_t task, int) {
        subtract_rows(vars_.v_data(), task * kColumnsPerTask,
                      std::min(n, (task + 1) * kColumnsPerTask),
                      {pointers_.data(), deltas_.data() + first, static_cast<index_t>(count)},
                      unstoppable.device());
    });
}

}  // namespace mercer

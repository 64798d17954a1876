// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smo.cpp - pairwise decomposition for the box-constrained kernel dual.
//
//     minimise   1/2 b'(K + R)b - p'b     subject to   l <= b <= u,   sum(b) = 0 (with an
//     intercept)
//
// Method   Second-order working-set selection with shrinking (Fan, Chen, Lin, JMLR 6, 2005), or the
//          maximal violating pair (Keerthi et al., Neural Computation 13, 2001), in signed
//          variables, so that one kernel row serves every variable.
// Fits     n up to ~1e5 with a sparse solution.
// Cost     two Gram rows and two passes over the active variables per iteration; memory O(n) plus
//          the row cache.
// Stops    when the violation m - M meets the tolerance. The solver does not compute a duality gap:
//          the caller certifies the result (problems/certificate.hpp).
// Notation b  variables     v = p - (K + R)b  minus the gradient, double, from float32 rows
//          m  max of v over those that may increase   M  min of v over those that may decrease
//
// Active variables stay contiguous: when shrinking leaves fewer than kCompact of them, all arrays
// and the cached rows are compacted together (with an index list the same loops were 3x slower).
#include "mercer/solvers/smo.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "solvers/coordinate_run.hpp"
#include "solvers/membership.hpp"

namespace mercer {

namespace {

constexpr double kCompact = 0.7;
constexpr index_t kShrinkInterval = 1000;
constexpr index_t kStopInterval = 64;  // iterations between checks of the clock

// On a cache miss, rows that are likely to be needed soon are computed in the same block. This pays
// if rows are expensive: from this many stored entries of a data row on.
constexpr double kBlockWidth = 40.0;
constexpr std::size_t kBlockRows = 16;

}  // namespace

class SmoSolver::State final : public CoordinateRun {
public:
    State(const Problem& problem, const CoordinateOptions& options, Context& context)
        : CoordinateRun(problem, options, options, context),
          problem_(problem),
          block_rows_(problem.gram->cost().entries_per_row() >= kBlockWidth ? kBlockRows : 1) {
        find_memberships();
    }

    void save(StateWriter& state) {
        vars_.save(state);
        state.number(iterations_);
        state.number(until_shrink_);
        state.number(static_cast<index_t>(in_step_));
        save_place(state);
    }

    void restore(StateReader& state, Context& context) {
        vars_.restore(state, context);
        find_memberships();
        iterations_ = state.integer(0, std::numeric_limits<index_t>::max());
        until_shrink_ = state.integer(0, kShrinkInterval);
        in_step_ = state.integer(0, 1) == 1;
        restore_place(state);
    }

private:
    bool is_end(SolveStatus status, Context& unstoppable) override {
        vars_.activate_all(unstoppable);  // optimal on the active variables only: check all
        find_memberships();
        return status != SolveStatus::converged ||
               violation(find_extremes(arrays(), unstoppable.device())) <= tolerance_;
    }

    void forget() override { find_memberships(); }

    [[nodiscard]] CoordinateArrays arrays() {
        return {vars_.v_data(), vars_.diagonal_data(), up_.data(), down_.data(),
                vars_.active_size()};
    }

    [[nodiscard]] double violation(const Extremes& extremes) const {
        if (problem_.intercept) {
            return extremes.highest < 0 || extremes.lowest < 0
                       ? 0.0
                       : extremes.maximum - extremes.minimum;
        }
        return std::max({0.0, extremes.maximum, -extremes.minimum});
    }

    /// Iterates on the active variables until they are optimal among themselves.
    SolveStatus solve_active(Context& context) override {
        if (!goes_on_) {
            vars_.begin_steps();
            until_shrink_ = std::min(vars_.size(), kShrinkInterval);
        }
        goes_on_ = false;
        Extremes extremes = find_extremes(arrays(), context.device());
        for (index_t count = 0;; ++count) {
            if (!in_step_) {
                if (violation(extremes) <= tolerance_) {
                    return SolveStatus::converged;
                }
                if (iterations_ >= max_iterations_) {
                    return SolveStatus::iteration_limit;
                }
                if (count % kStopInterval == 0 && stops(extremes, context)) {
                    return SolveStatus::interrupted;
                }
                if (options_.shrinking && --until_shrink_ <= 0) {
                    until_shrink_ = std::min(vars_.size(), kShrinkInterval);
                    if (shrink(extremes, context)) {
                        extremes = find_extremes(arrays(), context.device());
                    }
                }
                in_step_ = true;
            }
            const bool moved = step(extremes, context);  // if stopped in here, nothing has changed
            in_step_ = false;
            ++iterations_;
            if (!moved || vars_.lost_digits(violation(extremes))) {
                return SolveStatus::reduced;
            }
        }
    }

    /// Reports progress and returns true on a stop request.
    bool stops(const Extremes& extremes, Context& context) {
        if (context.should_stop()) {
            goes_on_ = true;
            return true;
        }
        context.report({.stage = "smo", .done = iterations_, .gap = violation(extremes)});
        if (boundary_) {
            boundary_();
        }
        return false;
    }

    /// One update; false when rounding allows no move.
    bool step(Extremes& extremes, Context& context) {
        return problem_.intercept ? pair_step(extremes, context) : single_step(extremes, context);
    }

    bool pair_step(Extremes& extremes, Context& context) {
        const index_t i = extremes.highest;
        const float* row_i = fetch(i, context);
        const auto diagonal_i = static_cast<double>(vars_.diagonal(i));
        const index_t j =
            options_.selection == Selection::second_order
                ? choose_partner(arrays(), row_i, diagonal_i, extremes.maximum, context.device())
                : extremes.lowest;
        if (j < 0) {
            return false;
        }
        const float* row_j = nullptr;
        fetch_pair(i, j, row_i, row_j, context);
        const double size = diagonal_i + static_cast<double>(vars_.diagonal(j));
        const double curvature = std::max(1e-12, size - 2.0 * static_cast<double>(row_i[j]));
        const double wanted = (vars_.v(i) - vars_.v(j)) / curvature;
        const double room_i = vars_.term(i).box.upper - vars_.b(i);
        const double room_j = vars_.b(j) - vars_.term(j).box.lower;
        const double delta = std::min({wanted, room_i, room_j});
        const bool moved = move(i, delta == room_i ? vars_.term(i).box.upper : vars_.b(i) + delta);
        const bool moved_too =
            move(j, delta == room_j ? vars_.term(j).box.lower : vars_.b(j) - delta);
        vars_.v(i) -= delta * vars_.term(i).ridge;  // rows do not include the ridge
        vars_.v(j) += delta * vars_.term(j).ridge;
        extremes = step_and_find(arrays(), row_i, row_j, delta, context.device());
        vars_.add_drift(delta, size);
        return moved || moved_too;
    }

    /// Without a sum constraint only one variable moves: the worst violator.
    bool single_step(Extremes& extremes, Context& context) {
        const bool grow = extremes.maximum >= -extremes.minimum;
        const index_t i = grow ? extremes.highest : extremes.lowest;
        const float* row = fetch(i, context);
        const auto size = static_cast<double>(vars_.diagonal(i));
        const Interval& box = vars_.term(i).box;
        const double target =
            std::clamp(vars_.b(i) + vars_.v(i) / std::max(1e-12, size), box.lower, box.upper);
        const double delta = target - vars_.b(i);
        const bool moved = move(i, target);
        vars_.v(i) -= delta * vars_.term(i).ridge;
        extremes = step_and_find(arrays(), row, zero_row_.data(), delta, context.device());
        vars_.add_drift(delta, size);
        return moved;
    }

    /// Sets b_k and its membership; bounds are reached exactly, so they are tested by equality.
    bool move(index_t k, double target) {
        const bool moved = vars_.b(k) != target;
        vars_.b(k) = target;
        update_membership(k);
        return moved;
    }

    void update_membership(index_t k) {
        const Interval& box = vars_.term(k).box;
        set_bit(up_, k, vars_.b(k) < box.upper);
        set_bit(down_, k, vars_.b(k) > box.lower);
    }

    void find_memberships() {
        const auto padded = static_cast<std::size_t>(padded_lanes(vars_.active_size()));
        up_.assign(padded / 8 + 8, 0);
        down_.assign(padded / 8 + 8, 0);
        zero_row_.assign(padded, 0.0F);
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            update_membership(k);
        }
    }

    const float* fetch(index_t k, Context& context) {
        const index_t row = vars_.row(k);
        wanted_.assign(1, row);
        if (block_rows_ > 1 && !vars_.cache().contains(row)) {
            add_likely_rows();
        }
        pointers_.resize(wanted_.size());
        vars_.cache().fetch(wanted_, pointers_, context);
        return pointers_[0];
    }

    void fetch_pair(index_t i, index_t j, const float*& row_i, const float*& row_j,
                    Context& context) {
        wanted_.assign({vars_.row(i), vars_.row(j)});
        if (block_rows_ > 1 && !vars_.cache().contains(wanted_[1])) {
            add_likely_rows();
        }
        pointers_.resize(wanted_.size());
        vars_.cache().fetch(wanted_, pointers_, context);
        row_i = pointers_[0];
        row_j = pointers_[1];
    }

    /// Adds the worst violators whose rows are not cached, to be computed in the same block.
    void add_likely_rows() {
        const std::size_t room =
            std::min(block_rows_, static_cast<std::size_t>(vars_.cache().capacity() / 4));
        candidates_.clear();
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            const double v = vars_.v(k);
            const bool up = get_bit(up_, k);
            const bool down = get_bit(down_, k);
            if (!up && !down) {
                continue;
            }
            const double score =
                up && down ? std::abs(v - centre_) : (up ? v - centre_ : centre_ - v);
            candidates_.emplace_back(-score, k);
        }
        const std::size_t few = std::min(candidates_.size(), 4 * room);
        std::partial_sort(candidates_.begin(),
                          candidates_.begin() + static_cast<std::ptrdiff_t>(few),
                          candidates_.end());
        for (std::size_t c = 0; c < few && wanted_.size() < room; ++c) {
            const index_t row = vars_.row(candidates_[c].second);
            if (!vars_.cache().contains(row) &&
                std::find(wanted_.begin(), wanted_.end(), row) == wanted_.end()) {
                wanted_.push_back(row);
            }
        }
    }

    /// Drops variables at a bound whose gradient points firmly outwards; true when it did.
    bool shrink(const Extremes& extremes, Context& context) {
        centre_ = 0.5 * (extremes.maximum + extremes.minimum);
        std::vector<index_t> remaining;
        const double low = problem_.intercept ? extremes.minimum : 0.0;
        const double high = problem_.intercept ? extremes.maximum : 0.0;
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            const double v = vars_.v(k);
            const bool up = get_bit(up_, k);
            const bool down = get_bit(down_, k);
            const bool idle =
                (up && !down && v < low) || (down && !up && v > high) || (!up && !down);
            if (!idle) {
                remaining.push_back(vars_.row(k));
            }
        }
        if (static_cast<double>(remaining.size()) >=
                kCompact * static_cast<double>(vars_.active_size()) ||
            remaining.size() < 2) {
            return false;
        }
        vars_.store();
        vars_.activate(std::move(remaining), *Context::unstoppable(context));
        vars_.begin_steps();
        find_memberships();
        return true;
    }

    const Problem& problem_;
    std::vector<std::uint8_t> up_;
    std::vector<std::uint8_t> down_;
    std::vector<float> zero_row_;
    std::size_t block_rows_;
    double centre_ = 0.0;
    std::vector<index_t> wanted_;
    std::vector<const float*> pointers_;
    std::vector<std::pair<double, index_t>> candidates_;
    index_t until_shrink_ = 0;
};

SmoSolver::SmoSolver(const Problem& problem, const CoordinateOptions& options, Context& context) {
    if (!fits(problem)) {
        throw InvalidArgument(
            fmt::format("loss: smo does not solve {} problems", name_of(problem.loss)));
    }
    require_well_formed(problem);
    state_ = std::make_unique<State>(problem, options, context);
}

SmoSolver::~SmoSolver() = default;

bool SmoSolver::fits(const Problem& problem) {
    return has_box_dual(problem.loss) && !problem.has_mass() &&
           width_kind(problem.loss) != Width::tube;  // a kink at zero
}

void SmoSolver::warm_start(std::span<const double> beta, Context& context) {
    state_->warm_start(beta, context);
}
SolveStatus SmoSolver::run(double tolerance, Context& context) {
    return state_->run(tolerance, context);
}
void SmoSolver::reset_values(std::span<const double> f) { state_->reset_values(f); }
std::span<const double> SmoSolver::beta() const noexcept { return state_->variables().beta(); }
std::vector<double> SmoSolver::estimated_values() const {
    return state_->variables().estimated_values();
}
index_t SmoSolver::iterations() const noexcept { return state_->iterations(); }
index_t SmoSolver::rows_computed() const noexcept {
    return state_->variables().cache().counters().computed;
}
index_t SmoSolver::working_set() const noexcept { return 2; }
void SmoSolver::at_boundaries(std::function<void()> action) {
    state_->at_boundaries(std::move(action));
}
void SmoSolver::save(StateWriter& state) { state_->save(state); }
void SmoSolver::restore(StateReader& state, Context& context) { state_->restore(state, context); }

}  // namespace mercer

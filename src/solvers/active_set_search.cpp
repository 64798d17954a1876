// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set_search.cpp - the main loop of the active set method.
#include <optional>

#include "mercer/runtime/context.hpp"
#include "solvers/active_set.hpp"

namespace mercer {

namespace {

constexpr double kViolation = 8.0;  // in units of the noise
constexpr int kRefinements = 5;
constexpr index_t kSteps = 500;
constexpr index_t kStepsPerRow = 50;
constexpr index_t kIdleSteps = 1000;  // this many consecutive steps of length 0 are a cycle
constexpr index_t kExchanges = 20;    // plus one per row: exchanges before gains are doubted
constexpr double kMoreDoubt = 8.0;

}  // namespace

/// One call of settle().
class ActiveSet::Search {
public:
    Search(ActiveSet& set, Pricing pricing, const Limits& limits)
        : set_(set),
          pricing_(pricing),
          limited_(limits.steps > 0),
          most_steps_(set.steps_ + limits.steps),
          most_work_(set.work_ + limits.work),
          exchanged_(set.exchanges_) {}

    [[nodiscard]] Ending run(const Context& stop) {
        index_t left = kSteps + kStepsPerRow * set_.size();
        for (; left > 0 && set_.work_ <= most_work_; --left) {
            if (stop.should_stop()) {
                return Ending::stopped;
            }
            double length = 1.0;
            if (!step(length)) {
                return Ending::out_of_steps;
            }
            if (length < 1.0 || is_refined()) {
                continue;
            }
            if (const std::optional<Ending> ended = change_set()) {
                return *ended;
            }
        }
        return Ending::out_of_steps;
    }

private:
    /// False when no further step is allowed or possible.
    bool step(double& length) {
        if ((limited_ && set_.steps_ >= most_steps_) || !set_.step_to_best(length, false)) {
            return false;
        }
        set_.steps_ += static_cast<index_t>(set_.moved_ && refined_ == 0);
        idle_ = length > 0.0 ? 0 : idle_ + 1;
        refined_ = length < 1.0 ? 0 : refined_;
        return idle_ <= kIdleSteps;
    }

    /// True when the free rows are not at their optimum yet and another step may help.
    bool is_refined() {
        set_.measure();
        const bool again = set_.spread() > set_.noise_ && refined_ < kRefinements;
        refined_ += static_cast<int>(again);
        return again;
    }

    /// Sets a row free that can gain, if there is one.
    std::optional<Ending> change_set() {
        if (set_.exchanges_ - exchanged_ > kExchanges + set_.size()) {
            // Nearly dependent rows are exchanged for gains that are only rounding: require larger
            // gains.
            doubt_ *= kMoreDoubt;
            exchanged_ = set_.exchanges_;
        }
        Move move;
        const double least = kViolation * doubt_ * set_.noise_;
        if (!set_.pricer_.choose(set_, pricing_, least, move, set_.context_)) {
            if (refined_ == kRefinements + 1) {
                return Ending::optimal;
            }
            refined_ = kRefinements + 1;  // check again with exact values
            set_.refresh();
            return std::nullopt;
        }
        refined_ = 0;
        const std::size_t group = set_.group_of(move);
        if (set_.dual_.groups > 0 && set_.free_in(group) == 0) {
            // The first free row of a group determines its multiplier; the next one can then move.
            set_.multipliers_[group] += move.up ? move.gain : -move.gain;
        }
        const bool endless = set_.enter(move.row, move.up) == Entered::unbounded;
        return endless ? std::optional(Ending::unbounded) : std::nullopt;
    }

    ActiveSet& set_;
    Pricing pricing_;
    bool limited_;
    index_t most_steps_;
    double most_work_;
    index_t exchanged_;  ///< number of exchanges when gains were last doubted
    double doubt_ = 1.0;
    index_t idle_ = 0;
    int refined_ = 0;
};

ActiveSet::Ending ActiveSet::settle(const Context& stop, Pricing pricing, const Limits& limits) {
    return Search(*this, pricing, limits).run(stop);
}

}  // namespace mercer

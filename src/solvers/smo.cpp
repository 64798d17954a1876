// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smo.cpp - pairwise decomposition for the box-constrained kernel dual.
//
//     minimise   1/2 b'Kb - y'b     subject to   l <= b <= u,   sum(b) = 0 (with an intercept)
//
// Method   Second-order working-set selection with shrinking (Fan, Chen, Lin, JMLR 6, 2005), in
//          signed variables, so that one kernel row serves every variable.
// Fits     n up to ~1e5 with a sparse solution.
// Cost     two Gram rows and two passes over the active variables per iteration; memory O(n) plus
//          the row cache.
// Stops    when the violation m - M meets the tolerance. The duality gap is not ours to claim: the
//          caller certifies what we return (problems/certificate.hpp).
// Notation b  variables     v = y - Kb  minus the gradient, double, updated from float32 rows
//          m  max of v over those that may grow      M  min of v over those that may shrink
//
// Active variables stay contiguous: when shrinking leaves fewer than kCompact of them, all arrays
// and the cached rows are compacted together (an index list made the same loops 3x slower).
#include "mercer/solvers/smo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/compute/coordinate.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/row_cache.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr double kCompact = 0.7;
constexpr index_t kShrinkInterval = 1000;
constexpr index_t kStopInterval = 64;  // iterations between looks at the clock

// On a miss, rows that are likely to be wanted soon are computed in the same block. It pays where a
// row is expensive: from this many columns (or stored entries of sparse rows) on.
constexpr double kBlockWidth = 40.0;
constexpr std::size_t kBlockRows = 16;

// Half an ulp of a float32 row entry, and the share of the violation its sum may reach before v is
// computed anew.
constexpr double kRowError = 6e-8;
constexpr double kDriftShare = 0.05;

index_t round_up(index_t n) {
    return (n + kCoordinateLanes - 1) / kCoordinateLanes * kCoordinateLanes;
}

void set_bit(std::vector<std::uint8_t>& set, index_t k, bool on) {
    std::uint8_t& byte = set[static_cast<std::size_t>(k / 8)];
    const auto bit = static_cast<std::uint8_t>(1U << (k % 8));
    byte = on ? byte | bit : byte & static_cast<std::uint8_t>(~bit);
}

bool get_bit(const std::vector<std::uint8_t>& set, index_t k) {
    return ((set[static_cast<std::size_t>(k / 8)] >> (k % 8)) & 1) != 0;
}

/// What a kernel row costs per entry: the columns, or the stored entries of really sparse rows.
double work_per_entry(const Dataset& rows) {
    constexpr double kSparse = 0.025;  // below this density rows are stored sparse
    const auto n = static_cast<double>(std::max<index_t>(1, rows.rows()));
    const double stored = static_cast<double>(rows.stored()) / n;
    const auto columns = static_cast<double>(rows.columns());
    return stored < kSparse * columns ? stored : columns;
}

}  // namespace

class SmoSolver::State {
public:
    State(const Problem& problem, const SmoOptions& options, Context& context)
        : problem_(problem),
          options_(options),
          n_(problem.size()),
          cache_(problem.kernel, problem.rows, options.cache_bytes, context),
          beta_(static_cast<std::size_t>(n_), 0.0),
          block_rows_(work_per_entry(problem.rows) >= kBlockWidth ? kBlockRows : 1) {
        for (index_t i = 0; i < n_; ++i) {
            box_.push_back(dual_box(problem, i));
        }
        max_iterations_ = options.max_iterations > 0 ? options.max_iterations
                                                     : std::max<index_t>(10'000'000, 100 * n_);
        values_ = problem.targets;
        activate_all(context);
    }

    void warm_start(std::span<const double> beta, Context& context) {
        beta_.assign(beta.begin(), beta.end());
        recompute_values(context);
        activate_all(context);
    }

    void reset_values(std::span<const double> f) {
        for (index_t i = 0; i < n_; ++i) {
            const auto row = static_cast<std::size_t>(i);
            values_[row] = problem_.targets[row] - f[row];
        }
        for (std::size_t k = 0; k < active_.size(); ++k) {
            v_[k] = values_[static_cast<std::size_t>(active_[k])];
        }
        drift2_ = 0.0;
    }

    SolveStatus run(double tolerance, Context& context) {
        tolerance_ = tolerance;
        try {
            return solve_all(context);
        } catch (const Interrupted&) {  // from a parallel section; no coefficient was half moved
            store();
            return SolveStatus::interrupted;
        }
    }

    [[nodiscard]] std::span<const double> beta() const { return beta_; }
    [[nodiscard]] index_t iterations() const { return iterations_; }

private:
    /// Solves on active sets until the full problem is optimal.
    SolveStatus solve_all(Context& context) {
        while (true) {
            const SolveStatus status = solve_active(context);
            store();
            if (status == SolveStatus::interrupted) {
                return status;
            }
            if (status != SolveStatus::converged || !shrunk()) {
                if (shrunk()) {
                    recompute_values(context);
                    activate_all(context);
                }
                return status;
            }
            recompute_values(context);  // optimal on the active set only: look again
            activate_all(context);
            if (violation(find_extremes(arrays())) <= tolerance_) {
                return SolveStatus::converged;
            }
        }
    }

    [[nodiscard]] bool shrunk() const { return static_cast<index_t>(active_.size()) < n_; }

    [[nodiscard]] CoordinateArrays arrays() {
        return {v_.data(), diagonal_.data(), up_.data(), down_.data(),
                static_cast<index_t>(active_.size())};
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
    SolveStatus solve_active(Context& context) {
        Extremes extremes = find_extremes(arrays());
        index_t until_shrink = std::min(n_, kShrinkInterval);
        for (index_t count = 0;; ++count) {
            if (violation(extremes) <= tolerance_) {
                return SolveStatus::converged;
            }
            if (iterations_ >= max_iterations_) {
                return SolveStatus::iteration_limit;
            }
            if (count % kStopInterval == 0) {
                if (context.should_stop()) {
                    return SolveStatus::interrupted;
                }
                context.report({.stage = "smo", .done = iterations_, .gap = violation(extremes)});
            }
            if (options_.shrinking && --until_shrink <= 0) {
                until_shrink = std::min(n_, kShrinkInterval);
                if (shrink(extremes, context)) {
                    extremes = find_extremes(arrays());
                }
            }
            ++iterations_;
            if (!step(extremes, context) || lost_digits(extremes)) {
                return SolveStatus::reduced;
            }
        }
    }

    /// True when the rounding of the float32 rows, summed as a random walk over the steps since v
    /// was last exact, comes near the violation that is left.
    [[nodiscard]] bool lost_digits(const Extremes& extremes) const {
        const double left = kDriftShare * violation(extremes);
        return drift2_ > left * left;
    }

    void add_drift(double delta, double size) {
        const double error = kRowError * delta * size;
        drift2_ += error * error;
    }

    /// One update; false when rounding leaves nothing to move.
    bool step(Extremes& extremes, Context& context) {
        return problem_.intercept ? pair_step(extremes, context) : single_step(extremes, context);
    }

    bool pair_step(Extremes& extremes, Context& context) {
        const index_t i = extremes.highest;
        const float* row_i = fetch(i, context);
        const double diagonal_i = diagonal_[static_cast<std::size_t>(i)];
        const index_t j = choose_partner(arrays(), row_i, diagonal_i, extremes.maximum);
        if (j < 0) {
            return false;
        }
        const float* row_j = nullptr;
        fetch_pair(i, j, row_i, row_j, context);
        const double curvature =
            std::max(1e-12, diagonal_i + diagonal_[static_cast<std::size_t>(j)] -
                                2.0 * static_cast<double>(row_i[j]));
        const double wanted =
            (v_[static_cast<std::size_t>(i)] - v_[static_cast<std::size_t>(j)]) / curvature;
        const double room_i = upper(i) - b_[static_cast<std::size_t>(i)];
        const double room_j = b_[static_cast<std::size_t>(j)] - lower(j);
        const double delta = std::min({wanted, room_i, room_j});
        const bool moved =
            move(i, delta == room_i ? upper(i) : b_[static_cast<std::size_t>(i)] + delta);
        const bool moved_too =
            move(j, delta == room_j ? lower(j) : b_[static_cast<std::size_t>(j)] - delta);
        extremes = step_and_find(arrays(), row_i, row_j, delta);
        add_drift(delta, diagonal_i + diagonal_[static_cast<std::size_t>(j)]);
        return moved || moved_too;
    }

    /// Without an equality constraint one variable moves alone: the worst violator.
    bool single_step(Extremes& extremes, Context& context) {
        const bool grow = extremes.maximum >= -extremes.minimum;
        const index_t i = grow ? extremes.highest : extremes.lowest;
        const auto k = static_cast<std::size_t>(i);
        const float* row = fetch(i, context);
        const double wanted = v_[k] / std::max(1e-12, static_cast<double>(diagonal_[k]));
        const double target = std::clamp(b_[k] + wanted, lower(i), upper(i));
        const double delta = target - b_[k];
        const bool moved = move(i, target);
        extremes = step_and_find(arrays(), row, zero_row_.data(), delta);
        add_drift(delta, static_cast<double>(diagonal_[k]));
        return moved;
    }

    [[nodiscard]] double lower(index_t k) const {
        return box_[static_cast<std::size_t>(active_[static_cast<std::size_t>(k)])].lower;
    }
    [[nodiscard]] double upper(index_t k) const {
        return box_[static_cast<std::size_t>(active_[static_cast<std::size_t>(k)])].upper;
    }

    /// Sets b_k and its membership; bounds are met exactly, so they are tested by equality.
    bool move(index_t k, double target) {
        double& b = b_[static_cast<std::size_t>(k)];
        const bool moved = b != target;
        b = target;
        update_membership(k);
        return moved;
    }

    void update_membership(index_t k) {
        const double b = b_[static_cast<std::size_t>(k)];
        set_bit(up_, k, b < upper(k));
        set_bit(down_, k, b > lower(k));
    }

    const float* fetch(index_t k, Context& context) {
        const index_t row = active_[static_cast<std::size_t>(k)];
        wanted_.assign(1, row);
        if (block_rows_ > 1 && !cache_.contains(row)) {
            add_likely_rows();
        }
        pointers_.resize(wanted_.size());
        cache_.fetch(wanted_, pointers_, context);
        return pointers_[0];
    }

    void fetch_pair(index_t i, index_t j, const float*& row_i, const float*& row_j,
                    Context& context) {
        wanted_.assign(
            {active_[static_cast<std::size_t>(i)], active_[static_cast<std::size_t>(j)]});
        if (block_rows_ > 1 && !cache_.contains(wanted_[1])) {
            add_likely_rows();
        }
        pointers_.resize(wanted_.size());
        cache_.fetch(wanted_, pointers_, context);
        row_i = pointers_[0];
        row_j = pointers_[1];
    }

    /// Adds the worst violators whose rows are missing, to be computed in the same block.
    void add_likely_rows() {
        const std::size_t room =
            std::min(block_rows_, static_cast<std::size_t>(cache_.capacity() / 4));
        candidates_.clear();
        const auto size = static_cast<index_t>(active_.size());
        for (index_t k = 0; k < size; ++k) {
            const double v = v_[static_cast<std::size_t>(k)];
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
            const index_t row = active_[static_cast<std::size_t>(candidates_[c].second)];
            if (!cache_.contains(row) &&
                std::find(wanted_.begin(), wanted_.end(), row) == wanted_.end()) {
                wanted_.push_back(row);
            }
        }
    }

    /// Drops variables at a bound whose gradient points firmly outwards; true when it did.
    bool shrink(const Extremes& extremes, Context& context) {
        centre_ = 0.5 * (extremes.maximum + extremes.minimum);
        std::vector<index_t> kept;
        for (index_t k = 0; k < static_cast<index_t>(active_.size()); ++k) {
            const double v = v_[static_cast<std::size_t>(k)];
            const bool up = get_bit(up_, k);
            const bool down = get_bit(down_, k);
            const double low = problem_.intercept ? extremes.minimum : 0.0;
            const double high = problem_.intercept ? extremes.maximum : 0.0;
            const bool idle =
                (up && !down && v < low) || (down && !up && v > high) || (!up && !down);
            if (!idle) {
                kept.push_back(k);
            }
        }
        if (static_cast<double>(kept.size()) >= kCompact * static_cast<double>(active_.size()) ||
            kept.size() < 2) {
            return false;
        }
        store();
        std::vector<index_t> active;
        for (const index_t k : kept) {
            active.push_back(active_[static_cast<std::size_t>(k)]);
        }
        activate(std::move(active), context);
        return true;
    }

    /// Writes the active variables back to the full arrays.
    void store() {
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const auto row = static_cast<std::size_t>(active_[k]);
            beta_[row] = b_[k];
            values_[row] = v_[k];
        }
    }

    void activate_all(Context& context) {
        std::vector<index_t> all(static_cast<std::size_t>(n_));
        std::iota(all.begin(), all.end(), index_t{0});
        activate(std::move(all), context);
    }

    /// Makes these the active variables, from the full arrays.
    void activate(std::vector<index_t> active, Context& context) {
        if (active != active_ && n_ > 0) {
            cache_.set_active(active, context);
        }
        active_ = std::move(active);
        const auto size = static_cast<index_t>(active_.size());
        const auto padded = static_cast<std::size_t>(round_up(size));
        b_.assign(padded, 0.0);
        v_.assign(padded, 0.0);
        diagonal_.assign(padded, 0.0F);
        up_.assign(padded / 8 + 8, 0);
        down_.assign(padded / 8 + 8, 0);
        zero_row_.assign(padded, 0.0F);
        for (index_t k = 0; k < size; ++k) {
            const auto row = static_cast<std::size_t>(active_[static_cast<std::size_t>(k)]);
            b_[static_cast<std::size_t>(k)] = beta_[row];
            v_[static_cast<std::size_t>(k)] = values_[row];
            diagonal_[static_cast<std::size_t>(k)] = static_cast<float>(cache_.diagonal()[row]);
            update_membership(k);
        }
    }

    /// values = y - K beta for all rows, from float32 tiles with sums in double.
    void recompute_values(Context& context) {
        std::vector<index_t> support;
        std::vector<double> weights;
        for (index_t i = 0; i < n_; ++i) {
            if (beta_[static_cast<std::size_t>(i)] != 0.0) {
                support.push_back(i);
                weights.push_back(beta_[static_cast<std::size_t>(i)]);
            }
        }
        values_ = problem_.targets;
        if (support.empty()) {
            return;
        }
        std::vector<double> f(values_.size());
        const GramMatrix gram(problem_.kernel, problem_.rows, problem_.rows.select(support),
                              Precision::float32, context);
        gram.multiply(
            MatrixView<const double>(weights.data(), static_cast<index_t>(weights.size()), 1),
            MatrixView<double>(f.data(), n_, 1), context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            values_[i] -= f[i];
        }
    }

    const Problem& problem_;
    SmoOptions options_;
    index_t n_;
    RowCache cache_;
    std::vector<Interval> box_;
    std::vector<double> beta_;    ///< full
    std::vector<double> values_;  ///< full; stale for inactive rows
    std::vector<index_t> active_;
    std::vector<double> b_;
    std::vector<double> v_;
    std::vector<float> diagonal_;
    std::vector<std::uint8_t> up_;
    std::vector<std::uint8_t> down_;
    std::vector<float> zero_row_;
    std::size_t block_rows_;
    double centre_ = 0.0;
    double tolerance_ = 1e-3;
    double drift2_ = 0.0;  ///< square of the error v may have from float32 rows
    index_t iterations_ = 0;
    index_t max_iterations_ = 0;
    std::vector<index_t> wanted_;
    std::vector<const float*> pointers_;
    std::vector<std::pair<double, index_t>> candidates_;
};

SmoSolver::SmoSolver(const Problem& problem, const SmoOptions& options, Context& context) {
    if (!std::holds_alternative<HingeLoss>(problem.loss)) {
        throw InvalidArgument(
            fmt::format("loss: smo solves the hinge loss, got {}", name_of(problem.loss)));
    }
    require_well_formed(problem);
    state_ = std::make_unique<State>(problem, options, context);
}

SmoSolver::~SmoSolver() = default;

void SmoSolver::warm_start(std::span<const double> beta, Context& context) {
    state_->warm_start(beta, context);
}
SolveStatus SmoSolver::run(double tolerance, Context& context) {
    return state_->run(tolerance, context);
}
void SmoSolver::reset_values(std::span<const double> f) { state_->reset_values(f); }
std::span<const double> SmoSolver::beta() const noexcept { return state_->beta(); }
index_t SmoSolver::iterations() const noexcept { return state_->iterations(); }

}  // namespace mercer

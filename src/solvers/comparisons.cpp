// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/comparisons.cpp - working sets of comparisons for ordinal regression and ranking.
//
// Method   Decomposition (Joachims, 1999): the multipliers that violate optimality most, and the
//          free ones of the last set, are optimised by the pairwise steps of working_set.hpp;
//          then f is updated on all rows. Comparisons with a threshold move in pairs
//          that preserve its sum, comparisons between rows move alone. Many comparisons of few
//          rows start with passes over all of them, one at a time (Hsieh and others, 2008).
// Fits     any number of comparisons that fit in memory: kernel values are between rows, of which
//          there are far fewer.
// Cost     a round computes the kernel between all rows and those of its set, in float64, and reads
//          every comparison once; memory O(comparisons).
// Stops    when the violation meets a tolerance, which is tightened until the certificate meets the
//          goal.
// Notation b = sign alpha  the signed variable (problems/comparisons.hpp)     v  its slope
#include "mercer/solvers/comparisons.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/working_set.hpp"

namespace mercer {

namespace {

std::string_view own_name() { return name_of(SolverId::decomposition); }
constexpr index_t kWholeProblem = 1024;  // up to this many comparisons form one set
constexpr index_t kSetSize = 512;
constexpr index_t kStepsPerVariable = 20;  // per round; then the values are recomputed
constexpr double kFirstRoundTolerance = 1e-2;
constexpr double kShareOfViolation = 0.95;
constexpr double kLeastRoundTolerance = 1e-13;
constexpr index_t kCertificatePatience = 20;  // certificates without a better gap
// Passes over all comparisons, if K has at most this many values (128 MiB), end when fewer
// multipliers move than two working sets have: 1.5 million pairs of 2000 rows with most multipliers
// at their bound take seconds this way, and otherwise thousands of working sets.
constexpr index_t kMostValues = index_t{1} << 24;
constexpr int kMostPasses = 100;
constexpr index_t kFewMoves = 2 * kSetSize;
constexpr index_t kStopInterval = 1024;

/// A comparison that may enter the working set.
struct Candidate {
    double score = 0.0;
    index_t number = 0;
};

class ComparisonDecomposition {
public:
    ComparisonDecomposition(const ComparisonProblem& problem, const SolveOptions& options,
                            Context& context)
        : problem_(problem),
          context_(context),
          goal_(goal_of(options, kDefaultGapTolerance)),
          count_(static_cast<index_t>(problem.comparisons.size())),
          capacity_(count_ <= kWholeProblem ? count_ : kSetSize),
          set_(capacity_, context),
          candidates_(context.allocate<Candidate>(count_ <= capacity_ ? 0 : count_,
                                                  "comparisons to choose from", Contents::any)) {
        tolerance_ = std::isnan(goal_.violation) ? kFirstRoundTolerance
                                                 : kShareOfViolation * goal_.violation;
        max_iterations_ = options.max_iterations > 0 ? options.max_iterations
                                                     : std::max<index_t>(10'000'000, 100 * count_);
        all_.resize(static_cast<std::size_t>(problem.size()));
        std::iota(all_.begin(), all_.end(), index_t{0});
        place_.assign(all_.size(), -1);
        f_.assign(all_.size(), 0.0);
        in_set_.assign(static_cast<std::size_t>(count_), false);
        const std::vector<double> diagonal = problem.gram->diagonal();
        unit_ = std::max(1e-300, *std::max_element(diagonal.begin(), diagonal.end()));
        out_.multipliers.assign(static_cast<std::size_t>(count_), 0.0);
        out_.solver = own_name();
    }

    Solution run() {
        SolveStatus ended = SolveStatus::interrupted;
        try {
            pass_over_all();
            ended = iterate();
        } catch (const Interrupted&) {  // the multipliers are consistent; f is recomputed below
            certified_ = false;
        }
        if (!certified_) {
            certify();
        }
        out_.status = goal_.status(out_.certificate(), ended);
        out_.beta = coefficients_of(problem_, out_.multipliers);
        return std::move(out_);
    }

private:
    SolveStatus iterate() {
        double best = kInfinity;
        index_t stalled = 0;
        bool stuck = false;
        for (;;) {
            centres_.clear();
            const double violation =
                comparison_violation(problem_, out_.multipliers, f_, &centres_);
            if (context_.should_stop()) {
                return SolveStatus::interrupted;
            }
            context_.report({.stage = own_name(), .done = out_.iterations, .gap = violation});
            if (!(violation > tolerance_) || stuck) {
                certify();
                if (goal_.met(out_.certificate())) {
                    return SolveStatus::converged;
                }
                stalled = out_.certificate().gap < best ? 0 : stalled + 1;
                best = std::min(best, out_.certificate().gap);
                if (stalled >= kCertificatePatience || tolerance_ < kLeastRoundTolerance) {
                    return SolveStatus::reduced;
                }
                if (!stuck) {
                    tolerance_ = tighten(tolerance_, goal_, out_.certificate());
                }
                stuck = false;
                continue;
            }
            if (out_.iterations >= max_iterations_) {
                return SolveStatus::iteration_limit;
            }
            stuck = !round(violation);
        }
    }

    /// Comparisons between rows one after the other, with K in memory.
    void pass_over_all() {
        const index_t n = problem_.size();
        if (problem_.thresholds > 0 || count_ <= capacity_ || n > kMostValues / n ||
            8 * n * n > context_.memory()->left() / 4) {
            return;
        }
        Buffer<double> values = context_.allocate<double>(n * n, "kernel matrix", Contents::any);
        const MatrixView<double> k(values.data(), n, n);
        problem_.gram->whole(Precision::float64, context_)->copy_rows(0, k, context_);
        index_t moved = count_;
        for (int pass = 0; pass < kMostPasses && moved > kFewMoves; ++pass) {
            moved = 0;
            for (index_t e = 0; e < count_ && out_.iterations < max_iterations_; ++e) {
                if (e % kStopInterval == 0) {
                    if (context_.should_stop()) {
                        return;
                    }
                    context_.report({.stage = own_name(), .done = out_.iterations});
                }
                const bool moves = step(e, k);
                moved += moves;
                out_.iterations += moves;
            }
        }
    }

    /// The best multiplier of one comparison between rows, all others fixed; true when it moves.
    bool step(index_t e, const MatrixView<double>& k) {
        const auto& [upper, lower] = problem_.comparisons[static_cast<std::size_t>(e)];
        double& alpha = out_.multipliers[static_cast<std::size_t>(e)];
        const double curvature = k(upper, upper) + k(lower, lower) - 2.0 * k(upper, lower);
        const double slope = term(e).slope(f_);
        const double wanted = alpha + slope / std::max(1e-12 * unit_, curvature);
        const double next = std::clamp(wanted, 0.0, cost(e));
        const double delta = next - alpha;
        if (delta == 0.0 || std::abs(slope) <= 0.1 * tolerance_) {
            return false;
        }
        alpha = next;
        const double* above = k.row(upper);
        const double* below = k.row(lower);
        for (std::size_t i = 0; i < f_.size(); ++i) {
            f_[i] += delta * (above[i] - below[i]);
        }
        return true;
    }

    void certify() {
        const double start = context_.elapsed();
        ComparisonCertificate found = mercer::certify(
            problem_, out_.multipliers, *Context::unstoppable(context_), goal_.wanted());
        out_.certify_seconds += context_.elapsed() - start;
        out_.certificate() = found.certificate;
        out_.thresholds = std::move(found.thresholds);
        f_ = std::move(found.values);
        certified_ = true;
    }

    /// The comparisons to move together: all when they are few.
    void choose() {
        const std::vector<index_t> last = std::exchange(chosen_, {});
        if (count_ <= capacity_) {
            chosen_.resize(static_cast<std::size_t>(count_));
            std::iota(chosen_.begin(), chosen_.end(), index_t{0});
            return;
        }
        for (const index_t e : last) {
            const double alpha = out_.multipliers[static_cast<std::size_t>(e)];
            if (alpha > 0.0 && alpha < cost(e) &&
                static_cast<index_t>(chosen_.size()) < capacity_ / 2) {
                chosen_.push_back(e);
                in_set_[static_cast<std::size_t>(e)] = true;
            }
        }
        index_t found = 0;
        for (index_t e = 0; e < count_; ++e) {
            const double score = in_set_[static_cast<std::size_t>(e)] ? 0.0 : score_of(e);
            if (score > 0.0) {
                candidates_[found++] = {score, e};
            }
        }
        for (const index_t e : chosen_) {
            in_set_[static_cast<std::size_t>(e)] = false;
        }
        const index_t wanted = std::min(found, capacity_ - static_cast<index_t>(chosen_.size()));
        std::partial_sort(candidates_.data(), candidates_.data() + wanted,
                          candidates_.data() + found, [](const Candidate& a, const Candidate& b) {
                              return a.score != b.score ? a.score > b.score : a.number < b.number;
                          });
        for (index_t i = 0; i < wanted; ++i) {
            chosen_.push_back(candidates_[i].number);
        }
        std::sort(chosen_.begin(), chosen_.end());
    }

    /// Violation of the slope relative to the centre; <= 0: the variable cannot move there.
    [[nodiscard]] double score_of(index_t e) const {
        const ComparisonTerm own = term(e);
        const double alpha = out_.multipliers[static_cast<std::size_t>(e)];
        const bool rises = own.sign > 0.0 ? alpha < cost(e) : alpha > 0.0;
        const bool falls = own.sign > 0.0 ? alpha > 0.0 : alpha < cost(e);
        const double v =
            own.slope(f_) - centres_[static_cast<std::size_t>(std::max<index_t>(0, own.threshold))];
        return std::max(rises ? v : 0.0, falls ? -v : 0.0);
    }

    /// Solves for the chosen comparisons; false when none of them moves.
    bool round(double violation) {
        choose();
        fill_set();
        const bool whole = count_ <= capacity_;
        const double enough =
            whole ? 0.5 * tolerance_ : std::max(0.5 * tolerance_, 0.1 * violation);
        const index_t steps = set_.solve(enough, std::min(kStepsPerVariable * set_.size() + 1000,
                                                          max_iterations_ - out_.iterations));
        out_.iterations += steps;
        return take_steps();
    }

    /// The block in units of the largest kernel value, for the range of float32.
    void fill_set() {
        rows_.clear();
        for (const index_t e : chosen_) {
            const ComparisonTerm own = term(e);
            for (const index_t row : {own.row, own.other}) {
                if (row >= 0 && place_[static_cast<std::size_t>(row)] < 0) {
                    place_[static_cast<std::size_t>(row)] = static_cast<index_t>(rows_.size());
                    rows_.push_back(row);
                }
            }
        }
        const auto size = static_cast<index_t>(rows_.size());
        Buffer<double> values = context_.allocate<double>(size * size, "kernel of a working set");
        const MatrixView<double> k(values.data(), size, size);
        problem_.gram->block(rows_, rows_, Precision::float64, context_)->copy_rows(0, k, context_);
        set_.clear(static_cast<int>(problem_.thresholds), {}, context_);
        for (const index_t e : chosen_) {
            const ComparisonTerm own = term(e);
            const double bound = own.sign * cost(e) * unit_;
            set_.add({.b = own.sign * out_.multipliers[static_cast<std::size_t>(e)] * unit_,
                      .v = own.slope(f_),
                      .lower = std::min(0.0, bound),
                      .upper = std::max(0.0, bound),
                      .diagonal = static_cast<float>(product(k, own, own) / unit_),
                      .group = static_cast<int>(std::max<index_t>(0, own.threshold))});
        }
        const MatrixView<float> block = set_.rows_from(0);
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            const ComparisonTerm left = term(chosen_[i]);
            for (std::size_t j = 0; j < chosen_.size(); ++j) {
                block(static_cast<index_t>(i), static_cast<index_t>(j)) =
                    static_cast<float>(product(k, left, term(chosen_[j])) / unit_);
            }
        }
    }

    /// <phi(row) - phi(other), phi(row') - phi(other')>; a threshold adds nothing.
    [[nodiscard]] double product(const MatrixView<double>& k, const ComparisonTerm& a,
                                 const ComparisonTerm& b) const {
        const auto value = [&](index_t i, index_t j) {
            return i < 0 || j < 0 ? 0.0
                                  : k(place_[static_cast<std::size_t>(i)],
                                      place_[static_cast<std::size_t>(j)]);
        };
        return value(a.row, b.row) - value(a.row, b.other) - value(a.other, b.row) +
               value(a.other, b.other);
    }

    /// Adopts the result of the set and updates f on all rows; false when nothing has changed.
    bool take_steps() {
        std::vector<double> change(rows_.size(), 0.0);
        bool moved = false;
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            const ComparisonTerm own = term(chosen_[i]);
            double& alpha = out_.multipliers[static_cast<std::size_t>(chosen_[i])];
            const double next = std::clamp(own.sign * set_.b(static_cast<index_t>(i)) / unit_, 0.0,
                                           cost(chosen_[i]));
            const double delta = own.sign * (next - alpha);
            moved = moved || delta != 0.0;
            change[static_cast<std::size_t>(place_[static_cast<std::size_t>(own.row)])] += delta;
            if (own.other >= 0) {
                change[static_cast<std::size_t>(place_[static_cast<std::size_t>(own.other)])] -=
                    delta;
            }
            alpha = next;
        }
        certified_ = certified_ && !moved;
        for (const index_t row : rows_) {
            place_[static_cast<std::size_t>(row)] = -1;
        }
        if (moved) {
            const std::vector<double> added =
                problem_.gram->multiply(all_, rows_, change, Precision::float64, context_);
            for (std::size_t i = 0; i < f_.size(); ++i) {
                f_[i] += added[i];
            }
        }
        return moved;
    }

    [[nodiscard]] ComparisonTerm term(index_t e) const {
        return term_of(problem_, problem_.comparisons[static_cast<std::size_t>(e)]);
    }
    [[nodiscard]] double cost(index_t e) const {
        return problem_.cost_of(problem_.comparisons[static_cast<std::size_t>(e)]);
    }

    const ComparisonProblem& problem_;
    Context& context_;
    Goal goal_;
    index_t count_;
    index_t capacity_;
    WorkingSet set_;
    Buffer<Candidate> candidates_;
    double unit_ = 1.0;
    double tolerance_ = kFirstRoundTolerance;
    index_t max_iterations_ = 0;
    bool certified_ = false;  ///< the certificate is that of alpha
    std::vector<index_t> all_;
    std::vector<double> f_;
    std::vector<double> centres_;
    std::vector<index_t> chosen_;
    std::vector<bool> in_set_;
    std::vector<index_t> rows_;   ///< of the chosen comparisons
    std::vector<index_t> place_;  ///< position of a row in rows_; -1: not in it
    Solution out_;
};

Solution decompose(const ComparisonProblem& problem, const SolveOptions& options,
                   Context& context) {
    context.note(fmt::format("solver {}: {} comparisons of {} rows, {} thresholds", own_name(),
                             problem.comparisons.size(), problem.size(), problem.thresholds));
    return ComparisonDecomposition(problem, options, context).run();
}

}  // namespace

std::span<const ComparisonSolver> comparison_table() {
    static const std::vector<ComparisonSolver> rows{
        {.facts = {.name = std::string(own_name()),
                   .summary = "working sets of comparisons",
                   .form = SolverForm::comparisons},
         .fits = [](const ComparisonProblem&) { return true; },
         .solve = decompose}};
    return rows;
}

Solution solve_comparisons(const ComparisonProblem& problem, const SolveOptions& options,
                           Context& context) {
    require_well_formed(problem);
    const std::vector<const ComparisonSolver*> rows = fitting(comparison_table(), problem);
    const ComparisonSolver& row =
        options.solver.is_automatic() ? *rows.front() : required_solver(rows, options.solver);
    return row.solve(problem, options, context);
}

}  // namespace mercer

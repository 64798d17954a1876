// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis.cpp - greedy choice of the basis functions of f.
//
//     minimise over J with |J| <= d, beta, b:
//         1/2 beta' R_JJ beta + sum_i c_i loss(y_i, sum_{j in J} beta_j phi_j(x_i) + b)
//
// Method   Among a few random candidates the one is added that lowers the objective most when only
//          its own coefficient is optimised. All coefficients are optimised whenever the basis has
//          grown by the fourth root of two, and at the end (Keerthi, Chapelle, DeCoste, JMLR 7,
//          2006). A candidate in the span of the basis is never considered again.
// Fits     losses with a curvature; a basis much smaller than the rows.
// Cost     candidates * n values for each choice; O(n d^2) for all choices together.
// Stops    at the requested size, by the tolerance, at the optimum over all functions, or when all
//          are in the span of the basis. problems/basis.hpp computes the gap.
#include "mercer/solvers/basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/problems/basis.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/problems/sparse_columns.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/kernel_newton.hpp"
#include "mercer/solvers/smooth.hpp"
#include "solvers/basis_fit.hpp"
#include "solvers/basis_functions.hpp"
#include "solvers/basis_score.hpp"
#include "solvers/prover.hpp"

namespace mercer {

namespace {

constexpr std::uint64_t kCandidateStream = 0x6261736973;
constexpr double kStepsToDouble = 4.0;    // optimisations of all coefficients per doubling
constexpr double kRoughTolerance = 1e-6;  // relative to the value, while the basis grows
constexpr double kNoDecrease = 1e-14;     // relative to the value: rounding
constexpr index_t kLeastToJudge = 8;      // functions before the tolerance may stop the choice

double stage(index_t size) { return std::floor(kStepsToDouble * std::log2(size)); }

/// The growing basis.
class Choice {
public:
    Choice(const Problem& problem, const BasisFunctions& functions, const BasisOptions& options,
           index_t most_steps, Context& context)
        : problem_(problem),
          functions_(functions),
          options_(options),
          most_steps_(most_steps),
          context_(context),
          start_(context.elapsed()),
          random_(context.random(kCandidateStream)),
          size_(std::min(options.size, functions.count())),
          pool_(static_cast<std::size_t>(functions.count())),
          width_(std::min(options.candidates, functions.count())),
          fit_(problem, functions, size_, context),
          room_(context.allocate<double>(checked_multiply(width_, problem.size()),
                                         "the values of the candidates", Contents::any)) {
        std::iota(pool_.begin(), pool_.end(), index_t{0});
    }

    /// Runs until a stopping condition holds and returns the status.
    SolveStatus run() {
        SolveStatus status = SolveStatus::converged;
        try {
            while (!over()) {
                grow();
            }
            steps_ += fit_.optimise(0.0, steps_left(), context_);
            status = out_of_steps() ? SolveStatus::iteration_limit : SolveStatus::converged;
        } catch (const Interrupted&) {
            run_.end = BasisEnd::stopped;
            status = SolveStatus::interrupted;
        }
        record();
        run_.chosen.assign(fit_.chosen().begin(), fit_.chosen().end());
        return status;
    }

    [[nodiscard]] index_t steps() const { return steps_; }
    [[nodiscard]] BasisRun release() && { return std::move(run_); }

    /// A coefficient for every function, 0 for those not chosen.
    [[nodiscard]] std::vector<double> coefficients() const {
        std::vector<double> out(static_cast<std::size_t>(functions_.count()), 0.0);
        for (std::size_t k = 0; k < fit_.chosen().size(); ++k) {
            out[static_cast<std::size_t>(fit_.chosen()[k])] = fit_.coefficients()[k];
        }
        return out;
    }

private:
    [[nodiscard]] bool out_of_steps() const { return most_steps_ > 0 && steps_ >= most_steps_; }
    [[nodiscard]] index_t steps_left() const { return most_steps_ > 0 ? most_steps_ - steps_ : 0; }

    [[nodiscard]] bool over() {
        if (fit_.size() == size_) {
            run_.end = pool_.empty() && size_ < options_.size ? BasisEnd::rank : BasisEnd::size;
            return true;
        }
        if (pool_.empty()) {
            run_.end = BasisEnd::rank;
            return true;
        }
        if (out_of_steps()) {
            run_.end = BasisEnd::stopped;
            return true;
        }
        return ended_;
    }

    void grow() {
        context_.throw_if_stopped("basis");
        context_.report({.stage = "basis",
                         .done = fit_.size(),
                         .total = size_,
                         .memory = context_.memory()->used()});
        const index_t before = fit_.size();
        std::vector<index_t> drawn = draw();
        if (!take_best(drawn)) {
            if (fresh_) {  // none of these helps: try them all
                take_best_of_all();
            } else {
                reoptimise();
            }
            return;
        }
        fresh_ = false;
        if (before == 0 || stage(fit_.size()) > stage(before)) {
            reoptimise();
        }
    }

    /// A random sample of the pool, without replacement.
    [[nodiscard]] std::vector<index_t> draw() {
        const auto count = std::min(static_cast<index_t>(pool_.size()), width_);
        const auto all = static_cast<index_t>(pool_.size());
        for (index_t k = 0; k < count; ++k) {
            std::swap(pool_[static_cast<std::size_t>(k)],
                      pool_[static_cast<std::size_t>(k + random_.below(all - k))]);
        }
        return {pool_.begin(), pool_.begin() + count};
    }

    [[nodiscard]] std::vector<BasisScore> evaluate(std::span<const index_t> which) {
        const auto count = static_cast<index_t>(which.size());
        const MatrixView<double> values(room_.data(), count, problem_.size());
        functions_.evaluate(which, values, context_);
        return score_functions(problem_, fit_, functions_, which, values, context_);
    }

    /// Adds the best of these that is not in the span of the basis; false when none lowers the
    /// objective. Those in the span are removed from the pool.
    bool take_best(std::span<const index_t> which) {
        const std::vector<BasisScore> scores = evaluate(which);
        std::vector<std::size_t> order(which.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return scores[a].decrease != scores[b].decrease
                       ? scores[a].decrease > scores[b].decrease
                       : which[a] < which[b];
        });
        bool refused = false;
        for (const std::size_t k : order) {
            if (!(scores[k].decrease > kNoDecrease * std::abs(fit_.value()))) {
                break;
            }
            const double* values = room_.data() + static_cast<index_t>(k) * problem_.size();
            std::erase(pool_, which[k]);
            if (fit_.add(which[k], values, scores[k].coefficient, context_)) {
                run_.decreases.push_back(scores[k].decrease);
                return true;
            }
            ++run_.dependent;
            refused = true;
        }
        return refused;  // others in the pool may help
    }

    /// The same over the whole pool; ends the choice when no function lowers the objective.
    void take_best_of_all() {
        const std::vector<index_t> all = pool_;
        std::vector<index_t> best;
        double decrease = kNoDecrease * std::abs(fit_.value());
        for (std::size_t begin = 0; begin < all.size(); begin += static_cast<std::size_t>(width_)) {
            context_.throw_if_stopped("basis");
            const std::size_t count =
                std::min(all.size() - begin, static_cast<std::size_t>(width_));
            const std::span<const index_t> which(all.data() + begin, count);
            const std::vector<BasisScore> scores = evaluate(which);
            for (std::size_t k = 0; k < count; ++k) {
                if (scores[k].decrease > decrease) {
                    decrease = scores[k].decrease;
                    best = {which[k]};
                }
            }
        }
        if (best.empty() || !take_best(best)) {
            run_.end = BasisEnd::optimum;
            ended_ = true;
            return;
        }
        fresh_ = false;
    }

    void reoptimise() {
        steps_ += fit_.optimise(kRoughTolerance, steps_left(), context_);
        fresh_ = true;
        record();
        judge();
    }

    /// Records the point of the curve at this size.
    void record() {
        if (!run_.points.empty() && run_.points.back().size == fit_.size()) {
            run_.points.pop_back();
        }
        BasisPoint point;
        point.size = fit_.size();
        point.value = fit_.value();
        point.error = options_.error ? options_.error(fit_.z()) : kNaN;
        point.seconds = context_.elapsed() - start_;
        point.intercept = fit_.intercept();
        point.coefficients.assign(fit_.coefficients().begin(), fit_.coefficients().end());
        run_.points.push_back(std::move(point));
    }

    /// Ends the choice when the last doubling of the basis gained less than the tolerance.
    void judge() {
        const BasisPoint& now = run_.points.back();
        if (!(options_.tolerance > 0.0) || now.size < kLeastToJudge) {
            return;
        }
        const auto half =
            std::find_if(run_.points.rbegin(), run_.points.rend(),
                         [&](const BasisPoint& point) { return 2 * point.size <= now.size; });
        if (half != run_.points.rend() &&
            half->value - now.value < options_.tolerance * half->value) {
            run_.end = BasisEnd::tolerance;
            ended_ = true;
        }
    }

    const Problem& problem_;
    const BasisFunctions& functions_;
    const BasisOptions& options_;
    index_t most_steps_;
    Context& context_;
    double start_;
    Random random_;
    index_t size_;
    std::vector<index_t> pool_;  ///< functions that may be added
    index_t width_;              ///< candidates evaluated together
    BasisFit fit_;
    Buffer<double> room_;
    BasisRun run_;
    index_t steps_ = 0;
    bool fresh_ = true;  ///< the coefficients are optimal for the basis
    bool ended_ = false;
};

void require_sense(const Problem& problem, const BasisOptions& options,
                   const SolveOptions& wanted) {
    require_well_formed(problem);
    require_in_range("basis", static_cast<double>(options.size), Range::positive());
    require_in_range("basis_candidates", static_cast<double>(options.candidates),
                     Range::positive());
    require_in_range("basis_tolerance", options.tolerance, Range::non_negative());
    if (problem.has_mass() || !newton_fits(problem.loss)) {
        throw InvalidArgument(
            fmt::format("loss: '{}' has no curvature, a basis is chosen by Newton steps",
                        name_of(problem.loss)));
    }
    if (!wanted.solver.is_automatic() && wanted.solver != SolverId::greedy_basis) {
        throw InvalidArgument(
            "solver", fmt::format("'{}'", wanted.solver.name()),
            fmt::format("a basis is chosen by: {}", name_of(SolverId::greedy_basis)));
    }
}

/// `proven` is the problem on the basis, `whole` the problem on all functions.
template <typename Proven, typename Whole>
Solution solve_with(const BasisFunctions& functions, const Proven& proven, const Whole& whole,
                    const BasisOptions& basis, const SolveOptions& options, Context& context) {
    Prover<Proven> proof(proven, options, context);
    Choice choice(proven.risk, functions, basis, options.max_iterations, context);
    const SolveStatus ended = choice.run();
    proof.certify(choice.coefficients(), choice.steps());
    Solution out =
        proof.finish(ended, choice.steps(), std::string(name_of(SolverId::greedy_basis)));
    if (ended != SolveStatus::converged) {  // the basis is smaller than requested
        out.status = ended;
    }
    BasisRun run = std::move(choice).release();
    try {
        const double begin = context.elapsed();
        run.whole = certify(whole, out.beta, context);
        out.certify_seconds += context.elapsed() - begin;
    } catch (const Interrupted&) {  // then there is no bound
    }
    out.basis = std::make_shared<const BasisRun>(std::move(run));
    return out;
}

}  // namespace

std::string to_string(BasisEnd end) {
    switch (end) {
        case BasisEnd::size:
            return "size";
        case BasisEnd::tolerance:
            return "tolerance";
        case BasisEnd::optimum:
            return "optimum";
        case BasisEnd::rank:
            return "rank";
        case BasisEnd::stopped:
            break;
    }
    return "stopped";
}

Solution solve_on_basis(const Problem& problem, const BasisOptions& basis,
                        const SolveOptions& options, Context& context) {
    require_sense(problem, basis, options);
    const BasisProblem proven{problem};
    const SparseProblem whole{problem, 0.0, true};
    const std::unique_ptr<Context> setup = Context::unstoppable(context);  // the layout of the rows
    return solve_with(KernelFunctions(proven.risk, *setup), proven, whole, basis, options, context);
}

Solution solve_on_columns(const Problem& problem, const BasisOptions& basis,
                          const SolveOptions& options, Context& context) {
    require_sense(problem, basis, options);
    const SparseColumnProblem proven{problem, 0.0, true, true};
    const SparseColumnProblem whole{problem, 0.0, true, false};
    return solve_with(ColumnFunctions(columns_of(whole), context), proven, whole, basis, options,
                      context);
}

index_t basis_bytes(index_t rows, index_t size) {
    return basis_fit_bytes(rows, size) +
           checked_multiply(checked_multiply(rows, kBasisCandidates + 16), sizeof(double));
}

}  // namespace mercer

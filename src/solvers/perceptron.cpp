// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/perceptron.cpp - corrections of w at misclassified rows.
//
// Method   Rosenblatt (1958); with a kernel Aizerman, Braverman and Rozonoer (1964); the average of
//          Freund and Schapire (1999).
// Fits     separable rows: T <= R^2 B^2 mistakes (Novikoff, 1962), see theory/mistake_bound.hpp.
//          Without separability it does not terminate by itself.
// Cost     in the columns a visit costs one row's entries; in the rows a visit is free, and a
//          mistake costs a kernel row and n additions.
// Stops    when no row is on the wrong side, by certify_disagreement(): a row whose side is
//          uncertain because of rounding is corrected as a mistake. Otherwise at the limit of
//          mistakes or passes, or on a stop request.
// Notation y  targets     z  y <w, x'> of a row     L  visits     x' = (1, x), or x itself
#include "mercer/solvers/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <variant>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

namespace {

constexpr index_t kLooksBetweenPolls = 1024;
constexpr index_t kMostCleanLooks = index_t{1} << 50;
constexpr std::uint64_t kOrderStream = 0x70657263;  // of the random orders

/// w, in a form that gives <w, x'_i>.
class Weights {
public:
    virtual ~Weights() = default;
    /// <w, x'_i>.
    [[nodiscard]] virtual double value(index_t i) const = 0;
    /// w += y x'_i.
    virtual void add(index_t i, double y) = 0;
};

/// w itself, for the kernel factor <x, z>.
class ColumnWeights final : public Weights {
public:
    ColumnWeights(const LinearFactor& x, bool intercept)
        : rows_(x.rows),
          factor_(x.factor),
          intercept_(intercept),
          w_(static_cast<std::size_t>(x.rows.columns()), 0.0) {}

    [[nodiscard]] double value(index_t i) const override {
        return factor_ * rows_.dot_row(i, w_) + constant_;
    }
    void add(index_t i, double y) override {
        rows_.add_row(i, y, w_);
        constant_ += intercept_ ? y : 0.0;
    }

private:
    const LinearRows& rows_;
    double factor_;
    bool intercept_;
    std::vector<double> w_;
    double constant_ = 0.0;
};

/// The values of all rows. A correction adds a kernel row, which is cached while there is memory:
/// rows that are corrected once are often corrected again.
class RowWeights final : public Weights {
public:
    RowWeights(const Problem& problem, index_t cache_bytes, Context& context)
        : context_(context),
          gram_(problem.gram->whole(Precision::float64, context)),
          intercept_(problem.intercept),
          values_(static_cast<std::size_t>(problem.size()), 0.0),
          cached_(static_cast<std::size_t>(problem.size())),
          fresh_(context.allocate<double>(problem.size(), "a kernel row")) {
        const index_t bytes = cache_bytes > 0 ? cache_bytes : context.memory()->left() / 2;
        room_ = bytes / std::max<index_t>(1, checked_multiply(problem.size(), sizeof(double)));
    }

    [[nodiscard]] double value(index_t i) const override {
        return values_[static_cast<std::size_t>(i)];
    }
    void add(index_t i, double y) override {
        const double* row = kernel_row(i);
        const double constant = intercept_ ? y : 0.0;
        for (std::size_t j = 0; j < values_.size(); ++j) {
            values_[j] += y * row[j] + constant;
        }
    }

private:
    const double* kernel_row(index_t i) {
        std::optional<Buffer<double>>& own = cached_[static_cast<std::size_t>(i)];
        if (own) {
            return own->data();
        }
        const auto n = static_cast<index_t>(values_.size());
        if (room_ > 0) {
            Buffer<double> row = context_.allocate<double>(n, "a kernel row");
            gram_->copy_rows(i, MatrixView<double>(row.data(), 1, n), context_);
            own = std::move(row);
            --room_;
            return own->data();
        }
        gram_->copy_rows(i, MatrixView<double>(fresh_.data(), 1, n), context_);
        return fresh_.data();
    }

    Context& context_;
    std::unique_ptr<const GramBlock> gram_;
    bool intercept_;
    std::vector<double> values_;
    std::vector<std::optional<Buffer<double>>> cached_;
    Buffer<double> fresh_;
    index_t room_ = 0;
};

std::unique_ptr<Weights> make_weights(const Problem& problem, const PerceptronOptions& options,
                                      Context& context) {
    const LinearFactor* x = problem.gram->linear();
    if (options.form == PerceptronForm::columns && x == nullptr) {
        throw InvalidArgument("form: w has columns with the linear kernel only");
    }
    // In the columns a visit costs the entries of a row; if rows are short, n visits cost no more
    // than one kernel row.
    const bool short_rows =
        problem.gram->cost().stored / std::max<index_t>(1, problem.size()) <= problem.size();
    if (x != nullptr && (options.form == PerceptronForm::columns ||
                         (options.form == PerceptronForm::automatic && short_rows))) {
        return std::make_unique<ColumnWeights>(*x, problem.intercept);
    }
    return std::make_unique<RowWeights>(problem, options.cache_bytes, context);
}

/// A run: w, its corrections, and the number of visits.
class Run {
public:
    Run(const Problem& problem, const PerceptronOptions& options, Context& context)
        : problem_(problem),
          options_(options),
          context_(context),
          diagonal_(problem.gram->diagonal()),
          counts_(diagonal_.size(), 0.0),
          late_(diagonal_.size(), 0.0),
          order_(diagonal_.size()),
          stream_(context.random(kOrderStream)) {
        std::iota(order_.begin(), order_.end(), index_t{0});
    }

    PerceptronRun finish() && {
        SolveStatus status = SolveStatus::converged;
        try {
            weights_ = make_weights(problem_, options_, context_);
            status = run();
            while (status == SolveStatus::converged && !proved()) {
                status = correct_open_rows();
            }
        } catch (const Interrupted&) {
            status = SolveStatus::interrupted;
        }
        return release(status);
    }

private:
    /// Corrects until no row is on the wrong side according to plain sums.
    SolveStatus run() {
        return options_.order == PerceptronOrder::worst ? run_by_worst() : run_in_order();
    }

    SolveStatus run_in_order() {
        for (bool clean = false; !clean;) {
            if (!may_pass()) {
                return SolveStatus::iteration_limit;
            }
            clean = true;
            if (options_.order == PerceptronOrder::random) {
                order_ = stream_.permutation(problem_.size());
            }
            for (const index_t i : order_) {
                ++looks_;
                const double z = target(i) * weights_->value(i);
                if (!(z > 0.0)) {
                    clean = false;
                    if (const std::optional<SolveStatus> end = correct(i, z)) {
                        return *end;
                    }
                } else if (looks_ % kLooksBetweenPolls == 0 && context_.should_stop()) {
                    return SolveStatus::interrupted;
                }
            }
        }
        return SolveStatus::converged;
    }

    SolveStatus run_by_worst() {
        while (may_pass()) {
            index_t worst = 0;
            double least = kInfinity;
            for (index_t i = 0; i < problem_.size(); ++i) {
                const double z = target(i) * weights_->value(i);
                if (z < least) {
                    least = z;
                    worst = i;
                }
            }
            ++looks_;
            if (least > 0.0) {
                return SolveStatus::converged;
            }
            if (const std::optional<SolveStatus> end = correct(worst, least)) {
                return *end;
            }
        }
        return SolveStatus::iteration_limit;
    }

    /// Counts another pass; false when the limit is reached.
    bool may_pass() {
        if (options_.max_passes > 0 && passes_ >= options_.max_passes) {
            return false;
        }
        ++passes_;
        return true;
    }

    /// w += y x'; returns a status if the run must end instead.
    std::optional<SolveStatus> correct(index_t i, double z) {
        if (mistakes_ >= options_.max_mistakes) {
            return SolveStatus::iteration_limit;
        }
        if (context_.should_stop()) {
            return SolveStatus::interrupted;
        }
        weights_->add(i, target(i));
        ++mistakes_;
        counts_[static_cast<std::size_t>(i)] += 1.0;
        late_[static_cast<std::size_t>(i)] += static_cast<double>(looks_ - 1);
        squared_norm_ += 2.0 * z + diagonal_[static_cast<std::size_t>(i)] + constant();
        if (options_.record) {
            steps_.push_back({i, squared_norm_});
        }
        context_.report({.stage = "perceptron", .done = mistakes_});
        return std::nullopt;
    }

    /// Whether the certificate confirms that no row is on the wrong side.
    bool proved() {
        proof_ = prove(last(), context_);
        return proof_.rows.empty();
    }

    /// Corrects the rows whose side is uncertain because of rounding.
    SolveStatus correct_open_rows() {
        const std::vector<index_t> open = proof_.rows;
        for (const index_t i : open) {
            ++looks_;
            const double z = target(i) * weights_->value(i);
            if (const std::optional<SolveStatus> end = correct(i, std::min(z, 0.0))) {
                return *end;
            }
        }
        return run();
    }

    /// Coefficients of the last w.
    [[nodiscard]] std::vector<double> last() const {
        std::vector<double> beta(counts_.size());
        for (std::size_t i = 0; i < beta.size(); ++i) {
            beta[i] = problem_.targets[i] * counts_[i];
        }
        return beta;
    }

    /// The mean of w over all visits and `more` visits with the last w. A correction at visit l is
    /// in w from then on: for L - l + 1 of L visits.
    [[nodiscard]] std::vector<double> mean(index_t more) const {
        const auto all = static_cast<double>(looks_ + more);
        std::vector<double> beta(counts_.size());
        for (std::size_t i = 0; i < beta.size(); ++i) {
            beta[i] = problem_.targets[i] * (counts_[i] * all - late_[i]) / all;
        }
        return beta;
    }

    PerceptronRun release(SolveStatus status) {
        const std::unique_ptr<Context> unstoppable = Context::unstoppable(context_);
        PerceptronRun out;
        if (options_.average && looks_ > 0) {
            out.looks = looks_ + average(status, out.beta, *unstoppable);
        } else {
            out.looks = looks_;
            out.beta = last();
            if (status != SolveStatus::converged) {
                proof_ = prove(out.beta, *unstoppable);
            }
        }
        out.status = proof_.rows.empty()                ? SolveStatus::converged
                     : status != SolveStatus::converged ? status
                     : context_.should_stop()           ? SolveStatus::interrupted
                                                        : SolveStatus::reduced;
        out.intercept = proof_.certificate.intercept;
        out.mistakes = mistakes_;
        out.passes = passes_;
        out.proof = std::move(proof_);
        out.steps = std::move(steps_);
        out.certify_seconds = certify_seconds_;
        return out;
    }

    /// Sets `beta` to the mean and certifies it. If the last w separates the rows, so does the mean
    /// after enough further passes without a mistake: 1, 2, 4, ... passes are added in all. Returns
    /// their visits.
    index_t average(SolveStatus status, std::vector<double>& beta, Context& unstoppable) {
        const index_t pass = options_.order == PerceptronOrder::worst ? 1 : problem_.size();
        index_t more = 0;
        for (index_t passes = 1;; passes *= 2) {
            beta = mean(more);
            proof_ = prove(beta, unstoppable);
            if (status != SolveStatus::converged || proof_.rows.empty() ||
                passes > kMostCleanLooks / pass || context_.should_stop()) {
                return more;
            }
            more = pass * passes;
        }
    }

    [[nodiscard]] DisagreementProof prove(const std::vector<double>& beta, Context& context) {
        const double start = context_.elapsed();
        CompensatedSum intercept;
        for (const double value : beta) {
            intercept.add(problem_.intercept ? value : 0.0);
        }
        DisagreementProof proof = certify_disagreement(problem_, beta, intercept.value(), context);
        certify_seconds_ += context_.elapsed() - start;
        return proof;
    }

    [[nodiscard]] double target(index_t i) const {
        return problem_.targets[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] double constant() const { return problem_.intercept ? 1.0 : 0.0; }

    const Problem& problem_;
    const PerceptronOptions& options_;
    Context& context_;
    std::unique_ptr<Weights> weights_;
    std::vector<double> diagonal_;
    std::vector<double> counts_;  // mistakes at each row
    std::vector<double> late_;    // sum of the visits before each mistake
    std::vector<index_t> order_;  // of a pass
    Random stream_;
    DisagreementProof proof_;
    double squared_norm_ = 0.0;
    double certify_seconds_ = 0.0;
    index_t mistakes_ = 0;
    index_t looks_ = 0;
    index_t passes_ = 0;
    std::vector<PerceptronStep> steps_;
};

}  // namespace

PerceptronRun run_perceptron(const Problem& problem, const PerceptronOptions& options,
                             Context& context) {
    return Run(problem, options, context).finish();
}

PerceptronOrder perceptron_order(const std::string& name) {
    require_choice("order", name, {"cyclic", "random", "worst"});
    return name == "cyclic"   ? PerceptronOrder::cyclic
           : name == "random" ? PerceptronOrder::random
                              : PerceptronOrder::worst;
}

}  // namespace mercer

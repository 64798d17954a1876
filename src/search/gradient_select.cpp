// SPDX-License-Identifier: Apache-2.0
//
// src/search/gradient_select.cpp - L-BFGS over the logarithms of alpha and the kernel's
// hyperparameters.
#include "mercer/search/gradient_select.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/hyperparameters.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/solvers/optimise.hpp"
#include "mercer/solvers/ridge_criterion.hpp"
#include "search/last_fit.hpp"

namespace mercer {

namespace {

constexpr double kFarthest = 18.420680743952367;    // log 1e8: range of a hyperparameter
constexpr double kStartSpread = 2.302585092994046;  // log 10: range of random starts
constexpr std::uint64_t kStartStream = 0x67726164;
constexpr index_t kRowsPerTile = 16;
constexpr double kLeastError = 1e-300;

/// The criterion (the logarithm of an error) as a function of log alpha and the logarithms of the
/// kernel's hyperparameters.
class HyperparameterObjective final : public Objective {
public:
    HyperparameterObjective(const fit::Prepared& prepared, RidgeCriterion criterion, double alpha,
                            bool intercept, Context& context)
        : prepared_(prepared),
          criterion_(criterion),
          intercept_(intercept),
          context_(context),
          rows_(context.allocate<double>(
              checked_multiply(prepared.rows.rows(), prepared.rows.columns()),
              "the rows as a matrix")),
          k_(context.allocate<double>(checked_multiply(prepared.rows.rows(), prepared.rows.rows()),
                                      "K")) {
        begin_.push_back(std::log(alpha));
        for (const Hyperparameter& one : free_hyperparameters(prepared.kernel)) {
            begin_.push_back(std::log(one.value));
        }
        for (index_t i = 0; i < prepared.rows.rows(); ++i) {
            prepared.rows.copy_row(i, row(i));
        }
    }

    [[nodiscard]] index_t size() const override { return static_cast<index_t>(begin_.size()); }
    [[nodiscard]] const std::vector<double>& begin() const { return begin_; }

    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double value = value_at(x, gradient);
        if (best_.x.empty() || value < best_.value) {
            best_ = {
                {x.begin(), x.end()}, {gradient.begin(), gradient.end()}, value, criterion_value_};
        }
        return value;
    }

    /// An evaluated point.
    struct Seen {
        std::vector<double> x;
        std::vector<double> slopes;
        double value = kInfinity;
        double criterion = kNaN;
    };

    /// The best point so far; x is empty if there is none.
    [[nodiscard]] const Seen& best() const { return best_; }

    /// The criterion itself at the last evaluated point.
    [[nodiscard]] double criterion_value() const { return criterion_value_; }

    /// alpha and the kernel's hyperparameters, clamped to their limits: beyond, the criterion is
    /// flat, so that a search drawn to a limit ends there.
    [[nodiscard]] std::vector<double> values_at(std::span<const double> x) const {
        std::vector<double> values;
        for (std::size_t j = 0; j < x.size(); ++j) {
            values.push_back(
                std::exp(std::clamp(x[j], begin_[j] - kFarthest, begin_[j] + kFarthest)));
        }
        return values;
    }
    [[nodiscard]] bool at_limit(std::span<const double> x, std::size_t j) const {
        return std::abs(x[j] - begin_[j]) >= kFarthest;
    }

private:
    double value_at(std::span<const double> x, std::span<double> gradient) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        const std::vector<double> values = values_at(x);
        const index_t n = prepared_.rows.rows();
        const MatrixView<double> k(k_.data(), n, n);
        const std::span<const double> own = std::span<const double>(values).subspan(1);
        const HyperparameterDerivative derivative(prepared_.kernel, own);
        GramMatrix(with_hyperparameters(prepared_.kernel, own), prepared_.rows, Precision::float64,
                   context_)
            .copy_rows(0, k, context_);
        const CriterionValue found = evaluate_criterion(
            criterion_,
            {prepared_.rows.targets, prepared_.rows.weights, values.front(), intercept_}, k,
            context_);
        if (!std::isfinite(found.value)) {
            return kInfinity;
        }
        gradient[0] = values.front() * found.alpha_slope;
        add_slopes(derivative, k, gradient.subspan(1));
        criterion_value_ = found.value;
        for (std::size_t j = 0; j < x.size(); ++j) {
            gradient[j] = std::abs(x[j] - begin_[j]) > kFarthest ? 0.0 : gradient[j];
        }
        if (criterion_ == RidgeCriterion::likelihood) {
            return found.value;
        }
        // The logarithm of an error: its derivatives do not depend on the unit of the targets.
        const double positive = std::max(found.value, kLeastError);
        for (double& slope : gradient) {
            slope /= positive;
        }
        return std::log(positive);
    }

    [[nodiscard]] std::span<double> row(index_t i) {
        const auto width = static_cast<std::size_t>(prepared_.rows.columns());
        return rows_.span().subspan(static_cast<std::size_t>(i) * width, width);
    }

    /// gradient_j = sum_ij m_ij dk(x_i, x_j) / dlog t_j, counting the lower triangle twice; tiles
    /// are added in order.
    void add_slopes(const HyperparameterDerivative& derivative, MatrixView<const double> m,
                    std::span<double> gradient) {
        if (gradient.empty()) {
            return;
        }
        const index_t tiles = (m.rows + kRowsPerTile - 1) / kRowsPerTile;
        std::vector<std::vector<double>> parts(static_cast<std::size_t>(tiles),
                                               std::vector<double>(gradient.size(), 0.0));
        parallel_for(context_, tiles, [&](index_t tile, int) {
            std::vector<double>& sums = parts[static_cast<std::size_t>(tile)];
            std::vector<double> slopes(gradient.size());
            const index_t end = std::min(m.rows, (tile + 1) * kRowsPerTile);
            for (index_t i = tile * kRowsPerTile; i < end; ++i) {
                for (index_t j = 0; j <= i; ++j) {
                    std::fill(slopes.begin(), slopes.end(), 0.0);
                    static_cast<void>(derivative(row(i), row(j), slopes));
                    const double factor = (i == j ? 1.0 : 2.0) * m(i, j);
                    for (std::size_t h = 0; h < slopes.size(); ++h) {
                        sums[h] += factor * slopes[h];
                    }
                }
            }
        });
        for (std::size_t h = 0; h < gradient.size(); ++h) {
            CompensatedSum sum;
            for (const std::vector<double>& part : parts) {
                sum.add(part[h]);
            }
            gradient[h] = sum.value();
        }
    }

    const fit::Prepared& prepared_;
    RidgeCriterion criterion_;
    bool intercept_;
    Context& context_;
    Buffer<double> rows_;
    Buffer<double> k_;
    std::vector<double> begin_;
    double criterion_value_ = kNaN;
    Seen best_;
};

/// The first start has the given values, the others are drawn around it.
std::vector<double> start_of(const HyperparameterObjective& objective, index_t number,
                             Random& random) {
    std::vector<double> start = objective.begin();
    for (double& value : start) {
        value += number == 0 ? 0.0 : random.uniform(-kStartSpread, kStartSpread);
    }
    return start;
}

void require_sense(const GradientOptions& options) {
    if (!is_machine(options.train.model, MachineId::krr) ||
        options.train.objective.penalty != kRkhs) {
        throw InvalidArgument("gradient", "",
                              fmt::format("hyperparameters are found by their slope for krr with "
                                          "the penalty rkhs, got {} with {}",
                                          options.train.model, options.train.objective.penalty));
    }
    fit::require_class_weights(options.train);
    if (is_precomputed(options.train.kernel)) {
        throw InvalidArgument("gradient", "", "precomputed values have no hyperparameters",
                              "`grid` alpha=... chooses alpha");
    }
    require_in_range("starts", static_cast<double>(options.starts), Range::at_least(1.0));
    require_in_range("max_iterations", static_cast<double>(options.max_iterations),
                     Range::non_negative());
}

/// One search; if stopped, the best point of all searches so far.
OptimiserResult search_from(HyperparameterObjective& objective, const std::vector<double>& start,
                            const OptimiserOptions& wanted, Context& context) {
    OptimiserResult out;
    try {
        out = lbfgs(objective, start, wanted, context);
    } catch (const Interrupted&) {
        out.status = SolveStatus::interrupted;
    }
    if (out.status == SolveStatus::interrupted) {
        out.x = objective.best().x;
        out.value = objective.best().value;
        out.gradient_norm = std::sqrt(dot(objective.best().slopes, objective.best().slopes));
    }
    return out;
}

/// The best of all searches. Stores the value at the first start and the evaluations in `out`.
OptimiserResult search_from_all_starts(HyperparameterObjective& objective,
                                       const GradientOptions& options, GradientResult& out,
                                       Context& context) {
    OptimiserOptions wanted;
    wanted.gradient_tolerance = kHyperparameterTolerance;
    wanted.max_iterations = options.max_iterations;
    std::vector<double> slopes(static_cast<std::size_t>(objective.size()));
    static_cast<void>(objective.evaluate(objective.begin(), slopes));
    out.start_value = objective.criterion_value();
    out.evaluations = 1;
    Random random = context.random(kStartStream);
    OptimiserResult best;
    for (index_t s = 0; s < options.starts && best.status != SolveStatus::interrupted; ++s) {
        OptimiserResult found =
            search_from(objective, start_of(objective, s, random), wanted, context);
        out.evaluations += found.evaluations;
        if (s == 0 || found.value < best.value || found.status == SolveStatus::interrupted) {
            best = std::move(found);
        }
    }
    return best;
}

/// The options of the final training.
TrainOptions options_with(const GradientOptions& options, const fit::Prepared& prepared,
                          std::span<const double> values) {
    TrainOptions chosen = options.train;
    chosen.kernel = with_hyperparameters(prepared.kernel, values.subspan(1));
    chosen.objective.alpha = values.front();
    chosen.objective.cost.reset();
    chosen.objective.lambda.reset();
    return chosen;
}

}  // namespace

GradientResult select_by_gradient(const Dataset& data, const GradientOptions& options,
                                  Context& context) {
    require_sense(options);
    require_taken(options.train);
    const RidgeCriterion criterion = ridge_criterion(options.criterion);
    const fit::Prepared prepared = fit::prepare(data, options.train);
    fit::require_finite_squares(prepared);
    const double alpha = fit::ridge_alpha(options.train, prepared.total_weight);
    require_in_range("alpha", alpha, Range::positive());
    GradientResult out;
    out.criterion = options.criterion;
    out.starts = options.starts;
    out.fixed = fixed_hyperparameters(prepared.kernel);
    HyperparameterObjective objective(prepared, criterion, alpha, options.train.objective.intercept,
                                      context);
    const OptimiserResult best = search_from_all_starts(objective, options, out, context);
    if (!std::isfinite(best.value)) {
        throw InvalidArgument("alpha", fmt::format("{}", alpha),
                              "K + alpha must be positive definite where the search begins");
    }
    std::vector<double> slopes = objective.best().slopes;
    out.value = objective.best().criterion;
    if (best.status != SolveStatus::interrupted) {
        static_cast<void>(objective.evaluate(best.x, slopes));
        out.value = objective.criterion_value();
        ++out.evaluations;
    }
    out.gradient_norm = best.gradient_norm;
    out.iterations = best.iterations;
    out.status = to_string(best.status);
    const std::vector<double> values = objective.values_at(best.x);
    const std::vector<Hyperparameter> names = free_hyperparameters(prepared.kernel);
    for (std::size_t j = 0; j < values.size(); ++j) {
        out.hyperparameters.push_back({j == 0 ? "alpha" : names[j - 1].name,
                                       std::exp(objective.begin()[j]), values[j], slopes[j],
                                       objective.at_limit(best.x, j)});
    }
    if (options.refit) {
        out.refit = search::last_fit(data, options_with(options, prepared, values), context);
    }
    return out;
}

}  // namespace mercer

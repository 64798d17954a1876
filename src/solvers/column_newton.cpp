// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/column_newton.cpp - Newton's method in w for the kernel c <x, z>.
//
//     minimise   1/(2c) |w|^2 + sum_i c_i loss(y_i, z_i),   z = X w + b,   w = c X'beta
//
// Method   The Newton step of (w, b) is a regularised least squares problem over the curved rows
//          (Keerthi and DeCoste, JMLR 6, 2005: finite Newton of the L2 machine). b is eliminated by
//          centring the columns with the rows' curvatures as weights. Then one Cholesky of
//          A = X~'VX~ + 1/c, or conjugate gradients on it with two passes over X per iteration,
//          which never form A and leave sparse rows sparse. A step starts from the exact gradient,
//          so that the rounding error of one solve is corrected by the next.
// Fits     n much greater than the columns, or sparse rows; any loss with a curvature.
// Cost     n d^2 + d^3/3 per step (Cholesky), or 2 passes per inner iteration; 3 to 15 steps.
// Stops    when the line search finds no lower value, or the caller's watch says so.
// Notation g = c loss'   v = c loss'' (V)   m  mean of the rows with weights v   s = sum(v)
#include "solvers/column_newton.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/optimise.hpp"
#include "solvers/newton_line.hpp"

namespace mercer {

namespace {

constexpr index_t kColumnIterations = 200;
// Inner iterations assumed when a form is chosen: typical for scaled columns.
constexpr double kInnerIterations = 100.0;
// Accuracy of the inner systems: the first one, later in proportion to the last decrease, but not
// below the least.
constexpr double kFirstAccuracy = 1e-2;
constexpr double kLeastAccuracy = 1e-12;
constexpr index_t kFirstInner = 10;
// A system not solved by then still gives a descent step, and the next one continues from there.
constexpr index_t kMostInner = 1000;

double sum_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A step of w and b.
struct ColumnStep {
    std::vector<double> w;
    double intercept = 0.0;
    bool exact = true;  ///< up to rounding
};

/// The quadratic model at a point: curvatures, mean, and the matrix A if it is factored.
class ColumnSystem {
public:
    ColumnSystem(const LinearRows& rows, double factor, bool intercept,
                 std::span<const double> curvature, Context& context)
        : rows_(rows), factor_(factor), curvature_(curvature), context_(context) {
        sum_ = intercept ? sum_of(curvature) : 0.0;
        if (sum_ > 0.0) {
            mean_.resize(at(rows.columns()));
            rows.multiply_transposed(curvature, mean_, context);
            for (double& value : mean_) {
                value /= sum_;
            }
        }
    }

    /// Factors A in `room`; false when it is not positive definite in double precision.
    [[nodiscard]] bool factor_into(Buffer<double>& room) {
        const index_t d = rows_.columns();
        if (room.size() < checked_multiply(d, d)) {
            room = context_.allocate<double>(d * d, "the matrix of the columns");
        }
        matrix_ = {room.data(), d, d};
        rows_.normal_matrix(curvature_, mean_, matrix_, context_);
        for (index_t j = 0; j < d; ++j) {
            matrix_(j, j) += 1.0 / factor_;
        }
        return cholesky(matrix_, context_);
    }

    /// Uses a factor computed for the same curvatures.
    void reuse(Buffer<double>& room) { matrix_ = {room.data(), rows_.columns(), rows_.columns()}; }

    /// The Newton step from a gradient, by the factor.
    [[nodiscard]] ColumnStep solve(std::span<const double> gradient, double slope) {
        ColumnStep step;
        step.w = right_side(gradient, slope);
        cholesky_solve(matrix_, MatrixView<double>(step.w.data(), rows_.columns(), 1), context_);
        finish(step, slope);
        return step;
    }

    /// The same by conjugate gradients, to the given accuracy.
    [[nodiscard]] ColumnStep solve(std::span<const double> gradient, double slope, double accuracy,
                                   index_t limit) {
        std::vector<double> scale(at(rows_.columns()));
        rows_.squared_sums(curvature_, scale, context_);
        for (std::size_t j = 0; j < scale.size(); ++j) {
            const double centred = sum_ > 0.0 ? sum_ * mean_[j] * mean_[j] : 0.0;
            // Centring a nearly constant column leaves only rounding.
            scale[j] = std::max(scale[j] - centred, 1e-12 * scale[j]) + 1.0 / factor_;
        }
        LinearSystemOptions options;
        options.tolerance = accuracy;
        options.max_iterations = limit;
        options.recompute = false;
        options.precondition = [&scale](std::span<const double> v, std::span<double> out) {
            for (std::size_t j = 0; j < v.size(); ++j) {
                out[j] = v[j] / scale[j];
            }
        };
        const std::vector<double> right = right_side(gradient, slope);
        const std::vector<double> zero(right.size(), 0.0);
        const LinearSystemResult found = conjugate_gradient(
            [this](std::span<const double> v, std::span<double> out) { apply(v, out); }, right,
            zero, options, context_);
        ColumnStep step;
        step.w = found.x;
        step.exact = accuracy <= kLeastAccuracy && found.status == SolveStatus::converged;
        finish(step, slope);
        return step;
    }

    /// x' H^-1 x of every given row, x with a 1 for the intercept, from the factor.
    [[nodiscard]] std::vector<double> leverages(const LinearRows& data) {
        constexpr index_t kBatch = 256;
        const index_t d = rows_.columns();
        std::vector<double> out(at(data.rows()));
        Buffer<double> room = context_.allocate<double>(checked_multiply(d, kBatch), "rows");
        std::vector<double> row(at(std::max(d, data.columns())));
        for (index_t begin = 0; begin < data.rows(); begin += kBatch) {
            const index_t count = std::min(kBatch, data.rows() - begin);
            const MatrixView<double> batch(room.data(), d, count);
            for (index_t c = 0; c < count; ++c) {
                data.copy_row(begin + c, row);
                for (index_t j = 0; j < d; ++j) {
                    batch(j, c) = row[at(j)] - (mean_.empty() ? 0.0 : mean_[at(j)]);
                }
            }
            solve_lower(matrix_, batch, context_);
            for (index_t c = 0; c < count; ++c) {
                double square = sum_ > 0.0 ? 1.0 / sum_ : 0.0;
                for (index_t j = 0; j < d; ++j) {
                    square += batch(j, c) * batch(j, c);
                }
                out[at(begin + c)] = square;
            }
        }
        return out;
    }

private:
    /// -(gradient - mean * slope of b).
    [[nodiscard]] std::vector<double> right_side(std::span<const double> gradient,
                                                 double slope) const {
        std::vector<double> out(gradient.size());
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] = (mean_.empty() ? 0.0 : mean_[j] * slope) - gradient[j];
        }
        return out;
    }

    void finish(ColumnStep& step, double slope) const {
        if (sum_ > 0.0) {
            step.intercept = -slope / sum_ - dot(mean_, step.w);
        }
    }

    /// out = A v.
    void apply(std::span<const double> v, std::span<double> out) const {
        std::vector<double> z(at(rows_.rows()));
        rows_.multiply(v, z, context_);
        const double shift = mean_.empty() ? 0.0 : dot(mean_, v);
        double rest = 0.0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            z[i] = curvature_[i] * (z[i] - shift);
            rest += z[i];
        }
        rows_.multiply_transposed(z, out, context_);
        for (std::size_t j = 0; j < v.size(); ++j) {
            out[j] += v[j] / factor_ - (mean_.empty() ? 0.0 : rest * mean_[j]);
        }
    }

    const LinearRows& rows_;
    double factor_;
    std::span<const double> curvature_;
    Context& context_;
    double sum_ = 0.0;
    std::vector<double> mean_;
    MatrixView<double> matrix_;
};

/// The current point in addition to the shared state: w, and the losses there.
class ColumnPoint {
public:
    ColumnPoint(const Problem& problem, NewtonState& state, Context& context)
        : problem_(problem),
          state_(state),
          context_(context),
          rows_(problem.gram->linear()->rows),
          factor_(problem.gram->linear()->factor),
          w_(at(rows_.columns()), 0.0) {
        if (state.beta.size() == problem.targets.size()) {
            rows_.multiply_transposed(state.beta, w_, context);
            for (double& value : w_) {
                value *= factor_;
            }
        }
        state_.f.resize(problem.targets.size());
        rows_.multiply(w_, state_.f, context);
        look();
    }

    [[nodiscard]] const LinearRows& rows() const { return rows_; }
    [[nodiscard]] double factor() const { return factor_; }
    [[nodiscard]] const Terms& terms() const { return terms_; }
    [[nodiscard]] index_t curved_rows() const {
        return std::count_if(terms_.curvature.begin(), terms_.curvature.end(),
                             [](double v) { return v > 0.0; });
    }

    /// If no row has curvature, the step does not determine b: it is set to the best b for these
    /// values.
    void settle_intercept() {
        if (problem_.intercept && sum_of(terms_.curvature) == 0.0) {
            state_.intercept = choose_intercept(best_intercepts(problem_, state_.f));
            look();
        }
    }

    [[nodiscard]] std::vector<double> gradient() const {
        std::vector<double> out(w_.size());
        rows_.compensated_transposed({terms_.slope.data(), rows_.rows(), 1},
                                     {out.data(), rows_.columns(), 1}, context_);
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] += w_[j] / factor_;
        }
        return out;
    }
    [[nodiscard]] double intercept_slope() const {
        return problem_.intercept ? sum_of(terms_.slope) : 0.0;
    }

    [[nodiscard]] NewtonLine line(const ColumnStep& step) const {
        std::vector<double> dz(state_.f.size());
        rows_.multiply(step.w, dz, context_);
        std::vector<double> z(state_.f);
        for (std::size_t i = 0; i < z.size(); ++i) {
            z[i] += state_.intercept;
            dz[i] += step.intercept;
        }
        return {problem_, std::move(z), std::move(dz), dot(w_, step.w) / factor_,
                dot(step.w, step.w) / factor_};
    }

    /// The dual point of the Newton point: -(g + V dz). Its c X'beta equals w as accurately as the
    /// system was solved; with -g the error would be the rounding of z times the cost.
    void look_ahead(std::span<const double> dz) {
        for (std::size_t i = 0; i < dz.size(); ++i) {
            state_.dual[i] =
                problem_.costs[i] > 0.0 ? -(terms_.slope[i] + terms_.curvature[i] * dz[i]) : 0.0;
        }
    }

    /// Moves along the step; true when no row changed its piece of the loss.
    bool move(const ColumnStep& step, double length) {
        for (std::size_t j = 0; j < w_.size(); ++j) {
            w_[j] += length * step.w[j];
        }
        state_.intercept += length * step.intercept;
        rows_.multiply(w_, state_.f, context_);  // recomputed: no drift
        const Terms before = std::move(terms_);
        look();
        return same_zones(problem_.loss, before, terms_);
    }

private:
    void look() {
        terms_ = terms_at(problem_, state_.f, state_.intercept);
        state_.value = 0.5 * dot(w_, w_) / factor_ + terms_.value;
        state_.dual.resize(terms_.slope.size());
        for (std::size_t i = 0; i < state_.dual.size(); ++i) {
            state_.dual[i] = problem_.costs[i] > 0.0 ? -terms_.slope[i] : 0.0;
        }
    }

    const Problem& problem_;
    NewtonState& state_;
    Context& context_;
    const LinearRows& rows_;
    double factor_;
    std::vector<double> w_;
    Terms terms_;
};

/// The inner solves of one run: by Cholesky until it fails, then by conjugate gradients whose
/// accuracy increases as the method converges.
class StepMaker {
public:
    StepMaker(bool direct, Context& context) : direct_(direct), context_(context) {}

    [[nodiscard]] ColumnStep step(const Problem& problem, const ColumnPoint& point) {
        ColumnSystem system(point.rows(), point.factor(), problem.intercept,
                            point.terms().curvature, context_);
        const std::vector<double> gradient = point.gradient();
        const double slope = point.intercept_slope();
        if (direct_ && factored_ == point.terms().curvature) {
            system.reuse(room_);
            return system.solve(gradient, slope);
        }
        if (direct_ && system.factor_into(room_)) {
            factored_ = point.terms().curvature;
            return system.solve(gradient, slope);
        }
        direct_ = false;
        const index_t limit = first_ ? kFirstInner : kMostInner;
        first_ = false;
        return system.solve(gradient, slope, accuracy_, limit);
    }

    /// Sets the accuracy of the next system in proportion to the decrease of this step.
    void tighten(double decrease) {
        accuracy_ = std::clamp(0.1 * decrease, kLeastAccuracy, accuracy_);
    }
    /// Requests the best accuracy; false when it has been used already.
    bool demand_more() {
        if (direct_ || accuracy_ <= kLeastAccuracy) {
            return false;
        }
        accuracy_ = kLeastAccuracy;
        return true;
    }

private:
    bool direct_;
    Context& context_;
    Buffer<double> room_;
    std::vector<double> factored_;  ///< the curvatures of the factor in room_
    bool first_ = true;
    double accuracy_ = kFirstAccuracy;
};

}  // namespace

ColumnForm column_form(const GramOperator& gram, Context& context) {
    ColumnForm out;
    const LinearFactor* linear = gram.linear();
    if (linear == nullptr || !(linear->factor > 0.0) || linear->rows.columns() == 0) {
        return out;
    }
    const LinearRows& rows = linear->rows;
    const auto n = static_cast<double>(rows.rows());
    const auto d = static_cast<double>(rows.columns());
    const double in_rows = n * n * n / 3.0 + 0.5 * n * static_cast<double>(rows.stored());
    const double factored = rows.normal_matrix_cost() + d * d * d / 3.0;
    const double by_products = 2.0 * kInnerIterations * rows.multiply_cost();
    const bool fits = 16.0 * d * d <= static_cast<double>(context.memory()->left());
    out.direct = fits && factored <= by_products;
    out.cheaper = (out.direct ? factored : by_products) < in_rows;
    out.reason = fmt::format(
        "{} rows, {} columns, {} stored: {}", rows.rows(), rows.columns(), rows.stored(),
        !out.cheaper ? "a matrix of the rows costs less"
        : out.direct ? "a matrix of the columns costs less than one of the rows"
                     : "products with the rows cost less than any matrix");
    return out;
}

SolveStatus column_newton(const Problem& problem, bool direct, NewtonState& state,
                          index_t max_iterations, const NewtonWatch& watch, Context& context) {
    require_well_formed(problem);
    require_curvature(problem.loss);
    if (problem.gram->linear() == nullptr) {
        throw InvalidArgument("kernel: w has columns with the linear kernel only");
    }
    const index_t limit = max_iterations > 0 ? max_iterations : kColumnIterations;
    ColumnPoint point(problem, state, context);
    StepMaker steps(direct, context);
    NewtonStep step;
    for (;; ++step.iteration) {
        if (context.should_stop()) {
            return SolveStatus::interrupted;
        }
        point.settle_intercept();
        step.curved = point.curved_rows();
        step.value = state.value;
        const ColumnStep move = steps.step(problem, point);
        const NewtonLine line = point.line(move);
        const bool descends = line.search(step);
        point.look_ahead(line.step());
        if (!watch(state, step)) {
            return SolveStatus::converged;
        }
        if (!descends && steps.demand_more()) {
            continue;
        }
        if (!descends || step.settled) {
            return SolveStatus::converged;
        }
        if (step.iteration == limit) {
            return SolveStatus::iteration_limit;
        }
        step.settled = point.move(move, step.length) && move.exact && step.length == 1.0 &&
                       is_piecewise_quadratic(problem.loss);
        steps.tighten(relative_decrement(step, state.value));
        report_newton_step(step, state.value, context);
    }
}

std::vector<double> column_leave_one_out(const Problem& problem, std::span<const double> beta,
                                         double intercept, Context& context) {
    NewtonState state;
    state.beta.assign(beta.begin(), beta.end());
    state.intercept = intercept;
    const ColumnPoint point(problem, state, context);
    ColumnSystem system(point.rows(), point.factor(), problem.intercept, point.terms().curvature,
                        context);
    Buffer<double> room;
    if (!system.factor_into(room)) {
        return {};
    }
    const std::vector<double> h = system.leverages(point.rows());
    std::vector<double> z(state.f);
    // One Newton step without row i: remove its curvature from the model and its slope from the
    // gradient.
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double v = point.terms().curvature[i];
        z[i] += intercept - (v > 0.0 ? beta[i] * h[i] / (1.0 - v * h[i]) : 0.0);
    }
    return z;
}

std::vector<double> column_variance(const LinearRows& rows, double factor,
                                    std::span<const double> precisions, const LinearRows& wanted,
                                    Context& context) {
    ColumnSystem system(rows, factor, false, precisions, context);
    Buffer<double> room;
    if (!system.factor_into(room)) {
        throw InvalidArgument(
            "alpha: too small relative to these columns for a variance in double precision");
    }
    return system.leverages(wanted);
}

}  // namespace mercer

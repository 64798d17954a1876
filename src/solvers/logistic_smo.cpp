// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/logistic_smo.cpp - SMO for the dual of kernel logistic regression.
//
//     minimise   1/2 beta'K beta + sum_i c_i g(alpha_i / c_i),   beta = t alpha, sum(beta) = 0
//     g(p) = p log p + (1 - p) log(1 - p),   0 < alpha_i < c_i
//
// Method   Keerthi, Duan, Shevade and Poo, Machine Learning 61, 2005, with a second-order choice of
//          the partner. At the optimum H_i = F_i + t_i log(alpha_i / (c_i - alpha_i)) is the same
//          for all rows (and 0 without an intercept). Both alpha and c - alpha are stored, so that
//          both are accurate near their bounds, which they never reach.
// Fits     when the matrix of a Newton step does not fit the memory.
// Cost     two Gram rows and O(n) per step.
// Stops    max H - min H <= tolerance; the caller certifies.
// Notation F = K beta   d  step: beta_i -= d, beta_j += d
#include "solvers/logistic_smo.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr int kRootSteps = 200;
constexpr double kRoomLeft = 1e-10;
constexpr double kGone = 1e-280;  // a variable this close to its bound stays there

}  // namespace

class LogisticSmo::State {
public:
    State(const Problem& problem, Context& context)
        : problem_(problem),
          n_(problem.size()),
          gram_(problem.gram->whole(Precision::float64, context)),
          diagonal_(problem.gram->diagonal()) {
        if (!std::holds_alternative<LogisticLoss>(problem.loss)) {
            throw InvalidArgument("loss: this solver is for the logistic loss");
        }
        double cost[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < problem.costs.size(); ++i) {
            cost[problem.targets[i] > 0.0 ? 1 : 0] += problem.costs[i];
        }
        // The dual point of f = 0: nearly optimal for small costs, and in the dual set. With large
        // costs the start is a share of it, because the coefficients end far below their bounds.
        const double whole = cost[0] + cost[1];
        const double most = *std::max_element(problem.costs.begin(), problem.costs.end());
        const double part = std::min(1.0, 1.0 / std::max(most, 1e-300));
        for (std::size_t i = 0; i < problem.costs.size(); ++i) {
            const double share =
                problem.intercept ? cost[problem.targets[i] > 0.0 ? 0 : 1] / whole : 0.5;
            alpha_.push_back(problem.costs[i] * share * part);
            rest_.push_back(problem.costs[i] * (1.0 - share * part));
        }
        const index_t whole_matrix = n_ * n_;
        if (n_ < (index_t{1} << 20) && whole_matrix * 8 <= context.memory()->left() / 2) {
            matrix_ = context.allocate<double>(whole_matrix, "the Gram matrix");
            gram_->copy_rows(0, MatrixView<double>(matrix_.data(), n_, n_), context);
        }
        for (std::vector<double>& row : rows_) {
            row.resize(matrix_.empty() ? at(n_) : 0);
        }
        beta_.resize(at(n_));
        refresh_beta();
    }

    SolveStatus run(double tolerance, index_t max_iterations, Context& context) {
        f_ = decision_values(problem_, beta_, context);
        for (;; ++iterations_) {
            if (context.should_stop()) {
                return SolveStatus::interrupted;
            }
            const SolveStatus ended = step(tolerance, context);
            if (ended != SolveStatus::iteration_limit) {
                return ended;
            }
            if (iterations_ >= max_iterations) {
                return SolveStatus::iteration_limit;
            }
        }
    }

    std::vector<double> beta_;
    index_t iterations_ = 0;

private:
    [[nodiscard]] double t(index_t i) const { return problem_.targets[at(i)]; }
    [[nodiscard]] bool active(index_t i) const { return alpha_[at(i)] > 0.0 && rest_[at(i)] > 0.0; }
    [[nodiscard]] double height(index_t i) const {
        return f_[at(i)] + t(i) * (std::log(alpha_[at(i)]) - std::log(rest_[at(i)]));
    }
    /// Second derivative of c g(alpha / c).
    [[nodiscard]] double curvature(index_t i) const {
        return problem_.costs[at(i)] / (alpha_[at(i)] * rest_[at(i)]);
    }

    const double* row(index_t i, int slot, Context& context) {
        if (!matrix_.empty()) {
            return matrix_.data() + i * n_;
        }
        std::vector<double>& out = rows_[slot];
        gram_->copy_rows(i, MatrixView<double>(out.data(), 1, n_), context);
        return out.data();
    }

    void refresh_beta() {
        for (index_t i = 0; i < n_; ++i) {
            beta_[at(i)] = t(i) * alpha_[at(i)];
        }
    }

    /// The row whose H violates the optimality conditions most.
    struct Violator {
        index_t row = -1;
        double high = -kInfinity;  ///< its H; without an intercept |H|
        double low = kInfinity;    ///< the least H
    };

    [[nodiscard]] Violator worst_violator() const {
        Violator worst;
        for (index_t k = 0; k < n_; ++k) {
            if (!active(k)) {
                continue;
            }
            const double h = height(k);
            const double above = problem_.intercept ? h : std::abs(h);
            if (above > worst.high) {
                worst.high = above;
                worst.row = k;
            }
            worst.low = std::min(worst.low, h);
        }
        return worst;
    }

    /// The partner with the greatest second-order gain; -1: none.
    [[nodiscard]] index_t best_partner(const Violator& worst, const double* row_i) const {
        const index_t i = worst.row;
        index_t j = -1;
        double best = 0.0;
        for (index_t k = 0; k < n_; ++k) {
            if (k == i || !active(k)) {
                continue;
            }
            const double difference = worst.high - height(k);
            if (difference <= 0.0) {
                continue;
            }
            const double bend =
                std::max(0.0, diagonal_[at(i)] + diagonal_[at(k)] - 2.0 * row_i[k]) + curvature(i) +
                curvature(k);
            const double gain = difference * difference / bend;
            if (gain > best) {
                best = gain;
                j = k;
            }
        }
        return j;
    }

    /// One step; iteration_limit means that more steps are needed.
    SolveStatus step(double tolerance, Context& context) {
        const Violator worst = worst_violator();
        const index_t i = worst.row;
        if (i < 0 || (problem_.intercept ? worst.high - worst.low : worst.high) <= tolerance) {
            return SolveStatus::converged;
        }
        const double* row_i = row(i, 0, context);
        if (!problem_.intercept) {
            return move(i, -1, row_i, nullptr, root(i, -1, row_i));
        }
        const index_t j = best_partner(worst, row_i);
        if (j < 0) {
            return SolveStatus::reduced;
        }
        const double* row_j = row(j, 1, context);
        return move(i, j, row_i, row_j, root(i, j, row_i));
    }

    /// The step d at which H_i = H_j (H_i = 0 without a partner): a root of a decreasing function,
    /// by Newton's method inside a bracket whose far end is a bound and never reached.
    [[nodiscard]] double root(index_t i, index_t j, const double* row_i) const {
        const bool pair = j >= 0;
        const double bend =
            pair ? std::max(0.0, diagonal_[at(i)] + diagonal_[at(j)] - 2.0 * row_i[j])
                 : diagonal_[at(i)];
        const double sign = pair || height(i) > 0.0 ? 1.0 : -1.0;  // without a partner d may be < 0
        const double room_i = sign * t(i) > 0.0 ? alpha_[at(i)] : rest_[at(i)];
        const double room_j = !pair ? kInfinity : (t(j) > 0.0 ? rest_[at(j)] : alpha_[at(j)]);
        double low = 0.0;
        // A root may lie between a bound and the nearest double: a step leaves 1e-10 of the
        // distance, and the next step continues from there.
        double high = std::min(room_i, room_j) * (1.0 - kRoomLeft);
        const double start = pair ? height(i) - height(j) : std::abs(height(i));
        double d =
            std::min(0.5 * high, start / (bend + curvature(i) + (pair ? curvature(j) : 0.0)));
        if (excess(i, j, bend, sign, high).value > 0.0) {
            return sign * high;
        }
        for (int k = 0; k < kRootSteps; ++k) {
            const Excess here = excess(i, j, bend, sign, d);
            (here.value < 0.0 ? high : low) = d;
            double next = d + here.value / here.rise;
            if (!(next > low && next < high)) {
                next = 0.5 * (low + high);
            }
            if (std::abs(next - d) <= 1e-16 * d || next == low || next == high) {
                break;
            }
            d = next;
        }
        return sign * d;
    }

    struct Excess {
        double value = 0.0;  ///< H_i - H_j after a step; decreases with the step
        double rise = 0.0;   ///< rate of the decrease
    };

    /// For steps after which both variables are strictly inside their bounds.
    [[nodiscard]] Excess excess(index_t i, index_t j, double bend, double sign, double d) const {
        const double a = alpha_[at(i)] - sign * t(i) * d;
        const double ra = rest_[at(i)] + sign * t(i) * d;
        Excess out;
        out.value = f_[at(i)] + t(i) * (std::log(a) - std::log(ra));
        out.rise = bend + problem_.costs[at(i)] / (a * ra);
        if (j >= 0) {
            const double b = alpha_[at(j)] + t(j) * d;
            const double rb = rest_[at(j)] - t(j) * d;
            out.value -= f_[at(j)] + t(j) * (std::log(b) - std::log(rb));
            out.rise += problem_.costs[at(j)] / (b * rb);
        }
        out.value = sign * out.value - bend * d;
        return out;
    }

    SolveStatus move(index_t i, index_t j, const double* row_i, const double* row_j, double d) {
        const double a = alpha_[at(i)] - t(i) * d;
        const double ra = rest_[at(i)] + t(i) * d;
        const double b = j < 0 ? 1.0 : alpha_[at(j)] + t(j) * d;
        const double rb = j < 0 ? 1.0 : rest_[at(j)] - t(j) * d;
        if (d == 0.0 || !(a > 0.0 && ra > 0.0 && b > 0.0 && rb > 0.0) ||
            (a == alpha_[at(i)] && (j < 0 || b == alpha_[at(j)]))) {
            return SolveStatus::reduced;  // no further progress in double precision
        }
        alpha_[at(i)] = a;
        rest_[at(i)] = ra;
        beta_[at(i)] = t(i) * a;
        if (j >= 0) {
            alpha_[at(j)] = b;
            rest_[at(j)] = rb;
            beta_[at(j)] = t(j) * b;
        }
        for (index_t k = 0; k < n_; ++k) {
            f_[at(k)] += d * ((j < 0 ? 0.0 : row_j[k]) - row_i[k]);
        }
        return SolveStatus::iteration_limit;
    }

    const Problem& problem_;
    index_t n_;
    std::unique_ptr<const GramBlock> gram_;
    std::vector<double> diagonal_;
    std::vector<double> alpha_;
    std::vector<double> rest_;  ///< c - alpha
    std::vector<double> f_;
    Buffer<double> matrix_;  ///< K if it fits; otherwise rows are computed
    std::vector<double> rows_[2];
};

LogisticSmo::LogisticSmo(const Problem& problem, Context& context)
    : state_(std::make_unique<State>(problem, context)) {}
LogisticSmo::~LogisticSmo() = default;

SolveStatus LogisticSmo::run(double tolerance, index_t max_iterations, Context& context) {
    return state_->run(tolerance, max_iterations, context);
}
std::span<const double> LogisticSmo::beta() const noexcept { return state_->beta_; }
index_t LogisticSmo::iterations() const noexcept { return state_->iterations_; }

}  // namespace mercer

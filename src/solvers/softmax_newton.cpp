// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/softmax_newton.cpp - Newton's method for the joint logistic problem of many classes.
//
//     minimise   1/2 sum_k beta_k' K beta_k + sum_i c_i loss(y_i, z_i),   z = K beta + 1 b'
//
// Method   With g = c (p - e_y), W_i = c_i (diag p_i - p_i p_i') and r = -(g + beta) the step is
//              d_beta + W (K d_beta + 1 d_b') = r,   the columns of beta + d_beta summing to 0.
//          The matrix has n * classes rows, but W is a diagonal matrix minus one of rank n, so that
//              d_beta = r - P (K r + 1 d_b'),   P = E - E R (R' E R)^-1 R' E,
//          where E has a block E_k = S_k (I + S_k K S_k)^-1 S_k per class, S_k^2 = diag(c p_k), and
//          R' sums over the classes (Rasmussen and Williams, Gaussian Processes for Machine
//          Learning, 2006, algorithm 3.3, with the intercepts as a border of one row per class).
//          One Cholesky per class and one of M = sum_k E_k; then an exact line search.
// Fits     a few thousand rows: four n x n matrices for any number of classes, because the factors
//          of the classes are computed twice instead of stored.
// Cost     (8/3 classes + 1/3) n^3 per step; 5 to 15 steps.
// Stops    when the line search finds no lower value, or the caller's watch says so.
#include "solvers/softmax_newton.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/losses/softmax.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/slope_search.hpp"
#include "solvers/smaller_cost.hpp"

namespace mercer {

namespace {

constexpr index_t kDefaultIterations = 200;

struct Step {
    std::vector<double> beta;  ///< d_beta, n x classes
    std::vector<double> intercepts;
};

/// K, and one matrix for the current factor.
class StepSystem {
public:
    StepSystem(const SoftmaxProblem& problem, Context& context)
        : problem_(problem),
          context_(context),
          n_(problem.size()),
          k_(problem.class_count),
          gram_(matrix("the Gram matrix")),
          factor_(matrix("the matrix of a class")),
          inverse_(matrix("the inverse of a class")),
          sum_(matrix("the sum over the classes")) {
        problem.gram->whole(Precision::float64, context)
            ->copy_rows(0, MatrixView<double>(gram_.data(), n_, n_), context);
    }

    /// out = K v, n x classes.
    void multiply_gram(std::span<const double> v, std::span<double> out) {
        context_.count_products(k_);
        multiply(MatrixView<const double>(gram_.data(), n_, n_), false,
                 MatrixView<const double>(v.data(), n_, k_), false, 1.0, 0.0,
                 MatrixView<double>(out.data(), n_, k_), context_);
    }

    [[nodiscard]] Step step(const SoftmaxState& state) {
        Step out;
        out.beta.resize(state.beta.size());  // r
        for (std::size_t i = 0; i < out.beta.size(); ++i) {
            out.beta[i] = state.dual[i] - state.beta[i];
        }
        std::vector<double> right(state.beta.size());
        multiply_gram(out.beta, right);
        std::fill(sum_.span().begin(), sum_.span().end(), 0.0);
        std::vector<double> shares(state.beta.size());  // E_k (K r)_k
        std::vector<double> ones(state.beta.size());    // E_k 1
        for (index_t k = 0; k < k_; ++k) {
            add_class(state, k, right, shares, ones);
        }
        factor_sum();
        solve_intercepts(state, out, shares, ones);
        // P (K r + 1 d_b') of class k is E_k (its own part - M^-1 of the sum over the classes).
        std::vector<double> common(at(n_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            for (index_t k = 0; k < k_; ++k) {
                common[at(i)] +=
                    shares[at(i * k_ + k)] + out.intercepts[at(k)] * ones[at(i * k_ + k)];
            }
        }
        cholesky_solve(view(sum_), MatrixView<double>(common.data(), n_, 1), context_);
        for (index_t k = 0; k < k_; ++k) {
            std::vector<double> part = common;
            factor_class(state, k);
            apply_class(part);
            for (index_t i = 0; i < n_; ++i) {
                const std::size_t place = at(i * k_ + k);
                out.beta[place] -=
                    shares[place] + out.intercepts[at(k)] * ones[place] - part[at(i)];
            }
        }
        return out;
    }

private:
    Buffer<double> matrix(const char* what) {
        return context_.allocate<double>(checked_multiply(n_, n_), what);
    }
    [[nodiscard]] MatrixView<double> view(Buffer<double>& buffer) const {
        return {buffer.data(), n_, n_};
    }

    /// S_k and the factor of I + S_k K S_k.
    void factor_class(const SoftmaxState& state, index_t k) {
        root_.resize(at(n_));
        for (index_t i = 0; i < n_; ++i) {
            // dual = c (e_y - p): for the row's own class c p is c minus the dual.
            const double dual = state.dual[at(i * k_ + k)];
            const double c = problem_.costs[at(i)];
            root_[at(i)] =
                std::sqrt(std::max(0.0, problem_.classes[at(i)] == k ? c - dual : -dual));
        }
        const MatrixView<double> factor = view(factor_);
        for (index_t i = 0; i < n_; ++i) {
            const double* gram = gram_.data() + i * n_;
            for (index_t j = 0; j <= i; ++j) {
                factor(i, j) = root_[at(i)] * gram[j] * root_[at(j)];
            }
            factor(i, i) += 1.0;
        }
        if (!cholesky(factor, context_)) {
            throw SingularSystem(
                "kernel: I + S K S is not positive definite in double precision, and the kernel is "
                "not known to be; Newton's method needs a positive definite kernel");
        }
    }

    /// v = E_k v with the current factor.
    void apply_class(std::span<double> v) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] *= root_[i];
        }
        cholesky_solve(view(factor_), MatrixView<double>(v.data(), n_, 1), context_);
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] *= root_[i];
        }
    }

    /// Adds E_k to the sum and computes its products with K r and with 1.
    void add_class(const SoftmaxState& state, index_t k, std::span<const double> right,
                   std::span<double> shares, std::span<double> ones) {
        factor_class(state, k);
        std::vector<double> column(at(n_));
        for (index_t i = 0; i < n_; ++i) {
            column[at(i)] = right[at(i * k_ + k)];
        }
        apply_class(column);
        for (index_t i = 0; i < n_; ++i) {
            shares[at(i * k_ + k)] = column[at(i)];
        }
        std::fill(column.begin(), column.end(), 1.0);
        apply_class(column);
        for (index_t i = 0; i < n_; ++i) {
            ones[at(i * k_ + k)] = column[at(i)];
        }
        std::fill(inverse_.span().begin(), inverse_.span().end(), 0.0);
        const MatrixView<double> inverse = view(inverse_);
        for (index_t i = 0; i < n_; ++i) {
            inverse(i, i) = root_[at(i)];
        }
        cholesky_solve(view(factor_), inverse, context_);
        const MatrixView<double> sum = view(sum_);
        for (index_t i = 0; i < n_; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                sum(i, j) += root_[at(i)] * inverse(i, j);
            }
        }
    }

    /// Factors M, which is positive definite but nearly singular for rows with probabilities near 0
    /// and 1: a small ridge compensates for rounding.
    void factor_sum() {
        const MatrixView<double> sum = view(sum_);
        double greatest = 0.0;
        for (index_t i = 0; i < n_; ++i) {
            greatest = std::max(greatest, sum(i, i));
            for (index_t j = 0; j < i; ++j) {
                inverse_[i * n_ + j] = sum(i, j);
            }
            inverse_[i * n_ + i] = sum(i, i);
        }
        for (double more = 1e-16; !cholesky(sum, context_); more *= 100.0) {
            if (more > 1.0) {
                throw SingularSystem(
                    "kernel: the Newton step has no positive definite matrix in double precision");
            }
            for (index_t i = 0; i < n_; ++i) {
                for (index_t j = 0; j <= i; ++j) {
                    sum(i, j) = inverse_[i * n_ + j];
                }
                sum(i, i) += more * greatest;
            }
        }
    }

    /// The equations of d_b, one per class: the lower triangle of 1'P 1, and the sums of the
    /// columns of beta + r - P K r.
    struct InterceptEquations {
        std::vector<double> matrix;
        std::vector<double> right;
    };

    [[nodiscard]] InterceptEquations intercept_equations(const SoftmaxState& state,
                                                         std::span<const double> shares,
                                                         std::span<const double> ones) {
        std::vector<double> solved(ones.begin(), ones.end());  // M^-1 E_k 1
        cholesky_solve(view(sum_), MatrixView<double>(solved.data(), n_, k_), context_);
        InterceptEquations out{std::vector<double>(at(k_ * k_), 0.0),
                               std::vector<double>(at(k_), 0.0)};
        std::vector<double> together(at(n_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            for (index_t k = 0; k < k_; ++k) {
                together[at(i)] += shares[at(i * k_ + k)];
            }
        }
        for (index_t i = 0; i < n_; ++i) {
            for (index_t k = 0; k < k_; ++k) {
                const std::size_t place = at(i * k_ + k);
                out.right[at(k)] +=
                    state.dual[place] - shares[place] + solved[place] * together[at(i)];
                out.matrix[at(k * k_ + k)] += ones[place];
                for (index_t l = 0; l <= k; ++l) {
                    out.matrix[at(k * k_ + l)] -= ones[place] * solved[at(i * k_ + l)];
                }
            }
        }
        return out;
    }

    /// d_b from the columns' sums: one equation per class. One of them is redundant, because a
    /// shift of all classes changes nothing; the d_b sum to 0.
    void solve_intercepts(const SoftmaxState& state, Step& out, std::span<const double> shares,
                          std::span<const double> ones) {
        out.intercepts.assign(at(k_), 0.0);
        if (!problem_.intercept) {
            return;
        }
        InterceptEquations equations = intercept_equations(state, shares, ones);
        const MatrixView<double> matrix(equations.matrix.data(), k_, k_);
        double trace = 0.0;
        for (index_t k = 0; k < k_; ++k) {
            trace += matrix(k, k);
        }
        const double even = trace / static_cast<double>(k_ * k_);
        for (index_t k = 0; k < k_; ++k) {
            for (index_t l = 0; l <= k; ++l) {
                matrix(k, l) += even + (k == l ? 1e-15 * trace : 0.0);
            }
        }
        if (cholesky(matrix, context_)) {
            cholesky_solve(matrix, MatrixView<double>(equations.right.data(), k_, 1), context_);
            out.intercepts = std::move(equations.right);
        }
    }

    const SoftmaxProblem& problem_;
    Context& context_;
    index_t n_;
    index_t k_;
    Buffer<double> gram_;
    Buffer<double> factor_;
    Buffer<double> inverse_;
    Buffer<double> sum_;
    std::vector<double> root_;
};

/// The objective along a step, whose slope is monotone.
class Line {
public:
    Line(const SoftmaxProblem& problem, const SoftmaxState& from, const Step& step,
         std::span<const double> f_step)
        : problem_(problem),
          from_(from),
          k_(at(problem.class_count)),
          linear_(dot(from.beta, f_step)),
          quadratic_(std::max(0.0, dot(step.beta, f_step))),
          z_step_(f_step.begin(), f_step.end()),
          z_(k_),
          p_(k_) {
        for (std::size_t i = 0; i < z_step_.size(); ++i) {
            z_step_[i] += step.intercepts[i % k_];
        }
    }

    [[nodiscard]] Slope slope(double length) {
        Slope out{linear_ + length * quadratic_, quadratic_,
                  std::abs(linear_) + length * quadratic_};
        for (std::size_t i = 0; i < problem_.costs.size(); ++i) {
            const double* dz = z_step_.data() + i * k_;
            for (std::size_t k = 0; k < k_; ++k) {
                z_[k] = from_.f[i * k_ + k] + from_.intercepts[k] + length * dz[k];
            }
            SoftmaxLoss::derivative(problem_.classes[i], z_, p_);
            const double c = problem_.costs[i];
            const auto own = at(problem_.classes[i]);
            double mean = 0.0;
            double square = 0.0;
            for (std::size_t k = 0; k < k_; ++k) {
                const double term = c * p_[k] * dz[k];
                out.value += term;
                out.scale += std::abs(term);
                const double p = p_[k] + (k == own ? 1.0 : 0.0);
                const double from_own = dz[k] - dz[own];
                mean += p * from_own;
                square += p * from_own * from_own;
            }
            out.rise += c * std::max(0.0, square - mean * mean);
        }
        return out;
    }

    /// The step length.
    [[nodiscard]] double search(const Slope& start) {
        return root_of_slope(start, [this](double length) { return slope(length); });
    }

private:
    const SoftmaxProblem& problem_;
    const SoftmaxState& from_;
    std::size_t k_;
    double linear_;
    double quadratic_;
    std::vector<double> z_step_;
    std::vector<double> z_;
    std::vector<double> p_;
};

}  // namespace

void refresh(const SoftmaxProblem& problem, SoftmaxState& state) {
    const auto k = at(problem.class_count);
    std::vector<double> z(k);
    std::vector<double> u(k);
    state.dual.resize(state.beta.size());
    double losses = 0.0;
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        for (std::size_t c = 0; c < k; ++c) {
            z[c] = state.f[i * k + c] + state.intercepts[c];
        }
        losses += problem.costs[i] * SoftmaxLoss::value(problem.classes[i], z);
        SoftmaxLoss::derivative(problem.classes[i], z, u);
        for (std::size_t c = 0; c < k; ++c) {
            state.dual[i * k + c] = u[c] == 0.0 ? 0.0 : -problem.costs[i] * u[c];
        }
    }
    state.value = 0.5 * std::max(0.0, dot(state.beta, state.f)) + losses;
}

SolveStatus softmax_newton(const SoftmaxProblem& problem, SoftmaxState& state,
                           index_t max_iterations, const SoftmaxWatch& watch, Context& context) {
    const index_t limit = max_iterations > 0 ? max_iterations : kDefaultIterations;
    const auto k = at(problem.class_count);
    StepSystem system(problem, context);
    std::vector<double> f_step(state.beta.size());
    SoftmaxStep step;
    for (;; ++step.iteration) {
        if (context.should_stop()) {
            return SolveStatus::interrupted;
        }
        const Step newton = system.step(state);
        system.multiply_gram(newton.beta, f_step);
        Line line(problem, state, newton, f_step);
        const Slope start = line.slope(0.0);
        step.decrement = -start.value;
        const bool descends = start.value < -1e-15 * start.scale;
        step.length = descends ? line.search(start) : 0.0;
        if (!watch(state, step) || !descends) {
            return SolveStatus::converged;
        }
        if (step.iteration == limit) {
            return SolveStatus::iteration_limit;
        }
        for (std::size_t i = 0; i < state.beta.size(); ++i) {
            state.beta[i] += step.length * newton.beta[i];
            state.f[i] += step.length * f_step[i];
        }
        for (std::size_t c = 0; c < k; ++c) {
            state.intercepts[c] += step.length * newton.intercepts[c];
        }
        refresh(problem, state);
        context.report({.stage = "newton",
                        .done = step.iteration + 1,
                        .total = 0,
                        .gap = step.decrement / std::max(1.0, std::abs(state.value))});
    }
}

}  // namespace mercer

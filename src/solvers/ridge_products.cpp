// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_products.cpp - kernel ridge regression by products with K.
//
// Method   G = K + alpha W^-1 by conjugate gradients. With an intercept b is eliminated: the system
//          is solved on sum(beta) = 0, where it is P G P with P = I - 11'/n. A float32 Cholesky
//          factor of G as preconditioner (bordered the same way) needs two or three steps for
//          double precision: iterative refinement that cannot overshoot. The last of them is
//          taken without a product; the certificate checks it.
// Fits     an n whose matrix does not fit (plain); half its time and memory (float32 factor).
// Cost     one product with K in float64 per step; the float32 factor n^3/3 float32 flops.
// Stops    at the relative residual; the solution has the bound from theory on the steps.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/kernel_descent.hpp"
#include "mercer/solvers/optimise.hpp"
#include "solvers/ridge_system.hpp"

namespace mercer {

namespace {

constexpr index_t kDescentSteps = 100'000;

// Largest entry of a residual, relative to the root mean square of the targets, after a step taken
// without a product: ten times the tolerance of the iterations, and near the product's rounding.
constexpr double kForeseen = 1e-12;

class Products {
public:
    Products(const RidgeProblem& problem, const RidgeOptions& options, Context& context)
        : problem_(problem),
          options_(options),
          context_(context),
          n_(problem.size()),
          gram_(problem.gram->whole(Precision::float64, context)) {
        require_in_range("alpha", problem.alpha, Range::positive());
        if (options.trace && problem.target_count != 1) {
            throw InvalidArgument("trace: needs exactly one target");
        }
        if (problem.target_count < 1 ||
            static_cast<index_t>(problem.targets.size()) != n_ * problem.target_count) {
            throw InvalidArgument(fmt::format("targets: got {} numbers for {} rows and {} targets",
                                              problem.targets.size(), n_, problem.target_count));
        }
        for (std::size_t i = 0; i < problem.weights.size(); ++i) {
            require_in_range(fmt::format("weight of row {}", i + 1), problem.weights[i],
                             Range::positive());
        }
        shift_.reserve(at(n_));
        for (index_t i = 0; i < n_; ++i) {
            shift_.push_back(problem.alpha /
                             (problem.weights.empty() ? 1.0 : problem.weights[at(i)]));
        }
    }

    RidgeSolution solve() {
        RidgeSolution out;
        out.rank = n_;
        out.iterations = 0;
        out.solver = options_.solver.name();
        out.beta.assign(problem_.targets.size(), 0.0);
        out.intercepts.assign(at(problem_.target_count), 0.0);
        bool reached = true;
        if (options_.solver == SolverId::cholesky && !factor()) {
            out.certificates.clear();
            out.status = SolveStatus::reduced;
            return out;
        }
        solve_targets(out, reached);
        context_.memory()->release_idle();  // blocks of the iterations; certificates need others
        certify_ridge(problem_, out, context_);
        if (foresaw_ && reached && !foreseen(out)) {  // again, with a product for every step
            foresight_ = false;
            const double seconds = out.certify_seconds;
            out.iterations = 0;
            solve_targets(out, reached);
            certify_ridge(problem_, out, context_);
            out.certify_seconds += seconds;
        }
        out.certify_seconds += watching_;
        if (!reached) {
            out.status =
                context_.should_stop() ? SolveStatus::interrupted : SolveStatus::iteration_limit;
        }
        return out;
    }

private:
    void solve_targets(RidgeSolution& out, bool& reached) {
        for (index_t c = 0; c < problem_.target_count; ++c) {
            std::vector<double> y;
            y.reserve(at(n_));
            for (index_t i = 0; i < n_; ++i) {
                y.push_back(problem_.targets[at(i * problem_.target_count + c)]);
            }
            centre(y);
            const std::vector<double> beta = options_.solver == SolverId::gradient_descent
                                                 ? by_descent(y, out, reached)
                                                 : by_conjugate_gradients(y, out, reached);
            for (index_t i = 0; i < n_; ++i) {
                out.beta[at(i * problem_.target_count + c)] = beta[at(i)];
            }
        }
    }

    void centre(std::span<double> v) const {
        if (!problem_.intercept) {
            return;
        }
        double mean = 0.0;
        for (const double value : v) {
            mean += value;
        }
        mean /= static_cast<double>(n_);
        for (double& value : v) {
            value -= mean;
        }
    }

    /// out = P (K + shift) v; v sums to zero if there is an intercept.
    void multiply(std::span<const double> v, std::span<double> out, bool with_shift) {
        gram_->multiply(MatrixView<const double>(v.data(), n_, 1),
                        MatrixView<double>(out.data(), n_, 1), context_);
        for (index_t i = 0; i < n_ && with_shift; ++i) {
            out[at(i)] += shift_[at(i)] * v[at(i)];
        }
        centre(out);
    }

    bool factor() {
        factor_ = context_.allocate<float>(checked_multiply(n_, n_), "the float32 matrix of krr");
        const MatrixView<float> g(factor_.data(), n_, n_);
        shifted(problem_.gram, shift_)
            ->whole(Precision::float32, context_)
            ->copy_lower(g, context_);
        if (!cholesky(g, context_)) {
            return false;
        }
        if (problem_.intercept) {
            border_.assign(at(n_), 1.0);
            cholesky_solve(MatrixView<const float>(g), MatrixView<double>(border_.data(), n_, 1),
                           context_);
            border_sum_ = 0.0;
            for (const double value : border_) {
                border_sum_ += value;
            }
        }
        return true;
    }

    /// The inverse of the float32 factor on sum(v) = 0.
    void precondition(std::span<const double> v, std::span<double> out) {
        std::copy(v.begin(), v.end(), out.begin());
        cholesky_solve(MatrixView<const float>(factor_.data(), n_, n_),
                       MatrixView<double>(out.data(), n_, 1), context_);
        if (problem_.intercept) {
            double sum = 0.0;
            for (const double value : out) {
                sum += value;
            }
            for (index_t i = 0; i < n_; ++i) {
                out[at(i)] -= sum / border_sum_ * border_[at(i)];
            }
            centre(out);
        }
    }

    /// Certifies an iterate for the trace; false when its gap is small enough.
    bool watch(std::span<const double> beta, index_t iteration, RidgeSolution& out) {
        const double begin = context_.elapsed();
        RidgeSolution copy;
        copy.beta.assign(beta.begin(), beta.end());
        copy.intercepts.assign(1, 0.0);
        certify_ridge(problem_, copy, context_);
        const double gap = relative_gap(copy.certificates.front());
        out.trace.push_back(
            {iteration, begin - start_ - watching_, copy.certificates.front().primal, gap});
        watching_ += context_.elapsed() - begin;
        return !(gap <= options_.proof.relative);
    }

    /// True when every certificate confirms the residual that the iterations predicted: entries of
    /// at most a few times the tolerance.
    [[nodiscard]] bool foreseen(const RidgeSolution& out) const {
        for (index_t c = 0; c < problem_.target_count; ++c) {
            double squares = 0.0;
            for (index_t i = 0; i < n_; ++i) {
                const double y = problem_.targets[at(i * problem_.target_count + c)];
                squares += y * y;
            }
            const double size = std::sqrt(squares / static_cast<double>(n_));
            if (!(out.certificates[at(c)].kkt_violation <= kForeseen * size)) {
                return false;
            }
        }
        return true;
    }

    /// The bound from theory on the iterations, from the largest eigenvalue of K.
    void bound_iterations(RidgeSolution& out) {
        const LinearOperator k = [this](std::span<const double> v, std::span<double> product) {
            multiply(v, product, false);
        };
        const double most = greatest_eigenvalue(k, n_, context_);
        const auto [least, largest] = std::minmax_element(shift_.begin(), shift_.end());
        out.condition = (most + *largest) / *least;
        // The bound is for the error in the norm of the matrix; the residual, which determines the
        // stop, may be larger by the square root of the condition number.
        out.iteration_bound =
            conjugate_gradient_bound(out.condition, options_.tolerance / std::sqrt(out.condition));
    }

    std::vector<double> by_conjugate_gradients(std::span<const double> y, RidgeSolution& out,
                                               bool& reached) {
        const LinearOperator g = [this](std::span<const double> v, std::span<double> product) {
            multiply(v, product, true);
        };
        LinearSystemOptions wanted;
        wanted.tolerance = options_.tolerance;
        wanted.max_iterations = options_.max_iterations;
        wanted.recompute = false;  // the certificate is the check
        if (!factor_.empty()) {
            wanted.max_iterations = 50;
            wanted.foresee = foresight_;
            wanted.precondition = [this](std::span<const double> v, std::span<double> product) {
                precondition(v, product);
            };
        } else if (std::isnan(out.iteration_bound)) {
            bound_iterations(out);
        }
        if (options_.trace) {
            wanted.watch = [this, &out](std::span<const double> x, index_t iteration, double) {
                return watch(x, iteration, out);
            };
        }
        const std::vector<double> zero(at(n_), 0.0);
        const LinearSystemResult found = conjugate_gradient(g, y, zero, wanted, context_);
        out.iterations += found.iterations;
        foresaw_ = foresaw_ || found.products < found.iterations;
        // Within rounding of the tolerance double precision allows no smaller residual.
        reached = reached && found.status != SolveStatus::interrupted &&
                  (found.residuals.back() <= std::max(options_.tolerance, 1e-9) ||
                   (options_.trace && found.status == SolveStatus::converged));
        return found.x;
    }

    std::vector<double> by_descent(std::span<const double> y, RidgeSolution& out, bool& reached) {
        // Weights make the diagonal uneven: descent takes K + shift as its operator, without decay.
        const LinearOperator g = [this](std::span<const double> v, std::span<double> product) {
            multiply(v, product, true);
        };
        KernelDescentOptions wanted;
        wanted.tolerance = options_.tolerance;
        wanted.max_iterations =
            options_.max_iterations > 0 ? options_.max_iterations : kDescentSteps;
        if (options_.trace) {
            wanted.watch = [this, &out](std::span<const double> beta, index_t iteration) {
                return watch(beta, iteration, out);
            };
        }
        const KernelDescentResult found = kernel_gradient_descent(g, y, wanted, context_);
        out.condition = 1.0 / (found.step * *std::min_element(shift_.begin(), shift_.end()));
        out.iterations += found.iterations;
        reached = reached && found.status == SolveStatus::converged;
        return found.beta;
    }

    const RidgeProblem& problem_;
    const RidgeOptions& options_;
    Context& context_;
    index_t n_;
    std::unique_ptr<const GramBlock> gram_;
    std::vector<double> shift_;
    Buffer<float> factor_;
    std::vector<double> border_;
    double border_sum_ = 1.0;
    bool foresight_ = true;
    bool foresaw_ = false;  ///< a last step was taken without a product
    double start_ = context_.elapsed();
    double watching_ = 0.0;  ///< seconds spent on the trace
};

}  // namespace

RidgeSolution solve_ridge_by_products(const RidgeProblem& problem, const RidgeOptions& options,
                                      Context& context) {
    return Products(problem, options, context).solve();
}

}  // namespace mercer
